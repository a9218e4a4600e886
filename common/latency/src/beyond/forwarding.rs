//! How long reading back takes what was just stored: the load is served by the
//! store buffer (store-to-load forwarding), or its register renamed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Span;
use crate::batch::once;

/// Turns of a sample.
const TURNS: u64 = 1 << 14;

/// Nanoseconds, at the core's reference clock, from one store into a word to the
/// next, where each stores what was loaded from there and one more: what a sum
/// that lives in memory waits for in every step.
pub fn forwarding() -> Span {
    let word = AtomicU64::new(0);
    Span::of(|| once(|| turns(&word)).at_reference / TURNS as f64)
}

/// Atomic only so that the compiler keeps each load and store.
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
