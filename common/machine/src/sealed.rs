//! Sealed descriptions: machines whose geometry a student is to find. The seal
//! keeps honest eyes from reading the answer; it is no secret to someone who
//! reads this file.

use figures::random::Random;
use figures::units::Bytes;

use super::print::quoted;

/// The description of a machine of two levels, drawn from the instructor's
/// `key` and the machine's `name`: the same words always give the same machine.
pub fn mystery(key: &str, name: &str) -> String {
    let mut random = Random::of_words(&[key, name]);
    let mut one_of = |choice: &[u64]| choice[random.below(choice.len())];
    let line = one_of(&[32, 64, 64, 128]);
    // a power of two of sets, as address bits give
    let first = one_of(&[8, 16, 32, 24, 48]) << 10;
    let ways = if first.is_multiple_of(3) { [3, 6, 12] } else { [2, 4, 8] };
    let first_ways = one_of(&ways);
    let second = one_of(&[128, 256, 512, 1024]) << 10;
    let second_ways = one_of(&[4, 8, 16]);
    let hit = one_of(&[2, 3, 4, 5]);
    let [behind, far] = [10 + random.below(9), 60 + random.below(60)];
    format!(
        "name = {}\ndescription = \"to be found out\"\nclock = \"2 GHz\"\n\n[memory]\nlatency = \"{far} ns\"\n\n\
         [[cache]]\nlevel = 1\nsize = \"{}K\"\nline = {line}\nways = {first_ways}\nlatency = \"{hit} cycles\"\n\n\
         [[cache]]\nlevel = 2\nsize = \"{}K\"\nline = {line}\nways = {second_ways}\nindex = \"virtual\"\n\
         latency = \"{behind} cycles\"\n",
        quoted(name),
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

/// The line, counted from 1, on which `text` has a seal, and what was sealed; the
/// latter is `None` where the seal is damaged.
pub(super) fn opened(text: &str) -> Option<(usize, Option<String>)> {
    let mut lines = (1..).zip(text.lines());
    lines.find_map(|(number, line)| Some((number, unhidden(line.strip_prefix(SEAL)?))))
}

fn unhidden(hidden: &str) -> Option<String> {
    let hidden = hidden.trim_end().strip_suffix('"')?;
    let bytes: Option<Vec<u8>> =
        (0..hidden.len()).step_by(2).map(|at| u8::from_str_radix(hidden.get(at..at + 2)?, 16).ok()).collect();
    String::from_utf8(hide(bytes?.into_iter()).collect()).ok()
}

const SEAL: &str = "sealed = \"";

/// Its own inverse.
fn hide(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    let mut random = Random::of_words(&[SEAL]);
    bytes.map(move |byte| byte ^ (random.bits() >> 24) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn a_seal_opens_to_what_was_sealed() {
        let text = mystery("spring", "ada");
        assert_eq!(opened(&seal(&text)), Some((2, Some(text.clone()))));
        assert!(!seal(&text).contains("ways") && opened(&text).is_none());
    }

    #[test]
    fn a_damaged_seal_is_called_that() {
        let whole = seal(&mystery("spring", "ada"));
        for text in
            [&whole[..whole.len() - 40], "sealed = \"0g\"\n", "sealed = \"é\"\n", "sealed = \"00ff\"\n"]
        {
            let refusal = Machine::parse(text, "ada.toml").unwrap_err().to_string();
            assert!(refusal.contains("ada.toml") && refusal.contains("the seal is damaged"), "{refusal}");
        }
    }

    /// Marks on letters, as Devanagari, Tamil and vowelled Hebrew have them, are
    /// escaped by Rust in a way that TOML does not know.
    #[test]
    fn a_mystery_may_have_any_name() {
        for name in ["हिन्दी", "தமிழ்", "שָׁלוֹם", "Zoë", "a\"b", "back\\slash", "it's", "'''", "\"\"\"", "😀"]
        {
            let machine = Machine::parse(&seal(&mystery("spring", name)), "file").unwrap();
            assert_eq!(machine.name, name);
        }
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
