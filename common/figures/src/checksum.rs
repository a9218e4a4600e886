//! Keyed checksums: a change by hand or by a damaged file is noticed.
//!
//! The key is in these sources, so a checksum is no proof against somebody who writes a program for it.

use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

/// The key of all checksums.
const KEY: &[u8; 16] = b"cache lab kit, 1";

/// The checksum of `parts` (SipHash-2-4, 128 bits), which depends on where they end. A
/// checksum for one `purpose` is invalid for another.
pub fn checksum(purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = SipHasher24::new_with_key(KEY);
    for part in [purpose.as_bytes()].iter().chain(parts) {
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part);
    }
    hasher.finish128().as_bytes()
}

/// The same as 32 hexadecimal digits.
pub fn digits(purpose: &str, parts: &[&[u8]]) -> String {
    hexadecimal(&checksum(purpose, parts))
}

/// `bytes` as lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_depends_on_purpose_parts_and_borders() {
        let one = digits("record", &[b"ab", b"c"]);
        assert_eq!(one.len(), 32);
        assert_ne!(one, digits("record", &[b"a", b"bc"]));
        assert_ne!(one, digits("machine", &[b"ab", b"c"]));
    }
}
