//! A random line, from a seeded generator that all sets share.

use figures::random::Random;

use super::{Policy, empty};
use crate::tag::Tag;

#[derive(Debug)]
pub(crate) struct RandomVictim(Random);

impl RandomVictim {
    pub(crate) fn new() -> RandomVictim {
        RandomVictim(Random::new(1))
    }
}

impl Policy for RandomVictim {
    type Set = ();

    fn generator(&self) -> u64 {
        self.0.state()
    }

    fn used(&mut self, (): &mut (), _: &mut [Tag], _: usize) {}

    fn fill(&mut self, (): &mut (), tags: &mut [Tag], tag: Tag) -> Tag {
        let way = empty(tags).unwrap_or_else(|| self.0.below(tags.len()));
        std::mem::replace(&mut tags[way], tag)
    }
}
