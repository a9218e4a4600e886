use std::hint::black_box; // black_box(x[i]) is a load that the compiler must not leave out

/// The ways of the machine's cache.
pub fn ways(x: &[f64], misses: fn() -> u64) -> usize {
    let before = misses();
    black_box(x[0]);
    (misses() - before) as usize
}
