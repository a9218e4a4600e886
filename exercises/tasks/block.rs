
/// The side B of the squares, in elements, for a cache of `cache` bytes in lines of `line` bytes and elements
/// of `element` bytes. Useful: x.isqrt() is the square root, rounded down; a / b rounds down, too.
pub fn side(cache: usize, line: usize, element: usize) -> usize {
    let _ = (cache, line, element); // remove this line, and use all three
    0
}
