//! `lab cc` and `lab c++`: compiles C and C++ programs so that their accesses go to the cache
//! model, and PAPI's calls to this kit.

mod assembler;
mod folder;
mod linker;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use common::failure::Failure;
use common::output::message;
use common::system::signals;

use folder::{Folder, NATIVE, TOOLS, is_compiler, is_native, real, scratch};

/// Compile C and C++ programs for the cache model, as cc and c++ would
///
/// Takes the compiler's own arguments, rewrites the assembly that it makes so that the program
/// records its loads and stores, and links the library that counts them. PAPI's functions are in the same library, and papi.h is found. The
/// program then prints its hits and misses by array and by source line.
///
///   lab cc -O2 mm.c -o mm        compile and link, as cc does
///   lab cc -- make               make, with cc, gcc, clang, c++, g++ of this kind
///   lab cc run mm.c 512          compile, run with the argument 512, report
///   lab cc --native mm.c -o mm   PAPI's functions on hardware counters, nothing modelled
///
/// LAB_CC and LAB_CXX name other compilers. The program reads LAB_MACHINE (host, a name from
/// `lab machines`, or a TOML file), LAB_RECORD=FILE, LAB_REPORT=off and LAB_MISSING=refuse.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// What the compiler is given
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The language of files whose names do not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
}

/// A file that grows with each call of a compiler below `lab cc --`.
const CALLS: &str = "LAB_CC_CALLS";
/// The arguments before the file of `lab cc run`.
const RUN: &str = "run";

/// Compiles, and ends with the compiler's status.
pub(crate) fn run(language: Language) -> Result<(), Failure> {
    // The words themselves: clap takes the first `--` away.
    let mut words: Vec<OsString> = env::args_os().skip(2).collect();
    let is_native = is_native() || words.iter().any(|word| word == "--native");
    words.retain(|word| word != "--native");
    match words.first() {
        None => Err(Failure::usage("give a file to compile, such as mm.c; see lab cc --help")),
        Some(word) if word == "--" => below(&words[1..], is_native),
        Some(word) if word == RUN => compile_and_run(&words[1..], language, is_native),
        Some(_) => exit(compile(&words, &compiler(language), is_native)?),
    }
}

/// Ends with that status.
fn exit(status: i32) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { std::process::exit(status) }
}

/// The system's compiler.
fn compiler(language: Language) -> OsString {
    let (variable, usual) = match language {
        Language::C => ("LAB_CC", "cc"),
        Language::Cxx => ("LAB_CXX", "c++"),
    };
    env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| usual.into())
}

/// Runs a command; returns its status, above 128 for a signal.
fn start(command: &mut Command) -> Result<i32, Failure> {
    let ended = command.spawn().and_then(|mut child| {
        signals::pass_to(Some(child.id()));
        let ended = child.wait();
        signals::pass_to(None);
        ended
    });
    let status = ended.map_err(|error| not_started(command.get_program(), &error))?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()))
}

fn not_started(program: &OsStr, error: &std::io::Error) -> Failure {
    let name = program.to_string_lossy();
    Failure::could_not(match error.kind() {
        ErrorKind::NotFound => format!(
            "there is no program '{name}': install a compiler and make (apt install gcc g++ make), or name your compiler with LAB_CC or LAB_CXX"
        ),
        _ => format!("'{name}' cannot be started: {error}"),
    })
}

/// Calls the compiler with the kit's assembler, linker and `papi.h`.
fn compile(words: &[OsString], compiler: &OsStr, is_native: bool) -> Result<i32, Failure> {
    let kind = Kind::of(compiler)?;
    let folder = Folder::find()?.path;
    let mut command = Command::new(compiler);
    command.arg("-B").arg(&folder).arg("-g").arg("-I").arg(&folder);
    if let Kind::Clang { version } = kind {
        command.args(["-fno-integrated-as", "-Wno-unused-command-line-argument"]);
        // Without its own assembler it takes another one for an old one, and makes other calls for it.
        if version < 16 {
            command.args(["-Xclang", "--mrelax-relocations"]);
        }
    }
    command.args(words);
    if words.iter().any(|word| word.as_encoded_bytes().starts_with(b"-flto")) {
        message("note: -flto is left out: each file is counted as it is compiled");
        command.arg("-fno-lto");
    }
    if is_native {
        command.env(NATIVE, "1");
    }
    start(&mut command)
}

