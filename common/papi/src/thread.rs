//! One thread's caches, and whose misses they count: the line that made the access, and the
//! array that it was to.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cache::{Counts, Entry, LEVELS, Replay};
use figures::units::Seconds;

use crate::heap;
use crate::regions::Figures;
use crate::session::{self, Session, locked};

/// The model's address of the place where a stack begins.
const STACK: u64 = 0x20_0000_0000;
/// The model's address of memory that is neither the program's file, nor a block, nor a stack.
const OTHERS: u64 = 0x21_0000_0000;
/// Bytes of a stack, at most: more is other memory.
const STACK_BYTES: u64 = 1 << 30;
const PAGE: u64 = 4096;
/// How often the report lets other threads end their counting.
const PATIENCE: usize = 100_000;

/// The accesses of one source line, by its return address.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Site {
    pub(crate) caller: u64,
    /// Loads, stores.
    pub(crate) accesses: [u64; 2],
    pub(crate) misses: [u64; LEVELS],
}

/// What an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// A global by its number in the session's list.
    Global(usize),
    /// Blocks by the number of the line that made them.
    Block(usize),
    /// A stack.
    Stack,
    /// Anything else: libraries, mapped files.
    Other,
}

/// Accesses that wait to be counted, at most: enough to see that those of a loop recur.
const WAITING: usize = 1 << 15;

/// One thread's caches and counts.
#[derive(Debug)]
pub(crate) struct Thread {
    /// Those that wait are the first ones; empty while they are counted, and after the thread's end.
    waiting: Vec<Entry>,
    waits: usize,
    /// Set while a thread counts what waits: its own thread, or the one that reports at the end,
    /// which leaves it set.
    is_counting: AtomicBool,
    pub(crate) number: usize,
    replay: Replay,
    tables: Tables,
    stack: Range<u64>,
    /// Pages of other memory in order of first use.
    others: HashMap<u64, u64>,
    /// The last range that was stored to: an assignment that a call of memcpy may follow.
    copied: (u64, u64),
}

/// Accesses and misses by line and by array.
#[derive(Debug)]
struct Tables {
    /// A hash table by return address; its length is a power of two.
    sites: Vec<Site>,
    used_sites: usize,
    owners: HashMap<Owner, [u64; LEVELS]>,
    /// The ranges with the last misses: most are in one of them.
    recent: [(Range<u64>, Owner, [u64; LEVELS]); 4],
}

/// A thread's caches, which are never freed.
struct Pointer(*mut Thread);

// SAFETY: other threads read it only when the program is at its end.
unsafe impl Send for Pointer {}

static THREADS: Mutex<Vec<Pointer>> = Mutex::new(Vec::new());

/// All threads so far, in order of their first accesses, for the report: with what they did and
/// nothing more. Threads that have not ended, as those of OpenMP, are most often asleep.
pub(crate) fn all() -> Vec<&'static Thread> {
    current();
    let own = THREAD.get();
    let threads: Vec<*mut Thread> = locked(&THREADS).iter().map(|thread| thread.0).collect();
    for other in threads.iter().filter(|thread| **thread != own) {
        // SAFETY: threads are never freed; the flag is set, so that its own thread counts nothing more.
        let thread = unsafe { &mut **other };
        let is_taken = (0..PATIENCE).any(|_| {
            std::thread::yield_now();
            !thread.is_counting.swap(true, Ordering::Acquire)
        });
        if is_taken {
            thread.count_taken();
            thread.settle();
        } else {
            let number = thread.number;
            eprintln!("lab: note: thread {number} is still at work; its last accesses are not counted");
        }
    }
    // SAFETY: threads are never freed, and from now on no thread changes them.
    threads.iter().map(|thread| unsafe { &**thread }).collect()
}

/// Adds the calling thread.
fn join(session: &Session) -> *mut Thread {
    let mut threads = locked(&THREADS);
    let thread = Thread::new(session, threads.len()).unwrap_or_else(|sentence| session::refuse(2, &sentence));
    let thread: *mut Thread = Box::into_raw(Box::new(thread));
    threads.push(Pointer(thread));
    thread
}

/// Counts what waits when a thread ends.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        if let Some(thread) = current() {
            thread.waiting = Vec::new();
        }
    }
}

thread_local! {
    static THREAD: Cell<*mut Thread> = const { Cell::new(null_mut()) };
    static END: End = const { End };
    /// Whether this thread's accesses are ignored: the library itself calls the C library.
    static IGNORED: Cell<bool> = const { Cell::new(false) };
}

