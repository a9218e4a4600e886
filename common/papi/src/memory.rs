//! Where memory is: the library's own, far from the program's; and the addresses that the model uses,
//! which are the same in each run.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libc::c_void;

use crate::buffer;
use crate::session::{self, refuse};

/// The first address that is tried for the library's own memory; ThreadSanitizer allows it.
const OWN: usize = 0x0100_0000_0000;
const UNIT: usize = 16;

static NEXT: AtomicUsize = AtomicUsize::new(OWN);

/// New zeroed memory of the library, at a multiple of `align`, which is that of [`buffer::ALIGN`] at
/// most; null if there is none.
pub(crate) fn pages(bytes: usize) -> *mut u8 {
    let found = new_pages(bytes);
    if !found.is_null() {
        return found;
    }
    // What the program may use is for the program.
    let limit = allow_all();
    let found = new_pages(bytes);
    // SAFETY: the structure is this function's own.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    found
}

/// Lets the process have as much memory as it may ask for; returns the limit before.
pub(crate) fn allow_all() -> libc::rlimit {
    // SAFETY: the structures are this function's own.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_AS, &raw mut limit);
        let all = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        libc::setrlimit(libc::RLIMIT_AS, &raw const all);
        limit
    }
}

fn new_pages(bytes: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let step = bytes.next_multiple_of(buffer::ALIGN);
    // Another place if something is there.
    for _ in 0..64 {
        let wish = NEXT.fetch_add(step, Ordering::Relaxed) as *mut c_void;
        // SAFETY: it replaces no memory.
        let found = unsafe { libc::mmap(wish, bytes, protection, flags, -1, 0) };
        if found == wish {
            // SAFETY: the pages are this process's own.
            unsafe { libc::madvise(found, bytes, libc::MADV_DONTDUMP) };
            return found.cast();
        }
    }
    null_mut()
}

/// The same, or the program ends.
pub(crate) fn buffer() -> u64 {
    let found = pages(buffer::BYTES) as u64;
    if found == 0 {
        refuse(2, "there is no memory for the records of a thread");
    }
    found
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
    /// Parts that were used last, by bits of their addresses: the first address, the length, and what
    /// is added.
    recent: [(u64, u64, u64); 16],
    mapped: u64,
}

impl Placement {
    pub(crate) fn new() -> Placement {
        let mut parts = Vec::new();
        let heap = session::model().map_or(0, |session| session.heap);
        if let Some(session) = session::model() {
            parts.push((session.image.range.clone(), session.image.bias.wrapping_neg()));
        }
        parts.push((heap..heap + LARGEST, HEAP.wrapping_sub(heap)));
        let (main, first) = (buffer::STACK.load(Ordering::Relaxed), session::model().map_or(0, |s| s.stack));
        if main > 0 {
            parts.push((main - DEEPEST..main, STACK.wrapping_sub(main)));
        }
        if first > 0 {
            let start = if main > 0 { main } else { first - DEEPEST };
            parts.push((start..first + DEEPEST, ABOVE.wrapping_sub(first)));
        }
        let mapped = MAPPED.wrapping_sub(session::model().map_or(0, |session| session.mapped));
        Placement { parts, recent: [(0, 0, 0); 16], mapped }
    }

    /// The model's address.
    #[inline(always)]
    pub(crate) fn of(&mut self, address: u64) -> u64 {
        let (start, bytes, added) = self.recent[Placement::slot(address)];
        if address.wrapping_sub(start) < bytes {
            return address.wrapping_add(added);
        }
        self.find(address)
    }

    /// The part around an address: its first address, its length, and what is added.
    pub(crate) fn part(&mut self, address: u64) -> (u64, u64, u64) {
        self.of(address);
        self.recent[Placement::slot(address)]
    }

    /// The program, its heap, its mappings and its stack are far apart.
    #[inline(always)]
    fn slot(address: u64) -> usize {
        (address >> 28) as usize & 15
    }

    #[inline(never)]
    fn find(&mut self, address: u64) -> u64 {
        if let Some((range, added)) = self.parts.iter().find(|(range, _)| range.contains(&address)) {
            self.recent[Placement::slot(address)] = (range.start, range.end - range.start, *added);
            return address.wrapping_add(*added);
        }
        let below = self.parts.iter().map(|(range, _)| range.end).filter(|end| *end <= address);
        let above = self.parts.iter().map(|(range, _)| range.start).filter(|start| *start > address);
        let (start, end) = (below.max().unwrap_or(0), above.min().unwrap_or(u64::MAX));
        self.recent[Placement::slot(address)] = (start, end - start, self.mapped);
        address.wrapping_add(self.mapped)
    }
}

/// A lock that may be taken in any state of the process.
struct Lock(AtomicBool);

impl Lock {
    fn with<T>(&self, action: impl FnOnce() -> T) -> T {
        while self.0.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        let result = action();
        self.0.store(false, Ordering::Release);
        result
    }
}

/// In a child the lock would stay with a thread that it does not have.
pub(crate) unsafe extern "C" fn before_fork() {
    while OWN_LOCK.0.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
}

pub(crate) unsafe extern "C" fn after_fork() {
    OWN_LOCK.0.store(false, Ordering::Release);
}

/// The library's own memory: sizes are powers of two; freed pieces are used again.
pub(crate) struct Own;

static OWN_LOCK: Lock = Lock(AtomicBool::new(false));

struct Pieces(UnsafeCell<([usize; 64], Range<usize>)>);

// SAFETY: it is used under `OWN_LOCK` alone.
unsafe impl Sync for Pieces {}

static PIECES: Pieces = Pieces(UnsafeCell::new(([0; 64], 0..0)));
/// From this size on pieces are pages of their own.
const LARGE: usize = 1 << 20;

fn size(layout: Layout) -> usize {
    layout.size().max(layout.align()).max(UNIT).next_power_of_two()
}

// SAFETY: pieces do not overlap, and are aligned to their sizes (up to a page).
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = size(layout);
        if size >= LARGE {
            return pages(size);
        }
        OWN_LOCK.with(|| {
            // SAFETY: the lock is held.
            let (free, rest) = unsafe { &mut *PIECES.0.get() };
            let list = &mut free[size.trailing_zeros() as usize];
            if *list > 0 {
                let piece = *list;
                // SAFETY: a free piece holds the next one in its first word.
                *list = unsafe { *(piece as *const usize) };
                return piece as *mut u8;
            }
            let mut piece = rest.start.next_multiple_of(size);
            if piece + size > rest.end {
                piece = pages(2 * LARGE) as usize;
                if piece == 0 {
                    return null_mut();
                }
                *rest = piece..piece + 2 * LARGE;
                piece = piece.next_multiple_of(size);
            }
            rest.start = piece + size;
            piece as *mut u8
        })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let size = size(layout);
        if size >= LARGE {
            // SAFETY: the pages of this piece alone.
            unsafe { libc::munmap(piece.cast(), size) };
            return;
        }
        OWN_LOCK.with(|| {
            // SAFETY: the lock is held, and the piece has a word at least.
            unsafe {
                let (free, _) = &mut *PIECES.0.get();
                let list = &mut free[size.trailing_zeros() as usize];
                *piece.cast::<usize>() = *list;
                *list = piece as usize;
            }
        });
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() && size(layout) < LARGE {
            // SAFETY: the piece has that size; new pages are zero already.
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }
}
