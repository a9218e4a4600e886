//! The course's random numbers: those of `srand(1)` and `rand()` in glibc.

/// An additive feedback generator of 31 words, the kind glibc's `rand` uses
/// unless requested otherwise (`TYPE_3` in its `random_r.c`): each word is the sum
/// of those 3 and 31 before it, and its lowest bit is dropped on output.
#[derive(Debug, Clone)]
pub struct Rand {
    words: [u32; 31],
    next: usize,
}

impl Rand {
    /// The generator after `srand(seed)`.
    pub fn new(seed: u32) -> Rand {
        let mut words = [seed.max(1); 31];
        for i in 1..31 {
            // Park and Miller's minimal standard generator, signed as in C.
            let word = i64::from(words[i - 1].cast_signed()) * 16807 % 0x7fff_ffff;
            words[i] = (if word < 0 { word + 0x7fff_ffff } else { word }) as u32;
        }
        let mut generator = Rand { words, next: 3 };
        for _ in 0..310 {
            generator.word();
        }
        generator
    }

    /// The next number, 0 to 2^31 - 1.
    #[expect(clippy::should_implement_trait, reason = "an endless sequence needs no Option")]
    pub fn next(&mut self) -> u32 {
        self.word() >> 1
    }

    fn word(&mut self) -> u32 {
        let here = self.next;
        self.words[here] = self.words[here].wrapping_add(self.words[(here + 28) % 31]);
        self.next = (here + 1) % 31;
        self.words[here]
    }
}

#[cfg(test)]
mod tests {
    use super::Rand;

    #[test]
    fn the_first_numbers_after_srand_1_are_glibcs() {
        let mut rand = Rand::new(1);
        let first: Vec<u32> = (0..5).map(|_| rand.next()).collect();
        assert_eq!(first, [1804289383, 846930886, 1681692777, 1714636915, 1957747793]);
    }
}
