//! Runs of which one stream goes down a column while the others hardly leave their lines,
//! as the inner loops of a product's textbook order do.
//!
//! Every step down the column misses in all levels above the last, as long as none of
//! them has one of its lines: it comes to the front of its set there, all others move one
//! way back, and one leaves. What a number of steps leaves behind in these levels is then
//! written down at once, and only the last level is simulated. That holds up to the step
//! in which
//!
//! - another stream comes to a line that may share a set with the column, or leaves one;
//! - a line comes up that one of the levels still has from before;
//! - one that is dirty leaves a level;
//! - an inclusive level may evict one that a level above has then. (Of the column's own
//!   lines, that of the step before is evicted first.) A line that a stream stays in and
//!   stores to is fetched again at once: one such line may be evicted.
//!
//! Such a step is simulated. The other streams' lines in sets that the column never comes
//! to are looked up on their own: sets do not see each other.

mod asked;
mod count;
mod last;
mod victims;

use super::blocks::walk_by_blocks;
use super::{Half, Stream};
use crate::Modelled;
use crate::hierarchy::Hierarchy;
use crate::level::Level;
use crate::request::Request;
use crate::shifted::gcd;
use crate::tag::{DIRTY, LINE, Tag, line_of, tag_of};

/// Steps below which a column is walked.
const SHORTEST: usize = 32;
/// Steps that are left out at least, and those walked after a look in vain.
const FEWEST: usize = 8;
/// After so many runs in vain, as many as that power of two are walked.
const MOST_IN_VAIN: u32 = 6;
/// From how many classes of sets on the other streams are mostly elsewhere.
const CLASSES: u64 = 8;

/// The line that another stream stays in and stores to, where nothing but an inclusive
/// second level may evict it: it is written back then, and fetched again in the same step.
#[derive(Debug, Clone, Copy)]
struct Refetched {
    line: u64,
    kind: u64,
    array: u8,
}

/// Whether it pays to look at columns.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// How many in succession were looked at in vain, and how many are not to be.
    pub(crate) in_vain: u32,
    pause: u32,
}

impl Columns {
    /// Whether the next one is worth a look.
    pub(super) fn pay(&mut self) -> bool {
        let pays = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        pays
    }

    fn note(&mut self, paid: bool) {
        self.in_vain = if paid { 0 } else { (self.in_vain + 1).min(MOST_IN_VAIN) };
        self.pause = (1 << self.in_vain) - 1;
    }
}

/// A run down a column.
pub(super) struct Column {
    /// The place of its stream among all.
    place: usize,
    /// Lines from one step's to the next.
    apart: u64,
    shift: u32,
    array: u8,
    /// By level: after how many steps it comes to the same set again.
    periods: Vec<usize>,
    /// Lines whose numbers are equal, modulo that, to those of the column may share a set.
    classes: u64,
    /// The lines of the first step and the one behind the last.
    lines: [u64; 2],
}

impl Column {
    /// Of a run of `steps` steps; `None` if nothing can be left out.
    pub(super) fn of(model: &Modelled, streams: &[Stream], steps: usize) -> Option<Column> {
        let hierarchy = &model.filter.hierarchy;
        let levels = &hierarchy.levels;
        let (_, above) = levels.split_last()?;
        let first = above.first()?;
        let shift = first.shift;
        let goes_down = |stream: &Stream| stream.stride.unsigned_abs() >= 1 << shift;
        let mut down = streams.iter().enumerate().filter(|(_, stream)| goes_down(stream));
        let ((place, column), None) = (down.next()?, down.next()) else { return None };
        let apart = u64::try_from(column.stride).ok()?;
        let serves = |level: &Level| level.one.is_some() && level.shift == shift && !level.lines.is_random();
        let sets = |level: &Level| level.lines.count() as u64;
        let fits = steps >= SHORTEST
            && column.kind == 0
            && apart.is_multiple_of(1 << shift)
            && streams.iter().all(|stream| stream.stride >= 0)
            && hierarchy.page_map.is_none()
            && !hierarchy.is_watched()
            && levels.iter().all(serves)
            && above.iter().all(|level| level.lines.evicts && level.lines.is_lru() && !level.is_exclusive())
            && levels.windows(2).all(|two| sets(&two[1]).is_multiple_of(sets(&two[0])));
        let apart = apart >> shift;
        let classes = gcd(apart, sets(first));
        if !fits || classes < CLASSES {
            return None;
        }
        let offset = model.filter.offset(column.pointer);
        let start = offset >> shift;
        let lines = [start, start + apart * steps as u64];
        let array = hierarchy.addresses.array(offset);
        let end = offset + column.stride as u64 * (steps as u64 - 1);
        let period = |level: &Level| (sets(level) / gcd(apart, sets(level))) as usize;
        let whole = hierarchy.addresses.array(end) == array && hierarchy.addresses.is_in_place(offset);
        let periods: Vec<usize> = levels.iter().map(period).collect();
        whole.then_some(Column { place, apart, shift, array, periods, classes, lines })
    }

