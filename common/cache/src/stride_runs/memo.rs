//! Runs that do what an earlier run did, elsewhere.
//!
//! A cache does not see addresses, only which lines are equal and which share a
//! set. Take two runs of the same accesses but that each array's lie some lines
//! further on. If the second finds every set that it comes to as the first did, with
//! the lines of each array as much further on, it leaves them as the first did, so
//! moved, and counts the same. So of many walks down a column few are simulated; the
//! others are compared with one of these, set by set. A level that keeps all lines has
//! those of a column for good once it has them: they are looked for once.

mod contents;
mod kept;
mod learn;
mod owned;

use std::collections::HashMap;

use super::{RunDetector, Stream, StrideRun, simulate_pages};
use crate::Modelled;
use crate::hierarchy::Hierarchy;
use crate::level::{ARRAYS, Level};
use contents::{Contents, Moves};
use figures::random::mix;
use kept::KeptStreams;
use machine::{Machine, Prefetch, Replacement};
use owned::Owned;

/// Accesses below which a run is simulated each time.
const FEWEST: usize = 16;
/// Most runs that are kept before one is of use, most of one shape, and most bytes that
/// all of them take.
const MOST: usize = 512;
const MOST_ALIKE: usize = 16;
const MOST_HELD: usize = 32 << 20;
/// Runs that are simulated without being kept, once keeping has not paid.
const PAUSE: usize = 1 << 14;
/// Owner of an empty way: it does not move.
const NOBODY: u8 = u8::MAX;

/// The runs that were kept.
#[derive(Debug)]
pub(super) struct Memos {
    by_shape: HashMap<u64, Vec<Memo>>,
    /// How many bytes they take.
    held: usize,
    /// How many more may be kept before one is of use.
    credit: usize,
    paused: usize,
    /// By array: how far it has moved in bytes, and at a level.
    by: Box<[i64; ARRAYS]>,
    at_level: Moves,
    /// Bytes of the longest line, and after which all levels' sets come again.
    line: usize,
    span: usize,
    kept: KeptStreams,
}

/// A run, and what it did.
#[derive(Debug)]
struct Memo {
    run: StrideRun,
    /// The array of each lead-in and stream.
    owners: Vec<u8>,
    /// How many bytes each array may move down and up, its lines staying in it.
    room: Vec<(u8, [i64; 2])>,
    /// Arrays with lines in the same set, which comes again after so many bytes.
    meet: Vec<(i64, u8, u8)>,
    levels: Vec<AtLevel>,
    counts: Vec<u64>,
}

/// What a run did to one level.
#[derive(Debug, Default)]
struct AtLevel {
    /// The sets that it came to, as they were before, and those of them that it
    /// changed, as they were after.
    before: Contents,
    after: Contents,
    /// Lines of an exclusive level, by whether it had promoted them dirty before, and has
    /// after.
    promoted: [[Owned; 2]; 2],
    /// Streams whose lines the level had before, and keeps: they are not written down.
    kept: Vec<usize>,
}

impl Memos {
    /// For `machine`; `None` if more than the content of sets decides what a run
    /// does.
    pub(super) fn new(machine: &Machine, hierarchy: &Hierarchy) -> Option<Memos> {
        let line = machine.levels.iter().map(|cache| cache.line.get()).max()?;
        let by_sets = machine.levels.iter().all(|cache| {
            let random = matches!(cache.replacement, Replacement::Random { .. });
            !random && cache.prefetch == Prefetch::None
        });
        let apart = hierarchy.addresses.alignment().is_multiple_of(line);
        let spans = hierarchy.levels.iter().filter(|level| level.lines.evicts).map(Level::span);
        (by_sets && apart && hierarchy.page_map.is_none()).then(|| Memos {
            by_shape: HashMap::new(),
            held: 0,
            credit: MOST,
            paused: 0,
            by: Box::new([0; ARRAYS]),
            at_level: Moves::new(),
            line,
            span: spans.max().unwrap_or(line).max(line),
            kept: KeptStreams::default(),
        })
    }

    /// Equal for runs of the same accesses that may be moved ones.
    fn shape(&self, run: &StrideRun) -> u64 {
        let first = run.streams.first().map_or(0, |stream| stream.pointer);
        let line = self.line.trailing_zeros();
        let mut hash = mix(run.steps as u64);
        for lead in &run.lead_in {
            let apart = (lead.pointer >> line).wrapping_sub(first >> line) % (self.span >> line);
            hash = mix(hash ^ mix(lead.kind ^ (apart as u64) << 8));
        }
        let streams = run.streams.iter().map(|stream| mix(stream.kind ^ (stream.stride as u64) << 8));
        streams.fold(hash, |hash, stream| mix(hash ^ stream))
    }
}

/// Whether to look for runs like the current one may pay at present: it does where
/// every step of all streams comes to another line, as down a column. Runs along rows
/// are quicker simulated than compared.
pub(super) fn pays(model: &mut Modelled) -> bool {
    let has_caches = model.half.has_caches();
    let RunDetector { memos: Some(memos), current: run, .. } = &mut *model.runs else { return false };
    let new_line = |stream: &Stream| stream.stride == 0 || stream.stride.unsigned_abs() >= memos.line;
    if !has_caches || run.steps * run.streams.len() < FEWEST || !run.streams.iter().all(new_line) {
        return false;
    }
    if memos.credit == 0 {
        memos.paused += 1;
        if memos.paused == PAUSE {
            (memos.credit, memos.paused) = (MOST / 4, 0);
        }
    }
    memos.credit > 0
}

/// Does what the current run does; simulates it if no run that was kept tells.
/// Whether that surely leaves all as it was.
pub(super) fn serve(model: &mut Modelled) -> bool {
    simulate_pages(model);
    let pages = std::mem::take(&mut model.recent_pages);
    let unchanged = serve_caches(model) && pages.is_empty();
    model.recent_pages = pages;
    unchanged
}

