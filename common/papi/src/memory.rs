//! The library's own memory, far from the program's.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::c_void;

use crate::buffer;

/// The first address that is tried for the library's own memory.
const OWN: usize = 0x0100_0000_0000;
const UNIT: usize = 16;

static NEXT: AtomicUsize = AtomicUsize::new(OWN);

/// New zeroed memory of the library, at a multiple of [`buffer::ALIGN`]; null if there is none.
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

/// The thread that has the lock of the pieces, by an address of its own; 0 for none.
static OWNER: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SELF: u8 = const { 0 };
}

fn own() -> usize {
    SELF.with(|place| &raw const *place as usize)
}

/// Takes the lock, in any state of the process. Before a fork too: in a child the lock would
/// stay with a thread that it does not have.
pub(crate) unsafe extern "C" fn lock() {
    while OWNER.compare_exchange(0, own(), Ordering::Acquire, Ordering::Relaxed).is_err() {
        std::thread::yield_now();
    }
}

pub(crate) unsafe extern "C" fn unlock() {
    OWNER.store(0, Ordering::Release);
}

/// In a signal's handler that ends the program: what has the lock may have been interrupted, and does not go on.
pub(crate) fn unlock_interrupted() {
    let _ = OWNER.compare_exchange(own(), 0, Ordering::Relaxed, Ordering::Relaxed);
}

/// The library's own memory: sizes are powers of two; freed pieces are used again.
pub(crate) struct Own;

struct Pieces(UnsafeCell<([usize; 64], Range<usize>)>);

// SAFETY: it is used under the lock alone.
unsafe impl Sync for Pieces {}

static PIECES: Pieces = Pieces(UnsafeCell::new(([0; 64], 0..0)));
/// New pages have at least so many bytes.
const LEAST: usize = 1 << 21;

fn size(layout: Layout) -> usize {
    layout.size().max(layout.align()).max(UNIT).next_power_of_two()
}

impl Pieces {
    /// Does something with the first free pieces by the logarithm of their size, and what is left of the
    /// last pages.
    fn with<T>(&self, action: impl FnOnce(&mut [usize; 64], &mut Range<usize>) -> T) -> T {
        // SAFETY: the lock is held, and given back.
        unsafe {
            lock();
            let (free, rest) = &mut *self.0.get();
            let result = action(free, rest);
            unlock();
            result
        }
    }
}

// SAFETY: pieces do not overlap, and are aligned to their sizes.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = size(layout);
        PIECES.with(|free, rest| {
            let list = &mut free[size.trailing_zeros() as usize];
            if *list > 0 {
                let piece = *list;
                // SAFETY: a free piece holds the next one in its first word.
                *list = unsafe { *(piece as *const usize) };
                return piece as *mut u8;
            }
            let mut piece = rest.start.next_multiple_of(size);
            if piece + size > rest.end {
                let bytes = size.max(LEAST);
                piece = pages(bytes) as usize;
                if piece == 0 {
                    return null_mut();
                }
                *rest = piece..piece + bytes;
            }
            rest.start = piece + size;
            piece as *mut u8
        })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        PIECES.with(|free, _| {
            let list = &mut free[size(layout).trailing_zeros() as usize];
            // SAFETY: the piece has a word at least.
            unsafe { *piece.cast::<usize>() = *list };
            *list = piece as usize;
        });
    }
}
