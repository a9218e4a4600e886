//! Ways and size together: every cache that the sweep allows is tried against
//! its cells, and those that none of them excludes are what the data say. A walk round an array puts a known number of lines into each set. A set that
//! holds all of its lines never misses, whatever the policy of replacement; one
//! that does not misses, with LRU and FIFO at each access, with others at some.

use super::grid::Curve;
use super::sentence::{Hint, Sentence};
use super::size::{ALL, HALF, Level, MISSES_MODELLED, Size};
use crate::one_set::MOST_WAYS;
use crate::rise::FITS_BEHIND_PAGES;
use crate::translation::{HELD, PAGE};
use figures::stats::greatest_common_divisor;
use figures::units::Bytes;

/// Of more caches than this, a sample proposes the cells that would distinguish them, and judges the proposals.
const SAMPLE: usize = 128;
/// Odd factors that the number of sets of a modelled cache may have; a real one
/// picks its sets by address bits.
const MOST_ODD: u64 = 15;
/// Random replacement lets this share of the accesses miss when 32 ways get 33
/// lines in turn; no other policy comes near it.
const RANDOM: f64 = 0.02;
/// Counters see other misses too (prefetches, interrupts): more than this share in a row, no array that fits has.
const OTHER_MISSES: f64 = 0.4;
/// Cells in which the likeliest cache may be contradicted, as a share; real
/// counters miss it in single cells only.
const DISTURBED: f64 = 0.15;

/// One cache of which the sweep may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) sets: u64,
    pub(super) ways: u64,
    /// Bytes of a line.
    pub(super) line: u64,
}

/// The caches that the sweep allows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Allowed {
    pub(super) all: Vec<Candidate>,
    /// Others have numbers of sets that no address bits give.
    pub(super) odd: bool,
    /// Cells that would distinguish them: array and stride.
    pub(super) decide: Vec<(u64, u64)>,
}

/// Share of `count` lines, `distance` lines from one to the next, that miss when
/// they are walked round and round in a cache of `sets` sets: all lines of a set
/// that gets more than its `ways`, with LRU and FIFO.
pub(super) fn missing(count: u64, distance: u64, cache: Candidate) -> f64 {
    let met = cache.sets / greatest_common_divisor(distance, cache.sets);
    let (each, one_more) = (count / met, count % met);
    let over = |lines: u64| if lines > cache.ways { lines } else { 0 };
    (one_more * over(each + 1) + (met - one_more) * over(each)) as f64 / count.max(1) as f64
}

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

    /// Ways that its cache has at the most, unless it has one set; a described one may have twice as many as any real one.
    pub(super) fn most_ways(&self) -> u64 {
        if self.modelled { 2 * MOST_WAYS } else { MOST_WAYS }
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
            (true, _) => HALF,
            (_, true) if expected == 0.0 => MISSES_MODELLED,
            _ => OTHER_MISSES,
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
        let least = if self.curve.timed { expected - (1.0 - FITS_BEHIND_PAGES) } else { RANDOM * expected };
        self.exceeds(cell, cache) && !self.may_be_translation(cell)
            || cell.shows_hits && expected > 0.0 && cell.seen < least
    }

    /// Whether the TLB alone may make a cell miss whose lines fit, in a curve of times.
    fn may_be_translation(&self, cell: &Cell) -> bool {
        self.translated && cell.distance * self.level.line >= PAGE && cell.count > HELD as u64
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
        let proposed = spread(all).flat_map(|c| {
            let way = c.sets * line;
            [c.ways * way, (c.ways + 1) * way].map(|array| (array, way))
        });
        let parted = |array: u64, stride: u64| {
            let shares = spread(all).map(|c| missing(array / stride, stride / line, *c));
            let (fit, miss) = shares.fold((0, 0), |(fit, miss), share| {
                (fit + usize::from(share == 0.0), miss + usize::from(share > OTHER_MISSES))
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

    /// Whether the level above may hold lines of that walk itself: it has at most half of the bytes that fit.
    fn may_hold_above(&self, array: u64, stride: u64) -> bool {
        self.curve.behind && array / stride * self.level.line <= self.size.fits / 2
    }
}

/// The caches of sizes from the last array that fits to the first that does
/// not. An empty list: no cache explains the cells.
pub(super) fn read(sweep: &Sweep) -> Result<Allowed, Sentence> {
    let Sweep { curve, size, .. } = sweep;
    if size.may_be_scattered || curve.timed && curve.behind {
        return Err(Sentence::with(
            "not identifiable from these data: pages at any place in physical memory explain the rows too, so strides of \
             a page or more do not select one set. Huge pages, or the same sweep over L1, would show ways.",
            Hint::OtherPages,
        ));
    }
    let mut all = sweep.best(candidates(sweep));
    if all.is_empty() {
        return Err(format!(
            "not identifiable: no cache from {} to less than {}, of at most {} ways, has such misses. Repeat the sweep.",
            Bytes(size.fits),
            Bytes(size.too_large),
            sweep.most_ways()
        )
        .into());
    }
    let decide = sweep.decide(&all);
    let odd = all.iter().any(|c| c.sets.is_power_of_two()) && !all.iter().all(|c| c.sets.is_power_of_two());
    if odd {
        all.retain(|c| c.sets.is_power_of_two());
    }
    Ok(Allowed { all, odd, decide })
}

/// A sample of them, evenly from all.
fn spread(all: &[Candidate]) -> impl Iterator<Item = &Candidate> {
    all.iter().step_by(all.len().div_ceil(SAMPLE).max(1))
}

/// All caches between the sizes: any number of ways of 1, 2, 4 ... sets; modelled
/// caches may have odd multiples of those.
fn candidates(sweep: &Sweep) -> impl Iterator<Item = Candidate> {
    let Sweep { size, modelled, level: Level { line, .. }, .. } = *sweep;
    let lines = size.fits.div_ceil(line)..size.too_large.div_ceil(line);
    let (most_odd, most_ways) = (if modelled { MOST_ODD } else { 1 }, sweep.most_ways());
    let most = lines.end;
    let sets = (1..=most_odd).step_by(2).flat_map(move |odd| (0..40).map(move |k| odd << k));
    sets.filter(move |sets| *sets < most).flat_map(move |sets| {
        let ways = lines.start.div_ceil(sets)..lines.end.div_ceil(sets);
        let has = move |ways: &u64| *ways <= most_ways || modelled && sets == 1;
        ways.filter(has).map(move |ways| Candidate { sets, ways, line })
    })
}
