//! What one turn of an outer loop accesses, seen while it is walked or without
//! simulating it.

use super::moving::Touched;
use super::mru_filter::MruFilter;
use super::request::Access;
use figures::random::mix;

/// Turns that are walked to see how the accesses advance.
pub(super) const TRACED: usize = 2;

/// The accesses of one turn, as far as they do not depend on where the turn's
/// part of each array lies.
#[derive(Debug)]
pub(super) struct Trace {
    /// Of all accesses in order, relative to the first one of the same array.
    pub(super) hash: u64,
    /// By array; none of arrays that the turn does not access.
    pub(super) arrays: Vec<Option<Touched>>,
    /// How often they come to another line, about.
    pub(super) lines: u64,
    /// All accesses lie in arrays, each run in one.
    pub(super) regular: bool,
    /// Nothing is simulated.
    pub(super) only_looks: bool,
    /// Accesses belong to the first two steps of an inner loop.
    pub(super) in_steps: bool,
    /// Bytes of a line and of a page, powers of two.
    blocks: [u64; 2],
}

impl Trace {
    /// Of nothing yet, on `arrays` arrays; lines and pages have `blocks` bytes.
    pub(super) fn new(arrays: usize, blocks: [u64; 2], only_looks: bool) -> Trace {
        Trace {
            hash: 0,
            arrays: vec![None; arrays],
            lines: 0,
            regular: true,
            only_looks,
            in_steps: false,
            blocks,
        }
    }

    /// `steps` accesses `stride` bytes apart, each a step of an inner loop.
    pub(super) fn stream(&mut self, filter: &MruFilter, access: Access, stride: isize, steps: usize) {
        let end = access.pointer.wrapping_add_signed(stride.wrapping_mul(steps as isize - 1));
        let (from, to) = (filter.offset(access.pointer), filter.offset(end));
        let of = |offset| usize::from(filter.hierarchy.addresses.array(offset));
        let array = of(from);
        self.regular &= filter.is_inside(access.pointer) && filter.is_inside(end) && array == of(to);
        self.lines += 1
            + (steps as u64 - 1) * stride.unsigned_abs().min(self.blocks[0] as usize) as u64 / self.blocks[0];
        let within = self.blocks.map(|block| {
            let inside = block - 1;
            let stays = stride as u64 & inside == 0 || steps == 1;
            if stays { (from & inside, from & inside) } else { (0, inside) }
        });
        let (lowest, highest) = (from.min(to), from.max(to));
        let new = Touched { first: from, lowest, highest, within };
        let touched = self.arrays[array].get_or_insert(new);
        touched.lowest = touched.lowest.min(lowest);
        touched.highest = touched.highest.max(highest);
        for (all, one) in touched.within.iter_mut().zip(within) {
            *all = (all.0.min(one.0), all.1.max(one.1));
        }
        if self.only_looks {
            let place = from.wrapping_sub(touched.first);
            let what = (array as u64) << 56 ^ access.kind << 48 ^ steps as u64;
            for part in [place, stride as u64, what] {
                self.hash = mix(self.hash ^ part);
            }
        }
    }
}
