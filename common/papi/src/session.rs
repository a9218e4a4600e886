//! A run of an instrumented program: the machine that it runs on, its threads, its end.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use machine::Machine;

use crate::image::{Global, Image};
use crate::regions::Regions;
use crate::report;
use crate::thread::{self, Owner, Thread};

/// What is modelled and what is known of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) machine: Machine,
    /// The same for threads after the first: without levels that several cores share.
    private: Machine,
    image: Image,
    pub(crate) globals: Vec<Global>,
    threads: Mutex<Vec<ThreadPointer>>,
    pub(crate) regions: Mutex<Regions>,
    /// Events that are accepted and not counted, with the reasons.
    pub(crate) skipped: Mutex<BTreeSet<(String, String)>>,
    /// Why time is the clock's, if it is.
    pub(crate) clock: Option<String>,
}

/// A thread's caches, which are never freed.
#[derive(Debug)]
struct ThreadPointer(*mut Thread);

// SAFETY: other threads read it only when the program is at its end.
unsafe impl Send for ThreadPointer {}

static SESSION: OnceLock<Session> = OnceLock::new();
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Logical processors of one core, at most: a level that more share is not private.
const THREADS_OF_A_CORE: usize = 2;
/// Bytes of stack for a report after a stack overflow.
const SIGNAL_STACK: usize = 1 << 20;
/// Seconds for a report after a signal, which may have interrupted the library itself.
const SIGNAL_TIME: u32 = 30;

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
fn refuse(status: c_int, sentence: &str) -> ! {
    eprintln!("lab: {sentence}");
    // SAFETY: ends the process at once; nothing is to be reported.
    unsafe { libc::_exit(status) }
}

/// Ends the program because counting cannot go on; what was counted so far is reported.
pub(crate) fn fail(sentence: &str) -> ! {
    eprintln!("lab: {sentence}");
    finish(Some("the model's limit was reached"));
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(1) }
}

/// Starts the model, before the program's own first step.
pub(crate) fn begin() {
    if SESSION.get().is_some() {
        return;
    }
    let wanted = std::env::var("LAB_MACHINE").unwrap_or_else(|_| "host".to_owned());
    let machine = system::machine::select(&wanted).unwrap_or_else(|error| {
        refuse(2, &format!("LAB_MACHINE: {error}"));
    });
    if machine.levels.is_empty() {
        refuse(2, &format!("LAB_MACHINE: {}", machine.unknown.join("; ")));
    }
    if let Some(path) = std::env::var_os("LAB_RECORD")
        && let Err(error) = system::files::try_place(path.as_ref())
    {
        refuse(2, &format!("LAB_RECORD: {error}"));
    }
    let private = Machine {
        levels: machine
            .levels
            .iter()
            .filter(|cache| cache.level == 1 || cache.shared_by <= THREADS_OF_A_CORE)
            .cloned()
            .collect(),
        ..machine.clone()
    };
    let latencies =
        machine.levels.iter().all(|cache| cache.latency.is_some()) && machine.memory_latency.is_some();
    let clock = if is_set("LAB_TIME", "clock") {
        Some("LAB_TIME asks for it".to_owned())
    } else {
        (!latencies).then(|| format!("the description of {} lacks latencies", machine.name))
    };
    let image = Image::find();
    let globals = image.globals();
    let session = Session {
        machine,
        private,
        image,
        globals,
        threads: Mutex::default(),
        regions: Mutex::default(),
        skipped: Mutex::default(),
        clock,
    };
    if SESSION.set(session).is_err() {
        return;
    }
    // SAFETY: all are functions without conditions on the time of their call.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(forked));
    }
    catch_signals();
}

extern "C" fn at_exit() {
    finish(None);
}

/// In the child of a fork: its caches would be copies of its parent's.
unsafe extern "C" fn forked() {
    thread::ignore();
    IS_OVER.store(true, Ordering::SeqCst);
    // SAFETY: these take no arguments and cannot fail.
    let (own, parent) = unsafe { (libc::getpid(), libc::getppid()) };
    eprintln!("lab: note: process {parent} has forked process {own}, whose accesses are not counted");
}

/// Reports once; `interrupted` says why the program has not come to its end.
fn finish(interrupted: Option<&str>) {
    if IS_OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    if let Some(session) = model() {
        let threads = locked(&session.threads);
        // SAFETY: threads are never freed; those that still run may count a little more meanwhile.
        let threads: Vec<&Thread> = threads.iter().map(|thread| unsafe { &*thread.0 }).collect();
        report::write(session, &threads, interrupted);
    }
}

const SIGNALS: [c_int; 9] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGXCPU,
];

extern "C" fn signalled(signal: c_int) {
    // SAFETY: should the signal have interrupted the library in the middle of something,
    // the alarm ends the process.
    unsafe { libc::alarm(SIGNAL_TIME) };
    // SAFETY: strsignal gives a text that stays until its next call.
    let name = unsafe { std::ffi::CStr::from_ptr(libc::strsignal(signal)) }.to_string_lossy();
    finish(Some(&format!("signal {signal} ({name}) ended the program")));
    // SAFETY: the signal has its default effect again.
    unsafe { libc::raise(signal) };
}

/// Reports at signals that end the program, unless it handles or ignores them.
fn catch_signals() {
    // SAFETY: the structures are the C library's, filled as it asks.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let place = libc::mmap(null_mut(), SIGNAL_STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if place != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: place, ss_flags: 0, ss_size: SIGNAL_STACK };
            libc::sigaltstack(&raw const stack, null_mut());
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = signalled as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
        for signal in SIGNALS {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, null_mut(), &raw mut old);
            if old.sa_sigaction == libc::SIG_DFL {
                libc::sigaction(signal, &raw const action, null_mut());
            }
        }
    }
}

/// The global at `address`.
pub(crate) fn global_at(address: u64) -> Option<(Range<u64>, Owner)> {
    let globals = &model()?.globals;
    let after = globals.partition_point(|global| global.range.start <= address);
    let at = after.checked_sub(1)?;
    globals[at].range.contains(&address).then(|| (globals[at].range.clone(), Owner::Global(at)))
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

    /// Adds the calling thread.
    pub(crate) fn join(&self, new: impl FnOnce(&Session, usize) -> Result<Thread, String>) -> *mut Thread {
        let mut threads = locked(&self.threads);
        let number = threads.len();
        let thread = new(self, number).unwrap_or_else(|sentence| refuse(2, &sentence));
        let thread: *mut Thread = Box::into_raw(Box::new(thread));
        threads.push(ThreadPointer(thread));
        thread
    }
}
