//! The ways, by the number of lines of one set. Lines at a distance of one
//! way's size (or a multiple) fall into the same set: as many as there are
//! ways fit, one more does not.
//!
//! Others on the cache only ever make lines not fit. So that lines fit is
//! believed at once, that they do not only after many tries; and no distance is
//! taken for the way without a certificate: half of it must hold twice as
//! many lines. At half of a multiple of the way those lines still share a set,
//! and cannot fit.

use super::found::LevelFound;
use super::probe::{Probe, in_order, translation};
use figures::units::Bytes;
use infer::Sets;

/// More lines are not tried.
const MOST: u64 = 40;

/// Multiples of a way at which as many lines must fit. A distance that is a
/// part of the way meets several sets, but one of these multiples does not.
const MULTIPLES: [u64; 4] = [2, 3, 5, 7];

/// Times that lines are tried before it is believed that they do not fit: one
/// disturbed batch passes within three; that one line more does not fit decides
/// the number of ways, and takes longer than most bursts of another program.
const TRIES: usize = 3;
const TRIES_ONE_MORE: usize = 12;
/// Orders in which they are tried: what a prefetcher makes of one, it seldom
/// makes of another.
const ORDERS: u64 = 2;
/// Lines by which each order is moved on: if this program, or another on the
/// core, occupies a way of one set, it does not in the next.
const ASIDE: u64 = 20;

/// A search for the lines of one set.
#[derive(Debug)]
pub(super) struct Search {
    /// Accesses that cost less hit.
    fits_below: f64,
    /// Lines walked along with those of the set, which fill the level above, so that it cannot hold the set's lines itself: they share its set
    /// and lie in other sets of the cache that is looked at.
    evictors: Vec<u64>,
    /// Bytes per line; a way has a multiple of them.
    line: u64,
    /// Distances are multiples of this.
    unit: u64,
}

impl Search {
    /// In the first level, or in the next if it has more ways than the first.
    pub(super) fn plain(fits_below: f64, line: u64) -> Search {
        Search { fits_below, evictors: Vec::new(), line, unit: line }
    }

    /// In the level behind one with `ways` ways of `way` bytes each, whose set
    /// `evictors` other lines fill.
    pub(super) fn behind(fits_below: f64, line: u64, evictors: u64, way: u64) -> Search {
        // odd multiples of the way are in no set that even multiples are in
        let evictors = (0..evictors).map(|i| (2 * i + 1) * way).collect();
        Search { fits_below, evictors, line, unit: 2 * way }
    }

    /// Whether that many lines fit, at this distance from one to the next.
    fn fits(&self, probe: &mut impl Probe, lines: u64, distance: u64, tries: usize) -> bool {
        let evictors = self.evictors.len() as u64;
        let at = |i: u64| if i < evictors { self.evictors[i as usize] } else { (i - evictors) * distance };
        self.cheap(probe, tries, |order| in_order(order, lines + evictors, at))
    }

    /// The most lines at `distance` that fit, if `fit` do and `too_many` do not.
    fn most_between(&self, probe: &mut impl Probe, mut fit: u64, mut too_many: u64, distance: u64) -> u64 {
        while too_many - fit > 1 {
            let middle = (fit + too_many) / 2;
            if self.fits(probe, middle, distance, TRIES) { fit = middle } else { too_many = middle }
        }
        fit
    }

    /// The same search without other lines that fill the level above.
    fn unhidden(&self) -> Search {
        Search { evictors: Vec::new(), ..*self }
    }

    /// Whether more lines fit while nothing fills the level above of `held` ways: it has lines that this
    /// level does not have.
    pub(super) fn more_fit(&self, probe: &mut impl Probe, set: Sets, held: u64) -> bool {
        let lines = set.ways.max(held) + 1;
        self.unhidden().fits(probe, lines, self.shared_distance(set.way), TRIES_ONE_MORE)
    }

    /// Whether the lines of `set` fit while nothing fills the level above, and one more does not.
    fn fill_exactly(&self, probe: &mut impl Probe, set: Sets) -> bool {
        let (plain, distance) = (self.unhidden(), self.shared_distance(set.way));
        plain.fits(probe, set.ways, distance, TRIES)
            && !plain.fits(probe, set.ways + 1, distance, TRIES_ONE_MORE)
    }

    /// The distance of lines that share a set in this level and in the one above.
    fn shared_distance(&self, way: u64) -> u64 {
        way.max(self.unit)
    }

