//! Stride runs: inner loops written with [`steps!`](memory::steps), whose every
//! access advances by a constant stride. Two steps determine all addresses.
//!
//! What need not be simulated of a run, and why the counts stay exact:
//!
//! - Steps in which no access comes to another line repeat the step before:
//!   every line is still there, in the same order of recency.
//! - Runs that access the same lines as the run before: once a number of them
//!   left every level as it was, as many more leave it so again and count the
//!   same again: see [`recurring`].
//! - Runs that access the same lines, but for what comes before their loops, in the sets
//!   that they leave as they were: see [`by_class`].
//! - Runs that do what an earlier run did, elsewhere: see [`memo`].
//! - Most steps down a column, above the last level: see [`mod@column`].
//! - For TLBs, steps that all come to other pages: see [`pages`].

mod blocks;
mod by_class;
mod column;
mod memo;
mod pages;
mod recording;
mod recurring;
mod simulate;

use super::Modelled;
use super::half::Half;
use super::mru_filter::MruFilter;
use super::request::Access;
use blocks::Resident;
use by_class::ByClass;
use column::Columns;
use machine::{Index, Machine, Prefetch, Replacement, Write};
use memo::Memos;
use pages::Pages;
use recording::MOST;
pub(super) use recording::{observed_steps, predicts, record, stop_recording};
use recurring::{observe, pass_over};
pub(super) use simulate::walk;
use simulate::{simulate, simulate_last, simulate_pages};

/// The accesses of one load or store of the loop's body, one in each step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub(super) pointer: usize,
    stride: isize,
    kind: u64,
}

/// A run, and the single accesses before it.
#[derive(Debug, Default)]
pub(super) struct StrideRun {
    /// Accesses since the run before.
    lead_in: Vec<Stream>,
    pub(super) streams: Vec<Stream>,
    pub(super) steps: usize,
}

/// What is known of a run that is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It is still to be simulated.
    PutOff,
    /// It was simulated.
    Simulated,
    /// The same, but for what comes before its loop.
    Alike,
    /// The journal has that many runs, and may have `most`.
    Observed {
        runs: u64,
        most: u64,
    },
    /// Every `period` runs leave all levels as they were.
    Steady {
        period: u64,
    },
}

#[derive(Debug)]
pub(super) struct RunDetector {
    /// Every access is simulated.
    pub(super) exhaustive: bool,
    recorded: Vec<Access>,
    /// How many of these were made before the loop.
    lead_in: usize,
    /// What is recorded may be, or lead to, a stride run.
    collecting: bool,
    /// The loop at hand is no stride run.
    irregular: bool,
    /// Of the lines of the first level.
    shift: u32,
    /// Number of low address bits that distinguish neither lines nor arrays.
    grain: u32,
    /// Lines that stay in the first level, and pages that do in the first TLB.
    resident: Resident,
    resident_pages: Resident,
    current: StrideRun,
    last: StrideRun,
    /// Loads and stores in a step of the current one, then those of them that cross the
    /// end of a line.
    of_step: [[u64; 2]; 2],
    known: Known,
    /// The next run is not simulated before something else is accessed.
    puts_off: bool,
    /// All counts when the journal was started, after each of its runs, and when the
    /// state recurred; and how many runs were not simulated.
    counts: Vec<u64>,
    skipped: u64,
    /// The period that was found last, of more runs than a few, and whether it may begin
    /// with the second run.
    usual: u64,
    at_once: bool,
    /// Whether accesses that differ in the grain may be to different arrays.
    mixes: bool,
    /// Runs that may be told from; none where they cannot.
    memos: Option<Box<Memos>>,
    by_class: ByClass,
    pages: Pages,
    pub(super) columns: Columns,
}

impl RunDetector {
    pub(super) fn new(machine: &Machine, filter: &MruFilter) -> RunDetector {
        let first = &machine.levels[0];
        let plain = first.replacement == Replacement::Lru
            && first.prefetch == Prefetch::None
            && first.write == Write::Back
            && first.allocate;
        let sets = if first.index == Index::Physical { 1 } else { first.sets() };
        let resident = |sets, ways| Resident { origin: filter.origin, sets, ways };
        RunDetector {
            exhaustive: false,
            recorded: Vec::with_capacity(MOST),
            lead_in: 0,
            collecting: false,
            irregular: false,
            shift: filter.shift,
            grain: filter.grain_bits(Half::Both),
            resident: if plain { resident(sets, first.ways) } else { Resident::default() },
            resident_pages: machine
                .tlbs
                .first()
                .map_or(Resident::default(), |tlb| resident(tlb.entries / tlb.ways, tlb.ways)),
            current: StrideRun::default(),
            of_step: [[0; 2]; 2],
            last: StrideRun::default(),
            known: Known::Nothing,
            puts_off: false,
            counts: Vec::new(),
            skipped: 0,
            usual: 0,
            at_once: false,
            mixes: false,
            columns: Columns::default(),
            by_class: ByClass::new(machine, &filter.hierarchy),
            pages: Pages::default(),
            memos: Memos::new(machine, &filter.hierarchy).map(Box::new),
        }
    }

