//! What students hand in, as `lab handin` writes it and `lab grade` reads it.

/// Files of a submission that are read: those with answers first, then records.
pub(crate) const MAX_FILES: usize = 64;
/// Bytes of all files of a submission, unpacked.
pub(crate) const TOTAL_BYTES: u64 = 64 << 20;

/// Whether a field has an answer; who signed is none.
pub(crate) fn is_answer(id: &str, text: &str) -> bool {
    !id.starts_with("student-") && !text.trim().is_empty()
}
