//! The start and the end of an instrumented program.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::SystemTime;

use machine::{CacheLevel, Machine};

use crate::image::{self, Image};
use crate::memory;
use crate::report::{self, Signalled};
use crate::session::{SESSION, Session, is_native, is_set, leave, model, refuse};
use crate::thread;
use crate::{high, sets, signals};

static IS_OVER: AtomicBool = AtomicBool::new(false);
/// The thread whose signal has begun to end the program; 0 for none.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// The process that reports.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Logical processors of one core, at most: a level that more share is not private.
const THREADS_OF_A_CORE: usize = 2;
const PAGE: usize = 4096;
/// Bytes of stack for a report after a stack overflow.
const SIGNAL_STACK: usize = 1 << 20;
/// Seconds for a report after a signal, which may have interrupted the library itself.
const SIGNAL_TIME: u32 = 120;

/// Variables with few values; without values a number.
const VARIABLES: [(&str, &[&str]); 3] =
    [("LAB_REPORT", &["off", "full"]), ("LAB_MISSING", &["refuse"]), ("LAB_ROWS", &[])];

/// Starts the model, before the program's own first step.
#[unsafe(no_mangle)]
pub extern "C" fn lab_begin() {
    if SESSION.get().is_some() || is_native() {
        return;
    }
    for (name, values) in VARIABLES {
        let value = std::env::var(name).unwrap_or_default();
        let is_number = values.is_empty() && value.parse::<usize>().is_ok();
        if !(value.is_empty() || is_number || values.contains(&&*value)) {
            let meant = if values.is_empty() { "a number".to_owned() } else { values.join(" or ") };
            refuse(2, &format!("{name}={value}: the value is {meant}"));
        }
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
    let is_private = |cache: &&CacheLevel| cache.level == 1 || cache.shared_by <= THREADS_OF_A_CORE;
    let levels = machine.levels.iter().filter(is_private).cloned().collect();
    let private = Machine { levels, ..machine.clone() };
    let latencies =
        machine.levels.iter().all(|cache| cache.latency.is_some()) && machine.memory_latency.is_some();
    let clock = (!latencies).then(|| format!("the description of {} lacks latencies", machine.name));
    let image = Image::find();
    let globals = image.globals();
    let is_full = is_set("LAB_REPORT", "full") || std::env::var_os("LAB_RECORD").is_some();
    let session = Session {
        machine,
        private,
        is_full,
        // SAFETY: it changes nothing.
        heap: unsafe { libc::sbrk(0) } as u64,
        mapped: next_mapping(),
        stack: first_stack().unwrap_or(0),
        folder: std::env::current_dir().unwrap_or_default(),
        started: SystemTime::now(),
        image,
        globals,
        clock,
    };
    if SESSION.set(session).is_err() {
        return;
    }
    // SAFETY: it takes no arguments and cannot fail.
    PROCESS.store(unsafe { libc::getpid() }, Ordering::SeqCst);
    // SAFETY: all are functions without conditions on the time of their call.
    unsafe { libc::pthread_atfork(Some(memory::lock), Some(memory::unlock), Some(forked)) };
    if guard() > 0 {
        // SAFETY: nothing is in this page.
        unsafe { libc::mprotect(guard() as *mut c_void, PAGE, libc::PROT_NONE) };
    }
    catch_signals();
    // The first thread is this one, whichever makes the first access.
    thread::begin();
}

// A page between the library's data and the program's.
address_of_weak! { guard, "lab_guard" }

/// Reports after the program's last destructor.
#[unsafe(no_mangle)]
pub extern "C" fn lab_end() {
    finish(None);
}

/// In the place of `_exit` and `_Exit`, at which no function of `atexit` runs. The child of a
/// `vfork` has its parent's memory, but another number.
#[unsafe(no_mangle)]
#[unsafe(link_section = "lab_wrapped")]
pub extern "C" fn __wrap__exit(status: c_int) -> ! {
    // SAFETY: it takes no arguments and cannot fail.
    if unsafe { libc::getpid() } == PROCESS.load(Ordering::SeqCst) {
        finish(None);
    }
    leave(status)
}

/// The same.
#[unsafe(no_mangle)]
#[unsafe(link_section = "lab_wrapped")]
pub extern "C" fn __wrap__Exit(status: c_int) -> ! {
    __wrap__exit(status)
}

/// In the child of a fork: its caches would be copies of its parent's.
unsafe extern "C" fn forked() {
    // SAFETY: the child has this thread alone, which took the lock before.
    unsafe { memory::unlock() };
    thread::ignore();
    IS_OVER.store(true, Ordering::SeqCst);
    // SAFETY: these take no arguments and cannot fail.
    let (own, parent) = unsafe { (libc::getpid(), libc::getppid()) };
    eprintln!("lab: note: process {parent} has forked process {own}, whose accesses are not counted");
}

/// Reports once.
fn finish(signalled: Option<&Signalled>) {
    if IS_OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    if let Some(session) = model() {
        // So that a report without a reader does not end the program before its record is saved.
        // SAFETY: both are functions without conditions on the time of their call.
        let handler = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        high::end_open_regions();
        report::write(session, &thread::all(), sets::notes(), signalled);
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGPIPE, handler) };
    }
}

