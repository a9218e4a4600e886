//! The elements of the lab's arrays.

/// An element type that may be created as zero bytes.
///
/// # Safety
///
/// Plain data: no padding, no drop, and all-zero bytes are a valid value.
pub unsafe trait Word: Copy + Default + 'static {
    /// The same value, in a register: keeps the compiler from joining a load,
    /// an addition and a store into one instruction, which counts as a load
    /// alone in cachegrind.
    #[inline(always)]
    fn in_register(self) -> Self {
        self
    }
}

/// Integers, which x86 can add to memory in one instruction.
macro_rules! integers {
    ($($word:ty: $class:ident $size:literal),*) => {$(
        // SAFETY: a primitive number; zero bytes are zero.
        unsafe impl Word for $word {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            #[inline(always)]
            fn in_register(mut self) -> Self {
                // SAFETY: no instruction at all; the value comes out as it went in.
                unsafe {
                    std::arch::asm!(concat!("/* {0", $size, "} */"), inout($class) self, options(pure, nomem, nostack, preserves_flags));
                }
                self
            }
        }
    )*};
}
integers!(
    u8: reg_byte "", i8: reg_byte "", u16: reg ":x", i16: reg ":x", u32: reg ":e", i32: reg ":e",
    u64: reg ":r", i64: reg ":r", usize: reg ":r", isize: reg ":r"
);

// SAFETY: primitive numbers; zero bytes are zero.
unsafe impl Word for f32 {}
// SAFETY: as for f32.
unsafe impl Word for f64 {}
