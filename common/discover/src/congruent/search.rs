//! The search for one set: lines that do not fit together, and fit without any one.

use figures::stats;
use figures::units::Bytes;

use crate::Probe;
use crate::ways::Denied;

/// Lines that fill the set of the level above, for each of its ways.
const EVICTORS: usize = 2;
/// Lines in a set of the level above, for each of its ways, so that it holds none of them.
pub(super) const CROWD: usize = 4;
/// Misses of a round that are no noise: in a set of one line too many each round
/// has one at least; and of many lines this share of their cost.
const MISSES: f64 = 1.2;
const NOISE: f64 = 0.04;
/// From so many times as many on, two walks that agree are believed.
const CLEAR: f64 = 2.0;
/// Rounds of as many lines that fit differ by no more misses.
const SAME_SHARE: f64 = 0.6;
/// By so much more pages are tried until some lines miss.
const GROWTH: f64 = 1.25;
/// Pages walked at once, at most: what a second-level TLB holds, twice.
pub(super) const MOST_PAGES: usize = 4096;
/// More lines are not taken for one set.
const MOST_WAYS: usize = 40;
/// Times that lines are walked at most until two agree that they do not fit.
const TRIES: usize = 8;
/// Tries with the same lines in other sets, to see what a hit costs.
const CONTROLS: usize = 3;
/// Times that one line too many is tried once more at the end.
const CONFIRMATIONS: usize = 32;
/// Share of the time after which no set is searched for: the rest is for experiments other than on caches.
const LATEST: f64 = 0.95;

/// What the lines of one set show of a level.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Congruent {
    pub(in super::super) ways: u64,
    /// Bytes of one way.
    pub(in super::super) way: u64,
    /// Pages tried, and those of them whose lines fall into the set.
    pub(in super::super) tried: usize,
    pub(in super::super) same_set: usize,
    /// How much likelier this number of sets is than all others.
    pub(in super::super) odds: f64,
    /// What must not fit, if this is right.
    pub(in super::super) denied: Denied,
}

impl Congruent {
    /// The same, if one line too many does not fit as often as it is tried: another
    /// program that fills ways of the set pauses now and then.
    ///
    /// # Errors
    ///
    /// A sentence, where it once fits, or the size is not in `range`.
    pub(in super::super) fn confirmed(
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

/// Why lines of one set show nothing.
pub(super) fn hidden(ways: u64) -> String {
    format!(
        "{ways} lines of one set fit, but not at all times, or not with lines that fill the level above: that \
         level has lines that this one does not have (exclusive), or other programs hide some"
    )
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
