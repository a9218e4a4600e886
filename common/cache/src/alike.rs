//! Turns that are alike: see [`warp`](super::warp).

use super::Modelled;
use super::half::Half;
use super::moving::Advance;
use super::steady::Saved;

/// Turns that access the same lines, or pages, as the turn before.
#[derive(Debug)]
pub(super) struct Alike {
    half: Half,
    advances: Vec<Advance>,
    /// Bytes within which turns access the same.
    block: u64,
    limit: usize,
    /// The turn before which a state was saved; the state, and the core's counts.
    turn: Option<usize>,
    saved: Saved,
    core: [u64; 5],
}

impl Alike {
    /// For a loop of `limit` turns whose arrays advance like this, within blocks of
    /// `block` bytes; `None` if too few turns stay within one.
    pub(super) fn new(half: Half, advances: Vec<Advance>, block: u64, limit: usize) -> Option<Alike> {
        let stays = advances.iter().all(|(stride, _)| 3 * stride <= block);
        let (saved, core) = (Saved::default(), [0; 5]);
        stays.then_some(Alike { half, advances, block, limit, turn: None, saved, core })
    }

    /// How many turns from `at` on are known to be like the one before.
    pub(super) fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        let end = if at == 0 { 0 } else { self.end(at - 1) };
        let turn = self.turn.take();
        if end <= at {
            return 0;
        }
        model.flush();
        if turn.is_some_and(|turn| turn + 1 == at) && self.saved.is_state_of(&model.filter.hierarchy) {
            return end - at;
        }
        if end > at + 1 {
            let limit = if self.half.has_caches() { usize::MAX } else { 0 };
            self.saved.update(&mut model.filter.hierarchy, limit);
            (self.turn, self.core) = (Some(at), model.core_counts().map(|count| *count));
        }
        0
    }

    /// Counts so many turns more, each like the one before which the state was saved.
    pub(super) fn advance(&mut self, model: &mut Modelled, turns: usize) {
        self.saved.advance_counts(&mut model.filter.hierarchy, turns as u64);
        for (count, before) in model.core_counts().into_iter().zip(self.core) {
            *count += (*count - before) * turns as u64;
        }
    }

    /// The first turn after `turn` that accesses other blocks.
    fn end(&self, turn: usize) -> usize {
        let end = |&(stride, touched): &Advance| {
            let (lowest, highest) = touched.within[usize::from(!self.half.has_caches())];
            let block = (lowest + stride * turn as u64) / self.block;
            let last = (block + 1) * self.block - 1; // no access may be beyond it
            match last.checked_sub(highest) {
                Some(room) if stride > 0 => (room / stride) as usize + 1,
                _ if stride == 0 => usize::MAX,
                _ => turn + 1,
            }
        };
        self.advances.iter().map(end).min().unwrap_or(usize::MAX).clamp(turn + 1, self.limit.max(turn + 1))
    }
}
