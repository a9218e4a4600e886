//! Sealed texts reveal nothing, and any change to them is detected. A tag detects changes
//! in a text that may be read.
//!
//! Both are synthetic-IV encryption (Rogaway and Shrimpton 2006) with AEGIS-256, by the crate
//! `aegis`: the tag is a MAC of the text and its purpose, and the initial value of the
//! encryption. So it needs no random numbers: the same text is sealed the same way each time,
//! and a class's files can be made again and compared.
//!
//! The limit: programs that open a seal contain its key. The default key is public, in
//! these sources. A key from the words in `LAB_SEAL_KEY` at build time must be found in the
//! programs. If that is not enough, do not hand out the machines but recorded sweeps (`course
//! mystery --sweeps`).

use aegis::aegis256::{Aegis256, Aegis256Mac};

#[cfg(feature = "words")]
pub mod words;

/// Length of a tag in bytes.
const TAG: usize = 16;

include!(concat!(env!("OUT_DIR"), "/key.rs"));

/// Whether the key is the public one in the kit's sources.
pub const fn key_is_public() -> bool {
    KEY_IS_PUBLIC
}

/// An authentication tag of `parts`, which depends on where they end,
/// as 32 hexadecimal digits. A tag for one `purpose` is invalid for another.
pub fn tag(purpose: &str, parts: &[&[u8]]) -> String {
    hexadecimal(&tag_of(purpose, parts))
}

/// Seals `text` so that only [`open`] with the same `purpose` reads it: hexadecimal digits,
/// the first 32 of them its tag. The same text gives the same digits.
pub fn close(purpose: &str, text: &str) -> String {
    let tag = mac(&["text", purpose].map(str::as_bytes), text.as_bytes());
    hexadecimal(&tag) + &hexadecimal(&crypted(&tag, text.as_bytes()))
}

/// The text that was [sealed](close) for `purpose`; `None` if any bit was changed.
pub fn open(purpose: &str, sealed: &str) -> Option<String> {
    let bytes = bytes(sealed)?;
    let (tag, hidden) = bytes.split_first_chunk::<TAG>()?;
    let text = crypted(tag, hidden);
    let right = mac(&["text", purpose].map(str::as_bytes), &text) == *tag;
    // capital digits would be a change
    (right && hexadecimal(&bytes) == sealed).then(|| String::from_utf8(text).ok())?
}

/// 64 bits that depend on all of `words` and on where they end.
pub fn digest(words: &[&str]) -> u64 {
    let parts: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    tag_of("digest", &parts).iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn tag_of(purpose: &str, parts: &[&[u8]]) -> [u8; TAG] {
    mac(&[&["tag", purpose].map(str::as_bytes)[..], parts].concat(), &[])
}

/// The tag of `text` and its `headers`, each with its length before it.
fn mac(headers: &[&[u8]], text: &[u8]) -> [u8; TAG] {
    let mut mac = Aegis256Mac::new(&half(0));
    for part in headers.iter().chain([&text]) {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize()
}

/// `text` encrypted, or decrypted, from the initial value `tag` on.
fn crypted(tag: &[u8; TAG], text: &[u8]) -> Vec<u8> {
    let mut nonce = [0; 32];
    nonce[..TAG].copy_from_slice(tag);
    let mut text = text.to_vec();
    Aegis256::<TAG>::new(&half(1), &nonce).stream_xor_in_place(&mut text);
    text
}

/// The first half of the key is for tags, the second for encryption.
fn half(number: usize) -> [u8; 32] {
    std::array::from_fn(|at| KEY[32 * number + at])
}

/// `bytes` as digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sealed_text_opens_only_for_its_purpose(text in ".{0,300}") {
            let sealed = close("machine", &text);
            prop_assert_eq!(open("machine", &sealed), Some(text));
            prop_assert_eq!(open("record", &sealed), None);
        }
    }

    #[test]
    fn any_changed_bit_is_detected() {
        let sealed = close("machine", "ways = 8\n");
        for at in 0..8 * sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at / 8] ^= 1 << (at % 8);
            assert!(
                String::from_utf8(bytes).ok().and_then(|text| open("machine", &text)).is_none(),
                "bit {at}"
            );
        }
        for damaged in
            ["", "0", "00", "é", &sealed.to_uppercase(), &sealed[..sealed.len() - 2], &sealed[..32], "+f"]
        {
            assert_eq!(open("machine", damaged), None, "{damaged}");
        }
    }

    /// Two texts that differ in one letter have different tags and key streams.
    #[test]
    fn every_text_has_a_key_of_its_own() {
        let [one, other] = ["ways = 8", "ways = 4"].map(|text| close("machine", text));
        let same = one.bytes().zip(other.bytes()).filter(|(a, b)| a == b).count();
        assert!(same < one.len() / 3, "{same} of {} digits", one.len());
        assert_ne!(tag("record", &[b"ab", b"c"]), tag("record", &[b"a", b"bc"]));
        assert_ne!(digest(&["spring", "ada"]), digest(&["spring", "bob"]));
    }

    #[test]
    #[cfg(feature = "words")]
    fn short_phrases_are_refused_and_others_have_different_keys() {
        for few in ["", "spring 2026", "           a     ", "αβγδεζηθικλ"] {
            assert!(words::key(few, "class").unwrap_err().contains("fewer than 12 characters"), "{few}");
        }
        let key = |words, purpose| words::key(words, purpose).unwrap();
        let one = key("spring of 2026", "class");
        // as `printf 'spring of 2026' | argon2 'cache lab kit, class' -id -t 8 -m 16 -p 1 -l 64 -r` prints
        assert!(hexadecimal(&one).starts_with("59188e65730eb7d056d4a178a3032e0f"));
        assert_eq!(one, key(" spring of 2026\n", "class"));
        assert_eq!(key("segr\u{ea}do da turma", "class"), key("segre\u{302}do da turma", "class"));
        assert!(one != key("spring of 2027", "class") && one != key("spring of 2026", "seal"));
    }
}
