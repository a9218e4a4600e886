//! The one file: HTML, style, scripts and WebAssembly joined.

use std::io::Write;

use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The parts of the page as text, with their placeholders.
fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    tab::PARTS.into_iter().chain([("/* glossary.md */", common::glossary::TEXT)])
}

/// The page, with `wasm` (the library, compiled to WebAssembly) inside.
pub(crate) fn page(wasm: &[u8]) -> String {
    let html =
        parts().fold(tab::PAGE.to_owned(), |html, (place, text)| html.replacen(place, text.trim_end(), 1));
    html.replacen("/* core.wasm */", &Base64::encode_string(&deflated(wasm)), 1)
}

/// The format of `DecompressionStream("deflate")`: a third of the size.
fn deflated(wasm: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing into a vector cannot fail.
    encoder.write_all(wasm).and_then(|()| encoder.finish()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_finds_its_place() {
        let page = page(b"not the real one");
        for (place, text) in parts() {
            assert!(!page.contains(place) && page.contains(text.trim_end()), "{place}");
        }
        assert!(page.contains(&Base64::encode_string(&deflated(b"not the real one"))));
    }
}
