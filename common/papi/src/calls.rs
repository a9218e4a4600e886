//! What compilers call before loads and stores with `-fsanitize=thread`, by the names of the
//! sanitizer's own library; and the blocks of `malloc` and `new`. A stub passes on its return
//! address, which is the source line of the access.

use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst, fence};

use crate::heap;
use crate::thread::{access, copied, copies, forget};

extern "C" fn load<const BYTES: u64>(address: u64, caller: u64) {
    access(address, BYTES, false, caller);
}

extern "C" fn store<const BYTES: u64>(address: u64, caller: u64) {
    access(address, BYTES, true, caller);
}

extern "C" fn load_and_store<const BYTES: u64>(address: u64, caller: u64) {
    access(address, BYTES, false, caller);
    access(address, BYTES, true, caller);
}

macro_rules! stubs {
    ($($target:ident $bytes:literal: $($name:ident)*;)*) => {
        $($(stub! { $name, $target::<$bytes>, 1 })*)*
    };
}

stubs! {
    load 1: __tsan_read1 __tsan_volatile_read1;
    load 2: __tsan_read2 __tsan_volatile_read2 __tsan_unaligned_read2 __tsan_unaligned_volatile_read2;
    load 4: __tsan_read4 __tsan_volatile_read4 __tsan_unaligned_read4 __tsan_unaligned_volatile_read4;
    load 8: __tsan_read8 __tsan_volatile_read8 __tsan_unaligned_read8 __tsan_unaligned_volatile_read8
        __tsan_vptr_read;
    load 16: __tsan_read16 __tsan_volatile_read16 __tsan_unaligned_read16 __tsan_unaligned_volatile_read16;
    store 1: __tsan_write1 __tsan_volatile_write1;
    store 2: __tsan_write2 __tsan_volatile_write2 __tsan_unaligned_write2 __tsan_unaligned_volatile_write2;
    store 4: __tsan_write4 __tsan_volatile_write4 __tsan_unaligned_write4 __tsan_unaligned_volatile_write4;
    store 8: __tsan_write8 __tsan_volatile_write8 __tsan_unaligned_write8 __tsan_unaligned_volatile_write8;
    store 16: __tsan_write16 __tsan_volatile_write16 __tsan_unaligned_write16 __tsan_unaligned_volatile_write16;
    load_and_store 1: __tsan_read_write1;
    load_and_store 2: __tsan_read_write2 __tsan_unaligned_read_write2;
    load_and_store 4: __tsan_read_write4 __tsan_unaligned_read_write4;
    load_and_store 8: __tsan_read_write8 __tsan_unaligned_read_write8;
    load_and_store 16: __tsan_read_write16 __tsan_unaligned_read_write16;
}

/// A vector register's width: ranges are accessed in such parts.
const PART: u64 = 16;

fn range(address: u64, bytes: u64, store: bool, caller: u64) {
    let mut at = 0;
    while at < bytes {
        access(address + at, PART.min(bytes - at), store, caller);
        at += PART;
    }
}

extern "C" fn load_range(address: u64, bytes: u64, caller: u64) {
    range(address, bytes, false, caller);
}

extern "C" fn store_range(address: u64, bytes: u64, caller: u64) {
    range(address, bytes, true, caller);
    // gcc says so of an assignment that it then makes by memcpy or memset.
    copies(address, bytes);
}

extern "C" fn store_vptr(address: u64, _: u64, caller: u64) {
    access(address, 8, true, caller);
}

stub! { __tsan_read_range, load_range, 2 }
stub! { __tsan_write_range, store_range, 2 }
stub! { __tsan_vptr_update, store_vptr, 2 }

/// Wherever a function begins; the model needs no call stack.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(_: *const c_void) {}

/// Wherever a function ends.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {}

/// Before anything else in a program.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    crate::program::begin();
}

unsafe extern "C" {
    #[link_name = "memmove"]
    fn c_memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    #[link_name = "memset"]
    fn c_memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void;
}

extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, caller: u64) -> *mut c_void {
    if !copied(to as u64, bytes as u64) {
        range(from as u64, bytes as u64, false, caller);
        range(to as u64, bytes as u64, true, caller);
    }
    // SAFETY: as the program promises to memcpy or memmove.
    unsafe { c_memmove(to, from, bytes) }
}

extern "C" fn set(to: *mut c_void, value: c_int, bytes: usize, caller: u64) -> *mut c_void {
    if !copied(to as u64, bytes as u64) {
        range(to as u64, bytes as u64, true, caller);
    }
    // SAFETY: as the program promises to memset.
    unsafe { c_memset(to, value, bytes) }
}

