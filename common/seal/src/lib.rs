//! Sealed texts show nothing, and no bit of them changes unseen; a tag does the
//! latter for a text that may be read.
//!
//! Both are AES-SIV (RFC 5297), by the crate `aes-siv`. It takes no nonce, and so no
//! random numbers: the tag, made of the text and its purpose, is the initial value of
//! the encryption. The same text is sealed the same way each time, which is wanted:
//! a class's files can be made again and compared.
//!
//! What it cannot do: programs that open a seal have its key. By default that is a
//! public one, in these sources. One made of the words in `LAB_SEAL_KEY` while building
//! takes somebody who finds it in the programs. Where that is not enough, keep the
//! machines and hand out recorded sweeps (`lab mystery --sweeps`).

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;

#[cfg(feature = "words")]
pub mod words;

/// Bytes of a tag.
const TAG: usize = 16;

include!(concat!(env!("OUT_DIR"), "/key.rs"));

/// Whether whoever has the kit's sources can open what these programs seal.
pub const fn key_is_public() -> bool {
    KEY_IS_PUBLIC
}

/// An authentication of `parts` (a hundred at most), distinguished by where they end, as 32
/// hexadecimal digits; `purpose` keeps the tags of one use from serving another.
pub fn tag(purpose: &str, parts: &[&[u8]]) -> String {
    hexadecimal(&mac(purpose, parts))
}

/// `text` so that only [`open`] with the same `purpose` reads it: hexadecimal
/// digits, the first 32 of them its tag. The same text gives the same digits.
pub fn close(purpose: &str, text: &str) -> String {
    hexadecimal(&sealed(&["text", purpose].map(str::as_bytes), text.as_bytes()))
}

/// What was [closed](close) for `purpose`; `None` if as much as one bit differs.
pub fn open(purpose: &str, sealed: &str) -> Option<String> {
    let bytes = bytes(sealed).filter(|bytes| bytes.len() >= TAG)?;
    let headers = ["text", purpose].map(str::as_bytes);
    let text = Aes256Siv::new(&KEY.into()).decrypt(headers, &bytes).ok()?;
    // digits in capitals are others
    (hexadecimal(&bytes) == sealed).then(|| String::from_utf8(text).ok())?
}

/// 64 bits that depend on all of `words`, which are distinguished by where they end.
pub fn digest(words: &[&str]) -> u64 {
    let parts: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    mac("digest", &parts).iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// The tag of no text behind `parts`: AES-SIV authenticates a list of texts as such.
fn mac(purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
    sealed(&[&["tag".as_bytes(), purpose.as_bytes()], parts].concat(), &[])
}

/// The tag, then `text` encrypted.
fn sealed(headers: &[&[u8]], text: &[u8]) -> Vec<u8> {
    // It fails with more than 126 headers alone.
    Aes256Siv::new(&KEY.into()).encrypt(headers, text).unwrap_or_default()
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
        fn what_is_closed_opens_for_its_purpose_alone(text in ".{0,300}") {
            let sealed = close("machine", &text);
            prop_assert_eq!(open("machine", &sealed), Some(text));
            prop_assert_eq!(open("record", &sealed), None);
        }
    }

    #[test]
    fn no_bit_changes_unseen() {
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

    /// Two texts that differ in one letter share neither tag nor key stream.
    #[test]
    fn every_text_has_a_key_of_its_own() {
        let [one, other] = ["ways = 8", "ways = 4"].map(|text| close("machine", text));
        let same = one.bytes().zip(other.bytes()).filter(|(a, b)| a == b).count();
        assert!(same < one.len() / 3, "{same} of {} digits", one.len());
        assert_ne!(tag("record", &[b"ab", b"c"]), tag("record", &[b"a", b"bc"]));
        assert_ne!(digest(&["spring", "ada"]), digest(&["spring", "bob"]));
    }

    /// The library is used as RFC 5297 means it: its example A.1.
    #[test]
    fn the_rfcs_example_is_sealed_as_there() {
        let key: Vec<u8> = (0xf0..=0xff_u8).rev().chain(0xf0..=0xff).collect();
        let header: Vec<u8> = (0x10..=0x27).collect();
        let text = bytes("112233445566778899aabbccddee").unwrap();
        let key: [u8; 32] = key.try_into().unwrap();
        let sealed = aes_siv::siv::Aes128Siv::new(&key.into()).encrypt([&header], &text).unwrap();
        assert_eq!(hexadecimal(&sealed), "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c");
    }

    #[test]
    #[cfg(feature = "words")]
    fn few_words_are_refused_and_others_have_a_key_each() {
        for few in ["", "spring 2026", "           a     ", "αβγδεζηθικλ"] {
            assert!(words::key(few, "class").unwrap_err().contains("fewer than 12 characters"), "{few}");
        }
        let key = |words, purpose| words::key(words, purpose).unwrap();
        let one = key("spring of 2026", "class");
        assert_eq!(one, key(" spring of 2026\n", "class"));
        assert_eq!(key("segr\u{ea}do da turma", "class"), key("segre\u{302}do da turma", "class"));
        assert!(one != key("spring of 2027", "class") && one != key("spring of 2026", "seal"));
    }
}
