//! Sweeps over array size and stride, for spark and cm1: their options and cells.

use clap::Args;

use crate::failure::Failure;
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

/// The selected cells; flattened into a program's options.
#[derive(Debug, Clone, Default, Args)]
pub struct Range {
    /// Set the smallest array, like 8K
    #[arg(long, value_name = "SIZE")]
    pub min: Option<Bytes>,

    /// Set the largest array, like 64K or 2M
    #[arg(long, value_name = "SIZE")]
    pub max: Option<Bytes>,

    /// Use only these array sizes, like 32K,40K,48K (instead of doubling)
    #[arg(long, value_name = "SIZES", value_delimiter = ',', conflicts_with_all = ["min", "max"])]
    pub sizes: Vec<Bytes>,

    /// Use only these strides (instead of doubling from 1 to half the size)
    #[arg(long, value_name = "STRIDES", value_delimiter = ',')]
    pub strides: Vec<Bytes>,
}

impl Range {
    /// The sizes from `min` doubling up to `max`, which need not be one of them.
    pub fn between(min: Bytes, max: Bytes) -> Range {
        let last = doubling(min, max).ok().and_then(|sizes| sizes.last().copied());
        Range { min: Some(min), max: Some(last.unwrap_or(max)), ..Range::default() }
    }

    /// All cells in the kit's order: sizes doubling from `--min` to `--max`
    /// (the program's own limits where not given), for each of them strides
    /// doubling from 1 to half the size.
    ///
    /// # Errors
    ///
    /// If an option is wrong; the sentence names it.
    pub fn cells(&self, default_min: Bytes, default_max: Bytes) -> Result<Vec<Cell>, Failure> {
        let sizes = if self.sizes.is_empty() {
            let min = self.min.unwrap_or(default_min);
            // A larger --min alone does not require --max.
            let max = self.max.unwrap_or(default_max.max(min));
            let sizes = doubling(min, max)?;
            if let (Some(max), Some(last)) = (self.max, sizes.last().filter(|last| **last != max)) {
                return Err(Failure::usage(format!(
                    "sizes double from {min} to {last} and do not reach --max {max}; set --max {last} or {}, or list the sizes with --sizes",
                    Bytes(2 * last.0)
                )));
            }
            sizes
        } else {
            self.sizes.clone()
        };
        cells(&sizes, &self.strides)
    }
}

/// Array sizes doubling from `min` to `max`.
///
/// # Errors
///
/// If the range is empty.
fn doubling(min: Bytes, max: Bytes) -> Result<Vec<Bytes>, Failure> {
    if min.0 == 0 || max < min || max > LIMIT {
        return Err(Failure::usage(format!(
            "--min {min} --max {max} is no range of array sizes; min must be above 0, max at least min and at most {LIMIT}"
        )));
    }
    Ok(std::iter::successors(Some(min), |b| Some(Bytes(b.0 * 2))).take_while(|b| *b <= max).collect())
}

/// The cells of these array sizes in the kit's order: for each size the
/// `strides`; if there are none, strides doubling from 1 to half the size.
///
/// # Errors
///
/// If a size is impossible, or a stride does not fit a size.
fn cells(sizes: &[Bytes], strides: &[Bytes]) -> Result<Vec<Cell>, Failure> {
    let mut cells = Vec::new();
    for &size in sizes {
        if size.0 < 2 || size > LIMIT {
            return Err(Failure::usage(format!(
                "an array of {size} is not possible; sizes go from 2 B to {LIMIT}"
            )));
        }
        if let Some(&stride) = strides.iter().find(|stride| stride.0 == 0 || stride.0 > size.0 / 2) {
            return Err(Failure::usage(format!(
                "--strides {} does not fit an array of {size}; a stride is 1 to half the array size, in bytes",
                stride.0
            )));
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

/// Seconds of one access of a sweep, measured or modelled, on average.
const ACCESS: f64 = 2e-9;
/// Seconds of one cell that is timed by dependent accesses.
const TIMED_CELL: f64 = 0.1;
/// Passes until the state of a modelled cache usually recurs.
const MODELLED: u64 = 4;

/// Estimated seconds of `cells`, `measured` or modelled: `repeats` times the
/// stride passes each, or, if they are `timed` by dependent accesses, a fixed time each.
pub fn expected(cells: &[Cell], repeats: u64, timed: bool, measured: bool) -> f64 {
    let repeats = if measured { repeats } else { repeats.min(MODELLED) };
    let of = |cell: &Cell| if timed { TIMED_CELL } else { repeats as f64 * cell.size as f64 * ACCESS };
    cells.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(range: Range) -> Result<Vec<Cell>, Failure> {
        range.cells(Bytes::kib(8), Bytes::kib(64))
    }

    #[test]
    fn the_default_sweep_is_the_guides() {
        let all = cells(Range::default()).unwrap();
        assert_eq!(all.len(), 13 + 14 + 15 + 16);
        assert_eq!(all[0], Cell { size: 8192, stride: 1 });
        assert_eq!(all[12], Cell { size: 8192, stride: 4096 });
        assert_eq!(*all.last().unwrap(), Cell { size: 65536, stride: 32768 });
        assert_eq!(all[12].accesses_per_pass(), 2);
    }

    #[test]
    fn intermediate_sizes_and_single_strides_can_be_asked_for() {
        let range = Range { sizes: vec![Bytes::kib(48)], strides: vec![Bytes(64)], ..Range::default() };
        assert_eq!(cells(range).unwrap(), [Cell { size: 49152, stride: 64 }]);
        let range = Range { min: Some(Bytes::mib(1)), ..Range::default() };
        assert_eq!(cells(range).unwrap().len(), 20, "1 MiB alone");
    }

    #[test]
    fn impossible_ranges_are_refused_by_name() {
        let wrong = [
            Range { min: Some(Bytes(0)), ..Range::default() },
            Range { max: Some(Bytes::kib(4)), ..Range::default() },
            Range { max: Some(Bytes::mib(4096)), ..Range::default() },
            Range { sizes: vec![Bytes(0)], ..Range::default() },
            Range { strides: vec![Bytes::kib(64)], ..Range::default() },
            Range { strides: vec![Bytes(0)], ..Range::default() },
        ];
        for range in wrong {
            assert!(matches!(cells(range.clone()), Err(Failure::Usage(_))), "{range:?}");
        }
    }
}
