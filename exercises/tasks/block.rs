//! **A block size from the rule.** A product in blocks has three squares in the
//! cache, one of each matrix, B by B elements. Which B? The check asks for caches of
//! the first level (L1) and of the second one (L2).
//!
//! - The three squares must fit the cache.
//! - A row of a square should be whole lines: B is a multiple of the elements in a
//!   line.
//! - The larger B, the fewer misses (2 n³ / (m B) of n³ steps, with m elements in a
//!   line): take the largest B that meets both conditions.
//!
//! Useful Rust: `x.isqrt()` is the square root, rounded down; `a / b` rounds down,
//! too; `a % b` is the remainder.

/// The side B of the squares, in elements, for a cache of `cache` bytes in lines of
/// `line` bytes and elements of `element` bytes.
pub fn side(cache: usize, line: usize, element: usize) -> usize {
    let _ = (cache, line, element); // remove this line, and use all three
    0
}
