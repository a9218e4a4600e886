//! Where the lab's arrays live: one page-aligned block, handed out front to
//! back, so that every array's cache sets are known and the same in each run.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr::NonNull;

use thiserror::Error;

use crate::units::Bytes;

/// An element type that may be created as zero bytes.
///
/// # Safety
///
/// Plain data: no padding, no drop, and all-zero bytes are a valid value.
pub unsafe trait Word: Copy + Default + 'static {
    /// The same value, in a register: keeps the compiler from joining a load,
    /// an addition and a store into one instruction, which counts as a load
    /// alone in cachegrind.
    #[inline(always)]
    fn in_register(self) -> Self {
        self
    }
}

/// Integers, which x86 can add to memory in one instruction.
macro_rules! integers {
    ($($word:ty: $class:ident $size:literal),*) => {$(
        // SAFETY: a primitive number; zero bytes are zero.
        unsafe impl Word for $word {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            #[inline(always)]
            fn in_register(mut self) -> Self {
                // SAFETY: no instruction at all; the value comes out as it went in.
                unsafe {
                    std::arch::asm!(concat!("/* {0", $size, "} */"), inout($class) self, options(pure, nomem, nostack, preserves_flags));
                }
                self
            }
        }
    )*};
}
integers!(
    u8: reg_byte "", i8: reg_byte "", u16: reg ":x", i16: reg ":x", u32: reg ":e", i32: reg ":e",
    u64: reg ":r", i64: reg ":r", usize: reg ":r", isize: reg ":r"
);

// SAFETY: primitive numbers; zero bytes are zero.
unsafe impl Word for f32 {}
// SAFETY: as for f32.
unsafe impl Word for f64 {}

/// The block could not be had.
#[derive(Debug, Error)]
#[error("no memory for {0}: choose a smaller size, or close other programs")]
pub struct OutOfMemory(pub Bytes);

/// The place of one named array, as byte offsets into its arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The array's name in the lesson: `a`, `b`, `res`.
    pub name: &'static str,
    /// First byte and the byte behind the last.
    pub bytes: Range<usize>,
}

/// A zeroed, page-aligned block from which arrays are taken in order, each
/// directly behind the one before (as a C compiler lays out globals).
#[derive(Debug)]
pub struct Arena {
    /// What the allocator gave, `layout` bytes.
    given: NonNull<u8>,
    layout: Layout,
    /// The first aligned byte of it, from which `capacity` bytes are used.
    block: NonNull<u8>,
    capacity: usize,
    used: Cell<usize>,
    regions: RefCell<Vec<Region>>,
}

impl Arena {
    /// Alignment of the block: the largest base page in use on Linux hosts of
    /// this kit (x86 has 4 KiB pages, some Arm machines 16 or 64 KiB).
    pub const ALIGNMENT: usize = 65536;

    /// A block of `bytes` zeroed bytes.
    ///
    /// # Errors
    ///
    /// If the system has no such block.
    pub fn with_capacity(bytes: usize) -> Result<Arena, OutOfMemory> {
        let refused = || OutOfMemory(Bytes(bytes as u64));
        // Aligned by hand: asked for an alignment, the allocator writes every
        // zero itself instead of taking fresh pages from the system.
        let room = bytes.checked_add(Self::ALIGNMENT).ok_or_else(refused)?;
        let layout = Layout::from_size_align(room, 16).map_err(|_| refused())?;
        // SAFETY: the layout has a size above zero.
        let given = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        let skipped = given.as_ptr().align_offset(Self::ALIGNMENT);
        // SAFETY: less than ALIGNMENT bytes are skipped of `bytes + ALIGNMENT`.
        let block = unsafe { given.add(skipped) };
        Ok(Arena { given, layout, block, capacity: bytes, used: Cell::new(0), regions: RefCell::default() })
    }

    /// The next `len` elements of the block, zero, under `name`.
    ///
    /// # Errors
    ///
    /// If the block has too few bytes left.
    pub fn array<T: Word>(&self, name: &'static str, len: usize) -> Result<Array<'_, T>, OutOfMemory> {
        let start = self.used.get().next_multiple_of(align_of::<T>());
        let end = len
            .checked_mul(size_of::<T>())
            .and_then(|size| start.checked_add(size))
            .filter(|&end| end <= self.capacity)
            .ok_or(OutOfMemory(Bytes(len.saturating_mul(size_of::<T>()) as u64)))?;
        self.used.set(end);
        self.regions.borrow_mut().push(Region { name, bytes: start..end });
        // SAFETY: start..end lies in the block, is aligned for T, was never
        // handed out before, and zero bytes are a valid `Cell<T>` (`Word`).
        let cells =
            unsafe { std::slice::from_raw_parts(self.block.as_ptr().add(start).cast::<Cell<T>>(), len) };
        Ok(Array { cells })
    }

    /// The next `rows * cols` elements as a matrix stored row by row.
    ///
    /// # Errors
    ///
    /// If the block has too few bytes left.
    pub fn matrix<T: Word>(
        &self,
        name: &'static str,
        rows: usize,
        cols: usize,
    ) -> Result<Matrix<'_, T>, OutOfMemory> {
        let len = rows.checked_mul(cols).ok_or(OutOfMemory(Bytes(u64::MAX)))?;
        Ok(Matrix { cells: self.array(name, len)?, rows, cols })
    }

