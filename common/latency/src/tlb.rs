//! The TLB: one line in each of many base pages, until translations do not
//! fit any more.

use super::batch::{Effort, time};
use super::chain::{Chain, WORD};
use figures::random::Random;
use memory::OutOfMemory;
use system::pages::{self, PageKind, Room};

/// Accesses to this many pages miss every TLB of first level and most of
/// second level in use.
const MANY: usize = 8192;

/// What was seen of the address translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// The first-level data TLB holds between this many entries and this many.
    pub entries: Option<(usize, usize)>,
    /// What an access costs more when its page has to be walked, in ns.
    pub walk: f64,
    /// Nanoseconds per access by number of pages.
    pub scan: Vec<(usize, f64)>,
}

fn order(pages: usize, at: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pages).map(at).collect();
    Random::new(1).shuffle(&mut order);
    order
}

/// Walks lines in 16 to 8192 base pages, and as many lines side by side.
///
/// # Errors
///
/// If there is no memory for that.
pub fn translation(line: usize) -> Result<Translation, OutOfMemory> {
    let page = pages::base().get();
    let mut room = Room::new(MANY * page, PageKind::Base)?;
    let mut cost =
        |offsets: &[usize]| time(&mut Chain::new(&mut room, offsets, WORD), Effort::default()).fastest;
    // each page's line in another set, so that the cache holds them all
    let lines = page / line;
    let scan: Vec<(usize, f64)> = [16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 192, 256]
        .into_iter()
        .map(|pages| (pages, cost(&order(pages, |i| i * page + i % lines * line))))
        .collect();
    let fast = scan[0].1;
    let entries = scan
        .iter()
        .position(|(_, t)| *t > 1.3 * fast)
        .and_then(|i| Some((scan[i.checked_sub(1)?].0, scan[i].0)));
    let apart = cost(&order(MANY, |i| i * page + i % lines * line));
    let together = cost(&order(MANY, |i| i * line));
    Ok(Translation { entries, walk: (apart - together).max(0.0), scan })
}
