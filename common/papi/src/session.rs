//! What is known of the program and of the machine that it runs on.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use machine::Machine;

use crate::image::{Global, Image};
use crate::regions::{Figures, Place, Region};

/// What is modelled and what is known of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) machine: Machine,
    /// The same for threads after the first: without levels that several cores share.
    pub(crate) private: Machine,
    /// Whether the report lists all there is to count, which takes time.
    pub(crate) is_full: bool,
    /// Where the heap begins, where mappings go, and where the kernel placed the program's arguments.
    pub(crate) heap: u64,
    pub(crate) mapped: u64,
    pub(crate) stack: u64,
    /// Where the program was started.
    pub(crate) folder: PathBuf,
    /// When.
    pub(crate) started: SystemTime,
    pub(crate) image: Image,
    pub(crate) globals: Vec<Global>,
    /// As they ended first.
    pub(crate) regions: Mutex<Vec<Region>>,
    /// Events that are accepted and not counted, with the reasons.
    pub(crate) skipped: Mutex<BTreeSet<(String, String)>>,
    /// Why cycles and time are not estimated, if they are not.
    pub(crate) clock: Option<String>,
}

pub(crate) static SESSION: OnceLock<Session> = OnceLock::new();
/// Whether the program asked for a time.
pub(crate) static IS_TIMED: AtomicBool = AtomicBool::new(false);
/// The session, if the program is instrumented.
pub(crate) fn model() -> Option<&'static Session> {
    SESSION.get()
}

// `lab cc --native` defines it when linking.
address_of_weak! { native_mark, "lab_is_native" }

/// Whether the program was linked to count with hardware counters.
pub(crate) fn is_native() -> bool {
    native_mark() != 0
}

/// The value of a mutex, also after a panic elsewhere.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Blocks all signals while `action` runs.
pub(crate) fn without_signals<T>(action: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are this function's own.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = action();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

/// Whether the environment's variable `name` is `value`.
pub(crate) fn is_set(name: &str, value: &str) -> bool {
    std::env::var_os(name).is_some_and(|found| found == value)
}

/// Ends the program with a sentence.
pub(crate) fn refuse(status: c_int, sentence: &str) -> ! {
    eprintln!("lab: {sentence}");
    leave(status)
}

/// Ends the process at once; nothing is reported.
pub(crate) fn leave(status: c_int) -> ! {
    loop {
        // SAFETY: the call does not return. `_exit` is the library's own (`program.rs`).
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// The addresses and the number of the global at `address`.
pub(crate) fn global_at(address: u64) -> Option<(Range<u64>, usize)> {
    let Session { image, globals, .. } = model()?;
    if !image.range.contains(&address) {
        return None;
    }
    let own = address - image.bias;
    let after = globals.partition_point(|global| global.range.start <= own);
    let at = after.checked_sub(1)?;
    let Range { start, end } = globals[at].range;
    globals[at].range.contains(&own).then(|| (start + image.bias..end + image.bias, at))
}

impl Session {
    /// The caches of a thread.
    pub(crate) fn machine_of(&self, thread: usize) -> &Machine {
        if thread == 0 { &self.machine } else { &self.private }
    }

    /// Adds a pass of a region in that thread.
    pub(crate) fn add_region(&self, thread: usize, place: Place, now: &Figures, before: &Figures) {
        let mut regions = locked(&self.regions);
        let at = regions.iter().position(|region| region.thread == thread && region.place == place);
        let at = at.unwrap_or_else(|| {
            let begun = before.get("instructions").unwrap_or(0);
            regions.push(Region { thread, place, begun, passes: 0, figures: Figures::default() });
            regions.len() - 1
        });
        regions[at].passes += 1;
        regions[at].figures.add(now, before);
    }

    /// Whether threads after the first lack levels that it has.
    pub(crate) fn leaves_levels_out(&self) -> bool {
        self.private.levels.len() < self.machine.levels.len()
    }
}
