//! Sealed texts show nothing, and no bit of them changes unseen; a tag does the
//! latter for a text that may be read.
//!
//! The construction is that of a synthetic initialisation vector (Rogaway and
//! Shrimpton, "A provable-security treatment of the key-wrap problem", 2006): the
//! tag authenticates the text, and from the tag come this text's own key and its
//! key stream. Both are keyed BLAKE2s (RFC 7693).
//!
//! What it cannot do: programs that open a seal have its key, so a determined
//! reader of these sources can write one that prints what is sealed. Build the
//! programs with a secret of your own in `LAB_SEAL_KEY`, or keep the machines and
//! hand out recorded sweeps (`lab mystery --sweeps`).

use blake2s_simd::Params;

/// Bytes of a tag.
const TAG: usize = 16;
/// Bytes of a block of the key stream: BLAKE2s's longest hash.
const BLOCK: usize = 32;

/// The secret that a course may give when it builds its programs.
const SECRET: &str = match option_env!("LAB_SEAL_KEY") {
    Some(own) => own,
    None => "cache lab kit",
};

/// An authentication of `parts`, told apart by their lengths, as 32 hexadecimal
/// digits; `purpose` keeps the tags of one use from serving another.
pub fn tag(purpose: &str, parts: &[&[u8]]) -> String {
    hexadecimal(&mac(purpose, parts))
}

/// `text` so that only [`open`] with the same `purpose` reads it: hexadecimal
/// digits, the first 32 of them its tag. The same text gives the same digits.
pub fn close(purpose: &str, text: &str) -> String {
    let tag = mac(purpose, &[text.as_bytes()]);
    hexadecimal(&tag) + &hexadecimal(&mixed(&tag, text.as_bytes()))
}

/// What was [closed](close) for `purpose`; `None` if as much as one bit differs.
pub fn open(purpose: &str, sealed: &str) -> Option<String> {
    let bytes = bytes(sealed)?;
    let (tag, hidden) = bytes.split_at_checked(TAG)?;
    let text = String::from_utf8(mixed(tag, hidden)).ok()?;
    (close(purpose, &text) == sealed).then_some(text)
}

/// 64 bits that depend on all of `words`, which are told apart by where they end.
pub fn digest(words: &[&str]) -> u64 {
    let parts: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    mac("digest", &parts).iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn key(purpose: &[u8]) -> [u8; BLOCK] {
    let mut state = Params::new().to_state();
    state.update(SECRET.as_bytes()).update(&[0]).update(purpose);
    *state.finalize().as_array()
}

fn mac(purpose: &str, parts: &[&[u8]]) -> [u8; TAG] {
    let mut state = Params::new().key(&key(purpose.as_bytes())).to_state();
    for part in parts {
        state.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut tag = [0; TAG];
    tag.copy_from_slice(&state.finalize().as_array()[..TAG]);
    tag
}

/// `bytes` and the key stream that belongs to `tag`, bit by bit: its own inverse.
fn mixed(tag: &[u8], bytes: &[u8]) -> Vec<u8> {
    let own = key(tag);
    let block = |number: u64| *Params::new().key(&own).hash(&number.to_le_bytes()).as_array();
    let stream = (0..).flat_map(block);
    bytes.iter().zip(stream).map(|(byte, key)| byte ^ key).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
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
        for damaged in ["", "0", "00", "é", &sealed[..sealed.len() - 2]] {
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
}
