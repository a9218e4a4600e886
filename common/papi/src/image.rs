//! The program itself: where it lies, the names of its arrays, and the source lines of its
//! addresses.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use libc::{c_int, c_void, dl_phdr_info};
use object::{Object, ObjectSymbol, SymbolKind};

/// A global array or variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Global {
    pub(crate) range: Range<u64>,
    pub(crate) name: String,
}

/// The addresses of the program's own file, and how far they are from those in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) range: Range<u64>,
    pub(crate) bias: u64,
}

/// Whether a loader gives the program its libraries.
static IS_DYNAMIC: AtomicBool = AtomicBool::new(false);

impl Image {
    /// Of this process.
    pub(crate) fn find() -> Image {
        unsafe extern "C" fn first(info: *mut dl_phdr_info, _: usize, image: *mut c_void) -> c_int {
            // SAFETY: the C library gives the object's headers, and the pointer below.
            let (info, image) = unsafe { (&*info, &mut *image.cast::<Image>()) };
            for at in 0..usize::from(info.dlpi_phnum) {
                // SAFETY: there are that many headers.
                let part = unsafe { &*info.dlpi_phdr.add(at) };
                IS_DYNAMIC.fetch_or(part.p_type == libc::PT_INTERP, Ordering::Relaxed);
                if part.p_type == libc::PT_LOAD {
                    let start = info.dlpi_addr + part.p_vaddr;
                    let old = &image.range;
                    let low = if old.is_empty() { start } else { old.start.min(start) };
                    image.range = low..old.end.max(start + part.p_memsz);
                }
            }
            image.bias = info.dlpi_addr;
            1 // the first object is the program
        }
        let mut image = Image::default();
        // SAFETY: `first` has the type that is asked for, and ends after the first object.
        unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut image).cast()) };
        image
    }

    /// Its arrays and variables by address; none if the file has no symbols.
    pub(crate) fn globals(&self) -> Vec<Global> {
        let Ok(file) = std::fs::read("/proc/self/exe") else { return Vec::new() };
        let Ok(file) = object::File::parse(&*file) else { return Vec::new() };
        let is_array =
            |symbol: &object::Symbol<'_, '_>| symbol.kind() == SymbolKind::Data && symbol.size() > 0;
        let mut globals: Vec<Global> = file
            .symbols()
            .filter(is_array)
            .map(|symbol| {
                let start = symbol.address() + self.bias;
                let name = symbol.name().unwrap_or("?").split('@').next().unwrap_or("?").to_owned();
                Global { range: start..start + symbol.size(), name }
            })
            .collect();
        globals.sort_by_key(|global| (global.range.start, std::cmp::Reverse(global.range.end)));
        // Of several names for one place the first is enough.
        globals.dedup_by(|next, last| next.range.start < last.range.end);
        globals
    }
}

/// The word with the address of the C library's function for which there is a wrapper at `address`.
/// The program without wrappers loads it; with them the linker calls the wrapper directly.
pub(crate) fn pointer_to(address: u64) -> Option<u64> {
    static WORDS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
    let wrappers = first_wrapper() as u64..after_wrappers() as u64;
    let number = address.checked_sub(wrappers.start).filter(|_| address < wrappers.end)?;
    let is_dynamic = IS_DYNAMIC.load(Ordering::Relaxed);
    is_dynamic.then(|| &raw const WORDS[number as usize / 8 % WORDS.len()] as u64)
}

address_of_weak! { first_note, "__start_lab_notes" }
address_of_weak! { after_notes, "__stop_lab_notes" }

/// What the compiler and the linker noted of code that is not counted.
pub(crate) fn notes() -> Vec<String> {
    let (start, stop) = (first_note(), after_notes());
    if start == 0 || stop < start {
        return Vec::new();
    }
    // SAFETY: the linker's symbols are the bounds of the section.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, stop - start) };
    let notes = bytes.split(|byte| *byte == 0).filter(|note| !note.is_empty());
    let mut all: Vec<String> = notes.map(|note| String::from_utf8_lossy(note).into_owned()).collect();
    all.dedup();
    all
}

address_of_weak! { first_wrapper, "__start_lab_wrapped" }
address_of_weak! { after_wrappers, "__stop_lab_wrapped" }

/// Folders of headers whose functions are not the program's own.
const SYSTEM: [&str; 3] = ["/usr/", "/opt/", "/rustc/"];

/// The source line of a call, by its return address: `mm1.c:33`, or the function's name where
/// there are no lines. Of functions that the compiler put into others it is the innermost that is
/// in no header of the system.
pub(crate) fn line(caller: usize) -> String {
    let (own, other) = lines(caller);
    own.or(other).unwrap_or_else(|| format!("{caller:#x}"))
}

/// The source line that a signal interrupted at `address`: of the innermost function that is the
/// program's own.
pub(crate) fn interrupted_line(image: &Image, address: usize) -> Option<String> {
    let (mut is_reached, mut found) = (false, None);
    backtrace::trace(|frame| {
        let place = frame.ip() as usize;
        // The others are calls, by their return addresses.
        let of_itself = usize::from(!is_reached);
        is_reached |= place == address;
        // The system's libraries may have lines, too.
        if is_reached && image.range.contains(&(place as u64)) {
            found = lines(place + of_itself).0;
        }
        found.is_none()
    });
    found
}

/// The line of the instruction before an address in a file of the program's own, and else where it is.
fn lines(address: usize) -> (Option<String>, Option<String>) {
    let (mut own, mut first) = (None, None);
    backtrace::resolve(address as *mut c_void, |symbol| {
        let path = symbol.filename();
        let file = path.and_then(Path::file_name);
        let is_own = path.is_some_and(|path| !SYSTEM.iter().any(|folder| path.starts_with(folder)));
        let place = match (file, symbol.lineno(), symbol.name()) {
            (Some(file), Some(line), _) => format!("{}:{line}", file.to_string_lossy()),
            (_, _, Some(name)) => {
                first = first.take().or_else(|| Some(format!("{name} (no line)")));
                return;
            }
            _ => return,
        };
        own = own.take().or_else(|| is_own.then(|| place.clone()));
        first = first.take().or(Some(place));
    });
    (own, first)
}
