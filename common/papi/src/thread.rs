//! Threads: what each has executed and accessed, and its caches, which are given its records when its
//! buffer is full and when something asks for counts.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use cache::{Counts, LEVELS, MissKinds, Replay, TooFar};

use crate::blocks;
use crate::buffer::{self, LONGEST};
use crate::memory::{self, Placement};
use crate::regions::Figures;
use crate::session::{self, Session, locked, without_signals};
use crate::site::{self, EVENTS, Form, Site, Touch};

/// What an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// A global by its number in the session's list.
    Global(usize),
    /// Blocks by the return address of the call that made them.
    Block(u64),
    /// A stack.
    Stack,
    /// Anything else: libraries, mapped files.
    Other,
}

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

/// What a thread has executed and accessed, by site.
#[derive(Debug)]
pub(crate) struct Work {
    placement: Placement,
    /// How often each site was executed, by number.
    pub(crate) executed: Vec<u64>,
    /// Misses by access, and how often it was made where that is not how often its site was.
    pub(crate) misses: Vec<[u64; LEVELS]>,
    pub(crate) repeated: HashMap<usize, u64>,
    owners: Owners,
    /// Where the last conditionally repeated instruction began.
    begun: u64,
}

#[derive(Debug)]
struct Pointer(*const AtomicU64);

// SAFETY: it points to an atomic variable, and is used while its thread has not ended alone.
unsafe impl Send for Pointer {}

/// Misses by what was accessed.
#[derive(Debug)]
struct Owners {
    all: HashMap<Owner, [u64; LEVELS]>,
    /// The ranges with the last misses: most are in one of them.
    recent: [(Range<u64>, Owner, [u64; LEVELS]); 4],
    /// The state of the blocks for which that holds.
    changes: u64,
    stack: Range<u64>,
}

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
    let session = session::model().filter(|_| !IS_IGNORED.load(Ordering::Relaxed) && !HAS_ENDED.get());
    let Some(session) = session else {
        own.store(unused(), Ordering::Relaxed);
        return None;
    };
    let mut threads = locked(&THREADS);
    let buffer = locked(&BUFFERS).pop().unwrap_or_else(memory::buffer);
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

/// A buffer whose records nobody reads; several threads may share it.
fn unused() -> u64 {
    let found = UNUSED.load(Ordering::Relaxed);
    if found == 0 {
        UNUSED.store(memory::buffer(), Ordering::Relaxed);
    }
    UNUSED.load(Ordering::Relaxed)
}

