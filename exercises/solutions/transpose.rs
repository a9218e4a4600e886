pub fn transpose(n: usize, from: &[f64], to: &mut [f64]) {
    const B: usize = 16;
    for ii in (0..n).step_by(B) {
        for jj in (0..n).step_by(B) {
            for i in ii..n.min(ii + B) {
                for j in jj..n.min(jj + B) {
                    to[j * n + i] = from[i * n + j];
                }
            }
        }
    }
}
