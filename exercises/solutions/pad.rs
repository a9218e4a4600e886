pub fn pitch(columns: usize) -> usize {
    let lines = columns.div_ceil(8);
    8 * (lines + (lines + 1) % 2)
}
