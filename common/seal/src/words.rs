//! Keys from a phrase that a person chose.

use argon2::{Algorithm, Argon2, Params, Version};
use unicode_normalization::UnicodeNormalization;

/// Length of a key in bytes.
pub const KEY: usize = 64;
/// What one guess costs.
const MEMORY_KIB: u32 = 64 << 10;
const PASSES: u32 = 8;
/// Shortest phrase in characters: short phrases can be guessed by trying them all.
pub const MIN_CHARACTERS: usize = 12;

/// The key of `words`, always the same, and however a keyboard composes their accents
/// (Unicode's NFC). The only salt is the `purpose`. One guess costs about 0.4 s of a core
/// and 64 MiB (Argon2id, RFC 9106, with more passes than its second recommended option); who
/// makes a class's machines, or builds the programs with words of their own, pays that once.
/// Opening a sealed text needs no words.
/// Fails if there are too few words; a clause.
pub fn key(words: &str, purpose: &str) -> Result<[u8; KEY], String> {
    let words: String = words.trim().nfc().collect();
    if words.chars().count() < MIN_CHARACTERS {
        return Err(format!(
            "its words have fewer than {MIN_CHARACTERS} characters, and are soon guessed; use more"
        ));
    }
    let mut key = [0; KEY];
    let salt = format!("cache lab kit, {purpose}");
    Params::new(MEMORY_KIB, PASSES, 1, Some(KEY))
        .map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
        .and_then(|argon| argon.hash_password_into(words.as_bytes(), salt.as_bytes(), &mut key))
        .map_err(|error| error.to_string())?;
    Ok(key)
}
