//! The key of the seal, derived from the words in `LAB_SEAL_KEY` at build time: the words
//! themselves are in no program.

use std::path::Path;
use std::{env, fs};

#[path = "src/words.rs"]
#[allow(unreachable_pub, reason = "a part of the library")]
mod words;

/// The default key, which everybody with these sources has.
const PUBLIC: [u8; words::KEY] = *b"cache lab kit: this key is public, set LAB_SEAL_KEY for your own";

fn main() -> Result<(), String> {
    println!("cargo:rerun-if-env-changed=LAB_SEAL_KEY");
    println!("cargo:rerun-if-changed=src/words.rs");
    let words = env::var_os("LAB_SEAL_KEY").map(|words| words.into_string());
    let words = words.transpose().map_err(|_| "LAB_SEAL_KEY is no text")?;
    let key = match &words {
        None => PUBLIC,
        Some(words) => words::key(words, "seal").map_err(|why| format!("LAB_SEAL_KEY: {why}"))?,
    };
    let source = format!(
        "const KEY: [u8; {}] = {key:?};\nconst KEY_IS_PUBLIC: bool = {};\n",
        words::KEY,
        words.is_none()
    );
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    fs::write(Path::new(&folder).join("key.rs"), source).map_err(|error| error.to_string())
}