    /// Makes `steps` steps of `streams`.
    pub(super) fn walk(&self, model: &mut Modelled, mut streams: Vec<Stream>, steps: usize) {
        let (mut left, mut all_left_out) = (steps, 0);
        // Steps that are walked before the next look, and after one in vain.
        let (mut wait, mut in_vain) = (1, FEWEST);
        while left > 0 {
            let same = self.steps_alike(model, &streams).min(left);
            let walked = if same < wait + FEWEST { same } else { wait };
            for _ in 0..walked {
                for stream in &mut streams {
                    model.look_up_line(stream.pointer, stream.kind);
                    stream.advance(1);
                }
            }
            left -= walked;
            wait = 1;
            if walked == same {
                continue;
            }
            let left_out = self.leave_out(model, &mut streams, same - walked - 1);
            left -= left_out;
            all_left_out += left_out;
            (wait, in_vain) = if left_out == 0 { (in_vain, 2 * in_vain) } else { (1, FEWEST) };
        }
        model.runs.columns.note(4 * all_left_out > steps);
    }

    /// Whether a line may share a set with the column.
    fn may_meet(&self, line: u64) -> bool {
        line.abs_diff(self.lines[0]).is_multiple_of(self.classes)
    }

    /// The line that a stream is in.
    fn line(&self, model: &Modelled, stream: &Stream) -> u64 {
        model.filter.offset(stream.pointer) >> self.shift
    }

    /// Steps before another stream comes to a line that may share a set with the column, or
    /// leaves one.
    fn steps_alike(&self, model: &Modelled, streams: &[Stream]) -> usize {
        let others = streams.iter().enumerate().filter(|(at, _)| *at != self.place);
        let steps = |(_, stream): (usize, &Stream)| {
            let line = self.line(model, stream);
            let next = match self.may_meet(line) {
                true => line + 1,
                false => {
                    line + self.classes - (line + self.classes - self.lines[0] % self.classes) % self.classes
                }
            };
            let room = (next << self.shift) - model.filter.offset(stream.pointer);
            if stream.stride == 0 { usize::MAX } else { room.div_ceil(stream.stride as u64) as usize }
        };
        others.map(steps).min().unwrap_or(usize::MAX)
    }

    /// Counts up to `most` steps without walking them; how many.
    fn leave_out(&self, model: &mut Modelled, streams: &mut [Stream], most: usize) -> usize {
        model.report_all();
        model.forget_recent();
        let stay: Vec<u64> = self
            .others(streams)
            .map(|stream| self.line(model, stream))
            .filter(|line| self.may_meet(*line))
            .collect();
        let now = self.line(model, &streams[self.place]);
        let refetched = self.refetched(model, streams);
        let steps = self.known(&model.filter.hierarchy, now, (&stay, refetched), most);
        if steps < FEWEST || !self.hold(model, streams) {
            return 0;
        }
        let elsewhere = self.others(streams).filter(|stream| !self.may_meet(self.line(model, stream)));
        let elsewhere: Vec<Stream> = elsewhere.copied().collect();
        if !elsewhere.is_empty() {
            let resident = (model.runs.resident, elsewhere.len());
            walk_by_blocks(elsewhere, steps, model.filter.block(Half::Caches), resident, |stream| {
                model.look_up_line(stream.pointer, stream.kind)
            });
            model.report_all();
            model.forget_recent();
        }
        self.count(&mut model.filter.hierarchy, now, (&stay, refetched), steps);
        streams.iter_mut().for_each(|stream| stream.advance(steps));
        steps
    }

