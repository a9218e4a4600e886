//! Steps in which no stream comes to another line, or page, change nothing.

use super::Stream;

/// Most blocks of a step that are told apart.
const MOST: usize = 32;

/// What surely stays in the first level while nothing else is used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Resident {
    /// Where the first array begins.
    pub(super) origin: usize,
    /// 1 where a block's set is not known.
    pub(super) sets: usize,
    /// So many blocks stay in any set; 0 if none is sure to.
    pub(super) ways: usize,
}

impl Resident {
    /// Whether the blocks of `1 << shift` bytes that the streams are in all stay.
    fn holds(&self, streams: &[Stream], shift: u32) -> bool {
        let (mut blocks, mut count) = ([0; MOST], 0);
        for stream in streams {
            let block = (stream.pointer - self.origin) >> shift;
            if !blocks[..count].contains(&block) {
                if count == MOST {
                    return false;
                }
                blocks[count] = block;
                count += 1;
            }
        }
        let blocks = &blocks[..count];
        let in_set_of =
            |block: usize| blocks.iter().filter(move |other| *other % self.sets == block % self.sets);
        count <= self.ways || blocks.iter().all(|block| in_set_of(*block).count() <= self.ways)
    }
}

/// Looks up the accesses of some steps, none of which comes to more than `most` blocks,
/// without the steps that repeat the one before as all of its blocks surely stay: those in
/// which no stream comes to another one, unless looking up has `disturbed` others.
#[inline(always)]
pub(super) fn walk_by_blocks(
    mut streams: Vec<Stream>,
    steps: usize,
    block: usize,
    (resident, most): (Resident, usize),
    mut disturbed: impl FnMut(&Stream) -> bool,
) {
    if resident.ways == 0 || streams.iter().any(|stream| stream.stride.unsigned_abs() >= block) {
        for _ in 0..steps {
            for stream in &mut streams {
                disturbed(stream);
                stream.advance(1);
            }
        }
        return;
    }
    let mut left = steps;
    while left > 0 {
        let stay = most <= resident.ways || resident.holds(&streams, block.trailing_zeros());
        let (mut same, mut again) = (left, !stay);
        for stream in &streams {
            again |= disturbed(stream);
            same = same.min(stream.steps_in(block));
        }
        if again {
            same = 1;
        }
        streams.iter_mut().for_each(|stream| stream.advance(same));
        left -= same;
    }
}