    /// Whether any of the tries of a pattern, in one order and set or another, costs no
    /// more than hits, or than hits whose translations miss. A pattern larger than the memory does not fit.
    fn cheap(&self, probe: &mut impl Probe, tries: usize, pattern: impl Fn(u64) -> Vec<u64>) -> bool {
        let reach = probe.reach();
        // in other sets, as far as memory reaches
        let aside = |order: u64| {
            let (by, pattern) = ((order - 1) * ASIDE * self.line, pattern(order));
            let room = pattern.iter().all(|at| at + by < reach);
            pattern.into_iter().map(|at| if room { at + by } else { at }).collect()
        };
        let patterns: Vec<Vec<u64>> = (1..=ORDERS).map(aside).collect();
        if patterns.iter().flatten().any(|at| *at >= reach) {
            return false;
        }
        let fits_below = self.fits_below;
        patterns.iter().cycle().take(tries).any(|pattern| probe.cost(pattern) < fits_below)
            || patterns.iter().any(|pattern| {
                let cost = probe.cost(pattern);
                // others make pages cost more, too, but not each time
                (0..tries).all(|_| cost - translation(probe, pattern) < fits_below)
            })
    }

    /// Whether the lines of a set fit when every one of them comes behind so many others
    /// that the level above, of `held` ways, has lost it.
    pub(super) fn fit_alone(&self, probe: &mut impl Probe, set: Sets, held: u64) -> bool {
        let (others, distance, between) = (&self.evictors, self.shared_distance(set.way), held as usize);
        self.cheap(probe, TRIES_ONE_MORE, |order| {
            let lines = in_order(order, set.ways, |i| i * distance).into_iter().enumerate();
            let evicted = |i: usize| others.iter().cycle().skip(i * between % others.len()).take(between);
            lines.flat_map(|(i, line)| evicted(i).copied().chain([line])).collect()
        })
    }

    /// The most lines at `distance` that fit, if they are at most [`MOST`].
    fn most(&self, probe: &mut impl Probe, distance: u64) -> Option<u64> {
        let room = (probe.reach() / distance).min(MOST + 1);
        if !self.fits(probe, 1, distance, TRIES) {
            return None;
        }
        let mut fit = self.most_between(probe, 1, room + 1, distance);
        while fit < room && self.fits(probe, fit + 1, distance, TRIES_ONE_MORE) {
            fit += 1;
        }
        (fit < room).then_some(fit)
    }

    /// Whether `ways` lines fit at the multiples of a distance, and twice as many at half of it.
    fn certified(&self, probe: &mut impl Probe, ways: u64, distance: u64) -> bool {
        let reach = probe.reach();
        let half = distance / 2;
        5 * ways * distance <= reach
            && MULTIPLES
                .into_iter()
                .filter(|m| *m <= 5 || m * ways * distance <= reach)
                .all(|m| self.fits(probe, ways, m * distance, TRIES))
            && (half < self.unit || self.fits(probe, 2 * ways, half, TRIES_ONE_MORE))
    }

    /// The way: the smallest distance with a certificate. Address bits pick the set, so a way has a power
    /// of two of lines. The cache has from `low` to less than `high` bytes, as far as known.
    pub(super) fn run(&self, probe: &mut impl Probe, low: u64, high: u64) -> Result<Sets, String> {
        let smallest = (low / MOST).max(self.line).next_power_of_two();
        let doubled = |from: u64| std::iter::successors(Some(from), |way| Some(2 * way));
        for distance in doubled(smallest.max(self.unit)).take_while(|distance| *distance <= 2 * high) {
            let Some(ways) = self.most(probe, distance) else { continue };
            if !self.certified(probe, ways, distance) {
                continue;
            }
            // lines of smaller ways share a set at this distance too
            let from = if distance == self.unit { smallest } else { distance };
            let fitting: Vec<u64> = doubled(from)
                .take_while(|way| *way <= distance)
                .filter(|way| (low..high).contains(&(way * ways)))
                .collect();
            return match fitting[..] {
                [] => Ok(Sets { ways, way: distance }),
                [way] => Ok(Sets { ways, way }),
                [way, other, ..] => Err(format!(
                    "{ways} lines of one set fit, and ways of {} and of {} would explain it",
                    Bytes(way),
                    Bytes(other)
                )),
            };
        }
        Err(format!(
            "no distance was found at which a fixed number of lines (at most {MOST}) fits: the sets are not picked \
             by the address bits alone, or pages or other programs hide them"
        ))
    }

