
/// Elements from the start of a row to the start of the next.
pub fn pitch(columns: usize) -> usize {
    columns
}
