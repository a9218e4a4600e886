//! The memory of the lab's arrays: one page-aligned block, handed out from front to back,
//! so that every array's cache sets are known and the same in each run.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr::NonNull;

use thiserror::Error;

use super::{Array, Matrix, Word};
use figures::units::Bytes;

/// Why there is no such block.
#[derive(Debug, Error)]
#[error("no memory for {0}: choose a smaller size, or close other programs")]
pub struct OutOfMemory(pub Bytes);

/// The position of one named array, as byte offsets into its arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// The array's name in the lesson: `a`, `b`, `res`.
    pub name: &'static str,
    /// First byte, and the byte after the last.
    pub bytes: Range<usize>,
}

/// A zeroed, page-aligned block from which arrays are allocated in order, each directly
/// after the one before (as a C compiler lays out globals).
#[derive(Debug)]
pub struct Arena {
    /// The allocated memory, with `layout`.
    given: NonNull<u8>,
    layout: Layout,
    /// The first aligned byte of it, from which `capacity` bytes are used.
    block: NonNull<u8>,
    capacity: usize,
    used: Cell<usize>,
    allocations: RefCell<Vec<Allocation>>,
}

impl Arena {
    /// Alignment of the block: the largest base page in use on Linux hosts of
    /// this kit (x86 has 4 KiB pages, some Arm machines 16 or 64 KiB).
    pub const ALIGNMENT: usize = 65536;

    /// A block of `bytes` zeroed bytes.
    /// Fails if the system has no such block.
    pub fn with_capacity(bytes: usize) -> Result<Arena, OutOfMemory> {
        let refused = || OutOfMemory(Bytes(bytes as u64));
        // Aligned by hand: with a larger alignment the allocator would write every zero
        // itself instead of taking zeroed pages from the system.
        let room = bytes.checked_add(Self::ALIGNMENT).ok_or_else(refused)?;
        let layout = Layout::from_size_align(room, 16).map_err(|_| refused())?;
        // SAFETY: the layout has a size above zero.
        let given = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        let skipped = given.as_ptr().align_offset(Self::ALIGNMENT);
        // SAFETY: of `bytes + ALIGNMENT`, less than ALIGNMENT bytes are skipped.
        let block = unsafe { given.add(skipped) };
        Ok(Arena {
            given,
            layout,
            block,
            capacity: bytes,
            used: Cell::new(0),
            allocations: RefCell::default(),
        })
    }

    /// The next `len` elements of the block, zero, under `name`.
    /// Fails if the block has too few bytes left.
    pub fn array<T: Word>(&self, name: &'static str, len: usize) -> Result<Array<'_, T>, OutOfMemory> {
        let start = self.used.get().next_multiple_of(align_of::<T>());
        let end = len
            .checked_mul(size_of::<T>())
            .and_then(|size| start.checked_add(size))
            .filter(|&end| end <= self.capacity)
            .ok_or(OutOfMemory(Bytes(len.saturating_mul(size_of::<T>()) as u64)))?;
        self.used.set(end);
        self.allocations.borrow_mut().push(Allocation { name, bytes: start..end });
        // SAFETY: start..end lies in the block, is aligned for T, was never
        // handed out before, and zero bytes are a valid `Cell<T>` (`Word`).
        let cells =
            unsafe { std::slice::from_raw_parts(self.block.as_ptr().add(start).cast::<Cell<T>>(), len) };
        Ok(Array { cells })
    }

    /// The next `rows * cols` elements as a matrix stored row by row.
    /// Fails if the block has too few bytes left.
    pub fn matrix<T: Word>(
        &self,
        name: &'static str,
        rows: usize,
        cols: usize,
    ) -> Result<Matrix<'_, T>, OutOfMemory> {
        let len = rows.checked_mul(cols).ok_or(OutOfMemory(Bytes(u64::MAX)))?;
        Ok(Matrix { cells: self.array(name, len)?, rows, cols })
    }

    /// Size of the block in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Address of the first byte; a model subtracts it, so that its sets do
    /// not depend on where the system put the block.
    pub fn origin(&self) -> usize {
        self.block.as_ptr() as usize
    }

    /// The arrays allocated so far, in order.
    pub fn allocations(&self) -> Vec<Allocation> {
        self.allocations.borrow().clone()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated in `with_capacity` with this layout; the arrays
        // borrow the arena, so none is left.
        unsafe { dealloc(self.given.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_one_behind_the_other() {
        let arena = Arena::with_capacity(1024).unwrap();
        let bytes = arena.array::<u8>("bytes", 3).unwrap();
        let m = arena.matrix::<f64>("m", 2, 3).unwrap();
        assert_eq!(arena.allocations()[1], Allocation { name: "m", bytes: 8..56 });
        assert_eq!(bytes.at(0).as_ptr() as usize, arena.origin());
        m.fill(|i, j| (10 * i + j) as f64);
        assert_eq!(m.at(1, 2).get(), 12.0);
        assert_eq!(m.row(1).to_vec(), [10.0, 11.0, 12.0]);
        let sums: Vec<f64> = m.flat().pieces(4).map(|p| p.to_vec().iter().sum()).collect();
        assert_eq!(sums, [13.0], "what is left over is no piece");
        let pairs = m.row(0).pieces_with(1, m.flat(), 4).map(|(one, two)| [one.to_vec(), two.to_vec()]);
        assert_eq!(pairs.collect::<Vec<_>>(), [[vec![0.0], vec![0.0, 1.0, 2.0, 10.0]]]);
        assert_eq!(m.flat().pieces_with(2, m.row(1), 1).count(), 3);
        assert_eq!(arena.origin() % Arena::ALIGNMENT, 0);
    }

    #[test]
    fn a_block_that_is_full_says_so() {
        let arena = Arena::with_capacity(16).unwrap();
        assert!(arena.array::<f64>("fits", 2).is_ok());
        assert!(arena.array::<u8>("does not", 1).is_err());
        assert!(arena.matrix::<f64>("overflows", usize::MAX, 2).is_err());
        assert!(Arena::with_capacity(usize::MAX / 2).is_err());
    }

    #[test]
    #[should_panic(expected = "no element (0, 3)")]
    fn a_column_too_far_is_refused_even_inside_the_block() {
        let arena = Arena::with_capacity(1024).unwrap();
        arena.matrix::<u8>("m", 3, 3).unwrap().at(0, 3);
    }
}
