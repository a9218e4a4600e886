//! Ways and size together: every cache that the sweep allows is tried against
//! its cells, and those that none of them excludes are what the data say.
//!
//! A walk round an array puts a known number of lines into each set. A set that
//! holds all of its lines never misses, whatever the policy of replacement; one
//! that does not misses, with LRU and FIFO at each access, with others at some.

use super::curve::Curve;
use super::exclusive::Sets;
use super::sentence::{Hint, Sentence};
use super::size::{ALL, Level, QUIET, Size};
use figures::stats::greatest_common_divisor;
use figures::units::Bytes;

/// Of more caches than this, a sample proposes the cells that would distinguish
/// them, and another judges the proposals.
const PROPOSING: usize = 64;
const JUDGING: usize = 256;
/// Real caches have no more ways, so a reading of more is the work of other programs.
pub(super) const MOST_WAYS: u64 = 32;
/// Modelled caches have no more, unless they have one set.
const MOST_WAYS_MODELLED: u64 = 64;
/// Odd factors that the number of sets of a modelled cache may have; a real one
/// picks its sets by address bits.
const MOST_ODD: u64 = 15;
/// Random replacement lets this share of the accesses miss when 32 ways get 33
/// lines in turn; no other policy comes near it.
const RANDOM: f64 = 0.02;
/// Timed, a short loop in addition to a few disturbed batches only distinguishes many misses
/// from few: below the one share nothing missed, above the other something did.
const HITS_TIMED: f64 = 0.2;
const MISSES_TIMED: f64 = 0.5;
/// Counters see other misses too (prefetches, interrupts): more than this share
/// in a row, no array that fits has.
const MISSES_COUNTED: f64 = 0.4;
/// A model counts no misses but those of the walk, and of its first pass: of 33
/// passes at the least, if lines have 16 bytes.
const MISSES_MODELLED: f64 = 0.04;
/// Cells in which the likeliest cache may be contradicted, as a share; real
/// counters miss it in single cells only.
const DISTURBED: f64 = 0.15;

/// The smallest pages, and pages that every TLB holds.
const PAGE: u64 = 4096;
const PAGES_HELD: u64 = 2;

/// One cache of which the sweep may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) sets: u64,
    pub(super) ways: u64,
    /// Bytes of a line.
    pub(super) line: u64,
    /// The level above, if the cache holds none of its lines (exclusive).
    pub(super) above: Option<Sets>,
}

/// Which level the sweep is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    First,
    /// Below a level that is known, or not.
    Behind(Option<Sets>),
}

/// The caches that the sweep allows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Allowed {
    pub(super) all: Vec<Candidate>,
    /// Others have numbers of sets that no address bits give.
    pub(super) odd: bool,
    /// Whether the TLB, and not some of them, misses in a cell.
    pub(super) translation: bool,
    /// Cells that would distinguish them: array and stride.
    pub(super) decide: Vec<(u64, u64)>,
}

/// Share of `count` lines, `distance` lines from one to the next, that miss when
/// they are walked round and round in a cache of `sets` sets: all lines of a set
/// that gets more than its `ways`, with LRU and FIFO. An exclusive one needs no place for
/// the lines of each set that the level above holds.
pub(super) fn missing(count: u64, distance: u64, cache: Candidate) -> f64 {
    let met = cache.sets / greatest_common_divisor(distance, cache.sets);
    let ways = cache.ways + cache.above.map_or(0, |above| above.relief(distance, cache.line, met));
    let (each, one_more) = (count / met, count % met);
    let over = |lines: u64| if lines > ways { lines } else { 0 };
    (one_more * over(each + 1) + (met - one_more) * over(each)) as f64 / count.max(1) as f64
}

/// A cell decides if more than this share of it misses in some caches, and none in others.
const MISSES_ALL: f64 = 0.3;

/// What caches are compared with.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Lines that are walked, and lines from one to the next.
    count: u64,
    distance: u64,
    /// Whether a loop to the array's end, as C programs have it, makes one access more.
    has_rest: bool,
    /// Share of the full misses.
    seen: f64,
    /// Whether it can show hits.
    shows_hits: bool,
}

/// What was read of a sweep before the ways.
pub(super) struct Sweep {
    pub(super) curve: Curve,
    pub(super) level: Level,
    pub(super) size: Size,
    pub(super) modelled: bool,
    pub(super) place: Place,
    /// Whether its times include those of address translation.
    pub(super) translated: bool,
    /// Arrays that show the line by themselves.
    pub(super) rows: usize,
}

impl Sweep {
    /// Whether the line was measured in one array alone.
    pub(super) fn hangs_on_a_row(&self) -> bool {
        !self.modelled && self.rows < 2
    }

