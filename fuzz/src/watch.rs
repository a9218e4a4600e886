//! Measures how much memory an input takes: an allocator that records the maximum.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of each thread's memory.
#[derive(Debug)]
pub struct Watched;

thread_local! {
    // (signed: another thread may free what this one allocated)
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller guarantees it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller guarantees it.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // (while it is moved, both exist)
        add(size as isize);
        add(-(layout.size() as isize));
        // SAFETY: the caller guarantees it.
        unsafe { System.realloc(place, layout, size) }
    }
}

fn add(bytes: isize) {
    HELD.set(HELD.get() + bytes);
    MOST.set(MOST.get().max(HELD.get()));
}

/// The largest memory of this thread in bytes while `work` runs, in addition to what it had
/// before; 0 if [`Watched`] is not the program's allocator.
pub fn peak(work: impl FnOnce()) -> usize {
    let before = HELD.get();
    MOST.set(before);
    work();
    MOST.get().saturating_sub(before).unsigned_abs()
}
