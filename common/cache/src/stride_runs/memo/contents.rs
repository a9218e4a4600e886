//! What was in some sets, to be found or made again where their lines have moved.

use super::NOBODY;
use crate::level::{ARRAYS, Level};
use crate::sets::Sets;
use crate::tag::Tag;
use crate::wide::WIDE;

/// By array: how far its lines have moved at one level, in tags and in sets.
#[derive(Debug)]
pub(super) struct Moves {
    tags: Box<[Tag; ARRAYS]>,
    sets: Box<[usize; ARRAYS]>,
}

impl Moves {
    pub(super) fn new() -> Moves {
        Moves { tags: Box::new([0; ARRAYS]), sets: Box::new([0; ARRAYS]) }
    }

    /// At `level`, the lines of `owner` have moved by so many bytes.
    pub(super) fn put(&mut self, owner: u8, bytes: i64, level: &Level) {
        let lines = bytes >> level.shift;
        self.tags[usize::from(owner)] = (lines as Tag) << 2;
        self.sets[usize::from(owner)] = lines.rem_euclid(level.lines.count() as i64) as usize;
    }

    /// How much more the tags of an array's lines are.
    #[inline(always)]
    pub(super) fn tag(&self, owner: u8) -> Tag {
        self.tags[usize::from(owner)]
    }
}

/// What was in some sets.
#[derive(Debug, Default)]
pub(super) struct Contents {
    sets: Vec<Was>,
    /// Whose lines they held.
    arrays: Vec<u8>,
    /// The ways of all of them, those of wide sets from the last one on, each with its
    /// line's array.
    tags: Vec<Tag>,
    owners: Vec<u8>,
}

/// One set.
#[derive(Debug)]
struct Was {
    set: u32,
    /// The array whose lines came to it.
    owner: u8,
    /// Whether each way held a line of one and the same array.
    alike: bool,
    tree: u64,
}

impl Contents {
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.sets.len() * size_of::<Was>() + self.tags.len() * (size_of::<Tag>() + 1)
    }

    pub(super) fn shrink(&mut self) {
        self.sets.shrink_to_fit();
        self.tags.shrink_to_fit();
        self.owners.shrink_to_fit();
    }

    /// Notes what was in `set`, to which lines of the array `owner` came.
    pub(super) fn push(
        &mut self,
        (set, owner, tree): (usize, u8, u64),
        tags: &[Tag],
        owner_of: impl Fn(Tag) -> u8,
    ) {
        let from = self.owners.len();
        self.tags.extend_from_slice(tags);
        if tags.len() >= WIDE {
            self.tags[from..].reverse();
        }
        self.owners.extend(self.tags[from..].iter().map(|tag| owner_of(*tag)));
        let owners = &self.owners[from..];
        for owner in owners {
            if *owner != NOBODY && !self.arrays.contains(owner) {
                self.arrays.push(*owner);
            }
        }
        let alike = owners[0] != NOBODY && owners.iter().all(|owner| *owner == owners[0]);
        self.sets.push(Was { set: set as u32, owner, alike, tree });
    }

    /// Whether each set has moved to one of its own of `lines`, which holds the same,
    /// moved.
    pub(super) fn is_in(&self, lines: &mut Sets, moves: &Moves) -> bool {
        let one_line = lines.ways == 1 && !lines.evicts;
        lines.journal.start(lines.count());
        lines.journal.on = false;
        self.each(lines.ways).all(|(was, tags, owners)| {
            let set = was.place(moves, lines.count());
            let by = |owner: &u8| moves.tag(*owner);
            (one_line || lines.journal.mark(set))
                && if lines.is_wide() {
                    lines.holds(set, &self.moved(tags, owners, moves))
                } else if was.alike {
                    lines.is_in_plus(set, tags, by(&owners[0]), was.tree)
                } else {
                    let moved = tags.iter().zip(owners).map(|(tag, owner)| tag.wrapping_add(by(owner)));
                    lines.is_in(set, moved, was.tree)
                }
        })
    }

    /// Makes those sets of `lines` hold the same, moved.
    pub(super) fn put_in(&self, lines: &mut Sets, moves: &Moves) {
        for (was, tags, owners) in self.each(lines.ways) {
            let set = was.place(moves, lines.count());
            let moved = |(tag, owner): (&Tag, &u8)| tag.wrapping_add(moves.tag(*owner));
            if lines.is_wide() {
                lines.hold(set, &self.moved(tags, owners, moves));
            } else {
                lines.put(set, tags.iter().zip(owners).map(moved), was.tree);
            }
        }
    }

    /// The ways of a wide set, moved.
    fn moved(&self, tags: &[Tag], owners: &[u8], moves: &Moves) -> Vec<Tag> {
        let all = self.arrays.iter().map(|array| (*array, moves.tag(*array)));
        let moved: Vec<(u8, Tag)> = all.filter(|(_, by)| *by != 0).collect();
        match moved[..] {
            [] => tags.to_vec(),
            [one] => plus(tags, owners, [one]),
            [one, other] => plus(tags, owners, [one, other]),
            [one, other, third] => plus(tags, owners, [one, other, third]),
            _ => tags.iter().zip(owners).map(|(tag, owner)| tag.wrapping_add(moves.tag(*owner))).collect(),
        }
    }

    /// Each set, its tags and their arrays.
    fn each(&self, ways: usize) -> impl Iterator<Item = (&Was, &[Tag], &[u8])> {
        let ways = self.tags.chunks_exact(ways).zip(self.owners.chunks_exact(ways));
        self.sets.iter().zip(ways).map(|(was, (tags, owners))| (was, tags, owners))
    }
}

/// The tags, each by as much more as its owner's are: few owners are compared, several tags
/// at a time.
fn plus<const N: usize>(tags: &[Tag], owners: &[u8], by: [(u8, Tag); N]) -> Vec<Tag> {
    let moved = |(tag, owner): (&Tag, &u8)| {
        by.iter().fold(*tag, |tag, (array, by)| tag.wrapping_add(if owner == array { *by } else { 0 }))
    };
    tags.iter().zip(owners).map(moved).collect()
}

impl Was {
    /// The set of `count` to which it has moved.
    #[inline(always)]
    fn place(&self, moves: &Moves, count: usize) -> usize {
        let set = self.set as usize + moves.sets[usize::from(self.owner)];
        if set < count { set } else { set - count }
    }
}
