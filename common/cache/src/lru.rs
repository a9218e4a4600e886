//! One recency-ordered set of a fixed number of ways: the model's hot spot.
//! Whole sets are computed at a time, so that the compiler makes vector instructions
//! of them.

use super::tag::{LINE, Tag};

/// Most ways of such a set.
const WIDEST: usize = 16;

/// What [`touch`] met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) hit: bool,
    /// The line's tag if it hit, else the victim's; 0 for an empty way.
    pub(super) tag: Tag,
}

/// All ones, then zeros: the [`WIDEST`] tags from `WIDEST - 1 - way` on mask
/// the ways from 0 to `way`.
static YOUNGER: [Tag; 2 * WIDEST] = {
    let mut mask = [0; 2 * WIDEST];
    let mut way = 0;
    while way < WIDEST {
        mask[way] = Tag::MAX;
        way += 1;
    }
    mask
};

/// Looks for `key`, makes it the most recently used line with `flags` set, and
/// moves those used since one way back.
#[inline(always)]
pub(super) fn touch<const W: usize>(set: &mut [Tag; W], key: Tag, flags: Tag) -> Touched {
    const { assert!(0 < W && W <= WIDEST) };
    let old = *set;
    let hits = lanes::equal(&old, LINE, key);
    if hits == 0 {
        // Where the processor predicts this branch, the next access to the set need not
        // wait for the comparison: a tenth of a model's time.
        lanes::push_front(set, flags | key);
        return Touched { hit: false, tag: old[W - 1] };
    }
    let way = hits.trailing_zeros() as usize % W;
    let tag = set[way];
    let mut shifted = [flags | tag; W];
    shifted[1..].copy_from_slice(&old[..W - 1]);
    let younger = &YOUNGER[WIDEST - 1 - way..][..W];
    for at in 0..W {
        set[at] = younger[at] & shifted[at] | !younger[at] & old[at];
    }
    Touched { hit: true, tag }
}

/// Puts the line of `tag` to the front, or sets its flags where it is; the victim's tag, 0
/// for an empty way or none.
#[inline(always)]
pub(super) fn accept<const W: usize>(set: &mut [Tag; W], tag: Tag) -> Tag {
    let found = lanes::equal(set, LINE, tag & LINE);
    if found != 0 {
        set[found.trailing_zeros() as usize % W] |= tag;
        return 0;
    }
    let victim = set[W - 1];
    lanes::push_front(set, tag);
    victim
}

/// Takes the line `key` out: empty ways stay behind the others; its tag, 0 if it was not
/// there.
#[inline(always)]
pub(super) fn remove<const W: usize>(set: &mut [Tag; W], key: Tag) -> Tag {
    let found = lanes::equal(set, LINE, key);
    if found == 0 {
        return 0;
    }
    let way = found.trailing_zeros() as usize % W;
    let tag = set[way];
    set.copy_within(way + 1.., way);
    set[W - 1] = 0;
    tag
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same as a list: out of its place, in at the front.
    fn in_a_list(set: &mut Vec<Tag>, key: Tag, flags: Tag) -> Touched {
        let way = set.iter().position(|tag| tag & LINE == key);
        let tag = set.remove(way.unwrap_or(set.len() - 1));
        set.insert(0, flags | if way.is_some() { tag } else { key });
        Touched { hit: way.is_some(), tag }
    }

    fn is_a_list<const W: usize>(lines: &[(u32, bool)]) {
        let (mut set, mut list) = ([0; W], vec![0; W]);
        for &(line, dirty) in lines {
            let key = (line + 1) << 2;
            let touched = touch(&mut set, key, u32::from(dirty));
            assert_eq!(touched, in_a_list(&mut list, key, u32::from(dirty)));
            assert_eq!(set[..], list);
        }
    }

    fn is_a_list_of_victims<const W: usize>(lines: &[(u32, bool)]) {
        let (mut set, mut list) = ([0; W], Vec::new());
        for &(line, comes) in lines {
            let key = (line + 1) << 2;
            let way = list.iter().position(|tag| tag & LINE == key);
            if !comes {
                assert_eq!(remove(&mut set, key), way.map_or(0, |way| list.remove(way)));
            } else if let Some(way) = way {
                assert_eq!(accept(&mut set, key | 1), 0);
                list[way] |= 1;
            } else {
                list.insert(0, key);
                let victim = if list.len() > W { list.pop() } else { None };
                assert_eq!(accept(&mut set, key), victim.unwrap_or(0));
            }
            let (held, empty) = set.split_at(list.len());
            assert!(held == list && empty.iter().all(|tag| *tag == 0));
        }
    }

    proptest! {
        #[test]
        fn a_set_of_victims_is_a_list_in_order_of_arrival(
            lines in prop::collection::vec((0u32..24, any::<bool>()), 0..200)
        ) {
            is_a_list_of_victims::<8>(&lines);
            is_a_list_of_victims::<12>(&lines);
            is_a_list_of_victims::<16>(&lines);
        }

        #[test]
        fn a_set_is_a_list_in_order_of_last_use(
            lines in prop::collection::vec((0u32..24, any::<bool>()), 0..200)
        ) {
            is_a_list::<1>(&lines);
            is_a_list::<2>(&lines);
            is_a_list::<4>(&lines);
            is_a_list::<6>(&lines);
            is_a_list::<8>(&lines);
            is_a_list::<10>(&lines);
            is_a_list::<12>(&lines);
            is_a_list::<16>(&lines);
        }
    }
}
