//! Rows: inner loops written with [`steps!`](crate::steps), whose every access
//! moves on by the same distance from step to step. Two steps tell them all.
//!
//! What need not be walked of a row, and why the counts stay exact:
//!
//! - Steps in which no access comes to another line repeat the step before:
//!   every line is still there, in the same order of last use.
//! - Rows that ask for the same lines as the row before: once some of them have
//!   left every level as it was, as many more leave it so again and count the
//!   same again.

use super::Modelled;
use super::front::Front;
use machine::{Machine, Prefetch, Replacement, Write};

/// Most accesses noted before the search for a row is given up.
const MOST: usize = 64;
/// Steps below which a row is not worth it.
const SHORTEST: usize = 4;

/// An access as the kernel made it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Access {
    pub(super) pointer: usize,
    pub(super) kind: u64,
}

/// One access of each step.
#[derive(Debug, Clone, Copy)]
struct Stream {
    pointer: usize,
    distance: isize,
    kind: u64,
}

/// What led to a row, and the row.
#[derive(Debug, Default)]
struct Row {
    /// Single accesses since the row before.
    loose: Vec<Stream>,
    streams: Vec<Stream>,
    steps: usize,
}

/// What is known of the last row, made again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It was walked.
    Walked,
    /// The levels' journals run since `rows` rows, and will for `most`.
    Watched {
        rows: u64,
        most: u64,
    },
    /// Every `period` rows leave all levels as they were.
    Steady {
        period: u64,
    },
}

/// Longest period looked for.
const LONGEST: u64 = 32;

#[derive(Debug)]
pub(super) struct Rows {
    pub(super) walks_all: bool,
    notes: Vec<Access>,
    /// How many of the notes were made before the loop.
    loose: usize,
    /// The loop at hand is no row.
    uneven: bool,
    /// Bits of an address below which nothing tells lines or arrays apart.
    grain: u32,
    /// So many lines are sure to stay in the first level, and their pages in
    /// the first TLB, while no others are used.
    lasting: usize,
    now: Row,
    last: Row,
    known: Known,
    /// What a period of rows counts, and how many rows were not walked.
    counts: Vec<u64>,
    skipped: u64,
}

impl Rows {
    pub(super) fn new(machine: &Machine, front: &Front) -> Rows {
        let first = &machine.levels[0];
        let plain = first.replacement == Replacement::Lru
            && first.prefetch == Prefetch::None
            && first.write == Write::Back
            && first.allocate;
        let translations = machine.tlbs.first().map_or(usize::MAX, |tlb| tlb.ways);
        Rows {
            walks_all: false,
            notes: Vec::with_capacity(MOST),
            loose: 0,
            uneven: false,
            grain: front.grain_bits(),
            lasting: if plain { first.ways.min(translations) } else { 0 },
            now: Row::default(),
            last: Row::default(),
            known: Known::Nothing,
            counts: Vec::new(),
            skipped: 0,
        }
    }

    /// Makes a row of `steps` steps of the notes: two steps, and what came
    /// before them. Whether they are one.
    fn recognise(&mut self, steps: usize) -> bool {
        let (loose, steps_noted) = self.notes.split_at(self.loose);
        let (first, second) = steps_noted.split_at(steps_noted.len() / 2);
        let Row { loose: singles, streams, .. } = &mut self.now;
        singles.clear();
        singles.extend(loose.iter().map(|access| Stream::of(access, access)));
        streams.clear();
        streams.extend(first.iter().zip(second).map(|(one, next)| Stream::of(one, next)));
        self.now.steps = steps;
        first.len() == second.len() && first.iter().zip(second).all(|(one, next)| one.kind == next.kind)
    }

    /// Whether the row at hand asks for the same lines as the last one.
    fn asks_again(&self) -> bool {
        let alike = |a: &[Stream], b: &[Stream]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_like(b, self.grain))
        };
        let (now, last) = (&self.now, &self.last);
        now.steps == last.steps && alike(&now.streams, &last.streams) && alike(&now.loose, &last.loose)
    }
}

impl Stream {
    fn of(one: &Access, next: &Access) -> Stream {
        let distance = next.pointer.wrapping_sub(one.pointer) as isize;
        Stream { pointer: one.pointer, distance, kind: one.kind }
    }

    /// Whether both come to the same lines in the same steps: their addresses
    /// differ only in bits that the distance never changes and that tell no
    /// lines apart.
    fn is_like(&self, other: &Stream, grain: u32) -> bool {
        let fixed = self.distance.trailing_zeros().min(grain);
        let same_lines = (self.pointer ^ other.pointer) >> fixed == 0;
        same_lines && self.distance == other.distance && self.kind == other.kind
    }

    /// Steps, this one included, before it comes to the next line.
    fn steps_on_line(&self, line: usize) -> usize {
        let from_start = self.pointer & (line - 1);
        match self.distance {
            0 => usize::MAX,
            d if d > 0 => (line - from_start).div_ceil(d as usize),
            d => from_start / d.unsigned_abs() + 1,
        }
    }

    fn advance(&mut self, steps: usize) {
        self.pointer = self.pointer.wrapping_add_signed(self.distance.wrapping_mul(steps as isize));
    }
}

/// How many of the `left` steps are to be watched: two, or all.
pub(super) fn watched(model: &mut Modelled, left: usize) -> usize {
    let uneven = std::mem::take(&mut model.rows.uneven);
    if uneven || model.rows.walks_all || left < SHORTEST {
        stop_noting(model);
        return left;
    }
    model.noting = true;
    model.rows.loose = model.rows.notes.len();
    2
}

