//! What students hand in, as `lab handin` writes it and `lab grade` reads it.

use report::Answer;

/// Largest size of all files of a submission, unpacked, in bytes.
pub(crate) const TOTAL_BYTES: u64 = 64 << 20;

/// Whether a field has an answer; the student's name is none.
pub(crate) fn is_answer(id: &str, answer: &Answer) -> bool {
    !id.starts_with("student-") && !answer.is_empty()
}