/// The same of the caches alone.
fn serve_caches(model: &mut Modelled) -> bool {
    let Some(mut memos) = model.runs.memos.take() else { return false };
    if !model.filter.knows_nothing() {
        model.report_all();
        model.forget_recent();
    }
    let shape = memos.shape(&model.runs.current);
    let mut alike = memos.by_shape.remove(&shape).unwrap_or_default();
    let mut found = alike.iter().position(|memo| memo.applies(model, &mut memos));
    if let Some(found) = found {
        alike[found].apply(model, &mut memos);
        alike[..=found].rotate_right(1);
        memos.credit = (memos.credit + 4).min(MOST);
    } else {
        memos.credit -= 1;
        if let Some(memo) = Memo::learn(model) {
            let oldest = if alike.len() == MOST_ALIKE { alike.pop() } else { None };
            memos.held = memos.held + memo.bytes() - oldest.map_or(0, |memo| memo.bytes());
            alike.insert(0, memo);
            found = Some(0);
        }
    }
    let unchanged = found.is_some() && alike[0].changes_nothing();
    if unchanged {
        model.runs.counts.clear();
        model.runs.counts.resize(2 * alike[0].counts.len(), 0);
        model.runs.counts.extend_from_slice(&alike[0].counts);
    }
    memos.by_shape.insert(shape, alike);
    if memos.held > MOST_HELD {
        memos.by_shape.clear();
        memos.held = 0;
    }
    model.runs.memos = Some(memos);
    unchanged
}

impl Memo {
    /// Whether the current run is this one, moved, and finds its sets so.
    fn applies(&self, model: &mut Modelled, memos: &mut Memos) -> bool {
        let Modelled { filter, runs, .. } = model;
        let (run, origin) = (&runs.current, filter.origin);
        let mut levels = self.levels.iter().zip(&mut filter.hierarchy.levels).enumerate();
        self.has_moved(run, runs.grain, memos)
            && levels.all(|(number, (at, level))| {
                let has = |stream: &usize| memos.kept.has((number, level), origin, run, *stream);
                if !at.kept.iter().all(has) {
                    return false;
                }
                self.move_at(level, memos);
                let met = at.before.is_in(&mut level.lines, &memos.at_level);
                let promoted = &level.promoted_dirty;
                let has = |line| promoted.contains(line);
                let lines =
                    |before: usize| at.promoted[before].iter().flat_map(|lines| lines.moved(&memos.at_level));
                let no_more = || promoted.len() == at.promoted[1].iter().map(Owned::len).sum();
                met && lines(1).all(has) && (no_more() || !lines(0).any(has))
            })
    }

    /// Whether `run` makes the same accesses, each array's moved by whole lines.
    fn has_moved(&self, run: &StrideRun, grain: u32, memos: &mut Memos) -> bool {
        let same = self.run.steps == run.steps
            && self.run.lead_in.len() == run.lead_in.len()
            && self.run.streams.len() == run.streams.len();
        if !same {
            return false;
        }
        self.room.iter().for_each(|(owner, _)| memos.by[usize::from(*owner)] = 0);
        let line = memos.line.trailing_zeros();
        let pairs = || self.run.accesses().zip(run.accesses()).zip(&self.owners);
        let by = |old: &Stream, new: &Stream| (new.pointer >> line).wrapping_sub(old.pointer >> line) << line;
        pairs().for_each(|((old, new), owner)| memos.by[usize::from(*owner)] = by(old, new) as i64);
        pairs().all(|((old, new), owner)| {
            let moved = Stream { pointer: old.pointer.wrapping_add(by(old, new)), ..*old };
            memos.by[usize::from(*owner)] == by(old, new) as i64 && moved.is_like(new, grain)
        }) && self.room.iter().all(|(owner, [down, up])| {
            let moved = memos.by[usize::from(*owner)];
            -down <= moved && moved <= *up
        }) && self.meet.iter().all(|(span, one, other)| {
            (memos.by[usize::from(*one)] - memos.by[usize::from(*other)]) % span == 0
        })
    }

    /// Says how far each array has moved at `level`.
    fn move_at(&self, level: &Level, memos: &mut Memos) {
        for (owner, _) in &self.room {
            memos.at_level.put(*owner, memos.by[usize::from(*owner)], level);
        }
    }

    /// Does, and counts, what this run did.
    fn apply(&self, model: &mut Modelled, memos: &mut Memos) {
        let hierarchy = &mut model.filter.hierarchy;
        for (at, level) in self.levels.iter().zip(&mut hierarchy.levels) {
            self.move_at(level, memos);
            level.uses += u64::from(!at.before.is_empty());
            at.after.put_in(&mut level.lines, &memos.at_level);
            for line in at.promoted[1][0].moved(&memos.at_level) {
                level.promoted_dirty.remove(line);
            }
            level.promoted_dirty.extend(at.promoted[0][1].moved(&memos.at_level));
        }
        let mut counts = self.counts.iter();
        hierarchy.each_count(|count| *count += counts.next().copied().unwrap_or(0));
    }

    /// How many bytes it takes.
    fn bytes(&self) -> usize {
        let promoted = |at: &AtLevel| at.promoted.as_flattened().iter().map(Owned::bytes).sum::<usize>();
        self.levels.iter().map(|at| at.before.bytes() + at.after.bytes() + promoted(at)).sum()
    }

    /// Whether all is after the run as it was before.
    fn changes_nothing(&self) -> bool {
        let stays = |at: &AtLevel| at.promoted[0][1].len() + at.promoted[1][0].len() == 0;
        self.levels.iter().all(|at| at.after.is_empty() && stays(at))
    }
}
