//! What is known of the program and of the machine that it runs on.

use std::ffi::c_int;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use machine::Machine;

use crate::buffer;
use crate::image::{Global, Image};

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
    let globals = &model()?.globals;
    let at = globals.partition_point(|global| global.range.start <= address).checked_sub(1)?;
    globals[at].range.contains(&address).then(|| (globals[at].range.clone(), at))
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

/// The model's first addresses of the parts of memory.
const HEAP: u64 = 0x10_0000_0000;
const MAPPED: u64 = 0x20_0000_0000;
const STACK: u64 = 0x40_0000_0000;
const ABOVE: u64 = 0x50_0000_0000;
/// Bytes of the heap and of a stack, at most.
const LARGEST: u64 = 1 << 35;
const DEEPEST: u64 = 1 << 30;

/// Ranges of addresses, each with what is added to get the model's.
#[derive(Debug)]
pub(crate) struct Placement {
    parts: Vec<(Range<u64>, u64)>,
    mapped: u64,
}

impl Placement {
    /// As far as the program's memory is known.
    pub(crate) fn new(session: &Session) -> Placement {
        let Session { heap, stack, image, .. } = session;
        let mut parts = vec![
            (image.range.clone(), image.bias.wrapping_neg()),
            (*heap..heap + LARGEST, HEAP.wrapping_sub(*heap)),
        ];
        let main = buffer::STACK.load(Ordering::Relaxed);
        if main > 0 {
            parts.push((main - DEEPEST..main, STACK.wrapping_sub(main)));
        }
        if *stack > 0 {
            let start = if main > 0 { main } else { stack - DEEPEST };
            parts.push((start..stack + DEEPEST, ABOVE.wrapping_sub(*stack)));
        }
        Placement { parts, mapped: MAPPED.wrapping_sub(session.mapped) }
    }

    /// The part around an address: its first address, its length, and what is added.
    pub(crate) fn part(&self, address: u64) -> (u64, u64, u64) {
        if let Some((range, added)) = self.parts.iter().find(|(range, _)| range.contains(&address)) {
            return (range.start, range.end - range.start, *added);
        }
        let below = self.parts.iter().map(|(range, _)| range.end).filter(|end| *end <= address);
        let above = self.parts.iter().map(|(range, _)| range.start).filter(|start| *start > address);
        let (start, end) = (below.max().unwrap_or(0), above.min().unwrap_or(u64::MAX));
        (start, end - start, self.mapped)
    }
}
