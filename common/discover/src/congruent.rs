//! The sets of a level behind pages that lie anywhere in physical memory. Lines
//! at one offset of their pages fall into as many sets as a way has pages, and
//! into which of them is not known. So those of one set are searched for: lines
//! are added until some miss, and removed as long as some still do. What
//! remains is one line more than there are ways (group testing, after Vila, Köpf
//! and Morales, "Theory and practice of finding eviction sets", 2019). How many
//! other pages' lines fall into that set too gives the number of sets.

use super::found::LevelFound;
use super::probe::Probe;
use figures::random::Random;
use figures::stats;
use figures::units::Bytes;

/// Sets that are searched for, until two agree.
const SEARCHES: usize = 6;
/// Lines by which each search's offset in the page differs from the last.
const ASIDE: u64 = 7;

/// Why none are searched for behind a level without known sets.
pub(super) const UNKNOWN_ABOVE: &str = "the sets of the level above are not known";

/// Looks for the sets of `found`, the level behind `above`.
///
/// # Errors
///
/// A sentence, where they cannot be found.
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

/// Lines that fill the set of the level above, for each of its ways.
const EVICTORS: usize = 2;
/// Lines in a set of the level above, for each of its ways, so that it holds none of them.
const CROWD: usize = 4;
/// Misses of a round that are no noise: in a set of one line too many each round
/// has one at least; and of many lines this share of their cost.
const MISSES: f64 = 1.2;
const NOISE: f64 = 0.04;
/// Rounds of as many lines that fit differ by no more misses.
const SAME_SHARE: f64 = 0.6;
/// By so much more pages are tried until some lines miss.
const GROWTH: f64 = 1.25;
/// Pages walked at once, at most: what a second-level TLB holds, twice.
const MOST_PAGES: usize = 4096;
/// More lines are not taken for one set.
const MOST_WAYS: usize = 40;
/// Times that lines are walked at most until two agree that they do not fit.
const TRIES: usize = 8;
/// Tries with the same lines in other sets, to see what a hit costs.
const CONTROLS: usize = 3;
/// Share of the time after which no set is searched for: the rest is for experiments other than on caches.
const LATEST: f64 = 0.95;

/// What the lines of one set show of a level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Congruent {
    pub(super) ways: u64,
    /// Bytes of one way, and pages.
    pub(super) way: u64,
    pages: u64,
    /// Pages tried, and those of them whose lines fall into the set.
    pub(super) tried: usize,
    pub(super) same_set: usize,
    /// How much likelier this number of sets is than all others.
    pub(super) odds: f64,
}

impl Congruent {
    /// The same, if the size is in `range`.
    pub(super) fn within(self, (low, high): (u64, u64)) -> Result<Congruent, String> {
        let size = self.ways * self.way;
        if (low..=high).contains(&size) {
            return Ok(self);
        }
        Err(format!(
            "{} lines of one set and ways of {} would make {}, not {} to {}",
            self.ways,
            Bytes(self.way),
            Bytes(size),
            Bytes(low),
            Bytes(high)
        ))
    }

    /// The sentence that argues for it.
    pub(super) fn argument(&self) -> String {
        format!(
            "of lines at one offset of scattered pages, sets were found of which {} fit and {} do not, and {} of {} \
             other pages have a line in one, so a way has {} pages (odds of {:.0} to 1): {} ways of {} make {}.",
            self.ways,
            self.ways + 1,
            self.same_set,
            self.tried,
            self.pages,
            self.odds.min(1e6),
            self.ways,
            Bytes(self.way),
            Bytes(self.ways * self.way)
        )
    }
}

/// Pages whose lines at the search's offset fall into one set, one more than fit,
/// and those that fill the set of the level above.
pub(super) struct Set {
    pub(super) lines: Vec<u64>,
    pub(super) evictors: Vec<u64>,
    /// Misses of a round that the line too many makes, once certified.
    pub(super) misses: f64,
}

impl Set {
    pub(super) fn holds(&self, page: u64) -> bool {
        self.lines.contains(&page) || self.evictors.contains(&page)
    }
}

