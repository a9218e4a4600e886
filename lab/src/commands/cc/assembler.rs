//! `as` in the compilers' folder: the system's assembler, given text that records what it executes.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::failure::Failure;
use instrument::Source;

use super::folder::{is_native, real, scratch};
use super::start;

/// Options of `as` whose value is the next word.
const WITH_WORD: [&str; 5] = ["-o", "-I", "--MD", "-MD", "--defsym"];

/// Assembles a text; the error is what the assembler says.
fn assemble(program: &Path, options: &[OsString], text: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    // As descriptors need it.
    command.args(options).args(["--sectname-subst", "--"]);
    let run = || {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        // An assembler that ends early says why itself.
        let _ = child.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
        child.wait_with_output()
    };
    let ended = { run }().map_err(|error| format!("{}: {error}", program.display()))?;
    if ended.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&ended.stderr).into_owned()) }
}

/// Assembles as the compiler asks; ends with the assembler's status.
pub(super) fn run(words: &[OsString]) -> Result<i32, Failure> {
    let program = real(OsStr::new("as"))?;
    let has = |word: &str| words.iter().any(|one| one == word);
    if is_native() || has("--version") || has("--help") {
        return start(Command::new(&program).args(words));
    }
    if !has("--64") {
        return Err(Failure::could_not(
            "programs for x86-64 alone are counted: leave -m32 out, or use `lab cc --native`",
        ));
    }
    let is_value = |at: usize| at > 0 && WITH_WORD.iter().any(|option| words[at - 1] == *option);
    let is_input =
        |(at, word): (usize, &OsString)| !word.as_encoded_bytes().starts_with(b"-") && !is_value(at);
    let input = words.iter().enumerate().position(is_input);
    let options =
        words.iter().enumerate().filter(|(at, word)| Some(*at) != input && *word != "-" && *word != "--");
    let options: Vec<OsString> = options.map(|(_, word)| word.clone()).collect();
    let (bytes, name) = match input.map(|at| &words[at]) {
        Some(path) => (std::fs::read(path), path.to_string_lossy().into_owned()),
        None => {
            let mut bytes = Vec::new();
            (std::io::stdin().read_to_end(&mut bytes).map(|_| bytes), "(standard input)".to_owned())
        }
    };
    let bytes = bytes.map_err(|error| Failure::could_not(format!("cannot read {name}: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let scratch = scratch()?;
    let object = scratch.path().join("probe.o");
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::new());
    let source = Source { text: &text, name: &name, folder: &folder.to_string_lossy() };
    // Without listings, and with another place for the object.
    let mut probing = options.clone();
    probing.retain(|word| !word.as_encoded_bytes().starts_with(b"-a"));
    probing.extend(["-o".into(), object.clone().into_os_string()]);
    let rewritten = instrument::rewrite(source, &mut |text| {
        assemble(&program, &probing, text)?;
        std::fs::read(&object).map_err(|error| error.to_string())
    });
    let Err(reason) = rewritten.and_then(|rewritten| assemble(&program, &options, &rewritten)) else {
        return Ok(0);
    };
    // What cannot be rewritten stays as it is, with a note.
    let reason = reason.lines().find(|line| line.contains("Error")).unwrap_or(&reason);
    // Of what a compiler has made the source's name.
    let source = text.lines().find_map(|line| line.trim().strip_prefix(".file\t\"")?.strip_suffix('"'));
    let note = format!("{} is not counted: {reason}", source.unwrap_or(&name));
    let noted = format!("{text}\n{}", instrument::notes(&[note]));
    match assemble(&program, &options, &noted) {
        Ok(()) => Ok(0),
        Err(error) => {
            let _ = write!(std::io::stderr(), "{}", error.replace("{standard input}", &name));
            Ok(1)
        }
    }
}
