//! One thread's caches, and whose misses they count: the line that made the access, and the
//! array that it was to.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Mutex;

use cache::{Counts, Replay};
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
/// Levels whose misses are counted by line and by array.
pub(crate) const LEVELS: usize = 3;

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

/// One thread's caches and counts.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) number: usize,
    replay: Replay,
    /// Misses below the first level so far, to see which an access adds.
    below: [u64; LEVELS],
    /// A hash table by return address; its length is a power of two.
    sites: Vec<Site>,
    used_sites: usize,
    pub(crate) owners: HashMap<Owner, [u64; LEVELS]>,
    /// The ranges with the last misses: most are in one of them.
    recent: [(Range<u64>, Owner, [u64; LEVELS]); 4],
    stack: Range<u64>,
    /// Pages of other memory in order of first use.
    others: HashMap<u64, u64>,
    /// The last range that was stored to: an assignment that a call of memcpy may follow.
    copied: (u64, u64),
}

/// A thread's caches, which are never freed.
struct Pointer(*mut Thread);

// SAFETY: other threads read it only when the program is at its end.
unsafe impl Send for Pointer {}

static THREADS: Mutex<Vec<Pointer>> = Mutex::new(Vec::new());

/// All threads so far, in order of their first accesses.
pub(crate) fn all() -> Vec<&'static Thread> {
    // SAFETY: threads are never freed; those that still run may count a little more meanwhile.
    locked(&THREADS).iter().map(|thread| unsafe { &*thread.0 }).collect()
}

/// Adds the calling thread.
fn join(session: &Session) -> *mut Thread {
    let mut threads = locked(&THREADS);
    let thread = Thread::new(session, threads.len()).unwrap_or_else(|sentence| session::refuse(2, &sentence));
    let thread: *mut Thread = Box::into_raw(Box::new(thread));
    threads.push(Pointer(thread));
    thread
}

thread_local! {
    static THREAD: Cell<*mut Thread> = const { Cell::new(null_mut()) };
    /// Whether this thread's accesses are ignored: the library itself calls the C library.
    static IGNORED: Cell<bool> = const { Cell::new(false) };
}

/// An access of the program.
#[inline(always)]
pub(crate) fn access(address: u64, bytes: u64, store: bool, caller: u64) {
    let thread = THREAD.get();
    if thread.is_null() {
        return first_access(address, bytes, store, caller);
    }
    // SAFETY: threads are never freed, and each uses its own.
    unsafe { (*thread).access(address, bytes, store, caller) };
}

#[cold]
fn first_access(address: u64, bytes: u64, store: bool, caller: u64) {
    if let Some(thread) = current() {
        thread.access(address, bytes, store, caller);
    }
}

/// The calling thread's caches; `None` without a model, or where accesses are not counted.
pub(crate) fn current() -> Option<&'static mut Thread> {
    if IGNORED.get() {
        return None;
    }
    if THREAD.get().is_null() {
        IGNORED.set(true);
        let thread = session::model().map(join);
        IGNORED.set(false);
        THREAD.set(thread?);
    }
    // SAFETY: threads are never freed, and each uses its own.
    Some(unsafe { &mut *THREAD.get() })
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

/// Whether the range was just counted as an assignment.
pub(crate) fn copied(address: u64, bytes: u64) -> bool {
    current().is_some_and(|thread| std::mem::take(&mut thread.copied) == (address, bytes) && bytes > 0)
}

impl Thread {
    fn new(session: &Session, number: usize) -> Result<Thread, String> {
        let replay = Replay::new(session.machine_of(number), vec!["all"])
            .map_err(|error| error.to_string())?
            .without_pages();
        Ok(Thread {
            number,
            replay,
            below: [0; LEVELS],
            sites: vec![Site::default(); 1 << 10],
            used_sites: 0,
            owners: HashMap::new(),
            recent: std::array::from_fn(|_| (0..0, Owner::Other, [0; LEVELS])),
            stack: stack(number == 0),
            others: HashMap::new(),
            copied: (0, 0),
        })
    }

    #[inline(always)]
    pub(crate) fn access(&mut self, address: u64, bytes: u64, store: bool, caller: u64) {
        // The program's file and its blocks are at the same addresses in each run.
        let own = if address < heap::END as u64 { address } else { self.place(address) };
        let site = self.site(caller);
        self.sites[site].accesses[usize::from(store)] += 1;
        match self.replay.access(own, bytes, store, 0) {
            Ok(0) => {}
            Ok(missed) => self.missed(site, address, missed),
            Err(error) => session::fail(&error.to_string()),
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
    fn missed(&mut self, site: usize, address: u64, missed: u64) {
        let mut misses = [missed; LEVELS];
        for (level, (misses, before)) in misses.iter_mut().zip(&mut self.below).enumerate().skip(1) {
            let now = self.replay.misses(level + 1);
            *misses = now - std::mem::replace(before, now);
        }
        let at = self.owner(address);
        add(&mut self.sites[site].misses, misses);
        add(&mut self.recent[at].2, misses);
    }

    /// The place in `recent` of what `address` belongs to.
    fn owner(&mut self, address: u64) -> usize {
        if let Some(at) = self.recent.iter().position(|(range, ..)| range.contains(&address)) {
            return at;
        }
        let (range, owner) = if heap::is_own(address as usize) {
            let block = heap::block_at(address as usize);
            block.map(|(range, site)| (range.start as u64..range.end as u64, Owner::Block(site)))
        } else if self.stack.contains(&address) {
            Some((self.stack.clone(), Owner::Stack))
        } else {
            session::global_at(address).map(|(range, global)| (range, Owner::Global(global)))
        }
        .unwrap_or((address..address + 1, Owner::Other));
        let at = (address >> 6) as usize % self.recent.len();
        let (_, owner, misses) = std::mem::replace(&mut self.recent[at], (range, owner, [0; LEVELS]));
        add(self.owners.entry(owner).or_default(), misses);
        at
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
        self.sites.iter().filter(|site| site.accesses != [0; 2])
    }

    /// Misses by what was accessed.
    pub(crate) fn by_owner(&self) -> HashMap<Owner, [u64; LEVELS]> {
        let mut owners = self.owners.clone();
        for (_, owner, misses) in &self.recent {
            add(owners.entry(*owner).or_default(), *misses);
        }
        owners
    }

    /// The latencies of all accesses, one after the other.
    pub(crate) fn time(&self, session: &Session) -> Result<Seconds, String> {
        self.counts().time(session.machine_of(self.number)).map(|time| time.dependent)
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