/// An access of the program, of 16 bytes at most.
#[inline(always)]
pub(crate) fn access(address: u64, bytes: u64, store: bool, caller: u64) {
    let entry = Entry::new(address, bytes, store, caller);
    // SAFETY: threads are never freed, and each uses its own.
    if let Some(thread) = unsafe { THREAD.get().as_mut() }
        && let Some(place) = thread.waiting.get_mut(thread.waits)
    {
        *place = entry;
        thread.waits += 1;
        return;
    }
    make_place(entry);
}

/// Counts what waits, which leaves place for `entry`.
#[cold]
#[inline(never)]
fn make_place(entry: Entry) {
    let Some(thread) = own() else { return };
    thread.count_waiting();
    match thread.waiting.first_mut() {
        Some(place) => {
            *place = entry;
            thread.waits = 1;
        }
        None if !thread.is_counting.load(Ordering::Acquire) => thread.count(&mut [entry]),
        // The program is at its end, and another thread reports.
        None => {}
    }
}

/// The calling thread's caches, with all its accesses counted; `None` without a model, or where
/// accesses are not counted.
pub(crate) fn current() -> Option<&'static mut Thread> {
    let thread = own()?;
    thread.count_waiting();
    if !thread.is_counting.load(Ordering::Acquire) {
        thread.settle();
    }
    Some(thread)
}

/// The calling thread's caches.
fn own() -> Option<&'static mut Thread> {
    if IGNORED.get() {
        return None;
    }
    if THREAD.get().is_null() {
        IGNORED.set(true);
        let thread = session::model().map(join);
        let _ = END.try_with(|_| {});
        IGNORED.set(false);
        THREAD.set(thread?);
    }
    // SAFETY: threads are never freed, and each uses its own.
    Some(unsafe { &mut *THREAD.get() })
}

/// The block at `address` will be free, and then perhaps another line's.
pub(crate) fn forget(address: u64) {
    if let Some(thread) = current() {
        let ranges = thread.tables.recent.iter_mut().map(|(range, ..)| range);
        ranges.filter(|range| range.contains(&address)).for_each(|range| *range = 0..0);
    }
}

/// From now on the calling thread's accesses are not counted.
pub(crate) fn ignore() {
    THREAD.set(null_mut());
    IGNORED.set(true);
}

/// Stores the range of an assignment that a call of memcpy or memset may follow.
pub(crate) fn copies(address: u64, bytes: u64) {
    if let Some(thread) = current() {
        thread.copied = (address, bytes);
    }
}

/// Whether the range was just counted as an assignment, or as a part of one.
pub(crate) fn copied(address: u64, bytes: u64) -> bool {
    current().is_some_and(|thread| {
        let (start, length) = std::mem::take(&mut thread.copied);
        address >= start && address - start < length && bytes <= length - (address - start)
    })
}

impl Thread {
    fn new(session: &Session, number: usize) -> Result<Thread, String> {
        let replay = Replay::new(session.machine_of(number), vec!["all"])
            .map_err(|error| error.to_string())?
            .without_pages();
        Ok(Thread {
            waiting: vec![Entry::default(); WAITING],
            waits: 0,
            is_counting: AtomicBool::new(false),
            number,
            replay,
            tables: Tables {
                sites: vec![Site::default(); 1 << 10],
                used_sites: 0,
                owners: HashMap::new(),
                recent: std::array::from_fn(|_| (0..0, Owner::Other, [0; LEVELS])),
            },
            stack: stack(number == 0),
            others: HashMap::new(),
            copied: (0, 0),
        })
    }

    /// Counts what waits; only what recurs may be left out until it ends.
    fn count_waiting(&mut self) {
        if !self.is_counting.swap(true, Ordering::Acquire) {
            self.count_taken();
            self.is_counting.store(false, Ordering::Release);
        }
    }

