//! `page`: the lab as one HTML file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use base64ct::{Base64, Encoding};
use common::failure::Failure;
use common::output;
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Write the lab as one HTML file that measures and models in a browser
///
/// Compiles this package's library to WebAssembly, which needs the kit's sources and
/// `rustup target add wasm32-unknown-unknown`.
#[derive(Debug, clap::Parser)]
#[command(name = "page", version)]
struct Args {
    /// Write this page
    #[arg(short, long, value_name = "FILE", default_value = "lab.html")]
    output: PathBuf,

    /// Use this WebAssembly of the library, instead of compiling it
    #[arg(long, value_name = "FILE")]
    wasm: Option<PathBuf>,
}

/// How the WebAssembly is compiled: from the kit's own sources, optimised for size and
/// speed.
const BUILD: &str =
    "rustc --quiet --profile page --target wasm32-unknown-unknown -p page --lib --crate-type=cdylib";
const TARGET: &str = "wasm32-unknown-unknown";
/// Instructions that Chromium since 91, Firefox since 89 and Safari since 16.4 have and the
/// target's default lacks: vectors, with which the model compares the tags of a set at
/// once.
const FLAGS: (&str, &str) = ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-C target-feature=+simd128");

fn main() -> ExitCode {
    common::cli::run(|args: Args| run(&args))
}

/// Compiles, joins, writes.
fn run(args: &Args) -> Result<(), Failure> {
    let wasm = match &args.wasm {
        Some(path) => path.clone(),
        None => compiled()?,
    };
    let wasm = std::fs::read(&wasm)
        .map_err(|why| Failure::could_not(format!("cannot read {}: {why}", wasm.display())))?;
    if !wasm.starts_with(b"\0asm") {
        return Err(Failure::usage(
            "--wasm needs a WebAssembly file that cargo made from the library of the package page",
        ));
    }
    output::write(&args.output, page(&wasm).as_bytes())?;
    output::message(format_args!("page: wrote {}", args.output.display()));
    Ok(())
}

/// The library, compiled from the sources that this program was built from.
fn compiled() -> Result<PathBuf, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    if !root.join("extras/page/Cargo.toml").is_file() {
        return Err(Failure::could_not(
            "the kit's sources are not where this program was built from; run `cargo run --release -p page` in \
             the kit's folder, or give the WebAssembly with --wasm FILE",
        ));
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let done = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(BUILD.split(' '))
        .env(FLAGS.0, FLAGS.1)
        .current_dir(root)
        .status()
        .map_err(|why| {
            Failure::could_not(format!("cannot start cargo ({why}); install Rust from https://rustup.rs"))
        })?;
    if !done.success() {
        return Err(Failure::could_not(format!(
            "the page's library did not compile to WebAssembly; if its target is missing, run `rustup target add {TARGET}`"
        )));
    }
    Ok(target.join(TARGET).join("page/tab.wasm"))
}

/// The parts of the page as text, with their placeholders.
fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    tab::PARTS.into_iter().chain([("/* glossary.md */", common::glossary::TEXT)])
}

/// The page, with `wasm` (the library, compiled to WebAssembly) inside.
fn page(wasm: &[u8]) -> String {
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
