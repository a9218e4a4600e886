//! The sets of a level behind pages that lie anywhere in physical memory. Lines
//! at one offset of their pages fall into as many sets as a way has pages, and
//! into which of them is not known. So those of one set are searched for: lines
//! are added until some miss, and left away as long as some still do. What
//! remains is one line more than there are ways (group testing, after Vila, Köpf
//! and Morales, "Theory and practice of finding eviction sets", 2019). How many
//! other pages' lines fall into that set too tells the number of sets.

mod count;

use super::Probe;
use super::exploration::LevelFound;
use super::ways::Denied;
use figures::random::Random;
use figures::stats;
use figures::units::Bytes;

/// Lines that keep the set of the level above full, for each of its ways.
const EVICTORS: usize = 2;
/// Lines in a set of the level above, for each of its ways, where it keeps none.
const CROWD: usize = 4;
/// Misses of a round that are no noise: in a set of one line too many each round
/// has one at least; and of many lines this share of their cost.
const MISSES: f64 = 1.2;
const NOISE: f64 = 0.04;
/// From so many times as many on, two walks that agree are believed.
const CLEAR: f64 = 2.0;
/// Rounds of as many lines that fit differ by no more misses.
const ALIKE: f64 = 0.6;
/// By so much more pages are tried until some lines miss.
const GROWTH: f64 = 1.25;
/// Pages walked at once, at most: what a second-level TLB holds, twice.
const MOST_PAGES: usize = 4096;
/// More lines are not taken for one set.
const MOST_WAYS: usize = 40;
/// Times that lines are walked at most until two agree that they do not fit.
const TRIES: usize = 8;
/// Ways in which they are laid into other sets, to see what a hit costs.
const CONTROLS: usize = 3;
/// Times that one line too many is tried once more at the end.
const CONFIRMATIONS: usize = 32;
/// Share of the time after which no set is searched for: others look at what lies beside the caches.
const LATEST: f64 = 0.95;
/// Sets that are searched for, until two agree.
const SEARCHES: usize = 6;
/// Lines by which each search's offset in the page differs from the last.
const ASIDE: u64 = 7;

/// Why none are searched for behind a level without known sets.
pub(super) const UNKNOWN_ABOVE: &str = "the sets of the level above are not known";

/// What the lines of one set tell of a level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Congruent {
    pub(super) ways: u64,
    /// Bytes of one way.
    pub(super) way: u64,
    /// Pages tried, and those of them whose lines fall into the set.
    pub(super) tried: usize,
    pub(super) alike: usize,
    /// How much likelier this number of sets is than all others.
    pub(super) odds: f64,
    /// What must not fit, if this is right.
    denied: Denied,
}

/// Looks for the sets of `found`, the level behind `above`.
///
/// # Errors
///
/// A sentence, where they cannot be told.
pub(super) fn congruent(
    probe: &mut impl Probe,
    above: &LevelFound,
    found: &LevelFound,
    seed: u64,
) -> Result<Congruent, String> {
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let held = above.ways.clone().map_err(|_| UNKNOWN_ABOVE.to_owned())?;
    if above.size / held > page {
        return Err(format!(
            "a way of the level above is larger than a page of {}, so its sets are not known",
            Bytes(page)
        ));
    }
    let most =
        (found.range.1.saturating_mul(2) / page).min(MOST_PAGES as u64).min(probe.reach() / page) as usize;
    if most < 2 * CROWD * held as usize || line > page / 8 {
        return Err("there are too few pages to choose lines of one set from".to_owned());
    }
    let mut search = Search {
        probe,
        page,
        line,
        held: held as usize,
        penalty: found.penalty,
        offset: page / 2,
        largest: found.range.1.saturating_add(above.size),
    };
    let mut pages: Vec<u64> = (0..search.probe.reach() / page).collect();
    let mut random = Random::new(seed);
    let mut seen: Vec<usize> = Vec::new();
    let mut refused = "two sets had different numbers of lines".to_owned();
    let mut agreed = None;
    for _ in 0..SEARCHES {
        random.shuffle(&mut pages);
        search.offset = (search.offset + ASIDE * line) % page;
        match search.one_set(&pages[..most]).and_then(|set| search.certified(set)) {
            Ok(set) if seen.contains(&set.lines.len()) => {
                agreed = Some(set);
                break;
            }
            Ok(set) => seen.push(set.lines.len()),
            Err(reason) => refused = reason,
        }
    }
    let set = agreed.ok_or(refused)?;
    let tried: Vec<u64> = pages.into_iter().filter(|page| !set.holds(*page)).collect();
    search.count(&set, &tried)
}

