//! The cells of a sweep over array size and stride, as spark and cm1 walk them.

use std::collections::BTreeMap;

use clap::Args;

use crate::chart::{Axis, Chart};
use crate::cli::Failure;
use crate::units::Bytes;

/// The largest array a sweep may ask for: beyond it one cell takes minutes.
const LIMIT: Bytes = Bytes::mib(1024);

/// One cell: an array of `size` bytes, walked in steps of `stride` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Bytes in the array.
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

/// Which cells; flattened into a program's options.
#[derive(Debug, Clone, Default, Args)]
pub struct Range {
    /// Smallest array, like 8K
    #[arg(long, value_name = "SIZE")]
    pub min: Option<Bytes>,

    /// Largest array, like 64K or 2M
    #[arg(long, value_name = "SIZE")]
    pub max: Option<Bytes>,

    /// Just these array sizes, like 32K,40K,48K (instead of doubling)
    #[arg(long, value_name = "SIZES", value_delimiter = ',', conflicts_with_all = ["min", "max"])]
    pub sizes: Vec<Bytes>,

    /// Just these strides (instead of doubling from 1 to half the size)
    #[arg(long, value_name = "STRIDES", value_delimiter = ',')]
    pub strides: Vec<Bytes>,
}

impl Range {
    /// All cells in the kit's order: sizes doubling from `--min` to `--max`
    /// (the program's own limits where not given), for each of them strides
    /// doubling from 1 to half the size.
    ///
    /// # Errors
    ///
    /// A sentence on the option that is wrong.
    pub fn cells(&self, default_min: Bytes, default_max: Bytes) -> Result<Vec<Cell>, Failure> {
        let sizes = self.array_sizes(default_min, default_max)?;
        let mut cells = Vec::new();
        for size in sizes {
            if size.0 < 2 || size > LIMIT {
                return Err(Failure::usage(format!(
                    "an array of {size} is not possible; sizes go from 2 B to {LIMIT}"
                )));
            }
            for stride in self.strides_for(size)? {
                cells.push(Cell { size: size.get(), stride });
            }
        }
        Ok(cells)
    }

    fn array_sizes(&self, default_min: Bytes, default_max: Bytes) -> Result<Vec<Bytes>, Failure> {
        if !self.sizes.is_empty() {
            return Ok(self.sizes.clone());
        }
        let min = self.min.unwrap_or(default_min);
        // A larger --min alone shall not need --max beside it.
        let max = self.max.unwrap_or(default_max.max(min));
        if min.0 == 0 || max < min || max > LIMIT {
            return Err(Failure::usage(format!(
                "--min {min} --max {max} is no range of array sizes; min must be above 0, max at least min and at most {LIMIT}"
            )));
        }
        Ok(std::iter::successors(Some(min), |b| Some(Bytes(b.0 * 2))).take_while(|b| *b <= max).collect())
    }

    fn strides_for(&self, size: Bytes) -> Result<Vec<usize>, Failure> {
        if self.strides.is_empty() {
            return Ok(std::iter::successors(Some(1), |s| Some(s * 2))
                .take_while(|s| *s <= size.get() / 2)
                .collect());
        }
        for stride in &self.strides {
            if stride.0 == 0 || stride.0 > size.0 / 2 {
                return Err(Failure::usage(format!(
                    "--strides {} does not fit an array of {size}; a stride is 1 to half the array size, in bytes",
                    stride.0
                )));
            }
        }
        Ok(self.strides.iter().map(|s| s.get()).collect())
    }
}

/// The guide's picture of a sweep: `y` against the stride, one curve per array
/// size. Rows are (array size, stride, value), both in bytes; a value that is
/// missing is a gap.
pub fn chart(title: &str, y: Axis, rows: impl IntoIterator<Item = (u64, u64, Option<f64>)>) -> Chart {
    let mut curves: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for (size, stride, value) in rows {
        curves.entry(size).or_default().push((stride as f64, value.unwrap_or(f64::NAN)));
    }
    let chart = Chart::new(title, Axis::bytes("stride"), y);
    curves.into_iter().fold(chart, |chart, (size, points)| chart.curve(Bytes(size).to_string(), points))
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
