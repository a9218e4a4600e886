//! The one file: HTML, style, scripts and WebAssembly joined.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The placeholders of the WebAssembly and of the other parts in the HTML.
const PARTS: &[(&str, &str)] = &[
    ("/* style.css */", include_str!("../../web/page/style.css")),
    ("/* glossary.md */", include_str!("../../common/src/glossary.md")),
    ("/* core.js */", include_str!("../../web/page/core.js")),
    ("/* worker.js */", include_str!("../../web/page/worker.js")),
    ("/* pointer.js */", common::chart::POINTER_SCRIPT),
    ("/* text.js */", include_str!("../../web/page/text.js")),
    ("/* store.js */", report::STORE),
    ("/* dom.js */", include_str!("../../web/page/dom.js")),
    ("/* here.js */", include_str!("../../web/page/here.js")),
    ("/* machine.js */", include_str!("../../web/page/machine.js")),
    ("/* any.js */", include_str!("../../web/page/any.js")),
    ("/* inside.js */", include_str!("../../web/page/inside.js")),
    ("/* mystery.js */", include_str!("../../web/page/mystery.js")),
    ("/* main.js */", include_str!("../../web/page/main.js")),
];

/// The page, with `wasm` (the crate `web`, compiled to WebAssembly) inside.
pub(crate) fn page(wasm: &[u8]) -> String {
    let html = include_str!("../../web/page/index.html").to_owned();
    let html = PARTS.iter().fold(html, |html, (place, text)| html.replacen(place, text.trim_end(), 1));
    html.replacen("/* web.wasm */", &base64(&deflated(&without_custom_sections(wasm))), 1)
}

/// The module without its custom sections, which tools read and browsers skip; what is no
/// module is returned as it is.
fn without_custom_sections(wasm: &[u8]) -> Vec<u8> {
    let (head, mut rest) = wasm.split_at(wasm.len().min(8));
    let mut stripped = head.to_vec();
    while let Some((id, after)) = rest.split_first() {
        // The length of a section: seven bits a byte, the lowest first.
        let last = after.iter().take(5).position(|byte| byte & 0x80 == 0);
        let length = last.map(|last| {
            let payload = after[..=last].iter().rev();
            last + 2 + payload.fold(0, |sum, byte| (sum << 7) | usize::from(byte & 0x7f))
        });
        let Some((section, behind)) = length.and_then(|length| rest.split_at_checked(length)) else {
            return wasm.to_vec();
        };
        if *id != 0 {
            stripped.extend_from_slice(section);
        }
        rest = behind;
    }
    stripped
}

/// The format of `DecompressionStream("deflate")`: a third of the size.
fn deflated(wasm: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing into a vector cannot fail.
    encoder.write_all(wasm).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Base64 (RFC 4648) with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let group = (0..3).fold(0, |group, i| group << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for digit in 0..4 {
            let used = digit <= three.len();
            text.push(if used { DIGITS[(group >> (18 - 6 * digit)) as usize & 63] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn compressed_bytes_are_decompressed_to_the_same() {
        let wasm: Vec<u8> = (0..50_000u32).map(|i| (i % 251) as u8).collect();
        let packed = deflated(&wasm);
        let mut unpacked = Vec::new();
        flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == wasm && packed.len() < wasm.len() / 2);
    }

    #[test]
    fn a_module_loses_only_its_custom_sections() {
        let [head, types, custom, code] =
            [&b"\0asm\x01\0\0\0"[..], &[1, 2, 7, 7], &[0, 0x81, 0, 9], &[10, 1, 5]];
        let module = [head, types, custom, code].concat();
        assert_eq!(without_custom_sections(&module), [head, types, code].concat());
        for broken in [b"not the real one", &module[..11], b""] {
            assert_eq!(without_custom_sections(broken), broken);
        }
    }

    #[test]
    fn every_part_finds_its_place() {
        let page = page(b"not the real one");
        for (place, text) in PARTS {
            assert!(!page.contains(place) && page.contains(text.trim_end()), "{place}");
        }
        assert!(page.contains(&base64(&deflated(b"not the real one"))));
    }
}
