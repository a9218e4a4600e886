//! The TLB: accesses one line in each of many base pages, until they have more translations
//! than the TLB holds.

use super::OnTime;
use super::batch::ONCE;
use discover::{Probe, shuffled};
use figures::units::Seconds;
use memory::OutOfMemory;
use system::pages::{self, PageBlock, PageKind};

/// Accesses to this many pages miss in all first-level TLBs and in most second-level TLBs.
const MANY: u64 = 8192;

/// Numbers of pages from one that misses in every first level to one that misses in every
/// second level.
const BEHIND: [u64; 11] = [256, 384, 512, 768, 1024, 1280, 1536, 2048, 3072, 4096, MANY];
/// Below the first share of a page walk's time, a translation hit in the second level;
/// above the second share it missed. The last is the smallest ratio of a walk's time to
/// that of such a hit.
const HITS: f64 = 0.25;
const MISSES: f64 = 0.5;
const WALKS: f64 = 2.0;

/// The results for address translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// Between so many and so many entries of the first-level data TLB.
    pub entries: Option<(u64, u64)>,
    /// Between so many and so many entries of the second level.
    pub second: Option<(u64, u64)>,
    /// Additional time of an access that needs a page walk, in ns.
    pub walk: f64,
}

/// Accesses lines in 16 to 8192 base pages, and as many adjacent lines.
/// Fails if there is no memory for that.
pub fn measure_tlb(line: u64) -> Result<Translation, OutOfMemory> {
    let page = pages::base().0;
    let block = PageBlock::new((MANY * page) as usize, PageKind::Base)?;
    let mut probe = OnTime::new(block, Seconds(f64::INFINITY));
    probe.effort = ONCE;
    // each page's line in a different set, so that the cache holds all of them
    let lines = page / line;
    let scan: Vec<(u64, f64)> = [16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 192, 256]
        .into_iter()
        .map(|pages| (pages, probe.cost(&shuffled(pages, |i| i * page + i % lines * line))))
        .collect();
    let fast = scan[0].1;
    let entries = scan
        .iter()
        .position(|(_, t)| *t > 1.3 * fast)
        .and_then(|i| Some((scan[i.checked_sub(1)?].0, scan[i].0)));
    let mut extra = |pages: u64| {
        let apart = probe.cost(&shuffled(pages, |i| i * page + i % lines * line));
        apart - probe.cost(&shuffled(pages, |i| i * line))
    };
    let behind: Vec<(u64, f64)> = BEHIND.into_iter().map(|pages| (pages, extra(pages))).collect();
    let walk = behind[behind.len() - 1].1.max(0.0);
    Ok(Translation { entries, second: second(&behind), walk })
}

/// Where the additional time per access rises from that of a second-level hit to that of a
/// page walk.
fn second(behind: &[(u64, f64)]) -> Option<(u64, u64)> {
    let (hit, walk) = (behind.first()?.1, behind.last()?.1);
    let share = |extra: f64| (extra - hit) / (walk - hit);
    let misses = behind.iter().position(|(_, extra)| share(*extra) > MISSES)?;
    let hits = behind.iter().rposition(|(_, extra)| share(*extra) < HITS)?;
    // a hit costs time too, and a size that fits cannot be above one that does not
    (walk > WALKS * hit.max(0.0) && hits < misses).then(|| (behind[hits].0, behind[misses].0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_level_ends_where_walks_begin_or_is_not_claimed() {
        let of = |of: fn(u64) -> f64| second(&BEHIND.map(|pages| (pages, of(pages))));
        // random replacement: some of the pages are still in the TLB
        assert_eq!(of(|pages| 2.0 + 10.0 * (1.0 - 1536.0 / pages as f64).max(0.0)), Some((1536, 3072)));
        assert_eq!(of(|pages| if pages <= 1536 { 2.0 } else { 12.0 }), Some((1536, 2048)));
        assert_eq!(of(|_| 8.0), None);
        assert_eq!(of(|pages| if pages == 512 { 30.0 } else { 8.0 }), None);
        // a disturbed point among the hits
        assert_eq!(of(|pages| if pages == 512 || pages >= 3072 { 30.0 } else { 4.0 }), None);
    }
}