/// When `main` is called: its stack is known now.
#[unsafe(no_mangle)]
pub extern "C" fn lab_main_begins() {
    if let Some(thread) = OWN.get() {
        locked(&thread.walker).work.placement = Placement::new();
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

#[inline(always)]
fn word(place: u64, at: usize) -> u64 {
    // SAFETY: buffers are never unmapped, and their words are atomic for all who use them.
    unsafe { (*(place as *const AtomicU64).add(at)).load(Ordering::Relaxed) }
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
            work: Work {
                placement: Placement::new(),
                executed: Vec::new(),
                misses: Vec::new(),
                repeated: HashMap::new(),
                owners: Owners {
                    all: HashMap::new(),
                    recent: std::array::from_fn(|_| (0..0, Owner::Other, [0; LEVELS])),
                    changes: 0,
                    stack: stack(session, number == 0),
                },
                begun: 0,
            },
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

    /// Cycles, estimated: one for each instruction, and for each line that the first level misses the
    /// latency of where it is found. What overlaps, and what waits for other reasons, is left out.
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

    /// Misses by what was accessed.
    pub(crate) fn by_owner(&self) -> HashMap<Owner, [u64; LEVELS]> {
        let mut owners = self.work.owners.all.clone();
        for (_, owner, misses) in &self.work.owners.recent {
            add(owners.entry(*owner).or_default(), *misses);
        }
        owners
    }
}

impl Work {
    fn walk(&mut self, replay: &mut Replay, mut place: u64, end: u64) -> Result<(), TooFar> {
        while place < end {
            let site = site::of(word(place, 0));
            if site.number >= self.executed.len() {
                self.grow(site);
            }
            self.executed[site.number] += 1;
            if site.is_plain {
                for (at, touch) in site.touches.iter().enumerate() {
                    let address = word(place, touch.word.into()).wrapping_add(touch.displacement);
                    self.access(replay, site.first + at, address, touch)?;
                }
            } else {
                self.walk_other(replay, site, place)?;
            }
            place += 8 * site.words as u64;
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, site: &Site) {
        self.executed.resize((site.number + 1).next_power_of_two(), 0);
        self.misses.resize(
            (site.first + site.touches.len()).next_power_of_two().max(self.misses.len()),
            [0; LEVELS],
        );
    }

    #[inline(always)]
    fn access(
        &mut self,
        replay: &mut Replay,
        number: usize,
        address: u64,
        touch: &Touch,
    ) -> Result<(), TooFar> {
        let misses = replay.misses_of(self.placement.of(address), touch.bytes.into(), touch.is_store)?;
        if misses[0] > 0 || misses[1] > 0 {
            self.missed(number, address, misses);
        }
        Ok(())
    }

    #[inline(never)]
    fn missed(&mut self, number: usize, address: u64, misses: [u64; LEVELS]) {
        if number >= self.misses.len() {
            self.misses.resize(number + 1, [0; LEVELS]);
        }
        add(&mut self.misses[number], misses);
        self.owners.add(address, misses);
    }

    /// A record with accesses other than plain ones.
    fn walk_other(&mut self, replay: &mut Replay, site: &Site, place: u64) -> Result<(), TooFar> {
        for (at, touch) in site.touches.iter().enumerate() {
            let number = site.first + at;
            let value = |at: u8| word(place, at.into());
            let address = value(touch.word).wrapping_add(touch.displacement);
            match touch.form {
                Form::Plain => self.access(replay, number, address, touch)?,
                Form::Unknown => {}
                Form::Block => blocks::add(value(1), value(2), value(3)),
                Form::Begins => self.begun = address,
                Form::Repeated { count, second } => {
                    let times = value(count);
                    *self.repeated.entry(number).or_default() += times;
                    for time in 0..times {
                        let step = time * u64::from(touch.bytes);
                        self.access(replay, number, address.wrapping_add(step), touch)?;
                        if let Some((second, is_store)) = second {
                            let touch = Touch { is_store, ..*touch };
                            self.access(replay, number, value(second).wrapping_add(step), &touch)?;
                        }
                    }
                }
                Form::Ended { second } => {
                    let bytes = u64::from(touch.bytes.max(1));
                    let times = address.wrapping_sub(self.begun) / bytes;
                    *self.repeated.entry(number).or_default() += times;
                    for back in (1..=times).rev() {
                        self.access(replay, number, address.wrapping_sub(back * bytes), touch)?;
                        if let Some(second) = second {
                            let address = value(second).wrapping_sub(back * bytes);
                            self.access(replay, number, address, touch)?;
                        }
                    }
                }
                Form::Gathered { indices, mask, bits, scale, index_bytes, elements } => {
                    for element in 0..elements {
                        let part = |first: u8, bytes: u64| {
                            let bit = u64::from(element) * bytes * 8;
                            value(first + (bit / 64) as u8) >> (bit % 64)
                        };
                        let sign = u64::from(touch.bytes) * 8 - 1;
                        let is_set = if bits {
                            value(mask) >> element & 1
                        } else {
                            part(mask, touch.bytes.into()) >> sign & 1
                        };
                        if is_set == 0 {
                            continue;
                        }
                        let index = part(indices, index_bytes.into());
                        let index =
                            if index_bytes == 4 { i64::from(index as u32 as i32) } else { index as i64 };
                        let offset = index.wrapping_mul(scale.into());
                        *self.repeated.entry(number).or_default() += 1;
                        self.access(replay, number, address.wrapping_add_signed(offset), touch)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Owners {
    fn add(&mut self, address: u64, misses: [u64; LEVELS]) {
        let changes = blocks::changes();
        if self.changes != changes {
            self.changes = changes;
            self.recent.iter_mut().for_each(|(range, ..)| *range = 0..0);
        }
        let at = self.at(address);
        add(&mut self.recent[at].2, misses);
    }

    /// The place in `recent` of what `address` belongs to.
    fn at(&mut self, address: u64) -> usize {
        if let Some(at) = self.recent.iter().position(|(range, ..)| range.contains(&address)) {
            return at;
        }
        let (range, owner) = if self.stack.contains(&address) {
            (self.stack.clone(), Owner::Stack)
        } else if let Some((range, global)) = session::global_at(address) {
            (range, Owner::Global(global))
        } else if let Some((range, caller)) = blocks::at(address) {
            (range, Owner::Block(caller))
        } else {
            (address..address + 1, Owner::Other)
        };
        let at = (address >> 6) as usize % self.recent.len();
        let (_, owner, misses) = std::mem::replace(&mut self.recent[at], (range, owner, [0; LEVELS]));
        add(self.all.entry(owner).or_default(), misses);
        at
    }
}

/// Adds misses of each level.
pub(crate) fn add(sum: &mut [u64; LEVELS], more: [u64; LEVELS]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
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
