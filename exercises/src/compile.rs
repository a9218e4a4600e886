//! Compiles one student's file into a program; no other file is compiled with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::system::{date, files};

use crate::task::{Language, Task};
use crate::wrong::{Reason, Wrong};

const RUST: &str = include_str!("harness/memory.rs");
const C: &str = include_str!("harness/harness.c");
const CALLS: &str = include_str!("harness/calls.h");

/// Bytes of a student's file.
pub(crate) const MAX_SOURCE: u64 = 1 << 20;
/// Seconds that a compiler may take.
const WALL_S: u64 = 30;
/// Bytes of a compiler's messages that are shown.
const MAX_MESSAGE: usize = 3000;

/// A program in a folder of its own, which is removed at the end.
pub(crate) struct Compiled {
    pub(crate) program: PathBuf,
    /// A hash of the source (FNV-1a): the same on every machine, and no file can contain its own.
    pub(crate) seed: u64,
    _folder: Scratch,
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles `source`.
///
/// # Errors
///
/// The compiler's own message.
pub(crate) fn compile(task: &Task, language: Language, source: &Path) -> Result<Compiled, Wrong> {
    let source =
        source.canonicalize().map_err(|error| Wrong::unmade(format!("{}: {error}", source.display())))?;
    let folder = Scratch(std::env::temp_dir().join(format!("exercises-{:016x}", date::unlike_any_other())));
    files::make_private_folder(&folder.0).map_err(Wrong::unmade)?;
    let path = |name: &str| folder.0.join(name);
    let write = |name: &str, text: String| std::fs::write(path(name), text).map_err(Wrong::unmade);
    let program = path("program");
    let text = files::read_at_most(&source, MAX_SOURCE).map_err(Wrong::unmade)?;
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let seed = text.iter().fold(0xcbf2_9ce4_8422_2325, hash);
    if language == Language::C
        && let Some(word) = uncounted(&String::from_utf8_lossy(&text))
    {
        let found = format!("it contains '{word}': such accesses are not counted; remove it");
        return Err(Wrong::of(Reason::Compile, found));
    }
    match language {
        Language::Rust => {
            write("memory.rs", RUST.to_owned())?;
            let call = task.rust;
            // The student's module can neither use unsafe code nor the harness's private functions.
            let main = format!(
                "#![allow(unused_imports)]\nmod memory;\n#[forbid(unsafe_code)]\n#[path = {source:?}]\nmod task;\nfn main() {{\n    memory::serve(|mem, x| {{ let _ = &mem; {call} }});\n}}\n"
            );
            write("main.rs", main)?;
            let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
            // Compiling takes half as long without optimisation, and a run a few milliseconds more.
            rustc.args(["--edition", "2024", "-C", "opt-level=0", "-C", "debuginfo=0", "--color", "never"]);
            run(
                rustc.arg(path("main.rs")).arg("-o").arg(&program),
                "install Rust: https://rustup.rs",
                &path("messages"),
            )?;
        }
        Language::C => {
            write("calls.h", CALLS.to_owned())?;
            write("main.c", format!("{C}\n{};\nstatic uint64_t call(void) {{ {} }}\n", task.c.0, task.c.1))?;
            // The same bits on all processors: no fused multiplications.
            let options = [
                "-std=gnu11",
                "-O1",
                "-ffp-contract=off",
                // A call of the harness before each access.
                "-fsanitize=thread",
                "-fno-builtin-memcpy",
                "-fno-builtin-memmove",
                "-fno-builtin-memset",
                "-fno-tree-vectorize",
                "-fno-tree-loop-distribute-patterns",
            ];
            let compiler =
                std::env::var_os("LAB_CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
            let advice = "install a C compiler (apt install gcc)";
            let mut cc = Command::new(&compiler);
            cc.args(options).arg("-include").arg(path("calls.h"));
            cc.args(["-Wall", "-c"]).arg(&source).arg("-o").arg(path("task.o"));
            run(&mut cc, advice, &path("messages"))?;
            let mut cc = Command::new(compiler);
            cc.args(["-std=gnu11", "-O1", "-w"])
                .arg(path("main.c"))
                .arg(path("task.o"))
                .arg("-lm")
                .arg("-o")
                .arg(&program);
            run(&mut cc, advice, &path("messages"))?;
        }
    }
    Ok(Compiled { program, seed, _folder: folder })
}

/// A word of C that makes accesses without the compiler's calls.
fn uncounted(text: &str) -> Option<&str> {
    let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.find(|word| {
        let word = word.trim_matches('_');
        word == "asm" || word.starts_with("no_sanitize") || word.starts_with("disable_sanitizer")
    })
}

/// Runs a compiler, for a limited time.
fn run(command: &mut Command, advice: &str, messages: &Path) -> Result<(), Wrong> {
    let name = command.get_program().to_string_lossy().into_owned();
    let file = std::fs::File::create(messages).map_err(Wrong::unmade)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    let started = command.spawn();
    let mut child =
        started.map_err(|error| Wrong::unmade(format!("'{name}' does not start: {error}; {advice}")))?;
    let deadline = Instant::now() + Duration::from_secs(WALL_S);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(Wrong::unmade)? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Wrong::of(Reason::Compile, format!("it was not compiled within {WALL_S} s")));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    if status.success() {
        return Ok(());
    }
    let text = files::read_at_most(messages, 1 << 20).map_err(Wrong::unmade)?;
    let text = String::from_utf8_lossy(&text);
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_MESSAGE).unwrap_or(text.len());
    Err(Wrong::of(Reason::Compile, format!("it does not compile:\n{}", text[..end].trim_end())))
}
