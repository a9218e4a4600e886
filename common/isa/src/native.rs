//! Memory on which every access is one instruction.

use std::cell::Cell;

use memory::{Lanes, Memory, Vector, Word};

/// The machine's own memory: every [`load`](Memory::load) is one load instruction and every
/// [`store`](Memory::store) one store, at any optimisation level. The compiler holds
/// nothing in registers, and does not reorder or vectorise.
#[derive(Debug, Default, Clone, Copy)]
pub struct Native;

impl Memory for Native {
    const IS_NATIVE: bool = true;

    #[inline(always)]
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        // SAFETY: the reference is valid and aligned, and a `Cell` is not
        // shared between threads; volatile only forbids removing the load.
        unsafe { cell.as_ptr().read_volatile() }
    }

    #[inline(always)]
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        // SAFETY: as for `load`; a `Cell` may be written through `&`.
        unsafe { cell.as_ptr().write_volatile(in_register(value)) }
    }

    #[inline(always)]
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        lanes.read()
    }

    #[inline(always)]
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        lanes.write(value);
    }

    #[inline(always)]
    fn prefetch(&mut self, cell: *const Cell<f64>) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, which never faults.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(cell.cast());
        }
        #[cfg(all(target_arch = "aarch64", not(miri)))]
        // SAFETY: as above.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly));
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
        let _ = cell;
    }
}

/// Makes the function that contains it start on a cache line. Without that, equal machine code takes up to 1.4 times as
/// long in one program as in another, because its loops lie differently on lines.
#[inline(always)]
pub fn start_on_a_line() {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    // SAFETY: a directive, which aligns the section of the function: it inserts one byte without effect at most.
    unsafe {
        std::arch::asm!(".p2align 6, , 1", options(nomem, nostack, preserves_flags));
    }
}

/// `native! { kernel(a: A, b: B); }` declares a module `native` with `kernel` on [`Native`] memory. It is compiled there
/// and nowhere else, so that all programs measure the same machine code.
#[macro_export]
macro_rules! native {
    ($($kernel:ident($($operand:ident: $type:ty),*);)*) => {
        /// The kernels on this machine's memory: each compiled once, for all programs that measure it.
        pub mod native {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($kernel), "`](super::", stringify!($kernel), ")")]
                #[inline(never)]
                pub fn $kernel($($operand: $type),*) {
                    $crate::start_on_a_line();
                    super::$kernel(&mut $crate::Native, $($operand),*);
                }
            )*
        }
    };
}

/// The same value, in a register: the compiler must not join a load, an addition and a
/// store into one instruction, which cachegrind counts as a load only.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn in_register<T: Word>(value: T) -> T {
    macro_rules! held {
        ($bits:ty, $class:ident, $size:literal) => {{
            // SAFETY: an integer of that size (`Word`); an empty assembly block does not
            // change its bits.
            unsafe {
                let mut bits: $bits = std::mem::transmute_copy(&value);
                std::arch::asm!(concat!("/* {0", $size, "} */"), inout($class) bits, options(pure, nomem, nostack, preserves_flags));
                std::mem::transmute_copy(&bits)
            }
        }};
    }
    match (T::INTEGER, size_of::<T>()) {
        (true, 1) => held!(u8, reg_byte, ""),
        (true, 2) => held!(u16, reg, ":x"),
        (true, 4) => held!(u32, reg, ":e"),
        (true, 8) => held!(u64, reg, ":r"),
        _ => value,
    }
}

/// Other processors have no instruction that adds to memory.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
fn in_register<T: Word>(value: T) -> T {
    value
}
