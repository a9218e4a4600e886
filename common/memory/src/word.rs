//! The elements of the lab's arrays.

/// An element type that may be created as zero bytes.
///
/// # Safety
///
/// Plain data: no padding, no drop, all-zero bytes are a valid value, and an
/// integer where [`INTEGER`](Word::INTEGER) says so.
pub unsafe trait Word: Copy + Default + 'static {
    /// Whether it is an integer, which some processors add to memory in one
    /// instruction.
    const INTEGER: bool;
    /// Whether it counts elements, and so may decide which accesses follow: a memory that
    /// computes no numbers must still store these.
    const COUNTS: bool;
}

macro_rules! words {
    ($integer:literal, $counts:literal: $($word:ty),*) => {$(
        // SAFETY: a primitive number; zero bytes are zero.
        unsafe impl Word for $word {
            const INTEGER: bool = $integer;
            const COUNTS: bool = $counts;
        }
    )*};
}
words!(true, false: u8, i8, u16, i16, u32, i32, u64, i64, isize);
words!(true, true: usize);
words!(false, false: f32, f64);
