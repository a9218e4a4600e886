//! Threads: what each has executed and accessed, and its caches, which are given its records when its
//! buffer is full and when something asks for counts.

use std::cell::Cell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use cache::{Counts, MissKinds, Replay};

use crate::buffer::{self, LONGEST};
use crate::memory;
use crate::regions::Figures;
use crate::session::{self, Session};
use crate::site::{self, EVENTS};
use crate::work::{Work, word};
use crate::{locked, without_signals};

/// A thread of the program.
#[derive(Debug)]
struct Thread {
    /// Its buffer.
    buffer: u64,
    walker: Mutex<Walker>,
}

/// A thread's counts and caches.
#[derive(Debug)]
pub(crate) struct Walker {
    pub(crate) number: usize,
    /// The thread's `lab_ptr`; null after its end.
    pointer: Pointer,
    /// Where its records begin that are not counted yet.
    start: u64,
    /// Whether its records are not counted any more.
    is_over: bool,
    caches: Caches,
    /// Why counting has ended before the program, if it has.
    pub(crate) error: Option<String>,
    pub(crate) work: Work,
}

/// A thread's caches; after its end what they counted.
#[derive(Debug)]
enum Caches {
    Used(Box<Replay>),
    Left(Counts, MissKinds),
}

#[derive(Debug)]
struct Pointer(*const AtomicU64);

// SAFETY: it points to an atomic variable, and is used while its thread has not ended alone.
unsafe impl Send for Pointer {}

static THREADS: Mutex<Vec<&'static Thread>> = Mutex::new(Vec::new());
/// Buffers of threads that have ended.
static BUFFERS: Mutex<Vec<u64>> = Mutex::new(Vec::new());
/// The buffer of what is not counted.
static UNUSED: AtomicU64 = AtomicU64::new(0);
/// Whether this process's accesses are not counted: it was forked.
static IS_IGNORED: AtomicBool = AtomicBool::new(false);
/// The key whose destructor runs at a thread's end, after 1 is added.
static KEY: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static OWN: Cell<Option<&'static Thread>> = const { Cell::new(None) };
    /// Whether the thread has ended; what its last destructors do is not counted.
    static HAS_ENDED: Cell<bool> = const { Cell::new(false) };
}

/// Counts the calling thread's records, which leaves place for the next one.
#[unsafe(no_mangle)]
pub extern "C" fn lab_drain() {
    without_signals(|| {
        // SAFETY: the thread's own number of the last error.
        let error = unsafe { *libc::__errno_location() };
        match OWN.get() {
            Some(thread) => {
                let mut walker = locked(&thread.walker);
                walker.drain();
                walker.reset(thread);
            }
            None => drop(join()),
        }
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = error };
    });
}

/// Adds the calling thread, unless there is no model.
fn join() -> Option<&'static Thread> {
    let own = buffer::own();
    // In a static program the C library's own calls of malloc are noted, too: those of this function are left out.
    own.store(unused(), Ordering::Relaxed);
    let session = session::model().filter(|_| !IS_IGNORED.load(Ordering::Relaxed) && !HAS_ENDED.get())?;
    let mut threads = locked(&THREADS);
    let buffer = locked(&BUFFERS).pop().unwrap_or_else(new_buffer);
    let number = threads.len();
    let walker =
        Walker::new(session, number, buffer).unwrap_or_else(|sentence| session::refuse(2, &sentence));
    let thread: &'static Thread = Box::leak(Box::new(Thread { buffer, walker: Mutex::new(walker) }));
    threads.push(thread);
    OWN.set(Some(thread));
    // SAFETY: the key was made before the first thread joined; its value is not null.
    unsafe { libc::pthread_setspecific(KEY.load(Ordering::Relaxed) - 1, (&raw const *thread).cast()) };
    own.store(buffer, Ordering::Relaxed);
    Some(thread)
}

fn new_buffer() -> u64 {
    let found = memory::pages(buffer::BYTES) as u64;
    if found == 0 {
        session::refuse(2, "there is no memory for the records of a thread");
    }
    found
}

