//! A compiler's command line, as far as one must know it to compile and link apart.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// What a command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Print something about the compiler.
    Information,
    /// Compile, and no more.
    Compile,
    /// Link, after compiling what is not compiled yet.
    Link,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Source(Source),
    /// For compiling alone.
    Compile(OsString),
    /// For linking alone: objects and libraries too.
    Link(OsString),
    /// The name of the result, with `-o`.
    Result(OsString),
    Both(OsString),
}

/// A file to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    name: OsString,
    /// The language that `-x` gives it.
    language: Option<OsString>,
    pub(super) is_assembly: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments {
    words: Vec<Word>,
    pub(super) goal: Goal,
    /// Whether linking makes a program, and not a library or one object.
    pub(super) is_program: bool,
    /// Whether the command line says itself if the program's addresses are fixed.
    pub(super) is_placed: bool,
}

const C: [&str; 2] = ["c", "i"];
const CXX: [&str; 9] = ["cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "cppm"];
const ASSEMBLY: [&str; 3] = ["s", "S", "sx"];

/// Options whose argument is the next word.
const WITH_WORD: [&str; 29] = [
    "-x",
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-target",
    "--param",
    "-aux-info",
];
/// Of these the ones that only a compiler needs ...
const TO_COMPILE: [&str; 7] = ["-include", "-imacros", "-MF", "-MT", "-MQ", "-Xpreprocessor", "-aux-info"];
/// ... and those that only a linker needs.
const TO_LINK: [&str; 7] = ["-L", "-l", "-T", "-u", "-z", "-e", "-Xlinker"];

fn extension(name: &OsStr) -> &str {
    Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default()
}

/// Whether a file's name says that it is C++.
pub(super) fn is_cxx(path: &Path) -> bool {
    CXX.contains(&extension(path.as_os_str()))
}

/// Whether `name` is PAPI's own library.
fn is_papi(name: &OsStr) -> bool {
    let file = Path::new(name).file_name().and_then(OsStr::to_str).unwrap_or_default();
    file.strip_prefix("libpapi.").is_some_and(|end| end == "a" || end == "so" || end.starts_with("so."))
}

impl Arguments {
    /// Reads a command line; `@FILE` stands for the words in that file.
    pub(super) fn parse(words: Vec<OsString>) -> Result<Arguments, String> {
        let mut all = Arguments { words: Vec::new(), goal: Goal::Link, is_program: true, is_placed: false };
        let mut rest = expanded(words, 0)?;
        rest.reverse();
        let (mut language, mut has_input, mut stops) = (None, false, false);
        while let Some(word) = rest.pop() {
            let text = word.to_string_lossy().into_owned();
            if WITH_WORD.contains(&&*text) {
                let Some(next) = rest.pop() else {
                    all.words.push(Word::Both(word));
                    break;
                };
                if text == "-x" {
                    language = Some(next).filter(|language| language != "none");
                } else if text == "-o" {
                    all.words.push(Word::Result(next));
                } else if text == "-l" && (next == "papi" || next.as_bytes().starts_with(b":libpapi.")) {
                    continue;
                } else {
                    let kind = match &*text {
                        text if TO_COMPILE.contains(&text) => Word::Compile,
                        text if TO_LINK.contains(&text) => Word::Link,
                        _ => Word::Both,
                    };
                    has_input |= text == "-l";
                    all.words.extend([kind(word), kind(next)]);
                }
                continue;
            }
            match &*text {
                "-c" | "-S" | "-E" | "-M" | "-MM" | "-fsyntax-only" => {
                    stops = true;
                    all.words.push(Word::Compile(word));
                }
                "-MD" | "-MMD" | "-MP" | "-MG" => all.words.push(Word::Compile(word)),
                "-shared" | "-r" | "-dynamiclib" => {
                    all.is_program = false;
                    all.words.push(Word::Link(word));
                }
                "-pie" | "-no-pie" | "-static-pie" | "-static" => {
                    all.is_placed = true;
                    all.words.push(Word::Link(word));
                }
                "-fno-lto" => {}
                _ if text.starts_with("-flto") => {
                    return Err(format!(
                        "{text}: link-time optimisation is refused: it compiles the program once more while linking, where no calls are added; leave it out"
                    ));
                }
                _ if text.starts_with("-fsanitize") => {
                    if text != "-fsanitize=thread" {
                        common::output::message(format!(
                            "note: {text} is left out: a sanitizer's accesses would be counted"
                        ));
                    }
                }
                "-lpapi" => {}
                _ if text.starts_with("-l:libpapi.") => {}
                _ if text.starts_with("-o") && text.len() > 2 => {
                    all.words.push(Word::Result(OsString::from_vec(word.as_bytes()[2..].to_vec())));
                }
                _ if text.starts_with("-x") && text.len() > 2 => {
                    language = Some(OsString::from(&text[2..])).filter(|language| language != "none");
                }
                _ if text.starts_with("-l") || text.starts_with("-L") || text.starts_with("-Wl,") => {
                    has_input |= text.starts_with("-l");
                    all.words.push(Word::Link(word));
                }
                _ if text.starts_with('-') && text != "-" => all.words.push(Word::Both(word)),
                _ if is_papi(&word) => {}
                _ => {
                    has_input = true;
                    let named = language.as_ref().and_then(|language| language.to_str());
                    let ending = extension(&word);
                    let is_assembly = named.is_some_and(|name| name.starts_with("assembler"))
                        || named.is_none() && ASSEMBLY.contains(&ending);
                    let is_source =
                        named.is_some() || is_assembly || C.contains(&ending) || CXX.contains(&ending);
                    let source = Source { name: word.clone(), language: language.clone(), is_assembly };
                    all.words.push(if is_source || text == "-" {
                        Word::Source(source)
                    } else {
                        Word::Link(word)
                    });
                }
            }
        }
        if !has_input {
            all.goal = Goal::Information;
        } else if stops {
            all.goal = Goal::Compile;
        }
        Ok(all)
    }

    /// All words, for one call of the compiler.
    pub(super) fn words(&self) -> Vec<OsString> {
        let word = |word: &Word| match word {
            Word::Source(source) => source.words(),
            Word::Compile(word) | Word::Both(word) => vec![word.clone()],
            // A linker's words would only be warned of; `-l` alone prints an error of its own.
            Word::Link(word) => vec![word.clone()],
            Word::Result(name) => vec!["-o".into(), name.clone()],
        };
        self.words.iter().flat_map(word).collect()
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.words.iter().filter_map(|word| if let Word::Source(source) = word { Some(source) } else { None })
    }

    /// The words that compile one source into `object`.
    pub(super) fn to_compile(&self, source: &Source, object: &Path) -> Vec<OsString> {
        let words = self.words.iter().filter_map(|word| match word {
            Word::Compile(word) | Word::Both(word) => Some(word.clone()),
            Word::Source(_) | Word::Link(_) | Word::Result(_) => None,
        });
        let end = ["-c".into(), "-o".into(), object.as_os_str().to_owned()];
        words.chain(source.words()).chain(end).collect()
    }

    /// The words that link, with `objects` in the places of the sources.
    pub(super) fn to_link(&self, objects: &[OsString]) -> Vec<OsString> {
        let mut objects = objects.iter().cloned();
        let word = |word: &Word| match word {
            Word::Source(_) => objects.next().into_iter().collect(),
            Word::Link(word) | Word::Both(word) => vec![word.clone()],
            Word::Result(name) => vec!["-o".into(), name.clone()],
            Word::Compile(_) => Vec::new(),
        };
        self.words.iter().flat_map(word).collect()
    }
}

impl Source {
    fn words(&self) -> Vec<OsString> {
        match &self.language {
            Some(language) => {
                vec!["-x".into(), language.clone(), self.name.clone(), "-x".into(), "none".into()]
            }
            None => vec![self.name.clone()],
        }
    }
}

/// Files that name each other must end.
const MAX_DEPTH: u32 = 20;

/// The words with those of response files.
fn expanded(words: Vec<OsString>, depth: u32) -> Result<Vec<OsString>, String> {
    let mut all = Vec::new();
    for word in words {
        let path = word.as_bytes().strip_prefix(b"@").map(|path| Path::new(OsStr::from_bytes(path)));
        match path.map(std::fs::read) {
            // As gcc: without such a file it is a word like others.
            None | Some(Err(_)) => all.push(word),
            Some(Ok(_)) if depth == MAX_DEPTH => {
                return Err(format!(
                    "{}: response files name each other without an end",
                    word.to_string_lossy()
                ));
            }
            Some(Ok(text)) => all.extend(expanded(split(&text), depth + 1)?),
        }
    }
    Ok(all)
}

/// The words of a response file: separated by blanks, with quotes and backslashes.
fn split(text: &[u8]) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Vec<u8>>, None);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (byte, Some(open)) if *byte == open => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(*byte);
                word.get_or_insert_default();
            }
            (byte, None) if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            (byte, _) => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Arguments, String> {
        Arguments::parse(text.split_whitespace().map(OsString::from).collect())
    }

    fn joined(words: &[OsString]) -> String {
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_command_line_is_compiled_and_linked_apart() {
        for (line, compiled, linked) in [
            ("-O2 a.c -o a -lpapi -lm", &["-O2 a.c -c -o 0.o"][..], "-O2 0.o -o a -lm"),
            ("a.c b.o -oa /usr/lib/libpapi.so", &["a.c -c -o 0.o"], "0.o b.o -o a"),
            (
                "-I inc -DX=1 a.cpp b.cc -MD -MF d -L lib -l papi",
                &["-I inc -DX=1 -MD -MF d a.cpp -c -o 0.o", "-I inc -DX=1 -MD -MF d b.cc -c -o 0.o"],
                "-I inc -DX=1 0.o 1.o -L lib",
            ),
            ("-x c - -x none b.o", &["-x c - -x none -c -o 0.o"], "0.o b.o"),
            ("-fsanitize=thread -c.c -pthread x.s", &["-c.c -pthread x.s -c -o 0.o"], "-c.c -pthread 0.o"),
        ] {
            let arguments = parse(line).unwrap();
            assert_eq!(arguments.goal, Goal::Link, "{line}");
            let found: Vec<String> =
                arguments.sources().map(|one| joined(&arguments.to_compile(one, Path::new("0.o")))).collect();
            assert_eq!(found, compiled, "{line}");
            assert_eq!(joined(&arguments.to_link(&["0.o".into(), "1.o".into()])), linked, "{line}");
        }
        for (line, goal) in [
            ("--version", Goal::Information),
            ("-print-search-dirs", Goal::Information),
            ("-c a.c", Goal::Compile),
            ("-E a.c", Goal::Compile),
            ("-MM a.c b.c", Goal::Compile),
            ("a.o -lpapi", Goal::Link),
        ] {
            assert_eq!(parse(line).unwrap().goal, goal, "{line}");
        }
        assert!(!parse("-shared a.c").unwrap().is_program && parse("-static a.c").unwrap().is_placed);
        assert!(parse("-flto=auto a.c").unwrap_err().contains("refused"));
    }

    #[test]
    fn a_response_file_has_quotes_and_backslashes() {
        let words = split(b"-o 'a b'  \"c\\\"d\" e\\ f\n''");
        assert_eq!(words, ["-o", "a b", "c\"d", "e f", ""]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        std::fs::write(&path, format!("-c @{}", path.display())).unwrap();
        let word = OsString::from(format!("@{}", path.display()));
        assert!(Arguments::parse(vec![word]).unwrap_err().contains("without an end"));
        assert_eq!(joined(&parse("@none").unwrap().words()), "@none");
    }
}
