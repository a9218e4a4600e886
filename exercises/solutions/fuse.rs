pub fn scale_and_add(a: &[f64], b: &mut [f64], c: &mut [f64]) {
    for i in 0..a.len() {
        let (value, twice) = (a[i], 2.0 * a[i]);
        b[i] = twice;
        c[i] = value + twice;
    }
}
