//! The blocks of `malloc`, `new` and their relatives, each with the return address of its call.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::site::BLOCK;
use crate::{buffer, locked};

/// Ends of blocks and the return addresses of the calls that made them, by their first addresses. A
/// block stays until another takes its place.
static BLOCKS: Mutex<BTreeMap<u64, (u64, u64)>> = Mutex::new(BTreeMap::new());
/// How often the blocks changed.
static CHANGES: AtomicU64 = AtomicU64::new(0);

pub(crate) fn changes() -> u64 {
    CHANGES.load(Ordering::Relaxed)
}

/// Notes a block.
pub(crate) fn add(start: u64, bytes: u64, caller: u64) {
    let mut blocks = locked(&BLOCKS);
    let end = start.saturating_add(bytes.max(1));
    while let Some((&old, _)) = blocks.range(..end).next_back().filter(|(_, (old_end, _))| *old_end > start) {
        blocks.remove(&old);
    }
    blocks.insert(start, (end, caller));
    CHANGES.fetch_add(1, Ordering::Relaxed);
}

/// The block at an address, and the return address of the call that made it.
pub(crate) fn at(address: u64) -> Option<(Range<u64>, u64)> {
    let blocks = locked(&BLOCKS);
    let (start, (end, caller)) = blocks.range(..=address).next_back()?;
    (address < *end).then_some((*start..*end, *caller))
}

/// Appends to the calling thread's buffer that there is a block; `caller` is the return address of
/// the call that made it.
fn note(address: u64, bytes: u64, caller: u64) {
    unsafe extern "C" {
        /// Counts the records, so that there is place for the next one (`thread.rs`).
        safe fn lab_drain();
    }
    let own = buffer::own();
    if own.load(Ordering::Relaxed) & 0xff_0000 != 0 {
        lab_drain();
    }
    let place = own.load(Ordering::Relaxed);
    for (at, word) in [(&raw const BLOCK) as u64, address, bytes, caller].into_iter().enumerate() {
        // SAFETY: as rewritten code does: behind a pointer below `FULL` there is place for a record.
        unsafe { (*(place as *const AtomicU64).add(at)).store(word, Ordering::Relaxed) };
    }
    own.store(place + 32, Ordering::Release);
}

macro_rules! wrapped {
    ($($stub:literal $name:ident $real:literal ($($argument:ident: $type:ty),*) $place:tt $bytes:expr;)*) => {$(
        mod $name {
            use super::*;

            // A program in C has no operators of C++, nor calls them.
            address_of_weak! { real, $real }

            extern "C" fn call($($argument: $type,)* caller: u64) -> *mut c_void {
                type Real = extern "C" fn($($type),*) -> *mut c_void;
                // SAFETY: the C or C++ library's function of this type.
                let block = unsafe { std::mem::transmute::<usize, Real>(real()) }($($argument),*);
                if !block.is_null() {
                    note(block as u64, $bytes as u64, caller);
                }
                block
            }

            stub! { stub as $stub, "lab_wrapped", call, $place }
        }
    )*};
}

wrapped! {
    "__wrap_malloc" malloc "__real_malloc" (bytes: usize) 1 bytes;
    "__wrap_calloc" calloc "__real_calloc" (count: usize, bytes: usize) 2 count.saturating_mul(bytes);
    "__wrap_realloc" realloc "__real_realloc" (block: *mut c_void, bytes: usize) 2 bytes;
    "__wrap_memalign" memalign "__real_memalign" (align: usize, bytes: usize) 2 bytes;
    "__wrap_aligned_alloc" aligned_alloc "__real_aligned_alloc" (align: usize, bytes: usize) 2 bytes;
    "__wrap__Znwm" new "__real__Znwm" (bytes: usize) 1 bytes;
    "__wrap__Znam" new_array "__real__Znam" (bytes: usize) 1 bytes;
    "__wrap__ZnwmSt11align_val_t" new_aligned "__real__ZnwmSt11align_val_t" (bytes: usize, align: usize) 2 bytes;
    "__wrap__ZnamSt11align_val_t" new_array_aligned "__real__ZnamSt11align_val_t" (bytes: usize, align: usize) 2 bytes;
    "__wrap__ZnwmRKSt9nothrow_t" new_or_null "__real__ZnwmRKSt9nothrow_t" (bytes: usize, tag: *const c_void) 2 bytes;
    "__wrap__ZnamRKSt9nothrow_t" new_array_or_null "__real__ZnamRKSt9nothrow_t" (bytes: usize, tag: *const c_void) 2 bytes;
}

extern "C" fn posix_memalign(place: *mut *mut c_void, align: usize, bytes: usize, caller: u64) -> c_int {
    unsafe extern "C" {
        #[link_name = "__real_posix_memalign"]
        fn real(place: *mut *mut c_void, align: usize, bytes: usize) -> c_int;
    }
    // SAFETY: with the program's own arguments; on success the block's address is at the place.
    unsafe {
        let status = real(place, align, bytes);
        if status == 0 {
            note(*place as u64, bytes as u64, caller);
        }
        status
    }
}

stub! { stub_posix_memalign as "__wrap_posix_memalign", "lab_wrapped", posix_memalign, 3 }
