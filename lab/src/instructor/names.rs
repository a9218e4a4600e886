//! Names of students, and the files for them.

use common::text::{is_unprintable, shorten};
use unicode_normalization::UnicodeNormalization;

/// Bytes of a file's name: with `.toml` behind it, every file system takes that.
const LONGEST: usize = 200;
/// Characters of a name, as a machine's description takes it.
const LONGEST_NAME: usize = 100;
/// Names that Windows reserves for its devices, whatever follows a dot.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name in its one spelling (Unicode's NFC), without blanks round it.
///
/// # Errors
///
/// If nothing is left of it, or it cannot be in a list; a clause.
pub(super) fn normalised(name: &str) -> Result<String, String> {
    let name: String = name.trim().nfc().collect();
    let shown = shorten(&name, 60);
    if name.is_empty() {
        return Err("a name is empty".to_owned());
    }
    if name.contains(is_unprintable) {
        return Err(format!("'{shown}' has a control character, or one that turns the direction of writing"));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(format!("'{shown}' is longer than {LONGEST_NAME} characters"));
    }
    Ok(name)
}

/// A name as names are compared: in one spelling, case ignored.
pub(super) fn folded(name: &str) -> String {
    name.trim().nfc().collect::<String>().to_lowercase().nfc().collect()
}

/// [`folded`], without accents.
pub(super) fn plain(name: &str) -> String {
    folded(name).nfd().filter(|c| !is_mark(*c)).collect()
}

/// Whether a character only changes the one before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The name of a file for `name`, readable and never a path: letters, marks and
/// digits of any script stay, anything else becomes `-`.
pub(super) fn file_stem(name: &str) -> String {
    let kept =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || !c.is_ascii() && !c.is_whitespace();
    let mut stem: String = name.chars().map(|c| if kept(c) { c } else { '-' }).collect();
    while stem.len() > LONGEST {
        stem.pop();
    }
    let stem = stem.trim_matches(['.', '-']);
    let device = stem.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let port = device.len() == 4 && (device.starts_with("com") || device.starts_with("lpt"));
    if stem.is_empty() || port || DEVICES.contains(&&*device) {
        format!("student-{stem}")
    } else {
        stem.to_owned()
    }
}

/// The first two of `names` that are the same on some file system.
pub(super) fn first_clash(names: &[String]) -> Option<(&str, &str)> {
    let mut seen = std::collections::HashMap::new();
    names.iter().find_map(|name| {
        let stem = folded(&file_stem(name));
        seen.insert(stem, name).map(|earlier| (earlier.as_str(), name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_letters_in_any_script() {
        for (name, stem) in [
            ("Inês Conceição", "Inês-Conceição"),
            ("Анна Иванова", "Анна-Иванова"),
            ("李小龙", "李小龙"),
            ("हिन्दी", "हिन्दी"),
            ("שָׁלוֹם", "שָׁלוֹם"),
            ("<script>alert(1)</script>", "script-alert-1---script"),
            ("=cmd()", "cmd"),
            ("../../etc/passwd", "etc-passwd"),
            ("C:\\Windows", "C--Windows"),
            ("NUL.txt", "student-NUL.txt"),
            ("...", "student-"),
        ] {
            assert_eq!(file_stem(&normalised(name).unwrap()), stem);
        }
        assert!(file_stem(&"é".repeat(150)).len() <= LONGEST);
    }

    #[test]
    fn two_spellings_are_one_name() {
        assert_eq!(normalised("Ine\u{302}s "), normalised(" In\u{ea}s"));
        let names = ["Ana Sá", "Bo", "ana-sá"].map(str::to_owned);
        assert_eq!(first_clash(&names), Some(("Ana Sá", "ana-sá")));
        for refused in ["", "  ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
            assert!(normalised(refused).is_err(), "{refused:?}");
        }
    }
}
