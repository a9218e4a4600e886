//! The sets of a level behind pages that lie anywhere in physical memory. Lines
//! at one offset of their pages fall into as many sets as a way has pages, and
//! into which of them is not known. So those of one set are searched for: lines
//! are added until some miss, and left away as long as some still do. What
//! remains is one line more than there are ways (group testing, after Vila, Köpf
//! and Morales, "Theory and practice of finding eviction sets", 2019). How many
//! other pages' lines fall into that set too tells the number of sets.

use super::Probe;
use super::found::LevelFound;
use figures::random::Random;
use figures::stats;
use figures::units::Bytes;

/// Lines that keep the set of the level above full, for each of its ways.
const EVICTORS: usize = 2;
/// Lines in a set of the level above, for each of its ways, where it keeps none.
const CROWD: usize = 4;
/// So many must not change the answer, unless the level above holds lines that
/// this one has not got.
const MORE_EVICTORS: usize = 6;
/// Misses of a round that are no noise: in a set of one line too many each round
/// has one at least; and of many lines this share of their cost.
const MISSES: f64 = 1.2;
const NOISE: f64 = 0.04;
/// Rounds of as many lines that fit differ by no more misses.
const ALIKE: f64 = 0.6;
/// By so much more pages are tried until some lines miss.
const GROWTH: f64 = 1.25;
/// Pages walked at once, at most: what a second-level TLB holds, twice.
const MOST_PAGES: usize = 4096;
/// More lines are not taken for one set.
const MOST_WAYS: usize = 40;
/// Pages whose lines are tried together.
const TOGETHER: usize = 6;
/// Times that lines are walked at most until two agree that they do not fit.
const TRIES: usize = 8;
/// Ways in which they are laid into other sets, to see what a hit costs.
const CONTROLS: usize = 3;
/// Share of the lines that fit together of which any draw fits.
const EASY: f64 = 0.7;
/// Share of the time after which no set is searched for: others look at what lies beside the caches.
const LATEST: f64 = 0.95;
/// Odds between numbers of sets that make an answer.
const ODDS: f64 = 100.0;
/// A number of sets three times a power of two is so much rarer than a power of two.
const RARE: f64 = 0.03;
/// Sets that are searched for, until two agree.
const SEARCHES: usize = 6;
/// Lines by which each search's offset in the page differs from the last.
const ASIDE: u64 = 7;

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
) -> Result<Congruent, String> {
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let held = above.ways.clone().map_err(|_| "the sets of the level above are not known".to_owned())?;
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
        others: Vec::new(),
        fit: 0,
    };
    let mut pages: Vec<u64> = (0..search.probe.reach() / page).collect();
    let mut random = Random::new(1);
    let mut seen: Vec<usize> = Vec::new();
    let mut refused = "the lines of one set were other in number than those of another".to_owned();
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
    search.count(&set, &tried, found)
}

/// Pages whose lines at the search's offset fall into one set, one more than fit,
/// and those that keep the level above full beside them.
struct Set {
    lines: Vec<u64>,
    evictors: Vec<u64>,
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
    /// Pages that take no part, and the most of any that were seen to fit.
    others: Vec<u64>,
    fit: usize,
}

