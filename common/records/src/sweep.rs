//! The cells of a sweep over array size and stride, for spark and cm1.

use figures::units::Bytes;

/// The largest array of a sweep: beyond it one cell takes minutes.
const LIMIT: Bytes = Bytes::mib(1024);

/// One cell: an array of `size` bytes, walked in steps of `stride` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Size of the array in bytes.
    pub size: usize,
    /// Bytes from one access to the next.
    pub stride: usize,
}

impl Cell {
    /// Accesses of one pass: index 0, stride, 2·stride … below size − stride + 1.
    pub fn accesses_per_pass(self) -> u64 {
        (self.size / self.stride) as u64
    }
}

/// Array sizes doubling from `min` to `max`.
/// Fails if the range is empty.
pub fn doubling(min: Bytes, max: Bytes) -> Result<Vec<Bytes>, String> {
    if min.0 == 0 || max < min || max > LIMIT {
        return Err(format!(
            "--min {min} --max {max} is no range of array sizes; min must be above 0, max at least min and at most {LIMIT}"
        ));
    }
    Ok(std::iter::successors(Some(min), |b| Some(Bytes(b.0 * 2))).take_while(|b| *b <= max).collect())
}

/// The cells of these array sizes in the kit's order: for each size the
/// `strides`; if there are none, strides doubling from 1 to half the size.
/// Fails if a size is impossible, or a stride does not fit a size.
pub fn cells(sizes: &[Bytes], strides: &[Bytes]) -> Result<Vec<Cell>, String> {
    let mut cells = Vec::new();
    for &size in sizes {
        if size.0 < 2 || size > LIMIT {
            return Err(format!("an array of {size} is not possible; sizes go from 2 B to {LIMIT}"));
        }
        if let Some(&stride) = strides.iter().find(|stride| stride.0 == 0 || stride.0 > size.0 / 2) {
            return Err(format!(
                "--strides {} does not fit an array of {size}; a stride is 1 to half the array size, in bytes",
                stride.0
            ));
        }
        let cell = |stride: usize| Cell { size: size.get(), stride };
        if strides.is_empty() {
            let doubling = std::iter::successors(Some(1), |s| Some(s * 2));
            cells.extend(doubling.take_while(|s| *s <= size.get() / 2).map(cell));
        } else {
            cells.extend(strides.iter().map(|stride| cell(stride.get())));
        }
    }
    Ok(cells)
}
