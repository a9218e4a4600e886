use std::hint::black_box;

pub fn ways(x: &[f64], misses: fn() -> u64) -> usize {
    for k in 1..=17 {
        let mut before = 0;
        for _ in 0..2 {
            before = misses();
            for line in 0..k {
                black_box(x[512 * line]);
            }
        }
        if misses() > before {
            return k - 1;
        }
    }
    17
}
