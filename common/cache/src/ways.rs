//! The ways of one narrow set.

use super::tag::{LINE, Tag};

/// Where the line `key` is.
#[inline(always)]
pub(super) fn position(tags: &[Tag], key: Tag) -> Option<usize> {
    fn of<const W: usize>(tags: &[Tag], key: Tag) -> Option<usize> {
        let found = lanes::equal(tags.as_chunks::<W>().0.first()?, LINE, key);
        (found != 0).then(|| found.trailing_zeros() as usize)
    }
    match tags.len() {
        1 => return (tags[0] & LINE == key).then_some(0),
        8 => return of::<8>(tags, key),
        16 => return of::<16>(tags, key),
        _ => {}
    }
    let (fours, rest) = tags.as_chunks::<4>();
    for (at, four) in fours.iter().enumerate() {
        let found = lanes::equal(four, LINE, key);
        if found != 0 {
            return Some(4 * at + found.trailing_zeros() as usize);
        }
    }
    let at = rest.iter().position(|tag| tag & LINE == key)?;
    Some(tags.len() - rest.len() + at)
}

/// Whether the `held` tags are `tags`, each `by` more; four are compared at a time.
#[inline(always)]
pub(super) fn are_plus(held: &[Tag], tags: &[Tag], by: Tag) -> bool {
    let ((held, held_rest), (tags, tags_rest)) = (held.as_chunks::<4>(), tags.as_chunks::<4>());
    let mut apart = [0; 4];
    for (held, tags) in held.iter().zip(tags) {
        for at in 0..4 {
            apart[at] |= held[at] ^ tags[at].wrapping_add(by);
        }
    }
    apart == [0; 4] && held_rest.iter().copied().eq(tags_rest.iter().map(|tag| tag.wrapping_add(by)))
}

/// Whether both hold the same lines.
pub(super) fn same_in_any_order(a: &[Tag], b: &[Tag]) -> bool {
    let held = |tags: &[Tag]| tags.iter().filter(|tag| **tag != 0).count();
    held(a) == held(b) && a.iter().all(|tag| *tag == 0 || b.contains(tag))
}

/// Moves the tag at `way` to the front.
pub(super) fn make_mru(tags: &mut [Tag], way: usize) {
    let tag = tags[way];
    tags.copy_within(..way, 1);
    tags[0] = tag;
}

pub(super) fn empty(tags: &[Tag]) -> Option<usize> {
    tags.iter().position(|&tag| tag == 0)
}