    fn others<'a>(&self, streams: &'a [Stream]) -> impl Iterator<Item = &'a Stream> {
        let place = self.place;
        streams.iter().enumerate().filter(move |(at, _)| *at != place).map(|(_, stream)| stream)
    }

    /// The line that may be evicted and fetched again, if it is that of the only other
    /// stream in the column's sets, and the first level has replaced any line of the column
    /// before the second does.
    fn refetched(&self, model: &Modelled, streams: &[Stream]) -> Option<Refetched> {
        let Hierarchy { levels, addresses, .. } = &model.filter.hierarchy;
        let [first, second, last] = &levels[..] else { return None };
        let mut met = self.others(streams).filter(|stream| self.may_meet(self.line(model, stream)));
        let (Some(stream), None) = (met.next(), met.next()) else { return None };
        let kept = |level: &Level, at: usize| (level.lines.ways - 1) * self.periods[at];
        let fits = second.recalls
            && !last.recalls
            && stream.kind & Request::DATA != 0
            && kept(first, 0) <= kept(second, 1);
        let array = addresses.array(model.filter.offset(stream.pointer));
        fits.then(|| Refetched { line: self.line(model, stream), kind: stream.kind, array })
    }

    /// Whether the first level holds the lines that other streams stay in, dirty where they
    /// store.
    fn hold(&self, model: &Modelled, streams: &[Stream]) -> bool {
        let first = &model.filter.hierarchy.levels[0];
        self.others(streams).all(|stream| {
            let line = self.line(model, stream);
            let held = |flags| move |tag: &Tag| tag & LINE == tag_of(line) && tag & flags == flags;
            let flags = if stream.kind == 0 { 0 } else { DIRTY };
            !self.may_meet(line) || first.lines.content(first.set(line)).iter().any(held(flags))
        })
    }

    /// How many steps, up to `most`, from that to line `now` on do nothing but what
    /// [`count`](Column::count) does; `stay` are the lines that other streams stay in.
    fn known(
        &self,
        hierarchy: &Hierarchy,
        now: u64,
        (stay, refetched): (&[u64], Option<Refetched>),
        most: usize,
    ) -> usize {
        let ours = |line: &u64| {
            (self.lines[0]..self.lines[1]).contains(line) && (line - self.lines[0]).is_multiple_of(self.apart)
        };
        let above = &hierarchy.levels[..hierarchy.levels.len() - 1];
        if stay.len() + 2 > above[0].lines.ways {
            return 0;
        }
        let soon = |level: &Level| {
            let mut lines = (0..FEWEST.min(most)).map(|step| now + self.apart * step as u64);
            lines.any(|line| level.lines.find(level.set(line), tag_of(line)).is_some())
        };
        if above.iter().any(soon) {
            return 0;
        }
        // Among the lines that come to a set before one of them leaves, that one is once.
        let earlier = |below: usize, line: u64| {
            let level = &hierarchy.levels[below];
            let shares = below == 1 && refetched.is_some_and(|by| level.set(by.line) == level.set(line));
            if shares { self.periods[below] } else { 0 }
        };
        let mut steps = most;
        for (at, level) in above.iter().enumerate() {
            let period = self.periods[at];
            for first in 0..period.min(most) {
                let set = level.set(now + self.apart * first as u64);
                let mut next = first; // the step in which the next line leaves
                for tag in level.lines.content(set).iter().rev() {
                    if *tag == 0 {
                        next += period;
                        continue;
                    }
                    let line = line_of(*tag);
                    let stays = at == 0 && stay.contains(&line);
                    let gone = if stays { usize::MAX } else { next };
                    next += if stays { 0 } else { period };
                    if line >= now && ours(&line) {
                        steps = steps.min(((line - now) / self.apart) as usize);
                    }
                    if tag & LINE != *tag {
                        steps = steps.min(gone.saturating_sub(earlier(at, line)));
                    }
                    for below in at + 1..hierarchy.levels.len() {
                        let again = stays && refetched.is_some_and(|by| by.line == line);
                        if hierarchy.levels[below].recalls && !again {
                            let evicted = self.evicted(hierarchy, [at, below], [first as u64, now], line);
                            let evicted = evicted.saturating_sub(earlier(below, line));
                            steps = steps.min(if gone <= evicted { usize::MAX } else { evicted });
                        }
                    }
                }
                if steps < FEWEST {
                    return 0;
                }
            }
        }
        steps
    }

    /// The step in which the level below may evict `line` first, whose set of the one above
    /// the column comes to first in step `first`.
    fn evicted(
        &self,
        hierarchy: &Hierarchy,
        [above, below]: [usize; 2],
        [first, now]: [u64; 2],
        line: u64,
    ) -> usize {
        let (level, period) = (&hierarchy.levels[below], self.periods[below]);
        let set = level.set(line);
        let mut steps = (first as usize..period).step_by(self.periods[above]);
        let Some(first) = steps.find(|step| level.set(now + self.apart * *step as u64) == set) else {
            return usize::MAX;
        };
        match level.lines.find(set, tag_of(line)) {
            Some(way) => first + (level.lines.ways - 1 - way) * period,
            None => 0,
        }
    }
}
