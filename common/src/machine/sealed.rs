//! Sealed descriptions: machines whose geometry a student is to find. The seal
//! keeps honest eyes from reading the answer; it is no secret to someone who
//! reads this file.

use crate::units::Bytes;

/// A generator that gives the same numbers for the same words
/// (FNV-1a, then Marsaglia's xorshift64).
struct Dice(u64);

impl Dice {
    fn of(words: &[&str]) -> Dice {
        let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Dice(hash.max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of_these(&mut self, choice: &[u64]) -> u64 {
        choice[((self.next() >> 16) % choice.len() as u64) as usize]
    }
}

/// The description of a machine of two levels, drawn from the instructor's
/// `key` and the machine's `name`: the same words always give the same machine.
pub fn mystery(key: &str, name: &str) -> String {
    let mut dice = Dice::of(&[key, name]);
    let line = dice.of_these(&[32, 64, 64, 128]);
    // a power of two of sets, as address bits give
    let first = dice.of_these(&[8, 16, 32, 24, 48]) << 10;
    let ways = if first.is_multiple_of(3) { [3, 6, 12] } else { [2, 4, 8] };
    let first_ways = dice.of_these(&ways);
    let second = dice.of_these(&[128, 256, 512, 1024]) << 10;
    let second_ways = dice.of_these(&[4, 8, 16]);
    let [hit, behind, far] = [dice.of_these(&[2, 3, 4, 5]), 10 + dice.next() % 9, 60 + dice.next() % 60];
    format!(
        "name = {name:?}\ndescription = \"to be found out\"\nclock = \"2 GHz\"\n\n[memory]\nlatency = \"{far} ns\"\n\n\
         [[cache]]\nlevel = 1\nsize = \"{}K\"\nline = {line}\nways = {first_ways}\nlatency = \"{hit} cycles\"\n\n\
         [[cache]]\nlevel = 2\nsize = \"{}K\"\nline = {line}\nways = {second_ways}\nindex = \"virtual\"\n\
         latency = \"{behind} cycles\"\n",
        first / Bytes::kib(1).0,
        second / Bytes::kib(1).0
    )
}

/// A description made unreadable, as the content of a file.
pub fn seal(description: &str) -> String {
    let hidden: String = hide(description.bytes()).map(|byte| format!("{byte:02x}")).collect();
    format!(
        "# A sealed machine: give this file to any program with --machine, and find its caches.\n{SEAL}{hidden}\"\n"
    )
}

/// What was sealed, if `text` is a sealed description.
pub(super) fn opened(text: &str) -> Option<String> {
    let hidden = text.lines().find_map(|line| line.strip_prefix(SEAL)?.strip_suffix('"'))?;
    let bytes: Option<Vec<u8>> =
        (0..hidden.len()).step_by(2).map(|at| u8::from_str_radix(hidden.get(at..at + 2)?, 16).ok()).collect();
    String::from_utf8(hide(bytes?.into_iter()).collect()).ok()
}

const SEAL: &str = "sealed = \"";

/// Its own inverse.
fn hide(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    let mut dice = Dice::of(&[SEAL]);
    bytes.map(move |byte| byte ^ (dice.next() >> 24) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    #[test]
    fn a_seal_opens_to_what_was_sealed() {
        let text = mystery("spring", "ada");
        assert_eq!(opened(&seal(&text)).as_deref(), Some(text.as_str()));
        assert!(!seal(&text).contains("ways") && opened(&text).is_none());
        assert!(opened("sealed = \"0g\"\n").is_none() && opened("sealed = \"é\"\n").is_none());
    }

    #[test]
    fn every_mystery_is_a_machine_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..200 {
            let text = mystery("spring", &format!("student {i}"));
            let machine = Machine::from_toml(&text, "mystery").unwrap();
            assert!(machine.levels[1].size.0 >= 2 * machine.levels[0].size.0, "{text}");
            seen.insert(text.split_once("clock").unwrap().1.to_owned());
        }
        assert!(seen.len() > 150, "{} different", seen.len());
        assert_ne!(mystery("spring", "ada"), mystery("autumn", "ada"));
    }
}