impl Congruent {
    /// The same, if one line too many is too many as often as it is tried: a neighbour
    /// that takes ways of the set leaves now and then.
    ///
    /// # Errors
    ///
    /// A sentence, where it once fits, or the size is not in `range`.
    pub(super) fn confirmed(
        self,
        probe: &mut impl Probe,
        (low, high): (u64, u64),
    ) -> Result<Congruent, String> {
        let size = self.ways * self.way;
        if !(low..=high).contains(&size) {
            return Err(format!(
                "{} lines of one set and ways of {} would make {}, not {} to {}",
                self.ways,
                Bytes(self.way),
                Bytes(size),
                Bytes(low),
                Bytes(high)
            ));
        }
        for _ in 0..if probe.real() { CONFIRMATIONS } else { 0 } {
            if probe.cost(&self.denied.pattern) < self.denied.fits_below {
                return Err(hidden(self.ways));
            }
        }
        Ok(self)
    }
}

/// Why lines of one set tell nothing.
fn hidden(ways: u64) -> String {
    format!(
        "{ways} lines of one set fit, but not at all times, or not with lines that fill the level above: that \
         level has lines that this one does not have (exclusive), or other programs hide some"
    )
}

/// Pages whose lines at the search's offset fall into one set, one more than fit,
/// and those that keep the level above full beside them.
struct Set {
    lines: Vec<u64>,
    evictors: Vec<u64>,
    /// Misses of a round that the line too many makes, once certified.
    misses: f64,
}

impl Set {
    fn holds(&self, page: u64) -> bool {
        self.lines.contains(&page) || self.evictors.contains(&page)
    }
}

struct Search<'a, P> {
    probe: &'a mut P,
    page: u64,
    line: u64,
    /// Ways of the level above.
    held: usize,
    penalty: f64,
    /// Where in its page each line lies.
    offset: u64,
    /// Bytes that the level has at most, as far as known.
    largest: u64,
}

