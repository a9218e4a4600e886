//! Sweeps over array size and stride, for spark and cm1: their options and cells.

use clap::Args;

use crate::failure::Failure;
use figures::units::Bytes;
use records::sweep::{cells, doubling};

pub use records::sweep::Cell;

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
    /// Fails if an option is wrong; the sentence names it.
    pub fn cells(&self, default_min: Bytes, default_max: Bytes) -> Result<Vec<Cell>, Failure> {
        let sizes = if self.sizes.is_empty() {
            let min = self.min.unwrap_or(default_min);
            // A larger --min alone does not require --max.
            let max = self.max.unwrap_or(default_max.max(min));
            let sizes = doubling(min, max).map_err(Failure::usage)?;
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
        cells(&sizes, &self.strides).map_err(Failure::usage)
    }
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
