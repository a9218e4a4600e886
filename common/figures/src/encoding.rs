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

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text in `bytes`, without byte order marks and with LF at the end of every line.
///
/// # Errors
///
/// If it is not text in one of the encodings above; a clause with what to do.
pub fn decode(bytes: &[u8]) -> Result<String, String> {
    let text = match bytes {
        [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] | [0x1f, 0x8b, ..] => {
            return Err("it is a workbook (.xlsx, .ods, .xls) or another archive, not text; save a workbook as \"CSV UTF-8\", or take the file out of the archive".to_owned());
        }
        [0xff, 0xfe, ..] => utf16(bytes, u16::from_le_bytes)?,
        [0xfe, 0xff, ..] => utf16(bytes, u16::from_be_bytes)?,
        _ => plain(std::str::from_utf8(bytes).map_err(|error| {
            let (before, rest) = bytes.split_at(error.valid_up_to());
            let line = lines(&String::from_utf8_lossy(before));
            format!(
                "line {line} has the byte 0x{:02x}, which is not UTF-8: the file is Latin-1, Windows-1252 or another old encoding; save it as UTF-8 (Excel: \"CSV UTF-8\"; editors: \"Save as\", encoding UTF-8)",
                rest.first().copied().unwrap_or_default()
            )
        })?),
    };
    match text.split_once('\0') {
        None => Ok(text),
        Some((before, _)) => Err(format!(
            "line {} has zero bytes: the file is not text, or it is UTF-16 without its mark; save it as UTF-8",
            lines(before)
        )),
    }
}

/// `text` without byte order marks at the start of a line (a file appended to another has its
/// own), and with LF for CR and CRLF (also CRCRLF, where two programs both added a CR).
pub fn plain(text: &str) -> String {
    let text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace('\r', "\n");
    text.trim_start_matches(MARK).replace("\n\u{feff}", "\n")
}

/// Lines of `text`, including an incomplete last one.
fn lines(text: &str) -> usize {
    1 + plain(text).matches('\n').count()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, half) = bytes.as_chunks::<2>();
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>();
    match text {
        Ok(text) if half.is_empty() => Ok(plain(&text)),
        _ => Err("it is UTF-16 and breaks off within a character; copy the whole file, or save it as UTF-8"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "size,name\n8192,µ 李 😀\n";

    /// The text in UTF-8 without and with a mark, and in UTF-16 in either order.
    fn stored(text: &str) -> [Vec<u8>; 4] {
        let marked = format!("{MARK}{text}");
        [
            text.as_bytes().to_vec(),
            marked.as_bytes().to_vec(),
            marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ]
    }

    #[test]
    fn every_encoding_and_line_end_gives_one_text() {
        for end in ["\n", "\r\n", "\r", "\r\r\n"] {
            for bytes in stored(&TEXT.replace('\n', end)) {
                assert_eq!(decode(&bytes).as_deref(), Ok(TEXT), "{end:?} {bytes:?}");
            }
        }
        assert_eq!(plain("a\r\rb\r\n\rc"), "a\n\nb\n\nc");
        assert_eq!(plain("\u{feff}a\r\u{feff}b\u{feff}c"), "a\nb\u{feff}c");
        assert_eq!(decode(b"").as_deref(), Ok(""));
        assert_eq!(decode(b"\xff\xfe").as_deref(), Ok(""));
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let [.., little, _] = stored("a\nb");
        let half = [&little, &b"\n"[..]].concat();
        let appended = [b"a=1\nb=2\n".as_slice(), &little[2..]].concat();
        for (bytes, why) in [
            (b"ok\r\nIn\xeas".as_slice(), "line 2 has the byte 0xea"),
            (b"0,6 \xb5s", "line 1 has the byte 0xb5"),
            (b"\x80\x81", "line 1 has the byte 0x80"),
            (&half, "breaks off within a character"),
            (b"\xff\xfe\x00\xd8a\0", "breaks off within a character"),
            (&appended, "line 3 has zero bytes"),
            (b"a\0b\0", "line 1 has zero bytes"),
            (b"PK\x03\x04\x14\0", "it is a workbook"),
        ] {
            let refusal = decode(bytes).unwrap_err();
            assert!(refusal.contains(why), "{bytes:?}: {refusal}");
        }
    }

    proptest! {
        #[test]
        fn what_is_decoded_has_one_kind_of_line_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = decode(&bytes) {
                prop_assert!(!text.contains(['\r', '\0']) && !text.starts_with(MARK));
            }
        }
    }
}
