pub fn smooth(n: usize, from: &[f64], to: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let at = i * n + j;
            to[at] = (from[at - n] + from[at + n] + from[at - 1] + from[at + 1]) / 4.0;
        }
    }
}
