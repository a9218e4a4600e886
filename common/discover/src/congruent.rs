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
use infer::Sets;
use infer::likelihood::{CLUMPED, odds};

/// Sets that are searched for, until two agree.
const SEARCHES: usize = 6;
/// Lines by which each search's offset in the page differs from the last.
const ASIDE: u64 = 7;

/// Why none are searched for behind a level without known sets.
pub(super) const UNKNOWN_ABOVE: &str = "the sets of the level above are not known";

/// Looks for the sets of `found`, the level behind `above`; with the sentence that argues for them.
/// Fails, with a sentence, where they cannot be found.
pub(super) fn congruent(
    probe: &mut impl Probe,
    above: &LevelFound,
    found: &LevelFound,
    seed: u64,
) -> Result<(Sets, String), String> {
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let Sets { ways: held, way } = above.sets().map_err(|_| UNKNOWN_ABOVE.to_owned())?;
    if way > page {
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
    for _ in 0..SEARCHES {
        random.shuffle(&mut pages);
        search.offset = (search.offset + ASIDE * line) % page;
        match search.one_set(&pages[..most]).and_then(|set| search.certified(set)) {
            Ok(set) if seen.contains(&set.lines.len()) => {
                pages.retain(|page| !set.lines.contains(page) && !set.evictors.contains(page));
                return search.count(&set, &pages);
            }
            Ok(set) => seen.push(set.lines.len()),
            Err(reason) => refused = reason,
        }
    }
    Err(refused)
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

/// Pages whose lines at the search's offset fall into one set, one more than fit,
/// and those that fill the set of the level above.
struct Set {
    lines: Vec<u64>,
    evictors: Vec<u64>,
    /// Misses of a round that the line too many makes, once certified.
    misses: f64,
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
        let spacing = 2 * self.line;
        let groups = (pages.len() / (CROWD * self.held)).clamp(2, (self.page / spacing - 2) as usize);
        let costs: Vec<f64> = (1..=CONTROLS)
            .map(|turn| {
                let aside = |i: usize| (1 + (i / turn) % groups) as u64 * spacing;
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
        let noise = MISSES.max(NOISE * hit * pages.len() as f64 / self.penalty);
        (0..TRIES).all(|_| self.misses(pages, hit) > noise)
    }

    /// Misses of one round, where an access that hits costs `hit`.
    fn misses(&mut self, pages: &[u64], hit: f64) -> f64 {
        let cost = self.probe.cost(&self.lines_at_offset(pages));
        pages.len() as f64 * (cost - hit) / self.penalty
    }

    /// The line of each of these pages.
    fn lines_at_offset(&self, pages: &[u64]) -> Vec<u64> {
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
                return Err(format!(
                    "{many} lines at one offset of pages of {} fit; if address bits picked the set, no more would fit \
                     than a level has pages: {} in one of {}. So a hash of the address picks the set",
                    Bytes(self.page),
                    self.largest / self.page,
                    Bytes(self.largest)
                ));
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
            if most - least <= SAME_SHARE && misses >= MISSES {
                return Ok(Set { misses, ..set });
            }
        }
        Err("lines of one set could not be distinguished from others".to_owned())
    }

    /// As few of `lines` as still do not fit together with the evictors.
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
            // while another program ran, even lines without those of the set did not fit
            loop {
                let walked = [evictors, &lines].concat();
                let hit = self.hit(&walked);
                if self.conflict(&walked, hit) {
                    break;
                }
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

impl<P: Probe> Search<'_, P> {
    /// How many of the pages `tried` have a line in the set, and what follows.
    fn count(&mut self, set: &Set, tried: &[u64]) -> Result<(Sets, String), String> {
        let ways = set.lines.len() - 1;
        let full = [&set.evictors[..], &set.lines[..ways]].concat();
        let hit = self.probe.cost(&self.lines_at_offset(&full));
        let (mut same_set, mut other_sets) = (0, 0);
        let mut odds = Err("too few pages".to_owned());
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
            odds = pages_of_a_way(set, self.probe.reach() / self.page, same_set, same_set + other_sets);
            if odds.is_ok() {
                break;
            }
        }
        let (pages, odds) = odds?;
        let found = Sets { ways: ways as u64, way: pages * self.page };
        let argument = format!(
            "of lines at one offset of scattered pages, sets were found of which {ways} fit and {} do not, and \
             {same_set} of {} other pages have a line in one, so a way has {pages} pages (odds of {:.0} to 1): {ways} \
             ways of {} make {}.",
            ways + 1,
            same_set + other_sets,
            odds.min(1e6),
            Bytes(found.way),
            Bytes(found.size())
        );
        Ok((found, argument))
    }
}

/// The number of pages of a way that makes it likeliest that `same_set` of `tried` pages have a line in
/// one set, and its odds. The pages tried are `all` but those that found the set.
fn pages_of_a_way(set: &Set, all: u64, same_set: usize, tried: usize) -> Result<(u64, f64), String> {
    let (lines, taken) = (set.lines.len() as f64, (set.lines.len() + set.evictors.len()) as f64);
    let likelihood = |pages: u64| {
        // of all pages one in so many has a line in the set, and those of the set are taken
        let left = (all as f64 / pages as f64 - lines).max(1.0);
        let chance = (left / (all as f64 - taken)).min(ALL);
        let prior: f64 = if pages.is_power_of_two() { 1.0 } else { RARE };
        prior.ln()
            + (same_set as f64 * chance.ln() + (tried - same_set) as f64 * (1.0 - chance).ln()) / CLUMPED
    };
    let mut scored: Vec<(f64, u64)> =
        (0..20).flat_map(|k| [1 << k, 3 << k]).map(|pages| (likelihood(pages), pages)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (best, pages) = scored[0];
    let odds = odds(best, scored[1..].iter().map(|one| one.0));
    let open = match pages {
        1 => "which does not show how many pages a way has".to_owned(),
        _ if odds < ODDS => "which leaves the number of sets open".to_owned(),
        _ => return Ok((pages, odds)),
    };
    Err(format!(
        "{} lines of one set fit, but {same_set} of {tried} other pages have a line in it, {open}",
        set.lines.len() - 1
    ))
}
