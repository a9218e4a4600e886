//! The side of the blocks, by the lecture's rule.

use dgemm::rungs::block_l1;
use dgemm::{Blocks, Problem};
use memory::Arena;

use super::{Checked, Wrong, cache_of, counted, misses, tried};

/// The side of a block from the bytes of a cache, a line and an element.
pub type Rule = fn(usize, usize, usize) -> usize;

/// Test cases: bytes of a cache, its line and an element. Doubles, the lecture's 32-byte
/// lines, the guide's 16-bit elements, a cache of 48 KiB.
const CASES: &[(usize, usize, usize)] =
    &[(32 << 10, 64, 8), (48 << 10, 64, 8), (8 << 10, 32, 8), (32 << 10, 64, 2), (16 << 10, 128, 4)];

/// Checks the rule: three blocks fit, rows are whole lines, and no larger block does both.
/// Then counts a product with its blocks, and with larger and smaller ones.
///
/// # Errors
///
/// If the function gives another side.
pub fn side(rule: Rule) -> Checked {
    for &(cache, line, element) in CASES {
        let b = tried("A division by zero, or a result below zero.", || rule(cache, line, element))?;
        judged(cache, line, element, b)?;
    }
    let (cache, line) = (8 << 10, 64);
    let b = rule(cache, line, 8);
    let counts = [b / 2, b, 2 * b].map(|side| Ok((side, product(cache, line, side)?)));
    counts
        .into_iter()
        .map(|count: Result<(usize, u64), Wrong>| {
            count.map(|(side, misses)| {
                format!("a product of {N} rows in a cache of 8 KiB, squares of {side}: {misses} misses")
            })
        })
        .collect()
}

fn judged(cache: usize, line: usize, element: usize, b: usize) -> Result<(), Wrong> {
    let given = format!("cache {cache}, line {line}, element {element}: B = {b}");
    let each = line / element;
    let bytes = |b: usize| b.saturating_mul(b).saturating_mul(3 * element);
    if b == 0 {
        return Err(Wrong::new(given, "Three squares of B by B elements fill the cache: solve that for B."));
    }
    if bytes(b) > cache {
        let one = bytes(b) / 3 <= cache;
        return Err(Wrong::new(
            format!("{given}, and three squares take {} bytes", bytes(b)),
            if one {
                "One square fits, but a product uses one of each matrix at a time."
            } else {
                "Not even one square fits: did you count elements where bytes are given?"
            },
        ));
    }
    if !b.is_multiple_of(each) {
        return Err(Wrong::new(
            format!("{given}, and a line holds {each} elements"),
            "Round down to whole lines: a part of a line is fetched as a whole one.",
        ));
    }
    let next = b + each;
    if bytes(next) <= cache {
        return Err(Wrong::new(
            format!("{given}, and three squares of {next} fit too, in {} bytes", bytes(next)),
            "It fits, but it is too small: misses are proportional to 1 / B. Does the rule use the cache's size, and bytes per element?",
        ));
    }
    Ok(())
}

/// Rows of the product that is counted; rows of a block do not conflict in the cache.
const N: usize = 136;

/// Misses of a product of doubles in blocks of `side`, on a fully associative cache.
fn product(cache: usize, line: usize, side: usize) -> Result<u64, Wrong> {
    let machine = cache_of(cache, line, cache / line).map_err(Wrong::unmade)?;
    let blocks = Blocks::for_caches(cache as u64, 0, 1);
    let arena = Arena::with_capacity(Problem::bytes(N, N, N, blocks)).map_err(Wrong::unmade)?;
    let p = Problem::new(&arena, [N; 3], blocks).map_err(Wrong::unmade)?;
    let counts = counted(&machine, &arena, "", |mem| block_l1::multiply(mem, p.a(), p.b(), p.c(), side))?;
    Ok(misses(&counts))
}