pub(super) struct Search<'a, P> {
    pub(super) probe: &'a mut P,
    pub(super) page: u64,
    pub(super) line: u64,
    /// Ways of the level above.
    pub(super) held: usize,
    pub(super) penalty: f64,
    /// Where in its page each line lies.
    pub(super) offset: u64,
    /// Bytes that the level has at most, as far as known.
    pub(super) largest: u64,
}

impl<P: Probe> Search<'_, P> {
    /// Nanoseconds of an access to one line of each of these pages when all fit: in the
    /// same order (the TLB's misses depend on it), but spread over other sets, in each as
    /// many as leave the level above no hit.
    pub(super) fn hit(&mut self, pages: &[u64]) -> f64 {
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
    pub(super) fn conflict(&mut self, pages: &[u64], hit: f64) -> bool {
        let least = self.noise(pages.len(), hit);
        (0..TRIES).all(|_| self.misses(pages, hit) > least)
    }

    /// Whether the lines of these pages do not all fit.
    pub(super) fn overfill(&mut self, pages: &[u64]) -> bool {
        let hit = self.hit(pages);
        self.conflict(pages, hit)
    }

    /// Misses of a round of so many lines that may be none.
    pub(super) fn noise(&self, lines: usize, hit: f64) -> f64 {
        MISSES.max(NOISE * hit * lines as f64 / self.penalty)
    }

    /// Misses of one round, where an access that hits costs `hit`.
    pub(super) fn misses(&mut self, pages: &[u64], hit: f64) -> f64 {
        let cost = self.probe.cost(&self.lines_at_offset(pages));
        pages.len() as f64 * (cost - hit) / self.penalty
    }

    /// The line of each of these pages.
    pub(super) fn lines_at_offset(&self, pages: &[u64]) -> Vec<u64> {
        pages.iter().map(|page| page * self.page + self.offset).collect()
    }

    pub(super) fn in_time(&self) -> Result<(), String> {
        let late = self.probe.spent() >= LATEST;
        if late { Err("the time for experiments ended; give more (--seconds)".to_owned()) } else { Ok(()) }
    }

    /// The lines of one set among those of `pages`.
    pub(super) fn one_set(&mut self, pages: &[u64]) -> Result<Set, String> {
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

    /// The set, if the others fit without any one of its lines, and all together do not: a line too many in it, or too few, would show.
    pub(super) fn certified(&mut self, set: Set) -> Result<Set, String> {
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
            if most - least <= SAME_SHARE && misses >= MISSES {
                return Ok(Set { misses, ..set });
            }
        }
        Err("lines of one set could not be distinguished from others".to_owned())
    }

    /// Why sets are not looked for where so many lines at one offset of their pages fit.
    pub(super) fn hashed(&self, lines: usize) -> String {
        format!(
            "{lines} lines at one offset of pages of {} fit; if address bits picked the set, no more would fit than a level has pages: {} in one of {}. So a hash of the address picks the set",
            Bytes(self.page),
            self.largest / self.page,
            Bytes(self.largest)
        )
    }

    /// As few of `lines` as still do not fit together with the evictors.
    pub(super) fn least(&mut self, mut lines: Vec<u64>, evictors: &[u64]) -> Result<Vec<u64>, String> {
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
            // while another program ran, even lines without those of the set did not fit
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

/// A line is in a set if it makes this share of the misses that one too many makes there,
/// and in another if it makes no more than half of that.
const SHARED: f64 = 0.5;
/// Pages whose lines are tried together.
const TOGETHER: usize = 6;
/// Times that a line is tried before it is taken for one of the set.
const CONFIRMED: usize = 3;
/// Odds between numbers of sets that make an answer: they are looked at after each group,
/// so one in as many answers may be chance.
const ODDS: f64 = 100.0;
/// The chance of a page where all have a line in the set: one may seem to have none.
const ALL: f64 = 0.99;
/// A number of sets three times a power of two is so much rarer than a power of two.
const RARE: f64 = 0.03;
/// Pages lie in clumps, not one by one: the variance of their counts is so many times
/// that of independent ones (1.6 if all pages in pieces of 2 MiB of a virtual machine are
/// drawn; this program draws few of each).
const CLUMPED: f64 = 1.5;

impl<P: Probe> Search<'_, P> {
    /// How many of the pages `tried` have a line in the set, and what follows.
    pub(super) fn count(&mut self, set: &Set, tried: &[u64]) -> Result<Congruent, String> {
        let ways = set.lines.len() - 1;
        let full = [&set.evictors[..], &set.lines[..ways]].concat();
        let hit = self.probe.cost(&self.lines_at_offset(&full));
        let (mut same_set, mut other_sets) = (0, 0);
        let mut way = Err("too few pages".to_owned());
        let pool = Pool {
            all: (self.probe.reach() / self.page) as f64,
            set: set.lines.len() as f64,
            taken: (set.lines.len() + set.evictors.len()) as f64,
        };
        for group in tried.chunks(TOGETHER) {
            self.in_time()?;
            let mut share = |pages: &[u64]| self.misses(&[&full, pages].concat(), hit) / set.misses;
            let none_is = share(group) <= SHARED / 2.0;
            for page in group {
                let tries = if none_is { 0 } else { CONFIRMED };
                match (0..tries).map(|_| share(&[*page])).reduce(f64::min).unwrap_or(0.0) {
                    most if most > SHARED => same_set += 1,
                    none if none <= SHARED / 2.0 => other_sets += 1,
                    _ => {}
                }
            }
            way = pool.pages_of_a_way(same_set, same_set + other_sets);
            if way.is_ok() {
                break;
            }
        }
        let (pages, odds) = way?;
        Ok(Congruent {
            ways: ways as u64,
            way: pages * self.page,
            pages,
            tried: same_set + other_sets,
            same_set,
            odds,
        })
    }
}

/// The pages that are tried: all but those that found the set.
struct Pool {
    all: f64,
    /// Pages of the set.
    set: f64,
    taken: f64,
}

impl Pool {
    /// The chance of a page that is tried to have a line in the set, where a way has so
    /// many pages: of all pages one in so many has, and those of the set are taken.
    fn chance(&self, pages: u64) -> f64 {
        let left = (self.all / pages as f64 - self.set).max(1.0);
        (left / (self.all - self.taken)).min(ALL)
    }

    /// The number of pages of a way that makes it likeliest that `same_set` of `tried` pages
    /// have a line in one set, and its odds.
    fn pages_of_a_way(&self, same_set: usize, tried: usize) -> Result<(u64, f64), String> {
        let likelihood = |pages: u64| {
            let chance = self.chance(pages);
            let prior: f64 = if pages.is_power_of_two() { 1.0 } else { RARE };
            prior.ln()
                + (same_set as f64 * chance.ln() + (tried - same_set) as f64 * (1.0 - chance).ln()) / CLUMPED
        };
        let mut scored: Vec<(f64, u64)> =
            (0..20).flat_map(|k| [1 << k, 3 << k]).map(|pages| (likelihood(pages), pages)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (best, pages) = scored[0];
        let against: f64 = scored[1..].iter().map(|(other, _)| (other - best).exp()).sum();
        let odds = 1.0 / against;
        let ways = self.set as usize - 1;
        if pages == 1 {
            return Err(format!(
                "{ways} lines of one set fit, but nearly all pages have a line in it: a way is not larger than a page"
            ));
        }
        if odds < ODDS {
            return Err(format!(
                "{ways} lines of one set fit, but {same_set} of {tried} other pages have a line in it, which leaves the \
                 number of sets open"
            ));
        }
        Ok((pages, odds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_tells_the_pages_or_leaves_them_open() {
        let pool = Pool { all: 16_384.0, set: 17.0, taken: 40.0 };
        // as counted on a machine with 32 pages in a way
        for (same_set, tried) in [(72, 2436), (86, 3054), (99, 3585)] {
            assert_eq!(pool.pages_of_a_way(same_set, tried).unwrap().0, 32);
        }
        assert!(pool.pages_of_a_way(3, 90).is_err(), "too few");
        assert!(pool.pages_of_a_way(58, 60).is_err(), "all of them");
        // a small pool has noticeably fewer left once 17 are taken
        let small = Pool { all: 1536.0, set: 17.0, taken: 39.0 };
        assert_eq!(small.pages_of_a_way(75, 1497).unwrap().0, 16);
    }
}
