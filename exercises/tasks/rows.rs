
/// The sum of all elements; x[i * cols + j] is in row i and column j.
pub fn sum(rows: usize, cols: usize, x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for j in 0..cols {
        for i in 0..rows {
            sum += x[i * cols + j];
        }
    }
    sum
}
