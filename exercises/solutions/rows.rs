pub fn sum(rows: usize, cols: usize, x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..rows {
        for j in 0..cols {
            sum += x[i * cols + j];
        }
    }
    sum
}
