//! The operating system and the processor: clocks, affinity, pages, files, and the facts of
//! the machine.
//!
//! Each system has a file in `os`, with the same functions (those of Unix share `posix.rs`). Of the
//! rest of the kit only the hardware counters and `lab cc` need Linux.

pub mod clock;
pub mod core_clock;
pub mod cpu;
pub mod date;
pub mod facts;
pub mod files;
pub mod host;
pub mod machine;
mod os;
pub mod pages;
pub mod signals;
pub mod step;
pub mod threads;

/// Settings for the whole process; must be called before any thread is started. A closed
/// pipe (`cm1 | head`) ends the program as it ends a C program; Rust would panic in
/// `println!`. The limit on file sizes becomes an error, like a full disk, instead of a
/// signal. All threads share one heap: with heaps of their own, each would reserve 64 MiB,
/// which `ulimit -v` counts.
pub fn set_up() {
    os::set_up();
}

/// Files below a new folder, in place of those of the system.
#[cfg(test)]
fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}