stub! { __tsan_memcpy, copy, 3 }
stub! { __tsan_memmove, copy, 3 }
stub! { __tsan_memset, set, 3 }

/// Atomic operations of one width; all of them in the strictest order.
macro_rules! atomics {
    ($($module:ident $value:ty, $atomic:ty, $bytes:literal, $name:literal;)*) => {$(
        mod $module {
            use super::*;

            fn at(place: *mut $value, caller: u64, loads: bool, stores: bool) -> &'static $atomic {
                for (_, store) in [(loads, false), (stores, true)].into_iter().filter(|(does, _)| *does) {
                    access(place as u64, $bytes, store, caller);
                }
                // SAFETY: the program uses it as an atomic of this width.
                unsafe { <$atomic>::from_ptr(place) }
            }

            extern "C" fn load(place: *mut $value, _: c_int, caller: u64) -> $value {
                at(place, caller, true, false).load(SeqCst)
            }
            extern "C" fn store(place: *mut $value, value: $value, _: c_int, caller: u64) {
                at(place, caller, false, true).store(value, SeqCst);
            }
            extern "C" fn compare(
                place: *mut $value, expected: *mut $value, value: $value, _: c_int, _: c_int, caller: u64,
            ) -> c_int {
                // SAFETY: the program gives the place of the expected value.
                let wanted = unsafe { &mut *expected };
                let found = at(place, caller, true, false).compare_exchange(*wanted, value, SeqCst, SeqCst);
                match found {
                    Ok(_) => access(place as u64, $bytes, true, caller),
                    Err(other) => *wanted = other,
                }
                c_int::from(found.is_ok())
            }
            extern "C" fn compare_value(
                place: *mut $value, expected: $value, value: $value, _: c_int, _: c_int, caller: u64,
            ) -> $value {
                let mut found = expected;
                compare(place, &raw mut found, value, 0, 0, caller);
                found
            }
            stub! { stub_load as concat!("__tsan_atomic", $name, "_load"), load, 2 }
            stub! { stub_store as concat!("__tsan_atomic", $name, "_store"), store, 3 }
            stub! { strong as concat!("__tsan_atomic", $name, "_compare_exchange_strong"), compare, 5 }
            stub! { weak as concat!("__tsan_atomic", $name, "_compare_exchange_weak"), compare, 5 }
            stub! { compared as concat!("__tsan_atomic", $name, "_compare_exchange_val"), compare_value, 5 }
            atomics! { @ $value, $name;
                swap "_exchange" fetch_add "_fetch_add" fetch_sub "_fetch_sub" fetch_and "_fetch_and"
                fetch_or "_fetch_or" fetch_xor "_fetch_xor" fetch_nand "_fetch_nand" }
        }
    )*};
    (@ $value:ty, $name:literal; $($operation:ident $ending:literal)*) => {$(
        mod $operation {
            use super::*;
            extern "C" fn change(place: *mut $value, value: $value, _: c_int, caller: u64) -> $value {
                at(place, caller, true, true).$operation(value, SeqCst)
            }
            stub! { stub as concat!("__tsan_atomic", $name, $ending), change, 3 }
        }
    )*};
}

atomics! {
    width8 u8, AtomicU8, 1, "8";
    width16 u16, AtomicU16, 2, "16";
    width32 u32, AtomicU32, 4, "32";
    width64 u64, AtomicU64, 8, "64";
}

/// Atomic operations of 16 bytes are made under a lock: every instrumented one comes here.
static WIDE: Mutex<()> = Mutex::new(());

fn wide(place: *mut u128, change: impl FnOnce(u128) -> Option<u128>) -> u128 {
    let _held = WIDE.lock();
    access(place as u64, 16, false, 0);
    // SAFETY: the program gives the place of a value of 16 bytes.
    let before = unsafe { place.read() };
    if let Some(value) = change(before) {
        access(place as u64, 16, true, 0);
        // SAFETY: the same.
        unsafe { place.write(value) };
    }
    before
}

macro_rules! wide_operations {
    ($($name:ident ($old:ident, $value:ident) $result:expr;)*) => {$(
        /// An atomic operation of 16 bytes.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(place: *mut u128, $value: u128, _: c_int) -> u128 {
            wide(place, |$old| Some($result))
        }
    )*};
}

wide_operations! {
    __tsan_atomic128_store(_old, value) value;
    __tsan_atomic128_exchange(_old, value) value;
    __tsan_atomic128_fetch_add(old, value) old.wrapping_add(value);
    __tsan_atomic128_fetch_sub(old, value) old.wrapping_sub(value);
    __tsan_atomic128_fetch_and(old, value) old & value;
    __tsan_atomic128_fetch_or(old, value) old | value;
    __tsan_atomic128_fetch_xor(old, value) old ^ value;
    __tsan_atomic128_fetch_nand(old, value) !(old & value);
}