    /// From here on, accesses are told apart as those that `half` is asked for.
    pub(super) fn tell_apart(&mut self, filter: &MruFilter, half: Half) {
        (self.grain, self.mixes) = (filter.grain_bits(half), filter.mixes_arrays(half));
    }

    /// Makes a run of `steps` steps of the recorded accesses: two steps, and
    /// what came before them. Whether they form one.
    fn recognise(&mut self, steps: usize) -> bool {
        let (before, two_steps) = self.recorded.split_at(self.lead_in);
        let (first, second) = two_steps.split_at(two_steps.len() / 2);
        self.current.steps = steps;
        let StrideRun { lead_in, streams, .. } = &mut self.current;
        lead_in.clear();
        before.iter().for_each(|access| Stream::add(lead_in, access, 0, self.shift));
        streams.clear();
        self.of_step = [[0; 2]; 2];
        let mut are_alike = first.len() == second.len();
        for (one, next) in first.iter().zip(second) {
            let stride = Stream::stride(one, next);
            are_alike &= one.kind == next.kind && one.crosses_alike(stride, self.shift);
            let before = streams.len() + 1;
            Stream::add(streams, one, stride, self.shift);
            let stores = usize::from(one.stores());
            self.of_step[0][stores] += 1;
            self.of_step[1][stores] += (streams.len() - before) as u64;
        }
        are_alike
    }

    /// Whether the current run accesses the same lines, or pages, as the last one.
    fn repeats(&self, filter: &MruFilter) -> bool {
        let [current, last] = [&self.current, &self.last].map(|run| &run.lead_in);
        self.body_repeats(filter) && self.are_alike([current, last], 1, filter)
    }

    /// The same without their lead-ins.
    fn body_repeats(&self, filter: &MruFilter) -> bool {
        let [current, last] = [&self.current, &self.last].map(|run| &run.streams);
        self.current.steps == self.last.steps && self.are_alike([current, last], self.current.steps, filter)
    }

    fn are_alike(&self, both: [&Vec<Stream>; 2], steps: usize, filter: &MruFilter) -> bool {
        let ends = |stream: &Stream| {
            let mut last = *stream;
            last.advance(steps - 1);
            [stream, &last].map(|one| filter.array(one.pointer))
        };
        let alike =
            |(a, b): (&Stream, &Stream)| a.is_like(b, self.grain) && (!self.mixes || ends(a) == ends(b));
        both[0].len() == both[1].len() && both[0].iter().zip(both[1]).all(alike)
    }
}

impl StrideRun {
    /// Bytes by which all streams advance, if they advance alike.
    pub(super) fn stride(&self) -> Option<isize> {
        let stride = self.streams.first()?.stride;
        self.streams.iter().all(|stream| stream.stride == stride).then_some(stride)
    }

    /// The first of each kind of accesses, in order.
    fn accesses(&self) -> impl Iterator<Item = &Stream> {
        self.lead_in.iter().chain(&self.streams)
    }
}

impl Stream {
    /// Bytes from one access to the next.
    fn stride(one: &Access, next: &Access) -> isize {
        next.pointer.wrapping_sub(one.pointer) as isize
    }

    /// Adds those of `access`, which moves by `stride` in each step: one for each line that
    /// it comes to.
    #[inline(always)]
    fn add(streams: &mut Vec<Stream>, access: &Access, stride: isize, shift: u32) {
        let stream = |one: Access| Stream { pointer: one.pointer, stride, kind: one.kind };
        match access.bytes() {
            0 => streams.push(stream(*access)),
            _ => streams.extend(access.lines(shift).map(stream)),
        }
    }

    /// Its next access.
    fn access(&self) -> Access {
        Access { pointer: self.pointer, kind: self.kind }
    }

    /// Whether both come to the same lines in the same steps: their addresses
    /// differ only in bits that the stride never changes and that distinguish
    /// no lines.
    fn is_like(&self, other: &Stream, grain: u32) -> bool {
        let fixed = self.stride.trailing_zeros().min(grain);
        let same_lines = (self.pointer ^ other.pointer) >> fixed == 0;
        same_lines && self.stride == other.stride && self.kind == other.kind
    }

