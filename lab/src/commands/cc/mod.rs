//! `lab cc` and `lab c++`: compiles C and C++ programs so that their accesses go to the cache
//! model, and PAPI's calls to this kit.

mod arguments;
mod tools;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use common::failure::Failure;
use common::output::message;
use common::system::signals;

use arguments::{Arguments, Goal};
use tools::Tools;

/// Compile C and C++ programs for the cache model, as cc and c++ would
///
/// Takes the compiler's own arguments, adds a call before each load and store, and links the
/// library that counts them. PAPI's functions are in the same library, and papi.h is found. The
/// program then prints its hits and misses by array and by source line.
///
///   lab cc -O2 mm.c -o mm        compile and link, as cc does
///   lab cc -- make               make, with cc, gcc, clang, c++, g++ of this kind
///   lab cc run mm.c 512          compile, run with the argument 512, report
///   lab cc --native mm.c -o mm   PAPI's functions on hardware counters, nothing modelled
///
/// LAB_CC and LAB_CXX name other compilers. The program reads LAB_MACHINE (host, a name from
/// `lab machines`, or a TOML file), LAB_RECORD=FILE, LAB_REPORT=off, LAB_TIME=clock and
/// LAB_MISSING=skip.
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

/// Set for the commands of `lab cc --native --`.
const NATIVE: &str = "LAB_NATIVE";
/// A file that grows with each call of a compiler below `lab cc --`.
const CALLS: &str = "LAB_CC_CALLS";
/// The arguments before the file of `lab cc run`.
const RUN: &str = "run";

/// Compiles, and ends with the compiler's status.
pub(crate) fn run(language: Language) -> Result<(), Failure> {
    // The words themselves: clap takes the first `--` away.
    let mut words: Vec<OsString> = env::args_os().skip(2).collect();
    let mut is_native = env::var_os(NATIVE).is_some();
    words.retain(|word| {
        is_native |= word == "--native";
        word != "--native"
    });
    if let Some(path) = env::var_os(CALLS) {
        let calls = std::fs::OpenOptions::new().append(true).open(path);
        let _ = calls.and_then(|mut file| file.write_all(b"."));
    }
    match words.first() {
        None => Err(Failure::usage("give a file to compile, such as mm.c; see lab cc --help")),
        Some(word) if word == "--" => below(&words[1..], is_native),
        Some(word) if word == RUN => compile_and_run(&words[1..], language, is_native),
        Some(_) => exit(compile(words, language, is_native)?),
    }
}

/// Ends as `status` says.
fn exit(status: ExitStatus) -> Result<(), Failure> {
    match status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()) {
        0 => Ok(()),
        code => std::process::exit(code),
    }
}

/// The system's compiler.
fn compiler(language: Language) -> OsString {
    let (variable, usual) = match language {
        Language::C => ("LAB_CC", "cc"),
        Language::Cxx => ("LAB_CXX", "c++"),
    };
    env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| usual.into())
}

fn start(command: &mut Command) -> Result<ExitStatus, Failure> {
    let ended = command.spawn().and_then(|mut child| {
        signals::pass_to(Some(child.id()));
        let ended = child.wait();
        signals::pass_to(None);
        ended
    });
    ended.map_err(|error| {
        let name = command.get_program().to_string_lossy().into_owned();
        match error.kind() {
            ErrorKind::NotFound => Failure::could_not(format!(
                "there is no program '{name}': install a compiler and make (apt install gcc g++ make), or name your compiler with LAB_CC or LAB_CXX"
            )),
            _ => Failure::could_not(format!("'{name}' cannot be started: {error}")),
        }
    })
}

