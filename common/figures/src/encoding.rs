//! Text files as editors, spreadsheets and shells save them: the one decoder for all files
//! that users give to the kit.
//!
//! | file | read as |
//! |---|---|
//! | UTF-8, with or without a byte order mark | itself |
//! | UTF-16 with a byte order mark (PowerShell's `>`, Excel's "Unicode text") | itself |
//! | anything else: Latin-1, a workbook, an archive | refused by name |
//!
//! A line ends in LF, CRLF or CR.

use std::borrow::Cow;

use thiserror::Error;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
}

/// Why a file cannot be read as text; a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotText {
    /// Neither UTF-8 nor UTF-16.
    #[error(
        "line {line} has the byte 0x{byte:02x}, which is not UTF-8: the file is Latin-1, Windows-1252 or \
         another old encoding; save it as UTF-8 (Excel: \"CSV UTF-8\"; editors: \"Save as\", encoding UTF-8)"
    )]
    NotUtf8 {
        /// Counted from 1.
        line: usize,
        /// The first invalid byte.
        byte: u8,
    },
    /// UTF-16 that breaks off within a character.
    #[error("it is UTF-16 and breaks off within a character; copy the whole file, or save it as UTF-8")]
    HalfCharacter,
    /// Zero bytes within the text.
    #[error(
        "line {line} has zero bytes: the file is not text, or it is UTF-16 without its mark; save it as UTF-8"
    )]
    ZeroByte {
        /// Counted from 1.
        line: usize,
    },
    /// Excel's and LibreOffice's own formats, and other archives.
    #[error(
        "it is a workbook (.xlsx, .ods, .xls) or another archive, not text; save a workbook as \"CSV UTF-8\", or take the \
         file out of the archive"
    )]
    Workbook,
}

/// The text in `bytes`, without a byte order mark and with LF at the end of every line.
///
/// # Errors
///
/// If it is not text in one of the encodings above.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    let (text, _) = decode_exact(bytes)?;
    Ok(match plain(&text) {
        Cow::Borrowed(same) if same.len() == text.len() => text,
        plain => plain.into_owned(),
    })
}

/// The text in `bytes` with its byte order mark and line endings, for writing it back with
/// [`Encoding::encode`].
///
/// # Errors
///
/// The same as for [`decode`].
pub fn decode_exact(bytes: &[u8]) -> Result<(String, Encoding), NotText> {
    let (text, encoding) = match bytes {
        [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] | [0x1f, 0x8b, ..] => {
            return Err(NotText::Workbook);
        }
        [0xff, 0xfe, ..] => (wide(bytes, u16::from_le_bytes)?, Encoding::Utf16Le),
        [0xfe, 0xff, ..] => (wide(bytes, u16::from_be_bytes)?, Encoding::Utf16Be),
        _ => (narrow(bytes)?, Encoding::Utf8),
    };
    match text.split_once('\0') {
        Some((before, _)) => Err(NotText::ZeroByte { line: lines(before) }),
        None => Ok((text, encoding)),
    }
}

impl Encoding {
    /// The bytes of `text`, including its byte order mark if it has one.
    pub fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// `text` without byte order marks (a file appended to another has its own), and with LF
/// for CR and CRLF (also CRCRLF, where two programs both added a CR).
pub fn plain(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(MARK);
    // searched one by one, which is faster than for a set
    if !text.contains('\r') && !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(end) = rest.find(['\r', '\n']) {
        plain.push_str(&rest[..end]);
        let behind = rest[end..].trim_start_matches('\r');
        let returns = rest.len() - end - behind.len();
        let (next, ends) = behind.strip_prefix('\n').map_or((behind, returns), |next| (next, 1));
        plain.extend(std::iter::repeat_n('\n', ends));
        rest = next.trim_start_matches(MARK);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Lines of `text`, including an incomplete last one.
fn lines(text: &str) -> usize {
    1 + plain(text).matches('\n').count()
}

fn narrow(bytes: &[u8]) -> Result<String, NotText> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| {
        let (before, rest) = bytes.split_at(error.valid_up_to());
        let line = lines(&String::from_utf8_lossy(before));
        NotText::NotUtf8 { line, byte: rest.first().copied().unwrap_or_default() }
    })
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let (pairs, half) = bytes.as_chunks::<2>();
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>();
    text.ok().filter(|_| half.is_empty()).ok_or(NotText::HalfCharacter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "size,name\n8192,µ 李 😀\n";

    fn stored(text: &str, encoding: Encoding, mark: bool) -> Vec<u8> {
        let mark = if mark { String::from(MARK) } else { String::new() };
        encoding.encode(&(mark + text))
    }

    #[test]
    fn every_encoding_and_line_end_gives_one_text() {
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be] {
            for mark in [true, false] {
                if !mark && encoding != Encoding::Utf8 {
                    continue;
                }
                for end in ["\n", "\r\n", "\r", "\r\r\n"] {
                    let text = TEXT.replace('\n', end);
                    let bytes = stored(&text, encoding, mark);
                    assert_eq!(decode(&bytes).as_deref(), Ok(TEXT), "{encoding:?} {mark} {end:?}");
                    let (exact, found) = decode_exact(&bytes).unwrap();
                    assert_eq!((found.encode(&exact), found), (bytes, encoding));
                }
            }
        }
        assert_eq!(plain("a\r\rb\r\n\rc"), "a\n\nb\n\nc");
        assert_eq!(plain("\u{feff}a\r\u{feff}\u{feff}b\u{feff}c"), "a\nb\u{feff}c");
        assert_eq!(decode(b"").as_deref(), Ok(""));
        assert_eq!(decode(b"\xff\xfe").as_deref(), Ok(""));
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let half = [&stored("a\nb", Encoding::Utf16Le, true)[..], b"\n"].concat();
        let appended = [b"a=1\nb=2\n".as_slice(), &stored("c=3\n", Encoding::Utf16Le, false)].concat();
        for (bytes, why) in [
            (b"ok\r\nIn\xeas".as_slice(), NotText::NotUtf8 { line: 2, byte: 0xea }),
            (b"0,6 \xb5s", NotText::NotUtf8 { line: 1, byte: 0xb5 }),
            (b"\x80\x81", NotText::NotUtf8 { line: 1, byte: 0x80 }),
            (&half, NotText::HalfCharacter),
            (b"\xff\xfe\x00\xd8a\0", NotText::HalfCharacter),
            (&appended, NotText::ZeroByte { line: 3 }),
            (b"a\0b\0", NotText::ZeroByte { line: 1 }),
            (b"PK\x03\x04\x14\0", NotText::Workbook),
        ] {
            assert_eq!(decode(bytes), Err(why), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(text in "[ -~][^\\x00\\r\u{feff}]{0,80}", which in 0usize..3) {
            let encoding = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be][which];
            prop_assert_eq!(decode(&stored(&text, encoding, true)), Ok(text));
        }

        #[test]
        fn what_was_decoded_is_written_back_byte_for_byte(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok((text, encoding)) = decode_exact(&bytes) {
                prop_assert_eq!(encoding.encode(&text), bytes);
            }
        }
    }
}
