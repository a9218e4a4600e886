
/// Writes the means of `from` into `to`; from[i * n + j] is in row i and column j.
pub fn smooth(n: usize, from: &[f64], to: &mut [f64]) {
    let _ = (n, from, to); // your loops; 1..n - 1 counts from 1 to n - 2
}