/// Calls the compiler once, or, to compile and link, once for each source and once more.
fn compile(words: Vec<OsString>, language: Language, is_native: bool) -> Result<ExitStatus, Failure> {
    let arguments = Arguments::parse(words).map_err(Failure::could_not)?;
    let tools = Tools::find().map_err(Failure::could_not)?;
    let compiler = compiler(language);
    let call = |before: &[OsString], words: &[OsString], after: &[OsString]| {
        start(Command::new(&compiler).args(before).args(words).args(after))
    };
    let added = match arguments.goal {
        Goal::Information => Vec::new(),
        Goal::Compile | Goal::Link => tools.to_compile(is_native, &|options| accepts(&compiler, options)),
    };
    match arguments.goal {
        Goal::Information => call(&[], &arguments.words(), &[]),
        Goal::Compile => checked(call(&added, &arguments.words(), &[])?, &compiler, is_native),
        Goal::Link => {
            let folder = Scratch::new()?;
            let mut objects = Vec::new();
            for (number, source) in arguments.sources().enumerate() {
                let object = folder.0.join(format!("{number}.o"));
                let words = arguments.to_compile(source, &object);
                let status = call(if source.is_assembly { &[] } else { &added }, &words, &[])?;
                if !status.success() {
                    return checked(status, &compiler, is_native);
                }
                objects.push(object.into_os_string());
            }
            let library = if arguments.is_program {
                tools.to_link(is_native, arguments.is_placed)?
            } else {
                Vec::new()
            };
            call(&[], &arguments.to_link(&objects), &library)
        }
    }
}

/// Whether the compiler works with these options.
fn accepts(compiler: &OsStr, options: &[&str]) -> bool {
    let mut command = Command::new(compiler);
    command.args(options).args(["-x", "c", "-c", "/dev/null", "-o", "/dev/null"]);
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.is_ok_and(|status| status.success())
}

/// Says so if the compiler failed because it cannot add the calls.
fn checked(status: ExitStatus, compiler: &OsStr, is_native: bool) -> Result<ExitStatus, Failure> {
    let tries = |options: &[&str]| accepts(compiler, options);
    if status.success() || is_native || !tries(&[]) || tries(&["-fsanitize=thread"]) {
        return Ok(status);
    }
    Err(Failure::could_not(format!(
        "'{}' has no -fsanitize=thread, which puts a call before each load and store: take gcc or clang for a 64-bit system (LAB_CC and LAB_CXX name them)",
        compiler.to_string_lossy()
    )))
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, Failure> {
        let name = format!("lab-cc-{:016x}", common::system::date::unlike_any_other());
        let path = env::temp_dir().join(name);
        let made = common::system::files::make_private_folder(&path);
        made.map_err(|error| {
            Failure::could_not(format!("cannot make the folder {}: {error}", path.display()))
        })?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `lab cc -- COMMAND`: runs it with these compilers first in its path.
fn below(words: &[OsString], is_native: bool) -> Result<(), Failure> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failure::usage("give a command after --, such as lab cc -- make"));
    };
    let tools = Tools::find().map_err(Failure::could_not)?;
    let path = tools.with_compilers().map_err(Failure::could_not)?;
    let folder = Scratch::new()?;
    let calls = folder.0.join("calls");
    common::output::write(&calls, b"")?;
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path).env(CALLS, &calls);
    if is_native {
        command.env(NATIVE, "1");
    }
    let status = start(&mut command)?;
    if status.success() && std::fs::metadata(&calls).is_ok_and(|file| file.len() == 0) {
        message(
            "note: the command called no compiler by name: if everything was built already, do `make clean` first; if it names a compiler's path, give CC=\"lab cc\" CXX=\"lab c++\"",
        );
    }
    drop(folder);
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
    let language = if arguments::is_cxx(file) { Language::Cxx } else { language };
    let folder = Scratch::new()?;
    let program = folder.0.join(file.file_stem().unwrap_or(OsStr::new("a.out")));
    let mut all = words[..=at].to_vec();
    all.extend(["-o".into(), program.clone().into_os_string(), "-lm".into()]);
    let status = compile(all, language, is_native)?;
    if !status.success() {
        drop(folder);
        return exit(status);
    }
    signals::defer();
    let status = start(Command::new(&program).args(&words[at + 1..]))?;
    if status.signal() == Some(9) {
        message(
            "the program was killed (signal 9, often for want of memory), so it could not report its counts",
        );
    }
    drop(folder);
    signals::exit_if_requested();
    exit(status)
}
