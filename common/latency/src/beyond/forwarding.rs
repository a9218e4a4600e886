//! How long it takes to read back what was just stored: the store buffer serves the load
//! (store-to-load forwarding), or the core renames its register.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Span;
use crate::batch::once;

/// Iterations of a sample.
const TURNS: u64 = 1 << 14;

/// Nanoseconds, at the core's reference clock, from one store into a word to the next,
/// where each iteration loads the word, adds one and stores it: the time that a sum in
/// memory needs for every step.
pub fn forwarding() -> Span {
    let word = AtomicU64::new(0);
    Span::of(|| once(|| turns(&word)).at_reference / TURNS as f64)
}

/// Atomic only so that the compiler removes no load or store.
#[inline(never)]
fn turns(word: &AtomicU64) {
    for _ in 0..TURNS {
        word.store(word.load(Relaxed) + 1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_adds_one() {
        let word = AtomicU64::new(5);
        turns(&word);
        assert_eq!(word.into_inner(), 5 + TURNS);
        assert!(forwarding().low > 0.0);
    }
}
