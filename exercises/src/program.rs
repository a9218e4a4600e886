//! Compiles a student's file with the program of its task, by `lab cc`, and runs it.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use common::authentic;
use common::record::Record;
use common::system::date;
use common::system::files::{self, TemporaryFolder};

use crate::task::{Case, Language, Task};
use crate::wrong::{Reason, Wrong};

const HEADER: &str = include_str!("../checks/check.h");
const GLUE: &str = include_str!("../checks/glue.rs");

/// Bytes of a student's file.
pub(crate) const MAX_SOURCE: u64 = 1 << 20;
/// Seconds of processor time of a function, and of a compiler.
const CPU_S: u64 = 3;
const COMPILER_CPU_S: u64 = 30;
/// Seconds that both may take by the clock.
const WALL_S: u64 = 60;
/// KiB of memory of a function, and with what counts its accesses.
const MEMORY_KIB: [&str; 2] = ["524288", "1048576"];
/// Bytes of a compiler's messages that are shown.
const MAX_MESSAGE: usize = 3000;
/// Accesses are those of the source, and floating-point results the same on all processors.
const C_OPTIONS: &str = "-std=gnu11 -O1 -Wall -g -fno-builtin -fno-tree-vectorize -fno-tree-loop-distribute-patterns \
                         -ffp-contract=off -Wno-unknown-pragmas";
const RUST_OPTIONS: &str = "--edition 2024 --crate-type lib --crate-name check --emit asm -A warnings --color never -g \
                            -C opt-level=2 -C overflow-checks=on -C panic=abort -C codegen-units=1 \
                            -C no-vectorize-loops -C no-vectorize-slp -C llvm-args=-disable-loop-idiom-all";

/// A program in a folder of its own, which is removed at the end.
pub(crate) struct Program {
    folder: TemporaryFolder,
    /// The folder and the name of the student's file.
    source: PathBuf,
    name: String,
    /// A hash of the source (FNV-1a): the same on every machine, and no file can contain its own.
    seed: u64,
}

/// What a program did: its sentences, and its record.
pub(crate) struct Ran {
    pub(crate) found: String,
    /// Misses that the program itself found.
    pub(crate) misses: u64,
    pub(crate) record: Record,
}

/// A folder that is removed at the end.
pub(crate) fn scratch() -> Result<TemporaryFolder, Wrong> {
    TemporaryFolder::new().map_err(Wrong::unmade)
}

impl Program {
    /// Compiles `source`.
    ///
    /// # Errors
    ///
    /// The compiler's own message, or what is missing.
    pub(crate) fn compile(task: &Task, language: Language, source: &Path) -> Result<Program, Wrong> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(Wrong::unmade("exercises are checked on Linux on x86-64 alone"));
        }
        let lab = std::env::current_exe().map_err(Wrong::unmade)?.with_file_name("lab");
        if !lab.exists() {
            return Err(Wrong::unmade(format!(
                "there is no {}: build the kit once, by `cargo build --release`",
                lab.display()
            )));
        }
        let source = source.canonicalize().map_err(Wrong::unmade)?;
        let text = files::read_at_most(&source, MAX_SOURCE).map_err(Wrong::unmade)?;
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let seed = text.iter().fold(0xcbf2_9ce4_8422_2325, hash);
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = source.parent().unwrap_or(Path::new("/")).to_owned();
        let program = Program { folder: scratch()?, source: folder, name, seed };
        program.write("check.h", HEADER)?;
        program.write("program.c", task.check)?;
        let mut cc = Command::new(lab);
        cc.arg("cc").args(C_OPTIONS.split_whitespace()).arg("program.c");
        match language {
            Language::C => cc.arg(&source),
            Language::Rust => {
                // The student's module cannot use unsafe code.
                let call = format!(
                    "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {} {{ unsafe {{ {} }} }}\n",
                    task.rust.0, task.rust.1
                );
                let module = format!("#[forbid(unsafe_code)]\n#[path = {source:?}]\nmod task;\n");
                program.write("main.rs", &(module + &call + GLUE))?;
                let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
                rustc.args(RUST_OPTIONS.split_whitespace()).args(["main.rs", "-o", "task.s"]);
                program.compiler(&rustc, "install Rust: https://rustup.rs")?;
                cc.args(["-Wa,--gdwarf-5", "task.s"])
            }
        };
        cc.args(["-lm", "-o", "program"]);
        program.compiler(&cc, "install a C compiler (apt install gcc)")?;
        Ok(program)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Wrong> {
        std::fs::write(self.path(name), text).map_err(Wrong::unmade)
    }

    /// Runs a compiler.
    fn compiler(&self, command: &Command, advice: &str) -> Result<(), Wrong> {
        let name = command.get_program().to_string_lossy().into_owned();
        let messages = File::create(self.path("messages")).map_err(Wrong::unmade)?;
        let mut limited = limited(command, COMPILER_CPU_S, ["unlimited"; 2]);
        limited.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
        match wait(&mut limited, "").map_err(Wrong::unmade)?.code() {
            Some(0) => return Ok(()),
            Some(NOT_FOUND) => return Err(Wrong::unmade(format!("there is no program '{name}': {advice}"))),
            _ => {}
        }
        let text = files::read_at_most(&self.path("messages"), 1 << 20).map_err(Wrong::unmade)?;
        let mut text = String::from_utf8_lossy(&text).into_owned();
        // Without the paths of this machine.
        for folder in [self.folder.path(), &self.source] {
            text = text.replace(&format!("{}/", folder.display()), "");
        }
        let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_MESSAGE).unwrap_or(text.len());
        Err(Wrong::of(Reason::Compile, format!("it does not compile:\n{}", text[..end].trim_end())))
    }

    /// Runs the program on a case. What the function prints goes to standard error if `shows_output`.
    ///
    /// # Errors
    ///
    /// If the function crashes, does not end, or has wrong results.
    pub(crate) fn run(&self, case: &Case, shows_output: bool) -> Result<Ran, Wrong> {
        let [size, line, ways] = case.cache;
        self.write(
            "machine.toml",
            &format!(
                "name = \"exercise\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = {line}\nways = {ways}\n"
            ),
        )?;
        let (result, record) = (self.path("result"), self.path("record.json"));
        for old in [&result, &record] {
            _ = std::fs::remove_file(old);
        }
        let own = Command::new(self.path("program"));
        let mut command = limited(&own, CPU_S, MEMORY_KIB);
        let output = || if shows_output { std::io::stderr().into() } else { Stdio::null() };
        command
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(output())
            .stderr(output());
        command.envs([("LAB_MACHINE", "machine.toml"), ("LAB_RECORD", "record.json"), ("LAB_REPORT", "off")]);
        let key = format!("{:016x}", date::unlike_any_other());
        let status = wait(&mut command, &format!("{key} {}\n", self.seed)).map_err(Wrong::unmade)?;
        let text = std::fs::read(&result).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let fields: Vec<&str> = text.split('\0').collect();
        let record = std::fs::read_to_string(&record).map_err(Wrong::unmade).and_then(|text| {
            authentic::read(&text).map_err(|why| Wrong::unmade(format!("the program's record: {why}")))
        });
        match fields[..] {
            [own, "passed", found, _, misses, _] if own == key => {
                Ok(Ran { found: found.to_owned(), misses: misses.parse().unwrap_or(0), record: record? })
            }
            [own, "wrong", found, hint, ..] if own == key => Err(Wrong::new(found, hint)),
            [own, "panic", found, ..] if own == key => {
                Err(Wrong::of(Reason::Crash, format!("your function stopped with an error: {found}")))
            }
            _ => Err(ended(status, record.ok().as_ref(), &self.name)),
        }
    }
}