/// Signals that ask the program to end. Some come twice: a terminal sends one to the whole group,
/// and a program that waits passes its own on.
const REQUESTS: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

extern "C" fn signalled(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: it takes no arguments and cannot fail.
    let own = unsafe { libc::gettid() };
    let ending = ENDING.compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst).err();
    if ending.is_some() && REQUESTS.contains(&signal) {
        return;
    }
    // Of threads that fail together the first reports; the others wait for the end, or for the alarm.
    while ending.is_some_and(|thread| thread != own) && signal != libc::SIGALRM {
        // SAFETY: it waits for a signal.
        unsafe { libc::pause() };
    }
    if ending.is_none() {
        // SAFETY: should the signal have interrupted the library in the middle of something,
        // the alarm ends the process.
        unsafe { libc::alarm(SIGNAL_TIME) };
        // SAFETY: strsignal gives a text that stays until its next call.
        let name = unsafe { std::ffi::CStr::from_ptr(libc::strsignal(signal)) }.to_string_lossy();
        memory::unlock_interrupted();
        // A program that has used up its memory is reported, too.
        memory::allow_all();
        // SAFETY: the kernel gives a handler with SA_SIGINFO what it has interrupted.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        let address = registers[libc::REG_RIP as usize] as usize;
        let line = model().and_then(|session| image::interrupted_line(&session.image, address));
        let place = line.as_ref().map_or_else(String::new, |line| format!(" at {line}"));
        let sentence = format!("signal {signal} ({name}) ended the program{place}");
        finish(Some(&Signalled { sentence, line }));
    }
    // SAFETY: both are functions without conditions on the time of their call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &raw const action, null_mut());
        libc::raise(signal);
    }
}

/// Where the kernel would place the next mapping: others are at the same distance in each run.
fn next_mapping() -> u64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new page, which is removed again.
    unsafe {
        let page = libc::mmap(null_mut(), PAGE, libc::PROT_NONE, flags, -1, 0);
        libc::munmap(page, PAGE);
        page as u64
    }
}

/// Where the kernel placed the arguments of the process.
fn first_stack() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The 28th field; the second is a name in parentheses.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(25)?.parse().ok().filter(|start| *start > 0)
}

/// Reports at signals that end the program, unless it handles or ignores them.
fn catch_signals() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new pages, which nothing else uses.
    unsafe {
        let place = libc::mmap(null_mut(), SIGNAL_STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if place != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: place, ss_flags: 0, ss_size: SIGNAL_STACK };
            libc::sigaltstack(&raw const stack, null_mut());
        }
    }
    signals::catch(signalled);
}
