//! Prefetching: lines accessed in a regular order compared with the same lines in an order
//! that no prefetcher follows, also page by page.

use super::span::{STEADY, Span};
use crate::batch::once;
use crate::chain::Chains;
use figures::random::Random;
use system::pages::PageBlock;

/// Number of lines; at the tested strides they fit into no private cache.
const LINES: usize = 1 << 15;
/// Strides, in lines.
const STRIDES: [i64; 10] = [1, 2, 3, 4, 8, 16, -1, -2, -4, -8];
/// If a regular order takes less than this share of the irregular one's time, it is
/// prefetched; if it takes more than the other share, it is not.
const AHEAD: f64 = 0.6;
const NOT_AHEAD: f64 = 0.8;

/// A stride, and the time of its accesses.
#[derive(Debug, Clone, PartialEq)]
pub struct Ahead {
    /// Bytes from one access to the next, downwards if negative.
    pub stride: i64,
    /// Time as a share of the irregular order's.
    pub share: f64,
    /// Whether it is prefetched; `None` if the times do not decide it.
    pub fetched: Option<bool>,
}

/// Accesses `block` at several strides, with lines of `line` bytes and pages of `page`.
pub fn prefetch(block: &mut PageBlock, line: usize, page: usize) -> Vec<Ahead> {
    let fits = |stride: &i64| stride.unsigned_abs() as usize * line * LINES <= block.len();
    let strides: Vec<i64> = STRIDES.into_iter().filter(fits).collect();
    let mut timed = |order: &[usize]| {
        let mut chains = Chains::new(block, std::iter::once(order));
        Span::of(|| once(|| chains.walk(order.len())).nanos)
    };
    strides
        .into_iter()
        .map(|stride| {
            let regular = regular(stride, line);
            let (with, without) = (timed(&regular), timed(&irregular(&regular, page)));
            judge(stride * line as i64, with, without)
        })
        .collect()
}

fn regular(stride: i64, line: usize) -> Vec<usize> {
    let step = stride.unsigned_abs() as usize * line;
    let mut order: Vec<usize> = (0..LINES).map(|i| i * step).collect();
    if stride < 0 {
        order.reverse();
    }
    order
}

/// The same offsets in random order, but page by page with the same number of accesses in
/// each, so that TLB misses are the same.
fn irregular(regular: &[usize], page: usize) -> Vec<usize> {
    let mut random = Random::new(1);
    let mut pages: Vec<&[usize]> = regular.chunk_by(|a, b| a / page == b / page).collect();
    random.shuffle(&mut pages);
    let mut order = Vec::with_capacity(regular.len());
    for page in pages {
        let begin = order.len();
        order.extend(page);
        random.shuffle(&mut order[begin..]);
    }
    order
}

fn judge(stride: i64, with: Span, without: Span) -> Ahead {
    let share = with.low / without.low;
    let fetched = match share {
        _ if !(with.within(STEADY) && without.within(STEADY)) => None,
        share if share < AHEAD => Some(true),
        share if share > NOT_AHEAD => Some(false),
        _ => None,
    };
    Ahead { stride, share, fetched }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_irregular_walk_meets_the_same_lines_page_by_page() {
        for stride in [1, 3, -2, 16] {
            let regular = regular(stride, 64);
            let irregular = irregular(&regular, 4096);
            let changes = |order: &[usize]| order.windows(2).filter(|w| w[0] / 4096 != w[1] / 4096).count();
            assert_eq!(changes(&irregular), changes(&regular));
            let sorted = |order: &[usize]| {
                let mut order = order.to_vec();
                order.sort_unstable();
                order
            };
            assert_eq!(sorted(&irregular), sorted(&regular));
            assert_ne!(irregular, regular);
        }
    }

    #[test]
    fn a_share_between_the_two_is_left_open_and_so_are_times_that_differ() {
        let span = |low: f64, high: f64| Span { low, high, samples: 5 };
        let without = span(100.0, 110.0);
        assert_eq!(judge(64, span(20.0, 21.0), without).fetched, Some(true));
        assert_eq!(judge(64, span(95.0, 101.0), without).fetched, Some(false));
        assert_eq!(judge(64, span(70.0, 71.0), without).fetched, None);
        assert_eq!(judge(64, span(20.0, 60.0), without).fetched, None);
    }
}
