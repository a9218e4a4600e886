//! `ld` in the compilers' folder: the system's linker, given the library that counts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::failure::Failure;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use super::folder::{Folder, is_native, real, scratch};
use super::start;

/// Functions of the C and C++ libraries that the kit's library wraps: what ends a program, its
/// signal handlers, and its blocks.
const WRAPPED: &str = "_exit _Exit signal sigaction malloc calloc realloc memalign aligned_alloc \
                       posix_memalign _Znwm _Znam _ZnwmSt11align_val_t _ZnamSt11align_val_t \
                       _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t";
/// Functions that read the system's clocks.
const CLOCKS: [&str; 8] = [
    "clock",
    "clock_gettime",
    "gettimeofday",
    "times",
    "getrusage",
    "omp_get_wtime",
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "_ZNSt6chrono3_V212steady_clock3nowEv",
];
/// Folders of the system's objects and libraries.
const SYSTEM: [&str; 4] = ["/usr/", "/lib/", "/lib64/", "/opt/"];

/// Links as the compiler asks; ends with the linker's status.
pub(super) fn run(name: &str, words: &[OsString]) -> Result<i32, Failure> {
    // Gold does not read the script that places the library's data.
    let program = real(OsStr::new(if name == "ld.gold" { "ld" } else { name }))?;
    let words = expanded(words);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.iter().any(|wanted| word == wanted));
    let is_program =
        !has(&["-shared", "-Bshareable", "-r", "-i", "--relocatable", "--version", "-v", "--help"]);
    if !is_program {
        return start(Command::new(program).args(words.iter().filter(|word| !is_papi(word))));
    }
    if words.iter().any(|word| word.to_string_lossy().contains("musl")) {
        return Err(Failure::could_not(
            "this compiler links musl; the library that counts needs glibc: use gcc or clang as the system has them",
        ));
    }
    let folder = Folder::find()?;
    let library = folder.library()?;
    let scratch = scratch()?;
    let mut added: Vec<OsString> = Vec::new();
    // A static library has an operator that is asked for by its own name alone.
    let cxx = words.iter().find(|word| *word == "-lstdc++" || *word == "-lc++");
    for name in WRAPPED.split_whitespace() {
        added.push(format!("--wrap={name}").into());
        if cxx.is_some() && name.starts_with("_Zn") {
            added.push(format!("--undefined={name}").into());
        }
    }
    added.push("--wrap=main".into());
    added.extend(["-T".into(), folder.layout().into_os_string()]);
    if is_native() {
        added.push("--defsym=lab_is_native=1".into());
    } else {
        let mut notes: Vec<String> = objects(&words).iter().flat_map(|path| notes_of(path)).collect();
        notes.sort();
        notes.dedup();
        if !notes.is_empty() {
            added.push(assembled(scratch.path(), &instrument::notes(&notes))?.into());
        }
        // The start of a static program at any address cannot relocate a thread's variable that it exports.
        if !has(&["--no-dynamic-linker"]) {
            added.push(format!("--dynamic-list={}", folder.exports().display()).into());
        }
    }
    added.push(library.into());
    // Where --as-needed is the default, it is left out of a program that uses nothing of it.
    if let Some(cxx) = cxx {
        let always = ["--push-state", "--no-as-needed", &cxx.to_string_lossy(), "--pop-state"];
        added.extend(always.map(OsString::from));
    }
    added.extend(["-lpthread", "-ldl", "-lm"].map(OsString::from));
    let is_system = |word: &OsString| word == "-lc" || word.as_bytes().starts_with(b"-lgcc");
    let at = words.iter().position(is_system).unwrap_or(words.len());
    let is_own = |word: &&OsString| !is_papi(word) && *word != "-s" && *word != "--strip-all";
    let mut command = Command::new(program);
    command.args(words[..at].iter().filter(is_own)).args(&added).args(words[at..].iter().filter(is_own));
    start(&mut command)
}

/// Whether a word is PAPI's own library, in whose place this kit's is linked.
fn is_papi(word: &OsString) -> bool {
    let name = Path::new(word).file_name().unwrap_or(word).to_string_lossy();
    matches!(&*word.to_string_lossy(), "-lpapi" | "-lpfm")
        || ["libpapi.", "libpfm."].iter().any(|library| name.starts_with(library))
}

