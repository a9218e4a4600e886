//! Makes sets for the policy that a description names.

use machine::Replacement;

use crate::policy::{Fifo, Lru, Plru, RandomVictim};
use crate::sets::{Layout, Sets, Store};
use crate::wide::{WIDE, WideSets};

/// Empty sets with that policy.
pub(crate) fn new_sets(replacement: Replacement, layout: Layout) -> Box<dyn Store> {
    let is_wide = layout.ways >= WIDE;
    match replacement {
        Replacement::Lru if is_wide => Box::new(WideSets::new(layout, true)),
        Replacement::Fifo if is_wide => Box::new(WideSets::new(layout, false)),
        Replacement::Lru => lru_sets(layout),
        Replacement::Fifo => Box::new(Sets::<_, 0>::new(layout, Fifo)),
        Replacement::Plru => Box::new(Sets::<_, 0>::new(layout, Plru)),
        Replacement::Random { seed } => Box::new(Sets::<_, 0>::new(layout, RandomVictim::new(seed))),
    }
}

/// The same for LRU, specialised for the usual numbers of ways.
fn lru_sets(layout: Layout) -> Box<dyn Store> {
    match layout.ways {
        1 => Box::new(Sets::<_, 1>::new(layout, Lru)),
        2 => Box::new(Sets::<_, 2>::new(layout, Lru)),
        4 => Box::new(Sets::<_, 4>::new(layout, Lru)),
        8 => Box::new(Sets::<_, 8>::new(layout, Lru)),
        12 => Box::new(Sets::<_, 12>::new(layout, Lru)),
        16 => Box::new(Sets::<_, 16>::new(layout, Lru)),
        _ => Box::new(Sets::<_, 0>::new(layout, Lru)),
    }
}
