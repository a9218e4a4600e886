pub fn side(cache: usize, line: usize, element: usize) -> usize {
    let b = (cache / element / 3).isqrt();
    b - b % (line / element)
}