/// The status of `timeout` if it does not find a program.
const NOT_FOUND: i32 = 127;
/// Its statuses if the program was late, and if it had to be killed for that.
const LATE: [i32; 2] = [124, 137];

/// The same command with limits: processor time, and KiB of memory. After three seconds more it is killed,
/// should it not end at the signal.
fn limited(command: &Command, cpu_s: u64, [memory, whole]: [&str; 2]) -> Command {
    let mut all = Command::new("/bin/sh");
    let script = format!(
        "ulimit -S -t {cpu_s} && ulimit -H -t $(({cpu_s} + 3)) && ulimit -S -v {memory} && ulimit -H -v {whole} && exec timeout --foreground -k 3 {WALL_S} \"$0\" \"$@\""
    );
    all.args(["-c", &script]).arg(command.get_program()).args(command.get_args());
    all
}

/// Starts a command and waits for its end.
fn wait(command: &mut Command, input: &str) -> std::io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    // A program that ends early has read nothing.
    _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    child.wait()
}

/// Why a program has no result.
fn ended(status: ExitStatus, record: Option<&Record>, file: &str) -> Wrong {
    let line = record.and_then(|record| record.rows.first()).map_or("", |total| total.text("ended_at"));
    // An instruction may have no line of the student's file, but one of its caller's.
    let is_own = line.strip_prefix(file).is_some_and(|rest| rest.starts_with(':'));
    let at = if is_own { format!(" at {line}") } else { String::new() };
    let endless = "Does a loop not end? What changes its condition?";
    if status.code().is_some_and(|code| LATE.contains(&code)) {
        return Wrong::of(Reason::Time, format!("your function did not end within {WALL_S} s"))
            .or_hint(endless);
    }
    match status.signal() {
        Some(libc::SIGXCPU) => Wrong::of(
            Reason::Time,
            format!("your function did not end within {CPU_S} s of processor time{}", at.replace(" at", "; it was at")),
        )
        .or_hint(endless),
        Some(libc::SIGSEGV | libc::SIGBUS) => Wrong::of(
            Reason::Crash,
            format!("your function crashed{at}: an address outside of the arrays, no memory, or calls too deep"),
        )
        .or_hint("Which indices do the loops reach? Does it call itself without an end?"),
        Some(libc::SIGFPE) => Wrong::of(Reason::Crash, format!("your function crashed{at}: a division by zero")),
        Some(libc::SIGKILL) => Wrong::of(
            Reason::Time,
            format!("your function was killed: it took more than {CPU_S} s of processor time, or the machine's memory was full"),
        )
        .or_hint(endless),
        Some(signal) => Wrong::of(Reason::Crash, format!("your function was ended{at} by signal {signal}"))
            .or_hint("Does it allocate in a loop, or free what it did not allocate?"),
        None => Wrong::of(Reason::Ended, "your function ended the program; it must return"),
    }
}