/// A buffer whose records nobody reads; several threads may share it.
fn unused() -> u64 {
    let found = UNUSED.load(Ordering::Relaxed);
    if found == 0 {
        UNUSED.store(new_buffer(), Ordering::Relaxed);
    }
    UNUSED.load(Ordering::Relaxed)
}

/// When `main` is called: its stack is known now.
#[unsafe(no_mangle)]
pub extern "C" fn lab_main_begins() {
    if let Some(thread) = OWN.get() {
        let mut walker = locked(&thread.walker);
        if let Some(session) = session::model() {
            walker.work.place_again(session);
        }
    }
}

/// Prepares for threads; called once.
pub(crate) fn begin() {
    let mut key = 0;
    // SAFETY: the key's place is this function's own.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) } != 0 {
        session::refuse(2, "the program has no thread-specific key left");
    }
    KEY.store(key + 1, Ordering::Relaxed);
    without_signals(join);
}

/// At the end of a thread: its counts stay, its caches go.
unsafe extern "C" fn ended(_: *mut std::ffi::c_void) {
    without_signals(|| {
        let Some(thread) = OWN.get() else { return };
        let mut walker = locked(&thread.walker);
        walker.drain();
        walker.caches = Caches::Left(walker.counts(), walker.kinds());
        walker.is_over = true;
        walker.pointer = Pointer(std::ptr::null());
        OWN.set(None);
        HAS_ENDED.set(true);
        buffer::own().store(unused(), Ordering::Relaxed);
        locked(&BUFFERS).push(thread.buffer);
    });
}

/// In the child of a fork: its caches would be copies of its parent's.
pub(crate) fn ignore() {
    IS_IGNORED.store(true, Ordering::Relaxed);
    OWN.set(None);
    buffer::own().store(unused(), Ordering::Relaxed);
}

/// What a signal handler interrupts: the place of the next record, and what is there of it.
pub(crate) struct Interrupted {
    place: u64,
    words: [u64; LONGEST],
}

/// Before a signal handler: what it records is to be apart from the record that it interrupts.
pub(crate) fn interrupt() -> Option<Interrupted> {
    let thread = OWN.get()?;
    let mut walker = locked(&thread.walker);
    walker.drain();
    let place = buffer::own().load(Ordering::Relaxed);
    let words = std::array::from_fn(|at| word(place, at));
    walker.reset(thread);
    Some(Interrupted { place, words })
}

/// After it.
pub(crate) fn resume(interrupted: &Interrupted) {
    let Some(thread) = OWN.get() else { return };
    let mut walker = locked(&thread.walker);
    walker.drain();
    for (at, word) in interrupted.words.iter().enumerate() {
        // SAFETY: the buffer has place for a record behind every place of one.
        unsafe { (*(interrupted.place as *const AtomicU64).add(at)).store(*word, Ordering::Relaxed) };
    }
    walker.start = interrupted.place;
    buffer::own().store(interrupted.place, Ordering::Relaxed);
}

/// Does something with the calling thread's counts, in which all that it has done is; none without a
/// model, and where accesses are not counted.
pub(crate) fn with_own<T>(action: impl FnOnce(&Walker) -> T) -> Option<T> {
    without_signals(|| {
        let thread = match OWN.get() {
            Some(thread) => thread,
            None => join()?,
        };
        let mut walker = locked(&thread.walker);
        walker.drain();
        walker.reset(thread);
        Some(action(&walker))
    })
}

/// Whether any code of the program records what it does.
pub(crate) fn has_counted() -> bool {
    with_own(|_| !site::sites().is_empty()) == Some(true)
}

/// All threads so far, in order of their first accesses, with what they did and nothing more.
pub(crate) fn all() -> Vec<MutexGuard<'static, Walker>> {
    let threads: Vec<&'static Thread> = locked(&THREADS).clone();
    threads
        .into_iter()
        .map(|thread| {
            let mut walker = locked(&thread.walker);
            walker.drain();
            walker.is_over = true;
            walker
        })
        .collect()
}

