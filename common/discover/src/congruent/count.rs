//! The number of sets, by the share of pages that have a line in one of them.

use super::search::{Congruent, Search, Set, hidden};
use crate::Probe;
use crate::ways::Denied;

/// So many must not change the answer, unless the level above holds lines that
/// this one has not got.
const MORE_EVICTORS: usize = 6;
/// A line is in a set if it makes this share of the misses that one too many makes there,
/// and in another if it makes no more than half of that.
const SHARED: f64 = 0.5;
/// Pages whose lines are tried together.
const TOGETHER: usize = 6;
/// Groups of them after which the line too many is tried again: a program on the other
/// hardware thread may fill ways of the set for a while.
const WATCHED: usize = 4;
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
        let (mut same_set, mut other_sets) = (0, Vec::new());
        let mut way = Err("too few pages".to_owned());
        let pool = Pool {
            all: (self.probe.reach() / self.page) as f64,
            set: set.lines.len() as f64,
            taken: (set.lines.len() + set.evictors.len()) as f64,
        };
        for (number, group) in tried.chunks(TOGETHER).enumerate() {
            self.in_time()?;
            let mut share = |pages: &[u64]| self.misses(&[&full, pages].concat(), hit) / set.misses;
            if number % WATCHED == 0 && share(&set.lines[ways..]) <= SHARED {
                return Err(hidden(ways as u64));
            }
            let none_is = share(group) <= SHARED / 2.0;
            for page in group {
                let tries = if none_is { 0 } else { CONFIRMED };
                match (0..tries).map(|_| share(&[*page])).reduce(f64::min).unwrap_or(0.0) {
                    most if most > SHARED => same_set += 1,
                    none if none <= SHARED / 2.0 => other_sets.push(*page),
                    _ => {}
                }
            }
            way = pool.pages_of_a_way(same_set, same_set + other_sets.len());
            if way.is_ok() {
                break;
            }
        }
        let many = other_sets.len().min(MORE_EVICTORS * self.held);
        let more = |lines: usize| [&other_sets[..many], &set.lines[..lines]].concat();
        let beside = self.hit(&more(ways));
        if self.conflict(&more(ways), beside) || !self.conflict(&more(ways + 1), beside) {
            return Err(hidden(ways as u64));
        }
        let too_many = [&set.evictors[..], &set.lines].concat();
        let denied = Denied {
            fits_below: hit + SHARED * set.misses * self.penalty / too_many.len() as f64,
            pattern: self.lines_at_offset(&too_many),
        };
        let (pages, odds) = way?;
        Ok(Congruent {
            ways: ways as u64,
            way: pages * self.page,
            tried: same_set + other_sets.len(),
            same_set,
            odds,
            denied,
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
        let (odds, expected) = (1.0 / against, tried as f64 * self.chance(pages));
        let ways = self.set as usize - 1;
        if pages == 1 {
            return Err(format!(
                "{ways} lines of one set fit, but nearly all pages have a line in it: a way is not larger than a page"
            ));
        }
        if odds < ODDS || (same_set as f64 - expected).abs() > 4.0 * (CLUMPED * expected).sqrt() {
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