    /// The cells that caches are compared with: those that begin at a line.
    fn cells(&self) -> Vec<Cell> {
        let Level { line, misses: full } = self.level;
        let row =
            |array| self.curve.row(array).into_iter().map(move |(stride, misses)| (array, stride, misses));
        let cell = |(array, stride, misses): (u64, u64, f64)| Cell {
            count: array / stride,
            distance: stride / line,
            has_rest: !array.is_multiple_of(stride),
            // more misses than accesses are prefetches that the event counts too
            seen: (misses / full).min(1.0),
            shows_hits: !self.may_hold_above(array, stride),
        };
        self.curve.sizes().flat_map(row).filter(|cell| cell.1.is_multiple_of(line)).map(cell).collect()
    }

    /// Whether more of a cell misses than a cache explains. Measured, other programs may use a line of each set now and
    /// then: until nearly all misses, the share may be the one with a way less.
    fn exceeds(&self, cell: &Cell, cache: Candidate) -> bool {
        let [expected, crowded] = [cache, Candidate { ways: cache.ways - 1, ..cache }]
            .map(|cache| missing(cell.count, cell.distance, cache));
        let most = match (self.curve.timed, self.modelled) {
            (true, _) => MISSES_TIMED,
            (_, true) if expected == 0.0 => MISSES_MODELLED,
            _ => MISSES_COUNTED,
        };
        let fits = cell.seen <= expected + most;
        !fits && (self.modelled || cell.seen >= ALL || cell.seen > crowded + most)
    }

    /// Whether the share of the misses in a cell cannot be that of a cache. No policy has more than LRU.
    fn contradicts(&self, cell: &Cell, cache: Candidate) -> bool {
        let walks = cell.count..=cell.count + u64::from(cell.has_rest);
        walks.into_iter().all(|count| self.contradicts_walk(&Cell { count, ..*cell }, cache))
    }

    fn contradicts_walk(&self, cell: &Cell, cache: Candidate) -> bool {
        let expected = missing(cell.count, cell.distance, cache);
        let least = if self.curve.timed { expected - (1.0 - HITS_TIMED) } else { RANDOM * expected };
        self.exceeds(cell, cache) && !self.may_be_translation(cell, cache)
            || cell.shows_hits && expected > 0.0 && cell.seen < least
    }

    /// Whether the TLB alone may make a cell miss whose lines fit, in a curve of times. As many pages or more at that
    /// stride, of which lines miss too, would then cost more than a miss: where they do not, the TLB holds them.
    fn may_be_translation(&self, cell: &Cell, cache: Candidate) -> bool {
        let stride = cell.distance * cache.line;
        if !self.translated || stride < PAGE || cell.count <= PAGES_HELD {
            return false;
        }
        !self.curve.sizes().any(|array| {
            let misses = self.curve.at(array, stride).map(|misses| misses / self.level.misses);
            let count = array / stride;
            count > cell.count
                && missing(count, cell.distance, cache) == 1.0
                && misses.is_some_and(|misses| misses < 1.0 + cell.seen / 2.0)
        })
    }

    /// The least contradicted of `candidates`. A sweep that contradicts each of them somewhere was disturbed; one more
    /// cell may have been.
    fn best(&self, candidates: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
        let cells = self.cells();
        let most = if self.modelled { 0 } else { (DISTURBED * cells.len() as f64) as usize };
        let contradictions = |cache: Candidate| {
            cells.iter().rev().filter(|cell| self.contradicts(cell, cache)).take(most + 2).count()
        };
        let rated: Vec<(usize, Candidate)> = candidates.map(|cache| (contradictions(cache), cache)).collect();
        let least = rated.iter().map(|rated| rated.0).min().unwrap_or(0);
        let allowed = if least == 0 { 0 } else { least + 1 };
        rated.into_iter().filter(|rated| least <= most && rated.0 <= allowed).map(|rated| rated.1).collect()
    }

    /// The array that parts `all` most evenly into those that fit and those that do not, at the line's stride or where
    /// its lines are as many of one set as a candidate has ways, or one more. Measured at both, it shows size and ways.
    fn decide(&self, all: &[Candidate]) -> Vec<(u64, u64)> {
        let (curve, line) = (&self.curve, self.level.line);
        let open = |array: u64, stride: u64| {
            let shows = array < curve.largest() && stride <= array / 2 && curve.at(array, stride).is_none();
            shows && !self.may_hold_above(array, stride)
        };
        let proposed = spread(all, PROPOSING).flat_map(|c| {
            let way = c.sets * line;
            [c.ways * way, (c.ways + 1) * way].map(|array| (array, way))
        });
        let parted = |array: u64, stride: u64| {
            let shares = spread(all, JUDGING).map(|c| missing(array / stride, stride / line, *c));
            let (fit, miss) = shares.fold((0, 0), |(fit, miss), share| {
                (fit + usize::from(share == 0.0), miss + usize::from(share > MISSES_ALL))
            });
            if open(array, stride) { fit.min(miss) } else { 0 }
        };
        let rated = proposed.map(|(array, way)| (parted(array, way).max(parted(array, line)), (array, way)));
        let best = rated.filter(|r| r.0 > 0).max_by_key(|(parted, cell)| (*parted, std::cmp::Reverse(*cell)));
        let Some((_, (array, way))) = best else { return Vec::new() };
        let mut strides = vec![line, way];
        strides.dedup();
        strides.into_iter().filter(|stride| open(array, *stride)).map(|stride| (array, stride)).collect()
    }

