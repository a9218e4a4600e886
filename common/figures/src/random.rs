//! Pseudorandom numbers, the same in every run.

/// The SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles `items` (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// The whole state of the generator.
    pub fn state(&self) -> u64 {
        self.state
    }
}

/// A hash of `z`: similar numbers have different hashes (SplitMix64's output function, in
/// which every bit depends on every bit).
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_splitmix64s() {
        // The reference implementation's first three outputs for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(
            [0; 3].map(|_| random.bits()),
            [6457827717110365317, 3203168211198807973, 9817491932198370423]
        );
    }
}