    fn count_taken(&mut self) {
        let (mut waiting, waits) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.waits));
        self.count(&mut waiting[..waits]);
        self.waiting = waiting;
    }

    fn count(&mut self, entries: &mut [Entry]) {
        // The program's file and its blocks are at the same addresses in each run.
        for entry in entries.iter_mut().filter(|entry| entry.address >= heap::END as u64) {
            entry.address = self.place(entry.address);
        }
        let tables = &mut self.tables;
        let counted = self.replay.run(entries, &mut |entry, misses, times| tables.add(entry, misses, times));
        counted.unwrap_or_else(|error| session::fail(&error.to_string()));
    }

    /// Counts what recurred.
    fn settle(&mut self) {
        let tables = &mut self.tables;
        let counted = self.replay.settle(&mut |entry, misses, times| tables.add(entry, misses, times));
        counted.unwrap_or_else(|error| session::fail(&error.to_string()));
    }

    /// The model's address of memory whose place changes from run to run.
    #[cold]
    fn place(&mut self, address: u64) -> u64 {
        if self.stack.contains(&address) {
            return address.wrapping_sub(self.stack.end).wrapping_add(STACK);
        }
        if let Some(own) = session::in_image(address) {
            return own;
        }
        let next = self.others.len() as u64;
        OTHERS + *self.others.entry(address / PAGE).or_insert(next) * PAGE + address % PAGE
    }

    pub(crate) fn counts(&self) -> Counts {
        self.replay.counts()
    }

    /// All counts in one list.
    pub(crate) fn figures(&self, session: &Session) -> Figures {
        Figures::new(&self.counts(), self.replay.kinds(), session.machine.levels.len())
    }

    /// The source lines with accesses.
    pub(crate) fn sites(&self) -> impl Iterator<Item = &Site> {
        self.tables.sites.iter().filter(|site| site.accesses != [0; 2])
    }

    /// Misses by what was accessed.
    pub(crate) fn by_owner(&self) -> HashMap<Owner, [u64; LEVELS]> {
        let mut owners = self.tables.owners.clone();
        for (_, owner, misses) in &self.tables.recent {
            add(owners.entry(*owner).or_default(), *misses);
        }
        owners
    }

    /// The latencies of all accesses, one after the other.
    pub(crate) fn time(&self, session: &Session) -> Result<Seconds, String> {
        self.counts().time(session.machine_of(self.number)).map(|time| time.dependent)
    }
}

impl Tables {
    #[inline(always)]
    fn add(&mut self, entry: Entry, misses: [u64; LEVELS], times: u64) {
        let site = self.site(entry.site());
        self.sites[site].accesses[usize::from(entry.is_store())] += times;
        if misses[0] > 0 {
            self.add_misses(site, entry.address, misses.map(|misses| misses * times));
        }
    }

    /// The place of a return address in the table.
    #[inline(always)]
    fn site(&mut self, caller: u64) -> usize {
        let mask = self.sites.len() - 1;
        let mut at = (caller.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            if self.sites[at].caller == caller {
                return at;
            }
            if self.sites[at].caller == 0 {
                return self.add_site(caller, at);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn add_site(&mut self, caller: u64, at: usize) -> usize {
        if caller == 0 {
            return at; // its own key is that of a free place
        }
        self.used_sites += 1;
        if 2 * self.used_sites <= self.sites.len() {
            self.sites[at].caller = caller;
            return at;
        }
        let larger = vec![Site::default(); 4 * self.sites.len()];
        for site in std::mem::replace(&mut self.sites, larger) {
            if site.caller != 0 {
                let at = self.site(site.caller);
                self.sites[at] = site;
            }
        }
        self.site(caller)
    }

    #[inline(never)]
    fn add_misses(&mut self, site: usize, address: u64, misses: [u64; LEVELS]) {
        let at = self.owner(address);
        add(&mut self.sites[site].misses, misses);
        add(&mut self.recent[at].2, misses);
    }

    /// The place in `recent` of what the model's `address` belongs to.
    fn owner(&mut self, address: u64) -> usize {
        if let Some(at) = self.recent.iter().position(|(range, ..)| range.contains(&address)) {
            return at;
        }
        let (range, owner) = if heap::is_own(address as usize) {
            let block = heap::block_at(address as usize);
            block.map(|(range, site)| (range.start as u64..range.end as u64, Owner::Block(site)))
        } else if (STACK - STACK_BYTES..OTHERS).contains(&address) {
            Some((STACK - STACK_BYTES..OTHERS, Owner::Stack))
        } else {
            session::global_at(address).map(|(range, global)| (range, Owner::Global(global)))
        }
        .unwrap_or((address..address + 1, Owner::Other));
        let at = (address >> 6) as usize % self.recent.len();
        let (_, owner, misses) = std::mem::replace(&mut self.recent[at], (range, owner, [0; LEVELS]));
        add(self.owners.entry(owner).or_default(), misses);
        at
    }
}

/// Adds misses of each level.
pub(crate) fn add(sum: &mut [u64; LEVELS], more: [u64; LEVELS]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// The calling thread's stack: its end is the place where the thread began, so that addresses
/// relative to it are the same in each run, whatever the environment's size.
fn stack(is_first: bool) -> Range<u64> {
    let end = if is_first { first_stack() } else { thread_stack() };
    end.map_or(0..0, |end| end.saturating_sub(STACK_BYTES)..end)
}

/// Where the kernel placed the arguments of the process.
fn first_stack() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The 28th field; the second is a name in parentheses.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(25)?.parse().ok().filter(|start| *start > 0)
}

fn thread_stack() -> Option<u64> {
    let (mut start, mut bytes) = (null_mut(), 0);
    // SAFETY: all three calls get places of their own, and the attributes are freed.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut bytes);
        libc::pthread_attr_destroy(&raw mut attributes);
    }
    Some(start as u64 + bytes as u64)
}