    /// The lines of a fully associative cache of at least `low` bytes: as many fit next to each other as far
    /// apart, where lines of other caches share few sets.
    pub(super) fn only_set(&self, probe: &mut impl Probe, low: u64) -> Option<Sets> {
        let spacing = probe.reach() / (2 * low / self.line) / self.line;
        let spacing = self.line << spacing.checked_ilog2().filter(|doublings| *doublings > 0)?;
        let (least, too_many) = (MOST + 1, probe.reach() / spacing);
        if least >= too_many || !self.fits(probe, least, spacing, TRIES) {
            return None;
        }
        let fit = self.most_between(probe, least, too_many, spacing);
        let exactly =
            self.fits(probe, fit, self.line, TRIES) && !self.fits(probe, fit + 1, self.line, TRIES_ONE_MORE);
        exactly.then_some(Sets { ways: fit, way: self.line })
    }

    /// The longest line that conflicts allow: walked with all lines of a set, one more
    /// conflicts as long as it begins in that set's line; from the first distance
    /// at which it fits, it does not. What is fetched ahead of need takes no part.
    pub(super) fn line_of(&self, probe: &mut impl Probe, set: Sets, distances: &[u64]) -> Option<u64> {
        let mut fits = |distance: u64| {
            let at = |i: u64| if i < set.ways { i * set.way } else { i * set.way + distance };
            self.cheap(probe, TRIES_ONE_MORE, |order| in_order(order, set.ways + 1, at))
        };
        distances.iter().copied().filter(|d| *d < set.way).find(|d| fits(*d))
    }
}

/// Looks for the lines of one set in a cache of `low` to less than `high` bytes
/// behind `above`, and the bytes of the level above if this one stores none of its lines (exclusive), else 0.
pub(super) fn lines_of_one_set(
    probe: &mut impl Probe,
    fits_below: f64,
    line: u64,
    (low, high): (u64, u64),
    above: &LevelFound,
) -> Result<(Sets, u64), String> {
    let page = probe.contiguous();
    if page < high {
        return Err(format!(
            "pages of {} are scattered in physical memory, so which lines share a set is not known; huge pages, also \
             in the hypervisor if there is one, would show it",
            Bytes(page)
        ));
    }
    let Ok(Sets { ways: held, way }) = above.sets() else {
        return Err("lines of one set can be chosen only after a level whose sets are known".to_owned());
    };
    if Some(way) == above.line {
        return Err(format!("the level above holds any {held} lines, more than a set of this level has"));
    }
    let above = Sets { ways: held, way };
    let searches = [2 * held, held].map(|evictors| Search::behind(fits_below, line, evictors, above.way));
    let mut reason = "no distance was found at which a fixed number of lines fits".to_owned();
    for search in searches {
        match search.run(probe, low, high) {
            // behind evictors in the same sets, fewer lines fit than there are ways
            Ok(set) if set.way <= above.way => {
                reason = format!(
                    "a way is not larger than one of the level above ({}), so lines that share a set there also share \
                     one in this level, and the level above has some of them",
                    Bytes(above.way)
                );
            }
            Ok(set) if search.more_fit(probe, set, held) || !search.fit_alone(probe, set, held) => {
                return exclusive(probe, &search, set, above, low..high);
            }
            Ok(set) => return Ok((set, 0)),
            Err(other) => reason = other,
        }
    }
    Err(reason)
}

/// The own lines of a level that seems to be exclusive: those that fit when each was evicted from the level above
/// before its access. With those that the level above holds they must be all that fit, and make the
/// size at which the cost rises.
fn exclusive(
    probe: &mut impl Probe,
    search: &Search,
    set: Sets,
    above: Sets,
    rises: std::ops::Range<u64>,
) -> Result<(Sets, u64), String> {
    let own = (1..=set.ways)
        .rev()
        .take(1 + above.ways as usize)
        .map(|ways| Sets { ways, ..set })
        .find(|own| search.fit_alone(probe, *own, above.ways));
    if let Some(own) = own
        && rises.contains(&(own.size() + above.size()))
        && search.fill_exactly(probe, Sets { ways: own.ways + above.ways, ..set })
    {
        return Ok((own, above.size()));
    }
    Err(format!(
        "{} lines of one set at a distance of {} fit, but another number if each is evicted from the level above \
         before its access: {}",
        set.ways,
        Bytes(set.way),
        above.readings(set.ways, set.way)
    ))
}