    /// Bytes of the block, taken or not.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Address of the first byte; a model subtracts it, so that its sets do
    /// not depend on where the system put the block.
    pub fn origin(&self) -> usize {
        self.block.as_ptr() as usize
    }

    /// The arrays taken so far, in order.
    pub fn regions(&self) -> Vec<Region> {
        self.regions.borrow().clone()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated in `with_capacity` with this layout; the arrays
        // borrow the arena, so none is left.
        unsafe { dealloc(self.given.as_ptr(), self.layout) }
    }
}

/// Elements side by side. A view: copying it copies no element.
#[derive(Debug, Clone, Copy)]
pub struct Array<'a, T: Copy> {
    cells: &'a [Cell<T>],
}

impl<'a, T: Word> Array<'a, T> {
    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.cells.is_empty()
    }

    /// Element `i`, to be given to [`Memory::load`](super::Memory::load).
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn at(self, i: usize) -> &'a Cell<T> {
        &self.cells[i]
    }

    /// All elements.
    #[inline(always)]
    pub fn cells(self) -> &'a [Cell<T>] {
        self.cells
    }

    /// Sets every element, outside any measurement.
    pub fn fill(self, value: impl Fn(usize) -> T) {
        for (i, cell) in self.cells.iter().enumerate() {
            cell.set(value(i));
        }
    }

    /// Sets every element to that of `values` at its place, outside any
    /// measurement. Places beyond the end of `values` stay as they are.
    pub fn copy_from(self, values: &[T]) {
        for (cell, value) in self.cells.iter().zip(values) {
            cell.set(*value);
        }
    }

    /// A copy of the elements.
    pub fn to_vec(self) -> Vec<T> {
        self.cells.iter().map(Cell::get).collect()
    }

    /// The elements `start..start + len`.
    ///
    /// # Panics
    ///
    /// If they are not all there.
    #[inline(always)]
    pub fn part(self, start: usize, len: usize) -> Array<'a, T> {
        Array { cells: &self.cells[start..start + len] }
    }

    /// The whole pieces of `len` elements, one behind the other: with a
    /// constant `len`, no index inside a piece needs a check.
    ///
    /// # Panics
    ///
    /// If `len` is 0.
    #[inline(always)]
    pub fn pieces(self, len: usize) -> impl Iterator<Item = Array<'a, T>> {
        self.cells.chunks_exact(len).map(|cells| Array { cells })
    }
}

/// A matrix stored row by row. A view: copying it copies no element.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a, T: Copy> {
    cells: Array<'a, T>,
    rows: usize,
    cols: usize,
}

impl<'a, T: Word> Matrix<'a, T> {
    /// Number of rows.
    #[inline(always)]
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline(always)]
    pub fn cols(self) -> usize {
        self.cols
    }

    /// Element (`i`, `j`), to be given to [`Memory::load`](super::Memory::load).
    /// Where the loops run to [`rows`](Matrix::rows) and
    /// [`cols`](Matrix::cols), the compiler proves the check and drops it.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn at(self, i: usize, j: usize) -> &'a Cell<T> {
        if i >= self.rows || j >= self.cols {
            no_element(i, j);
        }
        // SAFETY: just checked, and the view holds rows * cols elements.
        unsafe { self.cells.cells().get_unchecked(i * self.cols + j) }
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline(always)]
    pub fn row(self, i: usize) -> Array<'a, T> {
        self.cells.part(i * self.cols, self.cols)
    }

    /// All elements, row by row.
    #[inline(always)]
    pub fn flat(self) -> Array<'a, T> {
        self.cells
    }

    /// Sets every element, outside any measurement.
    pub fn fill(self, value: impl Fn(usize, usize) -> T) {
        for i in 0..self.rows {
            self.row(i).fill(|j| value(i, j));
        }
    }
}

/// By value, so that a loop's counters need no place in memory.
#[cold]
#[inline(never)]
fn no_element(i: usize, j: usize) -> ! {
    panic!("no element ({i}, {j}) in a matrix")
}

/// The side `n` of matrices that must all be `n` by `n`, and the matrices with
/// that fact in them: loops that run to this `n` need no check of an index.
///
/// # Panics
///
/// If one of them is not square, or not of the first one's size.
#[inline(always)]
pub fn squares<T: Word, const K: usize>(matrices: [Matrix<'_, T>; K]) -> (usize, [Matrix<'_, T>; K]) {
    let n = matrices[0].rows;
    let same = matrices.map(|m| {
        assert!(m.rows == n && m.cols == n, "square matrices of one size are needed");
        Matrix { rows: n, cols: n, ..m }
    });
    (n, same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_one_behind_the_other() {
        let arena = Arena::with_capacity(1024).unwrap();
        let bytes = arena.array::<u8>("bytes", 3).unwrap();
        let m = arena.matrix::<f64>("m", 2, 3).unwrap();
        assert_eq!(arena.regions()[1], Region { name: "m", bytes: 8..56 });
        assert_eq!(bytes.at(0).as_ptr() as usize, arena.origin());
        m.fill(|i, j| (10 * i + j) as f64);
        assert_eq!(m.at(1, 2).get(), 12.0);
        assert_eq!(m.row(1).to_vec(), [10.0, 11.0, 12.0]);
        let sums: Vec<f64> = m.flat().pieces(4).map(|p| p.to_vec().iter().sum()).collect();
        assert_eq!(sums, [13.0], "what is left over is no piece");
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
