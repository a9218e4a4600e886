//! One recency-ordered set of a fixed number of ways: the model's hot spot.

use super::sets::{LINE, Tag};

/// What [`touch`] met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) hit: bool,
    /// The line's tag if it hit, else the replaced tag; 0 for an empty way.
    pub(super) tag: Tag,
}

/// Looks for `key`, puts it in front with `flags` set, moves those used since
/// one way back.
#[inline(always)]
pub(super) fn touch<const W: usize>(set: &mut [Tag; W], key: Tag, flags: Tag) -> Touched {
    #[cfg(target_arch = "x86_64")]
    if W.is_multiple_of(4) && W <= WIDEST {
        // SAFETY: every x86-64 has SSE2.
        return unsafe { touch_by_fours(set, key, flags) };
    }
    touch_one_by_one(set, key, flags)
}

#[inline(always)]
fn touch_one_by_one<const W: usize>(set: &mut [Tag; W], key: Tag, flags: Tag) -> Touched {
    let mut carried = set[0];
    let mut hit = carried & LINE == key;
    for tag in &mut set[1..] {
        if hit {
            break;
        }
        std::mem::swap(tag, &mut carried);
        hit = carried & LINE == key;
    }
    set[0] = flags | if hit { carried } else { key };
    Touched { hit, tag: carried }
}

/// Most ways that are searched by fours.
#[cfg(target_arch = "x86_64")]
const WIDEST: usize = 16;

/// `MOVED[last]`: all ones in the ways from 0 to `last`.
#[cfg(target_arch = "x86_64")]
static MOVED: [[Tag; WIDEST]; WIDEST] = {
    let mut moved = [[0; WIDEST]; WIDEST];
    let mut last = 0;
    while last < WIDEST {
        let mut way = 0;
        while way <= last {
            moved[last][way] = Tag::MAX;
            way += 1;
        }
        last += 1;
    }
    moved
};

/// The same with four ways per instruction (SSE2).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn touch_by_fours<const W: usize>(set: &mut [Tag; W], key: Tag, flags: Tag) -> Touched {
    use std::arch::x86_64::*;
    let first = set.as_mut_ptr().cast::<__m128i>();
    let mut old = [_mm_setzero_si128(); WIDEST / 4];
    let (wanted, line) = (_mm_set1_epi32(key as i32), _mm_set1_epi32(LINE as i32));
    let mut hits = 0u32;
    for (i, four) in old.iter_mut().enumerate().take(W / 4) {
        // SAFETY: four tags from 4 * i on lie in the set, since i < W / 4.
        *four = unsafe { _mm_loadu_si128(first.add(i)) };
        let equal = _mm_cmpeq_epi32(_mm_and_si128(*four, line), wanted);
        hits |= (_mm_movemask_ps(_mm_castsi128_ps(equal)) as u32) << (4 * i);
    }
    let hit = hits != 0;
    let last = (hits | 1 << (W - 1)).trailing_zeros() as usize % W;
    let tag = set[last];
    let front = flags | if hit { tag } else { key };
    let mut carried = _mm_cvtsi32_si128(front as i32);
    for (i, &four) in old.iter().enumerate().take(W / 4) {
        let shifted = _mm_or_si128(_mm_slli_si128::<4>(four), carried);
        carried = _mm_srli_si128::<12>(four);
        // SAFETY: i < W / 4 <= 4, a row has 16 tags; the set as above.
        unsafe {
            let moved = _mm_loadu_si128(MOVED[last].as_ptr().cast::<__m128i>().add(i));
            let new = _mm_or_si128(_mm_and_si128(moved, shifted), _mm_andnot_si128(moved, four));
            _mm_storeu_si128(first.add(i), new);
        }
    }
    Touched { hit, tag }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both_ways_agree<const W: usize>(lines: &[(u32, bool)]) {
        let (mut fast, mut slow) = ([0; W], [0; W]);
        for &(line, dirty) in lines {
            let key = (line + 1) << 2;
            let touched = touch(&mut fast, key, u32::from(dirty));
            assert_eq!(touched, touch_one_by_one(&mut slow, key, u32::from(dirty)));
            assert_eq!(fast, slow);
        }
    }

    proptest! {
        #[test]
        fn four_ways_at_a_time_are_as_good_as_one(
            lines in prop::collection::vec((0u32..24, any::<bool>()), 0..200)
        ) {
            both_ways_agree::<1>(&lines);
            both_ways_agree::<4>(&lines);
            both_ways_agree::<8>(&lines);
            both_ways_agree::<12>(&lines);
            both_ways_agree::<16>(&lines);
        }
    }
}
