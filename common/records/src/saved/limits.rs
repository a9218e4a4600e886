//! The limits of the readers. A file above one of them is refused in a sentence that names the
//! limit; longer names are shortened.

/// Bytes of a file: a sweep of 20,000 cells, as an indented record, has 12 MB.
pub const BYTES: u64 = 16 << 20;
/// Rows of a file: ten times that sweep.
pub const ROWS: usize = 200_000;
/// Bytes of the array of a row; spark and cm1 sweep up to 1 GiB.
pub const ARRAY: u64 = 4 << 30;
/// Misses per access of an event that counts misses: prefetchers add up to 5.
pub const MISSES: f64 = 100.0;
/// Characters of a name or a line that is repeated in a message.
pub const NAME: usize = 60;
/// Notes on one file.
pub const NOTES: usize = 100;
