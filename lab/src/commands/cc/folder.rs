//! The folder that compilers are given: `papi.h`, and `as`, `ld` and compilers of the usual names, which are
//! this program.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use common::events::Preset;
use common::failure::Failure;
use common::system::files::{self, TemporaryFolder};

const HEADER: &str = include_str!("papi.h");
/// Places what the library writes below the program's data, with a page between that `lab_begin`
/// protects: an index out of bounds in the program does not reach it. The byte makes it data where all is zero.
const LAYOUT: &str = "SECTIONS { .lab_data : ALIGN(4096) { BYTE(0) *(.data.lab_sites*) \
                      *libpapi.a:*(.data .data.[!r]* .bss .bss.*) . = ALIGN(4096); \
                      HIDDEN(lab_guard = .); . += 4096; } } INSERT BEFORE .data;\n";
/// The place of the presets in the header.
const PRESETS: &str = "/* PRESETS */";
/// The name of the folder next to `lab`, or in the user's cache.
const NAME: &str = "lab-cc";
/// Names under which compilers start this program.
pub(super) const TOOLS: [&str; 5] = ["as", "ld", "ld.bfd", "ld.gold", "ld.lld"];
/// Set for the compilers of `lab cc --native`.
pub(super) const NATIVE: &str = "LAB_NATIVE";

pub(super) fn is_native() -> bool {
    env::var_os(NATIVE).is_some()
}

/// Where the files are.
pub(super) struct Folder {
    lab: PathBuf,
    pub(super) path: PathBuf,
}

impl Folder {
    /// Writes the files, unless they are there.
    pub(super) fn find() -> Result<Folder, Failure> {
        let lab = env::current_exe()
            .map_err(|error| Failure::could_not(format!("this program's own path is not known: {error}")))?;
        let next_to_lab = lab.parent().map(|folder| folder.join(NAME));
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
        let cache = cache.map(|cache| cache.join("cache-lab-kit").join(NAME));
        let mut reason = "there is no HOME".to_owned();
        for path in next_to_lab.into_iter().chain(cache) {
            let folder = Folder { lab: lab.clone(), path };
            match folder.fill() {
                Ok(()) => return Ok(folder),
                Err(error) => reason = error,
            }
        }
        Err(Failure::could_not(format!(
            "no place for papi.h: {reason}; set XDG_CACHE_HOME to a folder that you may write to"
        )))
    }

    fn fill(&self) -> Result<(), String> {
        let presets =
            Preset::all().map(|preset| format!("#define {} ((int){:#x}u)\n", preset.name(), preset.code()));
        let header = HEADER.replace(PRESETS, presets.collect::<String>().trim_end());
        write(&self.path.join("papi.h"), &header)?;
        write(&self.path.join("papiStdEventDefs.h"), "#include <papi.h>\n")?;
        write(&self.exports(), "{ lab_ptr; lab_slow; };\n")?;
        write(&self.layout(), LAYOUT)?;
        TOOLS.iter().try_for_each(|name| link(&self.lab, &self.path.join(name)))
    }

    /// The list of what plugins use of the program.
    pub(super) fn exports(&self) -> PathBuf {
        self.path.join("exports")
    }

    /// Where the linker places the library's data.
    pub(super) fn layout(&self) -> PathBuf {
        self.path.join("layout")
    }

    /// The library that counts.
    pub(super) fn library(&self) -> Result<PathBuf, Failure> {
        let folder = self.lab.parent().unwrap_or(Path::new("."));
        let places = [folder.join("libpapi.a"), folder.join("../lib/libpapi.a")];
        places.iter().find(|place| place.exists()).cloned().ok_or_else(|| {
            Failure::could_not(format!(
                "there is no {}: build it with `cargo build --release` in the folder of the sources",
                places[0].display()
            ))
        })
    }

    /// PATH with a folder before it that has this program under the names of all compilers there.
    pub(super) fn with_compilers(&self) -> Result<OsString, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let own = self.path.join("bin");
        let entries = env::split_paths(&path).filter_map(|folder| std::fs::read_dir(folder).ok());
        let names: BTreeSet<OsString> = entries.flatten().flatten().map(|entry| entry.file_name()).collect();
        let mut compilers = names.iter().filter(|name| is_compiler(name)).peekable();
        if compilers.peek().is_none() {
            return Err(
                "there is no cc, gcc, clang, c++ or g++: install a compiler (apt install gcc g++)".to_owned()
            );
        }
        std::fs::create_dir_all(&own).map_err(|error| format!("{}: {error}", own.display()))?;
        compilers.try_for_each(|name| link(&self.lab, &own.join(name)))?;
        env::join_paths([own].into_iter().chain(env::split_paths(&path)))
            .map_err(|error| format!("PATH: {error}"))
    }
}

/// The system's program of that name: the first on the path that is not this one.
pub(super) fn real(name: &OsStr) -> Result<PathBuf, Failure> {
    let own = env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file() && place.canonicalize().ok() != own).ok_or_else(|| {
        Failure::could_not(format!(
            "there is no program '{}' on the path: install the compiler's tools (apt install binutils)",
            name.to_string_lossy()
        ))
    })
}

/// Whether it is the name of a compiler, such as `g++-12` or `x86_64-linux-gnu-gcc`.
pub(super) fn is_compiler(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let (base, version) = name.rsplit_once('-').unwrap_or((&name, ""));
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let base = if is_version { base } else { &name };
    let last = base.rsplit('-').next().unwrap_or_default();
    ["cc", "gcc", "clang", "c++", "g++", "clang++"].contains(&last)
}

/// Makes `place` a link to this program.
fn link(lab: &Path, place: &Path) -> Result<(), String> {
    if std::fs::read_link(place).is_ok_and(|target| target == lab) {
        return Ok(());
    }
    let error = |error: std::io::Error| format!("{}: {error}", place.display());
    let new = place.with_extension(format!("{:016x}", common::system::date::unlike_any_other()));
    std::os::unix::fs::symlink(lab, &new).map_err(error)?;
    std::fs::rename(&new, place).map_err(error)
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

/// A folder that is removed at the end.
pub(super) fn scratch() -> Result<TemporaryFolder, Failure> {
    TemporaryFolder::new()
        .map_err(|error| Failure::could_not(format!("cannot make a temporary folder: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in ["gcc", "gcc-12", "g++", "clang++-14", "aarch64-linux-gnu-g++-12", "x86_64-linux-gnu-gcc"]
        {
            assert!(is_compiler(OsStr::new(name)), "{name}");
        }
        for name in ["gcc-ar", "c99", "ccache", "lab", "cc1", "as"] {
            assert!(!is_compiler(OsStr::new(name)), "{name}");
        }
    }
}