    /// Whether the level above may hold lines of that walk itself. Of one that
    /// is not known, no more than that it has at most half of the bytes that fit.
    fn may_hold_above(&self, array: u64, stride: u64) -> bool {
        let line = self.level.line;
        let (count, distance) = (array / stride, (stride / line).max(1));
        match self.place {
            Place::First => false,
            Place::Behind(None) => count * line <= self.size.fits / 2,
            Place::Behind(Some(above)) => above.holds(count, distance, line),
        }
    }
}

/// The caches of sizes from the last array that fits to the first that does
/// not. An empty list: no cache explains the cells.
pub(super) fn read(sweep: &Sweep) -> Result<Allowed, Sentence> {
    let Sweep { curve, size, modelled, .. } = sweep;
    if size.at_size > QUIET {
        return Err(format!(
            "not identifiable from these data: an array about as large as the cache misses in part ({:.0} %), so the \
             cache is indexed by physical addresses, which are not known, and strides of a page or more do not \
             select one set. Huge pages, or the same sweep over L1, would show ways.",
            100.0 * size.at_size
        ).into());
    }
    if curve.is_blurred() {
        return Err(Sentence::with(
            "not identifiable from times of a level after the first: they depend on where pages are in \
                    physical memory, which these data do not show. Experiments find the lines of one set among such pages.",
            Hint::Experiments,
        ));
    }
    if curve.behind && size.full > size.too_large {
        return Err(format!(
            "not identifiable from these data: scattered pages (at any place in physical memory) explain the rows, too, so the \
             cache may have more than {}, and strides of a page or more do not select one set.",
            Bytes(size.too_large)
        ).into());
    }
    let mut all = sweep.best(candidates(sweep));
    if all.is_empty() {
        return Err(format!(
            "not identifiable: no cache from {} to less than {}, of at most {} ways, has such misses at large strides. \
             Disturbed cells, scattered pages, or a prefetcher are the likely reason; repeat the sweep.",
            Bytes(size.fits),
            Bytes(size.too_large),
            if *modelled { MOST_WAYS_MODELLED } else { MOST_WAYS }
        )
        .into());
    }
    let decide = sweep.decide(&all);
    let odd = all.iter().any(|c| c.sets.is_power_of_two()) && !all.iter().all(|c| c.sets.is_power_of_two());
    if odd {
        all.retain(|c| c.sets.is_power_of_two());
    }
    let excused = |cell: &Cell| {
        all.iter().any(|cache| sweep.exceeds(cell, *cache) && sweep.may_be_translation(cell, *cache))
    };
    let translation = sweep.cells().iter().any(excused);
    Ok(Allowed { all, odd, decide, translation })
}

/// At most `count` of them, evenly from all.
fn spread(all: &[Candidate], count: usize) -> impl Iterator<Item = &Candidate> {
    all.iter().step_by(all.len().div_ceil(count).max(1))
}

/// All caches between the sizes: any number of ways of 1, 2, 4 ... sets; modelled
/// caches may have odd multiples of those. Behind a known level they may be exclusive.
fn candidates(sweep: &Sweep) -> impl Iterator<Item = Candidate> {
    let Sweep { size, modelled, level: Level { line, .. }, .. } = *sweep;
    let above = if let Place::Behind(above) = sweep.place { above } else { None };
    let lines = size.fits.div_ceil(line)..size.too_large.div_ceil(line);
    let (most_odd, most_ways) = if modelled { (MOST_ODD, MOST_WAYS_MODELLED) } else { (1, MOST_WAYS) };
    let most = lines.end;
    let sets = (1..=most_odd).step_by(2).flat_map(move |odd| (0..40).map(move |k| odd << k));
    sets.filter(move |sets| *sets < most).flat_map(move |sets| {
        (lines.start.div_ceil(sets)..lines.end.div_ceil(sets)).flat_map(move |ways| {
            let plain = Candidate { sets, ways, line, above: None };
            let exclusive = above.and_then(|above| {
                let own = ways.checked_sub(above.relief(1, line, sets)).filter(|own| *own > 0)?;
                Some(Candidate { ways: own, above: Some(above), ..plain })
            });
            [Some(plain), exclusive]
                .into_iter()
                .flatten()
                .filter(move |cache| cache.ways <= most_ways || modelled && sets == 1)
        })
    })
}
