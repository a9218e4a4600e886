//! Sealed files: machines whose geometry students must find.

use figures::text::clean;

use super::{Machine, MachineError};

/// The purpose of the tags and keys of such files.
const PURPOSE: &str = "sealed machine";
const SEAL: &str = "sealed = \"";
const HEADER: &str = "# A sealed machine";
/// The length in bytes of a sealed description is a multiple of this: blank lines at its end
/// fill it up, so that its length reveals nothing.
const LENGTH: usize = 1024;

/// A sealed description, with its tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedFile {
    /// The content of the file.
    pub text: String,
    /// The tag of its seal, which is also in the records made on this machine.
    pub tag: String,
}

/// Seals the description of the machine called `name`.
pub fn seal(name: &str, description: &str) -> SealedFile {
    let description = description.trim_end();
    let padding = "\n".repeat(description.len().next_multiple_of(LENGTH) - description.len());
    let hidden = seal::close(PURPOSE, &format!("{description}{padding}"));
    let text = format!(
        "{HEADER}, of {}: give this file to any program with --machine, and find its caches.\n{SEAL}{hidden}\"\n",
        clean(name)
    );
    SealedFile { text, tag: tag(&hidden).to_owned() }
}

/// Whether `text` is, or was, a sealed file: a change in one place leaves one of the signs.
pub(super) fn is_sealed(text: &str) -> bool {
    text.starts_with(HEADER) || text.lines().any(|line| line.starts_with(SEAL))
}

/// The machine sealed in `text`; `None` if any character was changed (a mail program may
/// have changed the line endings).
pub(super) fn opened(text: &str) -> Option<Machine> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let hidden = text.lines().find_map(|line| line.strip_prefix(SEAL)?.strip_suffix('"'))?;
    let description = seal::open(PURPOSE, hidden)?;
    let machine = Machine::from_toml(&description, "").ok()?;
    (seal(&machine.name, &description).text == text)
        .then(|| Machine { seal: Some(tag(hidden).to_owned()), ..machine })
}

/// The error for a file whose seal does not open.
pub(super) fn damaged(origin: &str) -> MachineError {
    MachineError::Refused(format!(
        "{origin}: its seal does not open, so nothing is known of this machine: the file was changed, or is of another version of the kit or other programs; get it again from your course"
    ))
}

fn tag(hidden: &str) -> &str {
    hidden.get(..32).unwrap_or(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = "name = \"ada\"\nclock = \"2 GHz\"\n[memory]\nlatency = \"93 ns\"\n\
        [[cache]]\nlevel = 1\nsize = 24576\nline = 64\nways = 6\nindex = \"virtual\"\nlatency = \"3 cycles\"\n\
        [[cache]]\nlevel = 2\nsize = 917504\nline = 64\nways = 14\nindex = \"virtual\"\nlatency = \"13 cycles\"\n";

    fn ada() -> SealedFile {
        seal("ada", DESCRIPTION)
    }

    #[test]
    fn a_sealed_machine_shows_nothing() {
        let machine = Machine::parse(&ada().text, "ada.toml").unwrap();
        assert_eq!(machine.seal.as_deref(), Some(&*ada().tag));
        let shown = [machine.summary(), machine.to_toml(), format!("{machine:?}"), format!("{machine:#?}")];
        for (shown, word) in
            shown.iter().flat_map(|shown| ["ways", "line", "KiB", "K\"", " ns"].map(|w| (shown, w)))
        {
            assert!(!shown.contains(word), "{shown}");
        }
        assert_eq!(Machine::parse(&ada().text.replace('\n', "\r\n"), "ada.toml").unwrap(), machine);
    }

    /// Every bit of the whole file; each refusal is the same sentence.
    #[test]
    fn one_bit_of_a_sealed_file_changed_is_refused() {
        let text = ada().text;
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