impl Walker {
    fn new(session: &Session, number: usize, buffer: u64) -> Result<Walker, String> {
        let mut replay =
            Replay::new(session.machine_of(number), vec!["all"]).map_err(|error| error.to_string())?;
        if !session.is_full {
            replay = replay.without_kinds();
        }
        Ok(Walker {
            number,
            pointer: Pointer(buffer::pointer()),
            start: buffer,
            is_over: false,
            caches: Caches::Used(Box::new(replay)),
            error: None,
            work: Work::new(session, stack(session, number == 0)),
        })
    }

    /// Counts the records so far.
    fn drain(&mut self) {
        if self.is_over || self.pointer.0.is_null() {
            return;
        }
        // SAFETY: the thread has not ended, so that its variable is there.
        let end = unsafe { (*self.pointer.0).load(Ordering::Acquire) };
        let start = std::mem::replace(&mut self.start, end);
        let Caches::Used(replay) = &mut self.caches else { return };
        if let Err(error) = self.work.walk(replay, start, end) {
            self.is_over = true;
            self.error = Some(error.to_string());
        }
    }

    /// Lets the thread, which is the calling one, begin its buffer again.
    fn reset(&mut self, thread: &Thread) {
        self.start = thread.buffer;
        buffer::own().store(thread.buffer, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Counts {
        match &self.caches {
            Caches::Used(replay) => replay.counts(),
            Caches::Left(counts, _) => counts.clone(),
        }
    }

    fn kinds(&self) -> MissKinds {
        match &self.caches {
            Caches::Used(replay) => replay.kinds(),
            Caches::Left(_, kinds) => *kinds,
        }
    }

    /// What it has executed, by event.
    pub(crate) fn events(&self) -> [u64; EVENTS] {
        let mut sums = [0; EVENTS];
        for (site, times) in site::sites().iter().zip(&self.work.executed) {
            sums.iter_mut().zip(site.totals).for_each(|(sum, count)| *sum += times * count);
        }
        sums
    }

    /// Cycles, estimated: one for each instruction, for each line that the first level misses the
    /// latency of where it is found, and for each miss of a TLB its penalty. What overlaps, and what waits for other reasons, is left out.
    ///
    /// # Errors
    ///
    /// Why there is no estimate.
    pub(crate) fn cycles(&self, session: &Session) -> Result<f64, String> {
        if let Some(reason) = &session.clock {
            return Err(reason.clone());
        }
        let (machine, counts) = (session.machine_of(self.number), self.counts());
        let rate = machine.clock.unwrap_or_else(system::clock::tick_rate).0;
        let latencies =
            machine.levels.iter().skip(1).map(|cache| cache.latency).chain([machine.memory_latency]);
        let missed = counts.levels.iter().map(|level| level.misses.total());
        let below = missed.clone().skip(1).chain([0]);
        let mut seconds = 0.0;
        for ((missed, below), latency) in missed.zip(below).zip(latencies) {
            seconds += missed.saturating_sub(below) as f64 * latency.map_or(0.0, |latency| latency.0);
        }
        for (tlb, counts) in machine.tlbs.iter().zip(&counts.tlbs) {
            seconds += counts.misses as f64 * tlb.penalty.map_or(0.0, |penalty| penalty.0);
        }
        Ok(self.events()[0] as f64 + seconds * rate)
    }

    /// All counts in one list.
    pub(crate) fn figures(&self, session: &Session) -> Figures {
        let kinds = session.is_full.then(|| self.kinds());
        Figures::new(&self.counts(), kinds, self.events()[0], &session.machine)
    }
}

/// The calling thread's stack.
fn stack(session: &Session, is_first: bool) -> Range<u64> {
    const DEEPEST: u64 = 1 << 30;
    if is_first {
        return session.stack.saturating_sub(DEEPEST)..session.stack;
    }
    let (mut start, mut bytes) = (null_mut(), 0);
    // SAFETY: all three calls get places of their own, and the attributes are freed.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return 0..0;
        }
        libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut bytes);
        libc::pthread_attr_destroy(&raw mut attributes);
    }
    start as u64..start as u64 + bytes as u64
}
