//! The content of a way: which line, and its state.

/// A way's content: line number + 1 in the upper bits, so that 0 is an empty
/// way; flags below.
pub(crate) type Tag = u32;

/// The line is dirty.
pub(crate) const DIRTY: Tag = 1;
/// The bits that identify the line.
pub(crate) const LINE: Tag = !1;
/// Largest number of lines that the model distinguishes.
pub(crate) const LINES: u64 = (1 << 30) - 1;

/// The tag of a clean line.
#[inline(always)]
pub(crate) fn tag_of(line: u64) -> Tag {
    (line as Tag).wrapping_add(1) << 1
}

/// The line of a tag.
#[inline(always)]
pub(crate) fn line_of(tag: Tag) -> u64 {
    u64::from((tag >> 1) - 1)
}

/// The tag, flags included, of the line this many lines further on.
#[inline(always)]
pub(crate) fn moved(tag: Tag, lines: i64) -> Tag {
    tag.wrapping_add((lines as Tag) << 1)
}