/// The words with those of response files in place of their names.
fn expanded(words: &[OsString]) -> Vec<OsString> {
    let read = |word: &OsString| {
        let path = word.as_bytes().strip_prefix(b"@")?;
        std::fs::read(OsStr::from_bytes(path)).ok()
    };
    words.iter().flat_map(|word| read(word).map_or_else(|| vec![word.clone()], |text| split(&text))).collect()
}

/// The words of a response file: between blanks, with quotes and backslashes.
fn split(text: &[u8]) -> Vec<OsString> {
    let (mut words, mut word, mut quote, mut bytes) = (Vec::new(), None::<Vec<u8>>, None, text.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != Some(&b'\'') => word.get_or_insert_default().extend(bytes.next()),
            byte if quote == Some(byte) => quote = None,
            b'"' | b'\'' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            byte if byte.is_ascii_whitespace() && quote.is_none() => words.extend(word.take()),
            byte => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// The program's own objects and libraries.
fn objects(words: &[OsString]) -> Vec<PathBuf> {
    let folders: Vec<&OsStr> =
        words.iter().filter_map(|word| word.as_bytes().strip_prefix(b"-L").map(OsStr::from_bytes)).collect();
    let library = |name: &[u8]| {
        let name = OsStr::from_bytes(name).to_string_lossy();
        let files = folders
            .iter()
            .flat_map(|folder| ["so", "a"].map(|end| Path::new(folder).join(format!("lib{name}.{end}"))));
        files.into_iter().find(|path| path.exists())
    };
    let mut after: &OsStr = OsStr::new("");
    let mut all = Vec::new();
    for word in words {
        let found = match word.as_bytes() {
            [b'-', b'l', name @ ..] => library(name),
            [b'-', ..] => None,
            _ if ["-o", "-plugin", "-dynamic-linker", "-Map"].iter().any(|option| after == *option) => None,
            _ => Some(PathBuf::from(word)),
        };
        all.extend(found);
        after = word;
    }
    let is_own = |path: &PathBuf| {
        let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
        !SYSTEM.iter().any(|folder| whole.starts_with(folder))
    };
    all.retain(is_own);
    all
}

/// What a report must say of the objects in a file.
fn notes_of(path: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Ok(archive) = object::read::archive::ArchiveFile::parse(&*bytes) else {
        return notes_of_object(&bytes, &name);
    };
    let members = archive.members().flatten();
    let notes = members.filter_map(|member| {
        let own = format!("{} in {name}", String::from_utf8_lossy(member.name()));
        Some(notes_of_object(member.data(&*bytes).ok()?, &own))
    });
    notes.flatten().collect()
}

fn notes_of_object(bytes: &[u8], name: &str) -> Vec<String> {
    let Ok(file) = object::File::parse(bytes) else { return Vec::new() };
    let is_counted = |name: &str| name.starts_with(instrument::SITES) || name == instrument::NOTES;
    let is_counted = file.sections().any(|section| section.name().is_ok_and(is_counted));
    // A shared object's sections are merged: its buffer is the kit's.
    let uses = |symbol: object::Symbol<'_, '_>| symbol.name() == Ok("lab_ptr");
    let is_counted = is_counted || file.dynamic_symbols().any(uses);
    let has_code = file.sections().any(|part| part.kind() == SectionKind::Text && part.size() > 0);
    let mut notes = Vec::new();
    if has_code && !is_counted {
        notes.push(format!("{name} was not compiled by lab cc: its accesses are not counted"));
    }
    let undefined = file.symbols().filter(ObjectSymbol::is_undefined);
    let clock = undefined.filter_map(|symbol| symbol.name().ok()).find(|name| CLOCKS.contains(name));
    notes.extend(clock.map(|clock| {
        format!("the program reads the clock ({clock}): its times are those of counting, not its own")
    }));
    notes
}

/// The object of a text.
fn assembled(scratch: &Path, text: &str) -> Result<PathBuf, Failure> {
    let (source, object) = (scratch.join("notes.s"), scratch.join("notes.o"));
    common::output::write(&source, text.as_bytes())?;
    let mut command = Command::new(real(OsStr::new("as"))?);
    start(command.args(["--64", "-o"]).arg(&object).arg(&source))?;
    Ok(object)
}