/// Whether the `left` steps follow from those watched; then they are counted.
pub(super) fn foresees(model: &mut Modelled, left: usize) -> bool {
    if !model.noting || !model.rows.recognise(left + 2) || !inside(model) {
        stop_noting(model);
        model.rows.uneven = true;
        return false;
    }
    model.rows.notes.clear();
    let stores = model.rows.now.streams.iter().filter(|stream| stream.kind != 0).count();
    model.loads += ((model.rows.now.streams.len() - stores) * left) as u64;
    model.stores += (stores * left) as u64;
    serve(model);
    true
}

/// Whether all of the row lies in the arrays.
fn inside(model: &Modelled) -> bool {
    let Row { streams, steps, .. } = &model.rows.now;
    let last = |mut stream: Stream| {
        stream.advance(steps - 1);
        stream.pointer
    };
    streams.iter().all(|stream| model.front.is_inside(last(*stream)))
}

/// Counts the row at hand.
fn serve(model: &mut Modelled) {
    if !model.rows.asks_again() {
        settle(model);
    }
    model.rows.known = match model.rows.known {
        Known::Steady { .. } => {
            model.rows.skipped += 1;
            model.rows.known
        }
        Known::Nothing => {
            walk(model);
            Known::Walked
        }
        Known::Walked => watch(model, 0, 1),
        Known::Watched { rows, most } if rows == most => watch(model, 0, LONGEST.min(2 * most)),
        Known::Watched { rows, most } => watch(model, rows, most),
    };
    std::mem::swap(&mut model.rows.now, &mut model.rows.last);
}

/// Walks the row at hand, the first one or one more under the journals' eyes.
fn watch(model: &mut Modelled, rows: u64, most: u64) -> Known {
    if rows == 0 {
        model.tell_all();
        let Modelled { front, rows, .. } = model;
        front.hierarchy.start_journal();
        rows.counts.clear();
        front.hierarchy.each_count(|count| rows.counts.push(*count));
    }
    walk(model);
    model.tell_all();
    let period = rows + 1;
    if !model.front.hierarchy.unchanged() {
        return Known::Watched { rows: period, most };
    }
    let Modelled { front, rows, .. } = model;
    front.hierarchy.stop_journal();
    let mut counts = rows.counts.iter_mut();
    front.hierarchy.each_count(|count| {
        if let Some(before) = counts.next() {
            *before = *count - *before;
        }
    });
    Known::Steady { period }
}

/// Counts the rows that were not walked, and forgets what is known.
fn settle(model: &mut Modelled) {
    let Modelled { front, rows, .. } = model;
    front.hierarchy.stop_journal();
    let known = std::mem::replace(&mut rows.known, Known::Nothing);
    let skipped = std::mem::take(&mut rows.skipped);
    let Known::Steady { period } = known else { return };
    let mut counts = rows.counts.iter();
    front.hierarchy.each_count(|count| *count += skipped / period * counts.next().copied().unwrap_or(0));
    // The rest of a period; every one of its rows is like the last.
    for _ in 0..skipped % period {
        std::mem::swap(&mut model.rows.now, &mut model.rows.last);
        walk(model);
        std::mem::swap(&mut model.rows.now, &mut model.rows.last);
    }
}

/// Looks up the accesses of the row at hand.
fn walk(model: &mut Modelled) {
    let mut row = std::mem::take(&mut model.rows.now);
    for access in &row.loose {
        model.look_up(access.pointer, access.kind);
    }
    let (streams, line) = (row.streams.clone(), 1 << model.shift);
    let may_skip = row.streams.len() <= model.rows.lasting
        && row.streams.iter().all(|stream| stream.distance.unsigned_abs() < line);
    if may_skip {
        walk_lines(model, &mut row.streams, row.steps);
    } else {
        for _ in 0..row.steps {
            for stream in &mut row.streams {
                model.look_up(stream.pointer, stream.kind);
                stream.advance(1);
            }
        }
    }
    row.streams = streams;
    model.rows.now = row;
}

/// The same, leaving out the steps that repeat the one before.
fn walk_lines(model: &mut Modelled, streams: &mut [Stream], steps: usize) {
    let line = 1 << model.shift;
    let mut left = steps;
    while left > 0 {
        let (mut same, mut disturbed) = (left, false);
        for stream in &*streams {
            disturbed |= model.look_up(stream.pointer, stream.kind);
            same = same.min(stream.steps_on_line(line));
        }
        if disturbed {
            same = 1;
        }
        streams.iter_mut().for_each(|stream| stream.advance(same));
        left -= same;
    }
}

/// Notes an access that may belong to a row, or lead to one.
#[inline(never)]
pub(super) extern "C" fn note(model: &mut Modelled, access: Access) {
    if model.rows.notes.len() < MOST && model.front.is_inside(access.pointer) {
        model.rows.notes.push(access);
    } else {
        stop_noting(model);
        model.look_up(access.pointer, access.kind);
    }
}

/// Looks up what was noted; from here on, accesses are looked up at once.
pub(super) fn stop_noting(model: &mut Modelled) {
    if !model.noting {
        return;
    }
    model.noting = false;
    settle(model);
    let mut notes = std::mem::take(&mut model.rows.notes);
    notes.drain(..).for_each(|access| _ = model.look_up(access.pointer, access.kind));
    model.rows.notes = notes;
}
