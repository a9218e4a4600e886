//! Which part of a cost is address translation: a step that comes with the number of pages, however few of their lines
//! are used, is the TLB's.

use std::collections::{BTreeMap, HashMap};

use super::probe::Probe;

/// Base page.
pub(super) const PAGE: u64 = 4096;
/// Bytes of a word, and words of a line that are used.
const WORD: u64 = 8;
const WORDS: u64 = 8;
/// Lines in one page where they are together, at the distance of the longest line.
const LINES: u64 = 16;
/// Costs that differ by less than this factor do not show a TLB that misses.
const CLEAR: f64 = 1.2;
/// Pages that every TLB holds.
pub(super) const HELD: usize = 2;

/// Nanoseconds per access to these offsets without the TLB's part.
pub(super) fn untranslated(probe: &mut impl Probe, offsets: &[u64]) -> f64 {
    probe.cost(offsets) - translation(probe, offsets)
}

/// Nanoseconds of each access that are the TLB's part: what the same pages cost, visited in the
/// same order, when all accesses to a page go to one line, less what as many lines cost in few pages.
pub fn translation(probe: &mut impl Probe, offsets: &[u64]) -> f64 {
    let mut pages: BTreeMap<u64, u64> = BTreeMap::new();
    let mut visits: Vec<(u64, u64)> = Vec::new();
    for page in offsets.iter().map(|at| at / PAGE) {
        let times = pages.entry(page).or_default();
        // of many visits in random order some show as much as all
        if *times < WORDS {
            visits.push((page, *times * WORD));
            *times += 1;
        }
    }
    if pages.len() <= HELD {
        return 0.0;
    }
    let number: HashMap<u64, u64> = pages.into_keys().zip(0..).collect();
    let scattered = visits.iter().map(|(page, word)| page * PAGE + place(number[page]) + word);
    let scattered = probe.cost(&scattered.collect::<Vec<_>>());
    let together = visits.iter().map(|(page, word)| number[page] / LINES * PAGE + place(number[page]) + word);
    let together = probe.cost(&together.collect::<Vec<_>>());
    if scattered < CLEAR * together { 0.0 } else { scattered - together }
}

/// Where in its page the line of a page lies: by the sum of the digits to base 16 of the page's number, so that
/// as many lines fall into each set of a cache, whichever pages share sets.
fn place(number: u64) -> u64 {
    let digits = (0..16).map(|digit| number >> (4 * digit) & 15).sum::<u64>();
    digits % LINES * (PAGE / LINES)
}
