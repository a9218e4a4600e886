
/// b[i] = 2 a[i] and c[i] = a[i] + b[i]; all have the same length.
pub fn scale_and_add(a: &[f64], b: &mut [f64], c: &mut [f64]) {
    for i in 0..a.len() {
        b[i] = 2.0 * a[i];
    }
    for i in 0..a.len() {
        c[i] = a[i] + b[i];
    }
}
