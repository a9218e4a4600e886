//! The arrays of a loop, whose accesses advance from turn to turn.

/// Most turns in which arrays may still share a block.
const MOST_SHARED: usize = 16;

/// What a turn accesses of one array: byte offsets in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touched {
    /// Of its first access.
    pub(super) first: u64,
    /// Of its lowest and its highest access.
    pub(super) lowest: u64,
    pub(super) highest: u64,
    /// Lowest and highest place of an access within its line and within its page.
    pub(super) within: [(u64, u64); 2],
}

/// How an array's accesses advance: bytes from turn to turn, and what turn 0 accesses.
pub(super) type Advance = (u64, Touched);

/// An array that the loop accesses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    /// Bytes by which the accesses advance from turn to turn.
    pub(super) stride: u64,
    /// The lowest access of turn 0.
    pub(super) lowest: u64,
    /// The lowest and the highest access of the turns that are looked at.
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Moving {
    /// Those that advance like this, and the first turn from which up to turn `limit` none
    /// shares a block of any of these sizes (as shifts) with one that advances differently:
    /// in the first turns of one, there may be the end of another.
    pub(super) fn apart(
        advances: &[Option<Advance>],
        shifts: &[u32],
        limit: usize,
    ) -> Option<(usize, Vec<Moving>)> {
        let from = |first: usize| -> Vec<Moving> {
            let moving = |&(stride, touched): &Advance| Moving {
                stride,
                lowest: touched.lowest,
                from: touched.lowest + stride * first as u64,
                to: touched.highest + stride * (limit - 1) as u64,
            };
            advances.iter().flatten().map(moving).collect()
        };
        let mut all = (0..MOST_SHARED).map(|first| (first, from(first)));
        all.find(|(_, arrays)| shifts.iter().all(|shift| are_apart(arrays, *shift)))
    }

    /// Whether it has accesses in the block.
    pub(super) fn is_in(&self, block: u64, shift: u32) -> bool {
        (self.from >> shift..=self.to >> shift).contains(&block)
    }
}

fn are_apart(arrays: &[Moving], shift: u32) -> bool {
    arrays.iter().enumerate().all(|(at, a)| {
        arrays[..at].iter().all(|b| {
            let shared = a.from >> shift <= b.to >> shift && b.from >> shift <= a.to >> shift;
            a.stride == b.stride || !shared
        })
    })
}
