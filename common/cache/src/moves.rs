//! The distances by which a loop's accesses have moved, for each array.

use std::ops::Range;

/// Address ranges, and the bytes by which each moves; all other addresses stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Moves(Vec<(Range<u64>, i64)>);

impl Moves {
    /// Nothing moves.
    pub(crate) const NONE: Moves = Moves(Vec::new());

    pub(crate) fn new(mut moves: Vec<(Range<u64>, i64)>) -> Moves {
        moves.retain(|(_, bytes)| *bytes != 0);
        Moves(moves)
    }

    /// Whether nothing moves.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The same moves repeated this many times.
    pub(crate) fn times(&self, times: i64) -> Moves {
        Moves(self.0.iter().map(|(range, bytes)| (range.clone(), bytes * times)).collect())
    }

    /// Whether the moving ranges are whole blocks of `block` bytes, not shared with a range
    /// that begins at one of `starts`, and move by whole blocks. If only a part of a block
    /// moved, the block would be in two places.
    pub(crate) fn are_whole(&self, starts: &[u64], block: u64) -> bool {
        self.0.iter().all(|(range, bytes)| {
            let shared = range.end..range.end.next_multiple_of(block);
            range.start.is_multiple_of(block)
                && bytes.unsigned_abs().is_multiple_of(block)
                && !starts.iter().any(|start| shared.contains(start))
        })
    }

    /// The number of lines of `1 << shift` bytes by which the line moves.
    #[inline]
    pub(crate) fn lines(&self, line: u64, shift: u32) -> i64 {
        let address = line << shift;
        let moves = self.0.iter().find(|(range, _)| range.contains(&address));
        moves.map_or(0, |(_, bytes)| *bytes >> shift)
    }
}
