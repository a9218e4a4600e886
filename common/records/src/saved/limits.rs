//! The limits of the readers.
//!
//! | limit | value | because |
//! |---|---|---|
//! | [`BYTES`] | 16 MiB a file | a sweep of 20,000 cells, as an indented record, has 12 MB |
//! | [`ROWS`] | 200,000 rows | ten times that sweep |
//! | [`COLUMNS`] | 4,096 entries a line | one column per array size is the widest table known |
//! | [`ROW_BYTES`] | 64 KiB a row of JSON | a row of cm1 has 0.5 KB |
//! | [`ARRAY`] | 4 GiB an array | spark and cm1 sweep up to 1 GiB |
//! | [`MISSES`] | 100 misses per access | prefetchers add up to 5 to the misses of an access |
//! | [`NAME`] | 60 characters of an event or of a line that is quoted | what a terminal shows on one line |
//! | `ENTRY` | 30 characters of an entry | its line is quoted too |
//! | [`NOTES`] | 100 notes stored, the others counted | nobody reads more |
//!
//! Texts above the last three limits are shortened; above the others, the file is refused
//! in a sentence that names the limit.

/// Bytes of a file.
pub const BYTES: u64 = 16 << 20;
/// Rows of a file.
pub const ROWS: usize = 200_000;
/// Entries of one line of a table.
pub const COLUMNS: usize = 4096;
/// Bytes of one row in JSON.
pub const ROW_BYTES: usize = 64 << 10;
/// Bytes of the array of a row.
pub const ARRAY: u64 = 4 << 30;
/// Misses per access of an event that counts misses; a cell with more is left open.
pub const MISSES: f64 = 100.0;
/// Characters of a name or a line that is repeated in a message.
pub const NAME: usize = 60;
/// Characters of an entry in a message that also has its line.
pub(super) const ENTRY: usize = 30;
/// Notes on one file.
pub const NOTES: usize = 100;
