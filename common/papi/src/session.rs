//! What is known of the program and of the machine that it runs on.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use machine::Machine;

use crate::image::{Global, Image};
use crate::regions::Regions;

/// What is modelled and what is known of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) machine: Machine,
    /// The same for threads after the first: without levels that several cores share.
    pub(crate) private: Machine,
    pub(crate) image: Image,
    pub(crate) globals: Vec<Global>,
    pub(crate) regions: Mutex<Regions>,
    /// Events that are accepted and not counted, with the reasons.
    pub(crate) skipped: Mutex<BTreeSet<(String, String)>>,
    /// Why time is the clock's, if it is.
    pub(crate) clock: Option<String>,
}

pub(crate) static SESSION: OnceLock<Session> = OnceLock::new();
/// Whether the program asked for a time.
pub(crate) static IS_TIMED: AtomicBool = AtomicBool::new(false);
/// Reports the counts; the argument says why the program has not come to its end.
pub(crate) static REPORT: OnceLock<fn(Option<&str>)> = OnceLock::new();

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

/// Ends the program because counting cannot go on; what was counted so far is reported.
pub(crate) fn fail(sentence: &str) -> ! {
    eprintln!("lab: {sentence}");
    if let Some(report) = REPORT.get() {
        report(Some("the model's limit was reached"));
    }
    leave(1)
}

/// The range and the number of the global at `address` in the program's file.
pub(crate) fn global_at(address: u64) -> Option<(Range<u64>, usize)> {
    let globals = &model()?.globals;
    let after = globals.partition_point(|global| global.range.start <= address);
    let at = after.checked_sub(1)?;
    globals[at].range.contains(&address).then(|| (globals[at].range.clone(), at))
}

/// The address in the program's file of an address of the process.
pub(crate) fn in_image(address: u64) -> Option<u64> {
    let image = &model()?.image;
    image.range.contains(&address).then(|| address - image.bias)
}

impl Session {
    /// The caches of a thread.
    pub(crate) fn machine_of(&self, thread: usize) -> &Machine {
        if thread == 0 { &self.machine } else { &self.private }
    }

    /// Whether threads after the first lack levels that it has.
    pub(crate) fn leaves_levels_out(&self) -> bool {
        self.private.levels.len() < self.machine.levels.len()
    }
}