/// Compilers that differ in how they are given an assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gcc,
    Clang { version: u32 },
}

impl Kind {
    fn of(compiler: &OsStr) -> Result<Kind, Failure> {
        let ran = Command::new(compiler).arg("--version").stdin(Stdio::null()).output();
        let ran = ran.map_err(|error| not_started(compiler, &error))?;
        let text = String::from_utf8_lossy(&ran.stdout).to_lowercase();
        if text.contains("clang") {
            let version = text.split("version ").nth(1).and_then(|text| text.split('.').next()?.parse().ok());
            Ok(Kind::Clang { version: version.unwrap_or(u32::MAX) })
        } else if text.contains("free software foundation") {
            Ok(Kind::Gcc)
        } else {
            Err(Failure::could_not(format!(
                "'{}' is neither gcc nor clang, whose assembly lab cc counts: LAB_CC and LAB_CXX name other compilers",
                compiler.to_string_lossy()
            )))
        }
    }
}

/// The program's own name, if it was started as a compiler, or by one as its assembler or linker.
pub(crate) fn tool() -> Option<OsString> {
    let name = Path::new(&env::args_os().next()?).file_name()?.to_owned();
    (is_compiler(&name) || TOOLS.iter().any(|tool| name == *tool)).then_some(name)
}

/// Compiles, assembles or links; ends with that tool's status.
pub(crate) fn run_tool(name: &OsStr) -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    if let Some(path) = env::var_os(CALLS) {
        let calls = std::fs::OpenOptions::new().append(true).open(path);
        let _ = calls.and_then(|mut file| file.write_all(b"."));
    }
    let status = match name.to_str() {
        Some("as") => assembler::run(&words),
        Some(name) if TOOLS.contains(&name) => linker::run(name, &words),
        _ => real(name).and_then(|compiler| compile(&words, compiler.as_os_str(), is_native())),
    };
    match status {
        Ok(status) => ExitCode::from(status as u8),
        Err(failure) => {
            message(format!("lab: {failure}"));
            ExitCode::FAILURE
        }
    }
}

/// `lab cc -- COMMAND`: runs it with these compilers first in its path.
fn below(words: &[OsString], is_native: bool) -> Result<(), Failure> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failure::usage("give a command after --, such as lab cc -- make"));
    };
    let folder = Folder::find()?;
    let path = folder.with_compilers().map_err(Failure::could_not)?;
    let scratch = scratch()?;
    let calls = scratch.path().join("calls");
    common::output::write(&calls, b"")?;
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path).env(CALLS, &calls);
    // For compilers that the command names by their paths.
    command.env("COMPILER_PATH", &folder.path).env("CPATH", &folder.path);
    if is_native {
        command.env(NATIVE, "1");
    }
    let status = start(&mut command)?;
    if status == 0 && std::fs::metadata(&calls).is_ok_and(|file| file.len() == 0) {
        message(
            "note: the command called no compiler by name: if everything was built already, do `make clean` first; if it names a compiler's path, give CC=\"lab cc\" CXX=\"lab c++\"",
        );
    }
    drop(scratch);
    exit(status)
}

/// `lab cc run FILE [ARGUMENTS]`: compiles the file and runs the program.
fn compile_and_run(words: &[OsString], language: Language, is_native: bool) -> Result<(), Failure> {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let Some(at) = words.iter().position(|word| !is_option(word)) else {
        return Err(Failure::usage(
            "give a file to compile and run: lab cc run [-O2 ...] FILE [its arguments]",
        ));
    };
    let file = Path::new(&words[at]);
    let compiler = compiler(if is_cxx(file) { Language::Cxx } else { language });
    let folder = scratch()?;
    let program = folder.path().join(file.file_stem().unwrap_or(OsStr::new("a.out")));
    let mut all = words[..=at].to_vec();
    all.extend(["-o".into(), program.clone().into_os_string(), "-lm".into()]);
    let status = compile(&all, &compiler, is_native)?;
    if status != 0 {
        drop(folder);
        return exit(status);
    }
    signals::defer();
    let status = start(Command::new(&program).args(&words[at + 1..]))?;
    if status == 128 + 9 {
        message(
            "the program was killed (signal 9, often for want of memory), so it could not report its counts",
        );
    }
    drop(folder);
    signals::exit_if_requested();
    exit(status)
}

/// Whether a file's name is that of a source in C++.
fn is_cxx(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ["cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii"].iter().any(|cxx| ending == *cxx)
}
