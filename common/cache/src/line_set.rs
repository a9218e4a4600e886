//! A set of line numbers as a bit map, in blocks that are allocated when needed.

/// Words per block.
const WORDS: usize = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct LineSet {
    blocks: Vec<Option<Box<[u64; WORDS]>>>,
    count: usize,
}

/// Block, word and bit of a line.
fn place(line: u64) -> (usize, usize, u64) {
    let word = (line / u64::from(u64::BITS)) as usize;
    (word / WORDS, word % WORDS, 1 << (line % u64::from(u64::BITS)))
}

impl LineSet {
    /// Adds a line; returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, line: u64) -> bool {
        let (block, word, bit) = place(line);
        if block >= self.blocks.len() {
            self.blocks.resize(block + 1, None);
        }
        let word = &mut self.blocks[block].get_or_insert_with(|| Box::new([0; WORDS]))[word];
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    /// Removes a line; returns whether it was there.
    #[inline]
    pub(crate) fn remove(&mut self, line: u64) -> bool {
        let (block, word, bit) = place(line);
        let Some(Some(words)) = self.blocks.get_mut(block) else { return false };
        let was_there = words[word] & bit != 0;
        words[word] &= !bit;
        self.count -= usize::from(was_there);
        was_there
    }

    #[inline]
    pub(crate) fn contains(&self, line: u64) -> bool {
        let (block, word, bit) = place(line);
        matches!(self.blocks.get(block), Some(Some(words)) if words[word] & bit != 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All lines in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let blocks = self.blocks.iter().zip(0..).filter_map(|(block, at)| Some((block.as_ref()?, at)));
        let words = blocks.flat_map(|(words, at)| words.iter().zip((at * WORDS as u64)..));
        words.filter(|(word, _)| **word != 0).flat_map(|(word, at)| {
            let bits = u64::from(u64::BITS);
            (0..bits).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at * bits + bit)
        })
    }
}

impl Extend<u64> for LineSet {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, lines: I) {
        lines.into_iter().for_each(|line| {
            self.insert(line);
        });
    }
}

impl FromIterator<u64> for LineSet {
    fn from_iter<I: IntoIterator<Item = u64>>(lines: I) -> LineSet {
        let mut set = LineSet::default();
        set.extend(lines);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_line_set_equals_a_standard_set(changes in prop::collection::vec((any::<bool>(), 0u64..9000), 0..200)) {
            let (mut set, mut expected) = (LineSet::default(), BTreeSet::new());
            for (comes, line) in changes {
                let [changed, wanted] = match comes {
                    true => [set.insert(line), expected.insert(line)],
                    false => [set.remove(line), expected.remove(&line)],
                };
                prop_assert_eq!(changed, wanted);
                prop_assert_eq!(set.contains(line), comes);
            }
            prop_assert_eq!((set.len(), set.is_empty()), (expected.len(), expected.is_empty()));
            prop_assert!(set.iter().eq(expected));
        }
    }
}
