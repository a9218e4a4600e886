//! Several words at once, where compilers find what makes the cache model a tenth
//! slower: which of them equal a key, as the bits of one number, for which x86 and
//! WebAssembly have an instruction; and all of them one place on.

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

/// Moves every word one place back and puts `first` before them; the last one is lost.
///
/// Whole fours are written where they are read from: a processor passes a store on to
/// a load of the same bytes, but not two stores to one load.
#[inline(always)]
pub fn push_front<const W: usize>(words: &mut [u32; W], first: u32) {
    let mut before = first;
    let (fours, rest) = words.as_chunks_mut::<4>();
    for four in fours {
        let last = four[3];
        *four = moved_back(*four, before);
        before = last;
    }
    for word in rest {
        before = std::mem::replace(word, before);
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn moved_back([a, b, c, _]: [u32; 4], first: u32) -> [u32; 4] {
    [first, a, b, c]
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn moved_back(four: [u32; 4], first: u32) -> [u32; 4] {
    use std::arch::x86_64::{__m128i, _mm_cvtsi32_si128, _mm_or_si128, _mm_slli_si128};
    // SAFETY: every x86-64 has SSE2; both types are four words of any value.
    unsafe {
        let words = std::mem::transmute::<[u32; 4], __m128i>(four);
        let moved = _mm_or_si128(_mm_slli_si128::<4>(words), _mm_cvtsi32_si128(first.cast_signed()));
        std::mem::transmute::<__m128i, [u32; 4]>(moved)
    }
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

    fn moves_back<const W: usize>(words: &[u32], first: u32) {
        let mut moved = *words.first_chunk::<W>().unwrap();
        push_front(&mut moved, first);
        assert_eq!(moved[0], first);
        assert_eq!(moved[1..], words[..W - 1]);
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

        #[test]
        fn words_move_back_by_one(words: [u32; 16], first: u32) {
            moves_back::<1>(&words, first);
            moves_back::<4>(&words, first);
            moves_back::<6>(&words, first);
            moves_back::<10>(&words, first);
            moves_back::<16>(&words, first);
        }
    }
}
