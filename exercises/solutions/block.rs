//! A model answer.

/// The side B of the squares, in elements, for a cache of `cache` bytes in lines of
/// `line` bytes and elements of `element` bytes.
pub fn side(cache: usize, line: usize, element: usize) -> usize {
    let b = (cache / element / 3).isqrt();
    b - b % (line / element)
}
