pub fn subtract(target: &mut [f64], source: &[f64], m: f64, first: usize) {
    let n = target.len();
    let mut j = first;
    while j + 8 <= n {
        for column in j..j + 8 {
            target[column] -= source[column] * m;
        }
        j += 8;
    }
    for column in j..n {
        target[column] -= source[column] * m;
    }
}