/// An atomic load of 16 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic128_load(place: *mut u128, _: c_int) -> u128 {
    wide(place, |_| None)
}

/// An atomic exchange of 16 bytes if the old value is `expected`; returns the old one.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic128_compare_exchange_val(
    place: *mut u128,
    expected: u128,
    value: u128,
    _: c_int,
    _: c_int,
) -> u128 {
    wide(place, |old| (old == expected).then_some(value))
}

macro_rules! wide_exchanges {
    ($($name:ident)*) => {$(
        /// The same with the place of the expected value; returns whether it was there.
        ///
        /// # Safety
        ///
        /// `expected` points to a value of 16 bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            place: *mut u128, expected: *mut u128, value: u128, _: c_int, _: c_int,
        ) -> c_int {
            // SAFETY: as the caller promises.
            let wanted = unsafe { &mut *expected };
            let old = wide(place, |old| (old == *wanted).then_some(value));
            let is_same = old == *wanted;
            *wanted = old;
            c_int::from(is_same)
        }
    )*};
}

wide_exchanges! { __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak }

/// A fence between threads.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_: c_int) {
    fence(SeqCst);
}

/// A fence between a thread and its signal handlers.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: c_int) {
    std::sync::atomic::compiler_fence(SeqCst);
}

/// Frees a block after its accesses are counted.
fn free(block: *mut u8) {
    forget(block as u64);
    heap::free(block as usize);
}

/// Alignment of `malloc`'s blocks.
const ALIGN: usize = 16;

extern "C" fn malloc(bytes: usize, caller: usize) -> *mut u8 {
    heap::allocate(bytes, ALIGN, caller)
}

extern "C" fn calloc(count: usize, bytes: usize, caller: usize) -> *mut u8 {
    let bytes = count.saturating_mul(bytes);
    let block = heap::allocate(bytes, ALIGN, caller);
    if !block.is_null() && bytes < heap::LARGE {
        // SAFETY: the block has that size.
        unsafe { block.write_bytes(0, bytes) };
    }
    block
}

extern "C" fn realloc(block: *mut u8, bytes: usize, caller: usize) -> *mut u8 {
    let old = heap::size(block as usize);
    if bytes == 0 && !block.is_null() {
        free(block);
        return std::ptr::null_mut();
    }
    if bytes <= old && 2 * bytes >= old {
        return block;
    }
    let new = heap::allocate(bytes, ALIGN, caller);
    if !new.is_null() {
        // SAFETY: both blocks have that size.
        unsafe { new.copy_from_nonoverlapping(block, old.min(bytes)) };
        free(block);
    }
    new
}

extern "C" fn memalign(align: usize, bytes: usize, caller: usize) -> *mut u8 {
    heap::allocate(bytes, align.max(ALIGN).next_power_of_two(), caller)
}

extern "C" fn posix_memalign(place: *mut *mut u8, align: usize, bytes: usize, caller: usize) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = memalign(align, bytes, caller);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the program gives a place for the address.
    unsafe { *place = block };
    0
}

// In C++ programs alone.
address_of_weak! { throw_bad_alloc, "_ZSt17__throw_bad_allocv" }

extern "C-unwind" fn new_aligned(bytes: usize, align: usize, caller: usize) -> *mut u8 {
    let block = heap::allocate(bytes, align.max(ALIGN), caller);
    if block.is_null() {
        // SAFETY: only C++ programs call new, and those have this function.
        let throw = unsafe { std::mem::transmute::<usize, extern "C-unwind" fn() -> !>(throw_bad_alloc()) };
        throw();
    }
    block
}

extern "C-unwind" fn new(bytes: usize, caller: usize) -> *mut u8 {
    new_aligned(bytes, ALIGN, caller)
}

// `lab cc` links `malloc` and the others to these.
stub! { lab_malloc, malloc, 1 }
stub! { lab_calloc, calloc, 2 }
stub! { lab_realloc, realloc, 2 }
stub! { lab_memalign, memalign, 2 }
stub! { lab_posix_memalign, posix_memalign, 3 }
stub! { lab_new, new, 1 }
stub! { lab_new_aligned, new_aligned, 2 }

/// `free` and `delete`.
#[unsafe(no_mangle)]
pub extern "C" fn lab_free(block: *mut c_void) {
    free(block.cast());
}

/// `malloc_usable_size`.
#[unsafe(no_mangle)]
pub extern "C" fn lab_malloc_usable_size(block: *mut c_void) -> usize {
    heap::size(block as usize)
}