impl<P: Probe> Search<'_, P> {
    /// Nanoseconds of an access to one line of each of these pages when all fit: as
    /// many of other pages, if so many fit wherever they are; or else the same pages
    /// with their lines in several other sets, as many in each as keep the level above full.
    fn hit(&mut self, pages: &[u64]) -> f64 {
        let easy = pages.len() as f64 <= EASY * self.fit as f64;
        let apart = 2 * self.line;
        let groups = (pages.len() / (CROWD * self.held)).clamp(1, (self.page / apart - 2) as usize);
        let costs: Vec<f64> = (0..CONTROLS)
            .map(|turn| {
                let of_others = self.others.iter().skip(turn * pages.len()).take(pages.len());
                let group = |i: usize| 1 + ((i + turn * i / groups) % groups) as u64 + (turn % 2) as u64;
                let at = |(i, page): (usize, &u64)| {
                    page * self.page + (self.offset + group(i) * apart) % self.page
                };
                let offsets: Vec<u64> = if easy {
                    of_others.map(|page| page * self.page + self.offset).collect()
                } else {
                    pages.iter().enumerate().map(at).collect()
                };
                self.probe.cost(&offsets)
            })
            .collect();
        stats::median(&costs).unwrap_or(f64::NAN)
    }

    /// Whether the lines of these pages do not all fit, as often as it is tried,
    /// where one that fits costs `hit`.
    fn conflict(&mut self, pages: &[u64], hit: f64) -> bool {
        let least = MISSES.max(NOISE * hit * pages.len() as f64 / self.penalty);
        let mut last = f64::INFINITY;
        for _ in 0..TRIES {
            let misses = self.misses(pages, hit);
            if misses <= least {
                return false;
            }
            if (last - misses).abs() < least {
                break;
            }
            last = misses;
        }
        true
    }

    /// Misses of one round, where an access that hits costs `hit`.
    fn misses(&mut self, pages: &[u64], hit: f64) -> f64 {
        let alike: Vec<u64> = pages.iter().map(|page| page * self.page + self.offset).collect();
        pages.len() as f64 * (self.probe.cost(&alike) - hit) / self.penalty
    }

    fn in_time(&self) -> Result<(), String> {
        let late = self.probe.spent() >= LATEST;
        if late { Err("the time for experiments was up; give more (--seconds)".to_owned()) } else { Ok(()) }
    }

    /// The lines of one set among those of `pages`.
    fn one_set(&mut self, pages: &[u64]) -> Result<Set, String> {
        let evictors = EVICTORS * self.held;
        self.fit = 0;
        let mut many = 2 * CROWD * self.held;
        loop {
            self.in_time()?;
            let hit = self.hit(&pages[..many]);
            if self.conflict(&pages[..many], hit) {
                break;
            }
            if many == pages.len() {
                return Err(format!("lines of {many} pages that lie anywhere all fit, or none do"));
            }
            self.fit = many;
            many = ((many as f64 * GROWTH) as usize).min(pages.len());
        }
        self.others = pages[many..].to_vec();
        let (evictors, lines) = pages[..many].split_at(evictors);
        let lines = self.least(lines.to_vec(), evictors)?;
        // an evictor without which all fit is of the set too
        let mut set = Set { lines: lines.clone(), evictors: Vec::new() };
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
        let mut round = |lines: &[u64]| {
            let walked = [&set.evictors[..], lines].concat();
            self.misses(&walked, 0.0)
        };
        let without = |i: usize| [&set.lines[..i], &set.lines[i + 1..]].concat();
        let fewer: Vec<f64> = (0..set.lines.len()).map(|i| round(&without(i))).collect();
        let all = round(&set.lines);
        let least = fewer.iter().copied().fold(f64::INFINITY, f64::min);
        let most = fewer.iter().copied().fold(0.0, f64::max);
        if most - least <= ALIKE && all - most >= MISSES {
            return Ok(set);
        }
        Err("lines of one set could not be told from others".to_owned())
    }

    /// As few of `lines` as still do not fit beside the evictors.
    fn least(&mut self, mut lines: Vec<u64>, evictors: &[u64]) -> Result<Vec<u64>, String> {
        let mut group = lines.len().div_ceil(8);
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
                if self.conflict(&walked, hit) { lines = fewer } else { at = end }
            }
            if group == 1 && lines.len() == before {
                return Ok(lines);
            }
            group = group.div_ceil(2);
        }
    }

    /// How many of the pages `tried` have a line in the set, and what follows.
    fn count(&mut self, set: &Set, tried: &[u64], found: &LevelFound) -> Result<Congruent, String> {
        let ways = set.lines.len() - 1;
        let full = [&set.evictors[..], &set.lines[..ways]].concat();
        let hit =
            self.probe.cost(&full.iter().map(|page| page * self.page + self.offset).collect::<Vec<_>>());
        let (mut alike, mut strangers) = (0, Vec::new());
        let mut told = Err("too few pages".to_owned());
        for (number, group) in (1..).zip(tried.chunks(TOGETHER)) {
            self.in_time()?;
            let mut beside = |pages: &[u64]| self.misses(&[&full, pages].concat(), hit);
            let one_is = beside(group) > ALIKE;
            for page in group {
                match if one_is { beside(&[*page]) } else { 0.0 } {
                    misses if misses > MISSES => alike += 1,
                    misses if misses <= ALIKE => strangers.push(*page),
                    _ => return Err("other lines could not be told from those of one set".to_owned()),
                }
            }
            told = sets(ways as u64, self.page, (alike, (number * TOGETHER).min(tried.len())), found);
            if told.is_ok() {
                break;
            }
        }
        let many = strangers.len().min(MORE_EVICTORS * self.held);
        let more = |lines: usize| [&strangers[..many], &set.lines[..lines]].concat();
        let hit = self.hit(&more(ways));
        let mut stands = !self.conflict(&more(ways), hit) && self.conflict(&more(ways + 1), hit);
        // a neighbour that takes ways of the set leaves now and then
        while stands && self.probe.real() && self.probe.spent() < LATEST {
            stands = self.conflict(&more(ways + 1), hit);
        }
        if !stands {
            return Err(format!(
                "{ways} lines of one set fit, but not at all times or beside others that keep the level above full: it \
                 holds lines that this level has not got (exclusive), or others on the cache hide some"
            ));
        }
        told
    }
}

/// The number of sets that makes it likeliest that `alike` of `tried` pages have
/// a line in one of them: each has, with one chance in as many as a way has pages.
fn sets(
    ways: u64,
    page: u64,
    (alike, tried): (usize, usize),
    found: &LevelFound,
) -> Result<Congruent, String> {
    let likelihood = |pages: u64| {
        let chance = 1.0 / pages as f64;
        let prior = if pages.is_power_of_two() { 1.0 } else { RARE };
        prior.ln() + alike as f64 * chance.ln() + (tried - alike) as f64 * (1.0 - chance).ln()
    };
    let mut scored: Vec<(f64, u64)> = (0..20)
        .flat_map(|k| [1 << k, 3 << k])
        .filter(|pages| *pages > 1)
        .map(|pages| (likelihood(pages), pages))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (best, pages) = scored[0];
    let against: f64 = scored[1..].iter().map(|(other, _)| (other - best).exp()).sum();
    let (odds, expected) = (1.0 / against, tried as f64 / pages as f64);
    if odds < ODDS || (alike as f64 - expected).abs() > 4.0 * expected.sqrt() {
        return Err(format!(
            "{ways} lines of one set fit, but {alike} of {tried} other pages have a line in it, which leaves the \
             number of sets open"
        ));
    }
    let (low, high) = found.range;
    if !(low..=high).contains(&(ways * pages * page)) {
        return Err(format!(
            "{ways} lines of one set in {pages} pages of a way would make {}, not {} to {}",
            Bytes(ways * pages * page),
            Bytes(low),
            Bytes(high)
        ));
    }
    Ok(Congruent { ways, way: pages * page, tried, alike, odds })
}
