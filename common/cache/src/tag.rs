//! What a way of a set holds: which line, and its state.

/// A way's content: line number + 1 in the upper bits, so that 0 is an empty
/// way; flags below.
pub(super) type Tag = u32;

/// The line has data that the next level has not.
pub(super) const DIRTY: Tag = 1;
/// The line was prefetched and not used since.
pub(super) const PREFETCHED: Tag = 2;
/// The bits that name the line.
pub(super) const LINE: Tag = !3;
/// Most lines that a tag can distinguish.
pub(super) const LINES: u64 = (1 << 30) - 1;

/// The tag of a clean line.
#[inline(always)]
pub(super) fn tag_of(line: u64) -> Tag {
    (line as Tag).wrapping_add(1) << 2
}

/// The line a tag names.
#[inline(always)]
pub(super) fn line_of(tag: Tag) -> u64 {
    u64::from((tag >> 2) - 1)
}
