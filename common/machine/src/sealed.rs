//! Sealed files: machines whose geometry students must find. They are protected against
//! reading and editing by hand, not against a student who programs (SECURITY.md).

use figures::checksum::{checksum, hexadecimal};
use figures::text::clean;

use super::{Machine, MachineError};

/// The purpose of the checksums of such files.
const PURPOSE: &str = "sealed machine";
const SEAL: &str = "sealed = \"";
const HEADER: &str = "# A sealed machine";

/// The sealed file of the machine called `name`: the eye cannot read its description.
pub fn seal(name: &str, description: &str) -> String {
    let tag = checksum(PURPOSE, &[description.as_bytes()]);
    format!(
        "{HEADER}, of {}: give this file to any program with --machine, and find its caches.\n{SEAL}{}{}\"\n",
        clean(name),
        hexadecimal(&tag),
        hexadecimal(&masked(&tag, description.as_bytes()))
    )
}

/// `text` with each byte changed in a way that depends on its place; twice gives `text` again.
fn masked(tag: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let mask = |(at, block): (u64, &[u8])| {
        let mask = checksum("mask", &[tag, &at.to_le_bytes()]);
        block.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect::<Vec<u8>>()
    };
    (0..).zip(text.chunks(16)).flat_map(mask).collect()
}

/// Whether `text` is, or was, a sealed file: a change in one place leaves one of the signs.
pub(super) fn is_sealed(text: &str) -> bool {
    text.starts_with(HEADER) || text.lines().any(|line| line.starts_with(SEAL))
}

/// The machine sealed in `text`; `None` if any character was changed (a mail program may
/// have changed the line endings).
pub(super) fn opened(text: &str) -> Option<Machine> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let digits = text.lines().find_map(|line| line.strip_prefix(SEAL)?.strip_suffix('"'))?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    let (tag, hidden) = bytes.split_first_chunk()?;
    let description = String::from_utf8(masked(tag, hidden)).ok()?;
    let machine = Machine::from_toml(&description, "").ok()?;
    // Compares the whole file: a changed name or a capital digit is a change too.
    let is_whole = seal(&machine.name, &description) == text;
    is_whole.then_some(Machine { seal: Some(hexadecimal(tag)), ..machine })
}

/// The error for a file whose checksum does not fit.
pub(super) fn damaged(origin: &str) -> MachineError {
    MachineError::Refused(format!(
        "{origin}: this sealed machine was changed, or is of another version of the kit, so nothing is known of it; get the file again from your course"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = "name = \"ada\"\nclock = \"2 GHz\"\n[memory]\nlatency = \"93 ns\"\n\
        [[cache]]\nlevel = 1\nsize = 24576\nline = 64\nways = 6\nindex = \"virtual\"\nlatency = \"3 cycles\"\n\
        [[cache]]\nlevel = 2\nsize = 917504\nline = 64\nways = 14\nindex = \"virtual\"\nlatency = \"13 cycles\"\n";

    fn ada() -> String {
        seal("ada", DESCRIPTION)
    }

    #[test]
    fn a_sealed_machine_shows_nothing() {
        let machine = Machine::parse(&ada(), "ada.toml").unwrap();
        assert!(machine.seal.as_ref().is_some_and(|tag| ada().contains(tag)));
        let shown = [machine.summary(), machine.to_toml(), format!("{machine:?}"), format!("{machine:#?}")];
        for (shown, word) in
            shown.iter().flat_map(|shown| ["ways", "line", "KiB", "K\"", " ns"].map(|w| (shown, w)))
        {
            assert!(!shown.contains(word), "{shown}");
        }
        assert_eq!(Machine::parse(&ada().replace('\n', "\r\n"), "ada.toml").unwrap(), machine);
    }

    /// Every bit of the whole file; each refusal is the same sentence.
    #[test]
    fn one_bit_of_a_sealed_file_changed_is_refused() {
        let text = ada();
        let refusal = damaged("ada.toml").to_string();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // The reader of the file refuses texts in a wrong encoding.
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert_eq!(Machine::parse(&changed, "ada.toml").unwrap_err().to_string(), refusal, "bit {bit}");
        }
        for text in [&text[..text.len() - 40], "sealed = \"0g\"\n", "sealed = \"é\"\n", "sealed = \"00ff\"\n"]
        {
            assert_eq!(Machine::parse(text, "ada.toml").unwrap_err().to_string(), refusal);
        }
    }
}