    /// Whether both come to the same lines of `line` bytes in the same steps, whatever is
    /// done there.
    fn shares_lines(&self, other: &Stream, line: usize) -> bool {
        let whole = self.stride.unsigned_abs().is_multiple_of(line);
        self.stride == other.stride
            && (self.pointer == other.pointer || whole && self.pointer / line == other.pointer / line)
    }

    /// Whether each of its accesses stores the element that one of `other` is to.
    fn stores_what(&self, other: &Stream) -> bool {
        self.kind != 0 && self.pointer == other.pointer && self.stride == other.stride
    }

    /// Steps, this one included, before it comes to the next block of `block` bytes.
    fn steps_in(&self, block: usize) -> usize {
        let from_start = self.pointer & (block - 1);
        match self.stride {
            0 => usize::MAX,
            d if d > 0 => (block - from_start).div_ceil(d as usize),
            d => from_start / d.unsigned_abs() + 1,
        }
    }

    /// Where its accesses of so many steps lie, the first one at `offset`.
    fn offsets(&self, offset: u64, steps: usize) -> impl Iterator<Item = u64> {
        (0..steps as isize).map(move |step| offset.wrapping_add_signed((self.stride * step) as i64))
    }

    fn advance(&mut self, steps: usize) {
        self.pointer = self.pointer.wrapping_add_signed(self.stride.wrapping_mul(steps as isize));
    }
}

/// Counts the current run.
fn serve(model: &mut Modelled) {
    if model.filter.hierarchy.is_watched() {
        settle(model);
        simulate(model);
        return;
    }
    if !model.runs.repeats(&model.filter) {
        let by_class =
            model.runs.body_repeats(&model.filter).then(|| std::mem::take(&mut model.runs.by_class));
        settle(model);
        if let Some(by_class) = by_class {
            (model.runs.known, model.runs.by_class) = (Known::Alike, by_class);
        }
    }
    model.runs.known = match model.runs.known {
        Known::Steady { .. } => {
            model.runs.skipped += 1;
            model.runs.known
        }
        Known::Nothing if std::mem::take(&mut model.runs.puts_off) => Known::PutOff,
        Known::PutOff => {
            simulate_last(model);
            serve_new(model, Known::Simulated)
        }
        Known::Alike if by_class::pays(model) => {
            by_class::serve(model);
            Known::Simulated
        }
        Known::Alike => serve_new(model, Known::Simulated),
        known @ (Known::Nothing | Known::Simulated) => serve_new(model, known),
        Known::Observed { runs, most } => observe(model, runs, most),
    };
    std::mem::swap(&mut model.runs.current, &mut model.runs.last);
}

/// A run that no journal has been kept for, the first of its kind or the second.
fn serve_new(model: &mut Modelled, known: Known) -> Known {
    model.runs.by_class.forget();
    let is_first = known == Known::Nothing;
    if is_first && model.runs.by_class.has_paid() || !memo::pays(model) {
        if is_first {
            simulate(model);
            return Known::Simulated;
        }
        return observe(model, 0, 0);
    }
    match memo::serve(model) {
        true => Known::Steady { period: 1 },
        false if is_first => Known::Simulated,
        false => Known::Observed { runs: 0, most: 0 },
    }
}

/// Counts the runs that were not simulated, and forgets what is known.
fn settle(model: &mut Modelled) {
    model.filter.hierarchy.stop_journal();
    model.runs.by_class.forget();
    let known = std::mem::replace(&mut model.runs.known, Known::Nothing);
    let skipped = std::mem::take(&mut model.runs.skipped);
    match known {
        Known::PutOff => simulate_last(model),
        Known::Steady { period } if skipped > 0 => pass_over(model, skipped, period as usize),
        _ => {}
    }
}

/// From here on, the next run is put off.
pub(super) fn put_off(model: &mut Modelled) {
    model.runs.puts_off = true;
}

/// The run that was put off, if it is all that was accessed since so many loads and
/// stores; it is not simulated then.
pub(super) fn alone(model: &mut Modelled, before: u64) -> Option<StrideRun> {
    let runs = &mut *model.runs;
    runs.puts_off = false;
    let accesses = (runs.last.streams.len() * runs.last.steps) as u64;
    let all = runs.known == Known::PutOff && model.loads + model.stores - before == accesses;
    if !all {
        return None;
    }
    runs.known = Known::Nothing;
    let run = std::mem::take(&mut runs.last);
    stop_recording(model);
    Some(run)
}