impl<P: Probe> Search<'_, P> {
    /// Nanoseconds of an access to one line of each of these pages when all fit: in the
    /// same order (the TLB's misses depend on it), but spread over other sets, in each as
    /// many as leave the level above no hit.
    fn hit(&mut self, pages: &[u64]) -> f64 {
        let apart = 2 * self.line;
        let groups = (pages.len() / (CROWD * self.held)).clamp(2, (self.page / apart - 2) as usize);
        let costs: Vec<f64> = (1..=CONTROLS)
            .map(|turn| {
                let aside = |i: usize| (1 + (i / turn) % groups) as u64 * apart;
                let at = |(i, page): (usize, &u64)| page * self.page + (self.offset + aside(i)) % self.page;
                let offsets: Vec<u64> = pages.iter().enumerate().map(at).collect();
                self.probe.cost(&offsets)
            })
            .collect();
        stats::median(&costs).unwrap_or(f64::NAN)
    }

    /// Whether the lines of these pages do not all fit, as often as it is tried,
    /// where one that fits costs `hit`.
    fn conflict(&mut self, pages: &[u64], hit: f64) -> bool {
        let least = self.noise(pages.len(), hit);
        let mut last = f64::INFINITY;
        for _ in 0..TRIES {
            let misses = self.misses(pages, hit);
            if misses <= least {
                return false;
            }
            if misses > CLEAR * least && (last - misses).abs() < least {
                break;
            }
            last = misses;
        }
        true
    }

    /// Whether the lines of these pages do not all fit.
    fn overfill(&mut self, pages: &[u64]) -> bool {
        let hit = self.hit(pages);
        self.conflict(pages, hit)
    }

    /// Misses of a round of so many lines that may be none.
    fn noise(&self, lines: usize, hit: f64) -> f64 {
        MISSES.max(NOISE * hit * lines as f64 / self.penalty)
    }

    /// Misses of one round, where an access that hits costs `hit`.
    fn misses(&mut self, pages: &[u64], hit: f64) -> f64 {
        let cost = self.probe.cost(&self.alike(pages));
        pages.len() as f64 * (cost - hit) / self.penalty
    }

    /// The line of each of these pages.
    fn alike(&self, pages: &[u64]) -> Vec<u64> {
        pages.iter().map(|page| page * self.page + self.offset).collect()
    }

    fn in_time(&self) -> Result<(), String> {
        let late = self.probe.spent() >= LATEST;
        if late { Err("the time for experiments ended; give more (--seconds)".to_owned()) } else { Ok(()) }
    }

    /// The lines of one set among those of `pages`.
    fn one_set(&mut self, pages: &[u64]) -> Result<Set, String> {
        let evictors = EVICTORS * self.held;
        let mut many = 2 * CROWD * self.held;
        loop {
            self.in_time()?;
            let hit = self.hit(&pages[..many]);
            if self.conflict(&pages[..many], hit) {
                break;
            }
            if many as u64 * self.page > self.largest {
                return Err(self.hashed(many));
            }
            if many == pages.len() {
                return Err(format!("lines of {many} scattered pages all fit, or none do"));
            }
            many = ((many as f64 * GROWTH) as usize).min(pages.len());
        }
        let (evictors, lines) = pages[..many].split_at(evictors);
        let lines = self.least(lines.to_vec(), evictors)?;
        // an evictor without which all fit is of the set too
        let mut set = Set { lines: lines.clone(), evictors: Vec::new(), misses: 0.0 };
        let hit = self.hit(&[&evictors[1..], &lines].concat());
        for &evictor in evictors {
            self.in_time()?;
            let others = evictors.iter().copied().filter(|page| *page != evictor);
            let without: Vec<u64> = others.chain(lines.iter().copied()).collect();
            if self.conflict(&without, hit) { &mut set.evictors } else { &mut set.lines }.push(evictor);
        }
        if set.lines.len() > MOST_WAYS + 1 {
            return Err(format!("no set of at most {MOST_WAYS} lines was found that misses"));
        }
        Ok(set)
    }

    /// The set, if without any one of its lines all others fit alike, and with all
    /// they do not: a line too many in it, or too few, would show.
    fn certified(&mut self, set: Set) -> Result<Set, String> {
        if set.lines.len() < 2 {
            return Err("lines that fill the level above do not fit themselves".to_owned());
        }
        let mut round = |lines: &[u64]| {
            let walked = [&set.evictors[..], lines].concat();
            self.misses(&walked, 0.0)
        };
        let without = |i: usize| [&set.lines[..i], &set.lines[i + 1..]].concat();
        for _ in 0..TRIES {
            let fewer: Vec<f64> = (0..set.lines.len()).map(|i| round(&without(i))).collect();
            let least = fewer.iter().copied().fold(f64::INFINITY, f64::min);
            let most = fewer.iter().copied().fold(0.0, f64::max);
            let misses = round(&set.lines) - most;
            if most - least <= ALIKE && misses >= MISSES {
                return Ok(Set { misses, ..set });
            }
        }
        Err("lines of one set could not be distinguished from others".to_owned())
    }

    /// Why sets are not looked for where so many lines at one offset of their pages fit.
    fn hashed(&self, lines: usize) -> String {
        format!(
            "{lines} lines at one offset of pages of {} fit; if address bits picked the set, no more would fit than a              level has pages: {} in one of {}. So a hash of the address picks the set",
            Bytes(self.page),
            self.largest / self.page,
            Bytes(self.largest)
        )
    }

    /// As few of `lines` as still do not fit beside the evictors.
    fn least(&mut self, mut lines: Vec<u64>, evictors: &[u64]) -> Result<Vec<u64>, String> {
        let mut group = lines.len().div_ceil(8);
        let mut removed: Vec<Vec<u64>> = Vec::new();
        // what a hit costs depends on how many pages the TLB has to translate
        let (mut hit, mut of) = (0.0, 0);
        loop {
            let (before, mut at) = (lines.len(), 0);
            while at < lines.len() {
                self.in_time()?;
                let end = (at + group).min(lines.len());
                let fewer = [&lines[..at], &lines[end..]].concat();
                let walked = [evictors, &fewer].concat();
                if walked.len() != of {
                    (hit, of) = (self.hit(&walked), walked.len());
                }
                if self.conflict(&walked, hit) {
                    removed.push(lines[at..end].to_vec());
                    lines = fewer;
                } else {
                    at = end;
                }
            }
            // beside a neighbour even those did not fit that lack lines of the set
            while !self.overfill(&[evictors, &lines].concat()) {
                self.in_time()?;
                lines.extend(removed.pop().ok_or("lines that did not fit did so later")?);
            }
            if group == 1 && lines.len() == before {
                return Ok(lines);
            }
            group = group.div_ceil(2);
        }
    }
}
