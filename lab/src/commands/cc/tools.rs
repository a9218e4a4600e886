//! What compilers are given: `papi.h`, the library, and compilers of the usual names that are
//! `lab cc`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use common::events::Preset;
use common::failure::Failure;
use common::system::files;

const HEADER: &str = include_str!("papi.h");
const CALLS: &str = include_str!("calls.h");
/// The place of the presets in the header.
const PRESETS: &str = "/* PRESETS */";
/// The name of the folder next to `lab`, or in the user's cache.
const FOLDER: &str = "lab-cc";

/// Names that the linker gives to functions of the library, and what they are there.
const NAMES: [(&str, &str); 8] = [
    ("lab_exit", "_exit _Exit"),
    ("lab_malloc", "malloc _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t"),
    ("lab_calloc", "calloc"),
    ("lab_realloc", "realloc"),
    ("lab_memalign", "memalign aligned_alloc"),
    ("lab_new", "_Znwm _Znam"),
    ("lab_new_aligned", "_ZnwmSt11align_val_t _ZnamSt11align_val_t"),
    (
        "lab_free",
        "free _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t",
    ),
];
/// Those with names of their own.
const OTHER_NAMES: [&str; 2] = ["posix_memalign", "malloc_usable_size"];

/// Options with which a compiler calls memcpy and memset where it would copy and fill in the program
/// itself, without a call to count: gcc's for x86 (for other processors it inlines little), and clang's.
const WITH_CALLS: [&[&str]; 2] = [
    &["-mmemcpy-strategy=libcall:-1:noalign", "-mmemset-strategy=libcall:-1:noalign"],
    &["-Xclang", "-fno-builtin-memcpy", "-Xclang", "-fno-builtin-memmove", "-Xclang", "-fno-builtin-memset"],
];

/// Where the files are.
pub(super) struct Tools {
    lab: PathBuf,
    folder: PathBuf,
}

impl Tools {
    /// Writes the files, unless they are there.
    pub(super) fn find() -> Result<Tools, String> {
        let lab =
            env::current_exe().map_err(|error| format!("this program's own path is not known: {error}"))?;
        let next_to_lab = lab.parent().map(|folder| folder.join(FOLDER));
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
        let folders =
            next_to_lab.into_iter().chain(cache.map(|cache| cache.join("cache-lab-kit").join(FOLDER)));
        let mut reason = "there is no HOME".to_owned();
        let presets =
            Preset::all().map(|preset| format!("#define {} ((int){:#x}u)\n", preset.name(), preset.code()));
        let header = HEADER.replace(PRESETS, presets.collect::<String>().trim_end());
        for folder in folders {
            let written = write(&folder.join("papi.h"), &header)
                .and_then(|()| write(&folder.join("papiStdEventDefs.h"), "#include <papi.h>\n"))
                .and_then(|()| write(&folder.join("calls.h"), CALLS));
            match written {
                Ok(()) => return Ok(Tools { lab, folder }),
                Err(error) => reason = error,
            }
        }
        Err(format!("no place for papi.h: {reason}"))
    }

    /// The words that a compiler is given first; `accepts` if it has these options.
    pub(super) fn to_compile(&self, is_native: bool, accepts: &dyn Fn(&[&str]) -> bool) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["-I".into(), self.folder.clone().into()];
        if !is_native {
            words.extend(["-g".into(), "-fsanitize=thread".into(), "-include".into()]);
            words.push(self.folder.join("calls.h").into());
            let options = WITH_CALLS.iter().find(|options| accepts(options));
            words.extend(options.into_iter().flat_map(|options| options.iter().map(OsString::from)));
        }
        words
    }

    /// The words that a linker is given last; `is_placed` if the others say where the program lies.
    pub(super) fn to_link(&self, is_native: bool, is_placed: bool) -> Result<Vec<OsString>, Failure> {
        let folder = self.lab.parent().unwrap_or(Path::new("."));
        let places = [folder.join("libpapi.a"), folder.join("../lib/libpapi.a")];
        let Some(library) = places.iter().find(|place| place.exists()) else {
            return Err(Failure::could_not(format!(
                "there is no {}: build it with `cargo build --release` in the folder of the sources (archives of built programs do not contain it)",
                places[0].display()
            )));
        };
        let mut words: Vec<OsString> = Vec::new();
        if is_native {
            words.push("-Wl,--defsym=lab_is_native=1".into());
        } else {
            let own = OTHER_NAMES.iter().map(|name| format!("{name}=lab_{name}"));
            let named = NAMES
                .iter()
                .flat_map(|(own, names)| names.split(' ').map(move |name| format!("{name}={own}")));
            words.extend(named.chain(own).map(|pair| format!("-Wl,--defsym={pair}").into()));
            if !is_placed {
                // So that globals have the same addresses in each run.
                words.push("-no-pie".into());
            }
        }
        words.push(library.clone().into());
        words.extend(["-lpthread", "-ldl", "-lm"].map(OsString::from));
        Ok(words)
    }

    /// PATH with a folder of compilers of the usual names before it.
    pub(super) fn with_compilers(&self) -> Result<OsString, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let own = self.folder.join("bin");
        let mut found = BTreeMap::new();
        for folder in env::split_paths(&path).filter(|folder| *folder != own) {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if let Some(command) = command_of(&name) {
                    found.entry(name).or_insert((command, folder.join(entry.file_name())));
                }
            }
        }
        if found.is_empty() {
            return Err(
                "there is no cc, gcc, clang, c++ or g++: install a compiler (apt install gcc g++)".to_owned()
            );
        }
        let lab = quoted(&self.lab.to_string_lossy());
        for (name, (command, compiler)) in &found {
            let variable = if *command == "cc" { "LAB_CC" } else { "LAB_CXX" };
            let compiler = quoted(&compiler.to_string_lossy());
            let script = format!("#!/bin/sh\n{variable}={compiler} exec {lab} {command} \"$@\"\n");
            let place = own.join(name);
            write(&place, &script)?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&place, mode)
                .map_err(|error| format!("{}: {error}", place.display()))?;
        }
        env::join_paths([own].into_iter().chain(env::split_paths(&path)))
            .map_err(|error| format!("PATH: {error}"))
    }
}

/// The command that stands for a compiler called `name`, such as `g++-12` or
/// `aarch64-linux-gnu-gcc`.
fn command_of(name: &str) -> Option<&'static str> {
    let (base, version) = name.rsplit_once('-').unwrap_or((name, ""));
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let base = if is_version { base } else { name };
    match base.rsplit('-').next()? {
        "cc" | "gcc" | "clang" => Some("cc"),
        "c++" | "g++" | "clang++" => Some("c++"),
        _ => None,
    }
}

/// Writes a file that is not there, or is another.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    files::write_atomically(path, text.as_bytes()).map_err(|error| error.to_string())
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for (name, command) in [
            ("gcc", Some("cc")),
            ("gcc-12", Some("cc")),
            ("g++", Some("c++")),
            ("clang++-14", Some("c++")),
            ("aarch64-linux-gnu-g++-12", Some("c++")),
            ("x86_64-linux-gnu-gcc", Some("cc")),
            ("gcc-ar", None),
            ("c99", None),
            ("ccache", None),
        ] {
            assert_eq!(command_of(name), command, "{name}");
        }
    }
}
