//! Which of several words equal a key, as the bits of one number. x86 and
//! WebAssembly have an instruction for it that compilers do not find; what they
//! find instead makes the cache model a tenth slower.

/// Bit `i` says whether `words[i] & mask == key`, for each of `W` words, at
/// most 32.
#[inline(always)]
pub fn equal<const W: usize>(words: &[u32; W], mask: u32, key: u32) -> u32 {
    const { assert!(W <= u32::BITS as usize) };
    let mut found = 0;
    let (fours, rest) = words.as_chunks::<4>();
    for (at, four) in fours.iter().enumerate() {
        found |= equal_of_four(four, mask, key) << (4 * at);
    }
    for (at, word) in (W - rest.len()..).zip(rest) {
        found |= u32::from(word & mask == key) << at;
    }
    found
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
#[inline(always)]
fn equal_of_four(words: &[u32; 4], mask: u32, key: u32) -> u32 {
    (0..4).map(|at| u32::from(words[at] & mask == key) << at).sum()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn equal_of_four(words: &[u32; 4], mask: u32, key: u32) -> u32 {
    use std::arch::wasm32::{i32x4_bitmask, u32x4, u32x4_eq, u32x4_splat, v128_and};
    let [a, b, c, d] = *words;
    let masked = v128_and(u32x4(a, b, c, d), u32x4_splat(mask));
    u32::from(i32x4_bitmask(u32x4_eq(masked, u32x4_splat(key))))
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_of_four(words: &[u32; 4], mask: u32, key: u32) -> u32 {
    use std::arch::x86_64::{_mm_and_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_ps};
    use std::arch::x86_64::{_mm_set1_epi32, _mm_setr_epi32};

    #[target_feature(enable = "sse2")]
    #[inline]
    fn by_sse2(words: &[u32; 4], mask: u32, key: u32) -> u32 {
        let [a, b, c, d] = words.map(u32::cast_signed);
        let masked = _mm_and_si128(_mm_setr_epi32(a, b, c, d), _mm_set1_epi32(mask.cast_signed()));
        let equal = _mm_cmpeq_epi32(masked, _mm_set1_epi32(key.cast_signed()));
        _mm_movemask_ps(_mm_castsi128_ps(equal)).cast_unsigned()
    }
    // SAFETY: every x86-64 has SSE2.
    unsafe { by_sse2(words, mask, key) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equals_one_by_one<const W: usize>(words: &[u32], mask: u32, key: u32) {
        let words: &[u32; W] = words.first_chunk().unwrap();
        let expected = words.iter().rev().fold(0, |bits, word| bits << 1 | u32::from(word & mask == key));
        assert_eq!(equal(words, mask, key), expected);
    }

    proptest! {
        #[test]
        fn words_are_compared_as_one_by_one(
            words in prop::collection::vec(0u32..4, 32),
            mask in prop::sample::select(vec![u32::MAX, !3, !1, 0]),
            key in 0u32..4,
        ) {
            equals_one_by_one::<1>(&words, mask, key);
            equals_one_by_one::<2>(&words, mask, key);
            equals_one_by_one::<4>(&words, mask, key);
            equals_one_by_one::<6>(&words, mask, key);
            equals_one_by_one::<10>(&words, mask, key);
            equals_one_by_one::<16>(&words, mask, key);
            equals_one_by_one::<32>(&words, mask, key);
        }
    }
}
