//! Accesses to several adjacent elements at once, as SIMD instructions make them.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::{Array, Word};

/// A SIMD register of [`LANES`](Vector::LANES) elements.
///
/// # Safety
///
/// `Self` must be plain data, exactly `LANES * size_of::<Lane>()` bytes, every
/// bit pattern of which is valid.
pub unsafe trait Vector: Copy {
    /// One element.
    type Lane: Word;
    /// Elements in a register.
    const LANES: usize = size_of::<Self>() / size_of::<Self::Lane>();

    /// The element in one lane, from 0.
    ///
    /// # Panics
    ///
    /// If there are fewer lanes.
    #[inline(always)]
    fn lane(self, index: usize) -> Self::Lane {
        assert!(index < Self::LANES, "a register has {} lanes", Self::LANES);
        // SAFETY: LANES elements and nothing else, and `index` is one of them.
        unsafe { (&raw const self).cast::<Self::Lane>().add(index).read() }
    }
}

/// [`Vector::LANES`] adjacent elements of an array, in bounds by construction; the
/// alignment is only the element's own.
#[derive(Debug)]
pub struct Lanes<'a, V: Vector> {
    /// A slice of the whole access: a reference to its first cell would cover only that.
    lanes: NonNull<V>,
    cells: PhantomData<&'a [Cell<V::Lane>]>,
}

impl<V: Vector> Clone for Lanes<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for Lanes<'_, V> {}

impl<'a, T: Word> Array<'a, T> {
    /// The [`Vector::LANES`] elements from `index` on.
    ///
    /// # Panics
    ///
    /// If the last of them is after the end.
    #[inline(always)]
    pub fn lanes<V: Vector<Lane = T>>(self, index: usize) -> Lanes<'a, V> {
        let cells = &self.cells()[index..index + V::LANES];
        Lanes { lanes: NonNull::from(cells).cast(), cells: PhantomData }
    }
}

impl<V: Vector> Lanes<'_, V> {
    /// The address of the first element.
    #[inline(always)]
    pub fn address(self) -> usize {
        self.lanes.addr().get()
    }

    /// Reads the lanes.
    #[inline(always)]
    pub fn read(self) -> V {
        // SAFETY: `Array::lanes` checked that LANES elements follow; `Vector`
        // promises that any bit pattern is valid.
        unsafe { self.lanes.read_unaligned() }
    }

    /// Writes the lanes.
    #[inline(always)]
    pub fn write(self, value: V) {
        // SAFETY: as for `read`; a `Cell` may be written through `&`.
        unsafe { self.lanes.write_unaligned(value) }
    }
}

// SAFETY: N adjacent elements and nothing else; a `Word` may have any bits that a `Word`
// had.
unsafe impl<T: Word, const N: usize> Vector for [T; N] {
    type Lane = T;
}

#[cfg(test)]
mod tests {
    use super::super::{Arena, Memory, Unobserved};

    #[test]
    fn lanes_are_read_and_written_at_any_element() {
        let arena = Arena::with_capacity(4096).unwrap();
        let x = arena.array::<f64>("x", 5).unwrap();
        x.fill(|i| i as f64);
        let mut mem = Unobserved;
        let pair: [f64; 2] = mem.load_vector(x.lanes(3));
        assert_eq!(pair, [3.0, 4.0]);
        mem.store_vector(x.lanes(1), [7.0, 8.0]);
        assert_eq!(x.to_vec(), [0.0, 7.0, 8.0, 3.0, 4.0]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn lanes_beyond_the_end_are_refused() {
        let arena = Arena::with_capacity(4096).unwrap();
        arena.array::<f64>("x", 5).unwrap().lanes::<[f64; 2]>(4);
    }
}
