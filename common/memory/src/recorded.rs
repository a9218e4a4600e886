//! Memory that records its accesses.

use std::cell::Cell;

use crate::{Lanes, Memory, Vector, Word};

/// One access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The address of its first byte.
    pub address: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Whether it is a store.
    pub store: bool,
}

/// Memory that records its first accesses, in order; loads and stores work as usual.
#[derive(Debug, Clone)]
pub struct Recorded {
    touched: Vec<Touched>,
    most: usize,
    made: usize,
}

impl Recorded {
    /// Records the first `most` accesses.
    pub fn first(most: usize) -> Recorded {
        Recorded { touched: Vec::new(), most, made: 0 }
    }

    /// The recorded accesses.
    pub fn touched(&self) -> &[Touched] {
        &self.touched
    }

    /// How many accesses were made.
    pub fn made(&self) -> usize {
        self.made
    }

    fn note(&mut self, address: usize, bytes: usize, store: bool) {
        self.made += 1;
        if self.touched.len() < self.most {
            self.touched.push(Touched { address, bytes, store });
        }
    }
}

impl Memory for Recorded {
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        self.note(cell.as_ptr() as usize, size_of::<T>(), false);
        cell.get()
    }

    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        self.note(cell.as_ptr() as usize, size_of::<T>(), true);
        cell.set(value);
    }

    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        self.note(lanes.address(), size_of::<V>(), false);
        lanes.read()
    }

    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        self.note(lanes.address(), size_of::<V>(), true);
        lanes.write(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arena;

    #[test]
    fn the_first_accesses_are_saved_and_all_are_done() {
        let arena = Arena::with_capacity(64).unwrap();
        let x = arena.array::<u32>("x", 4).unwrap();
        let mem = &mut Recorded::first(3);
        for k in 0..4 {
            let old = mem.load(x.at(k));
            mem.store(x.at(k), old + 1);
        }
        let accesses: Vec<_> =
            mem.touched().iter().map(|t| (t.address - arena.origin(), t.bytes, t.store)).collect();
        assert_eq!(accesses, [(0, 4, false), (0, 4, true), (4, 4, false)]);
        assert_eq!((mem.made(), x.to_vec()), (8, vec![1; 4]));
    }
}
