//! The programs' kernels that the page can model and show step by step.

use cache::Modelled;
use dgemm::rungs::orders;
use dgemm::{Blocks, Problem};
use figures::units::Bytes;
use machine::Machine;
use memory::{Arena, Memory, OutOfMemory};
use serde::Deserialize;
use serde_json::{Value, json};

/// Largest array of cm1 and spark.
const LARGEST_ARRAY: Bytes = Bytes::mib(64);
/// Largest number of rows of a matrix: beyond, the model takes minutes in a tab.
const MOST_ROWS: usize = 2048;

/// A kernel and its sizes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Kernel {
    /// cm1's passes over an array.
    Cm1 {
        /// The array.
        size: Bytes,
        /// The stride.
        stride: Bytes,
        /// Number of passes.
        passes: u64,
    },
    /// The textbook's product of `n` by `n` matrices.
    Mm1 {
        /// Rows and columns.
        n: usize,
    },
    /// The product with the second matrix transposed.
    Mm2 {
        /// Rows and columns.
        n: usize,
    },
    /// The product in blocks of one line.
    Mm3 {
        /// Rows and columns.
        n: usize,
        /// Bytes of a line.
        line: Bytes,
    },
    /// The lecture's product of doubles, with this order of its three loops.
    Dgemm {
        /// The loops from the outermost to the innermost.
        order: Order,
        /// Rows and columns.
        n: usize,
    },
}

/// The orders of the three loops, in the order of their [`FILES`](orders::FILES).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "each is the file of that name in dgemm")]
pub enum Order {
    Ijk,
    Jik,
    Ikj,
    Kij,
    Jki,
    Kji,
}

/// The text of a kernel in its file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: &'static str,
    /// Number of its first line in the file.
    pub(crate) first: usize,
    pub(crate) text: &'static str,
}

/// A kernel that runs on a memory `M`.
type Run<'a, M> = Box<dyn Fn(&mut M) + 'a>;

impl Kernel {
    /// Refuses sizes that the page cannot show.
    pub(crate) fn check(&self) -> Result<(), String> {
        match *self {
            Kernel::Cm1 { size, stride, .. } => {
                if stride.0 == 0 || stride.0 > size.0 / 2 || size > LARGEST_ARRAY {
                    return Err(format!(
                        "a stride of {stride} in an array of {size} is not possible: a stride is 1 B to half the \
                         array, an array at most {LARGEST_ARRAY}"
                    ));
                }
            }
            Kernel::Mm1 { n } | Kernel::Mm2 { n } | Kernel::Mm3 { n, .. } | Kernel::Dgemm { n, .. } => {
                if n == 0 || n > MOST_ROWS {
                    return Err(format!(
                        "matrices of {n} rows are not possible on this page: take 1 to {MOST_ROWS}"
                    ));
                }
            }
        }
        match *self {
            Kernel::Mm3 { line, .. } if line.0 < 2 || !line.0.is_multiple_of(2) => {
                Err(format!("a line of {line} holds no whole number of 2-byte elements: take 64 B"))
            }
            _ => Ok(()),
        }
    }

    /// An arena for its arrays.
    pub(crate) fn arena(&self) -> Result<Arena, String> {
        self.check()?;
        let bytes = match *self {
            Kernel::Cm1 { size, .. } => size.get(),
            Kernel::Mm1 { n } | Kernel::Mm3 { n, .. } => 3 * 2 * n * n,
            Kernel::Mm2 { n } => 4 * 2 * n * n,
            Kernel::Dgemm { n, .. } => Problem::bytes(n, n, n, blocks()),
        };
        Arena::with_capacity(bytes).map_err(|error| error.to_string())
    }

    /// The kernel on zeroed arrays in `arena`: its loads and stores do not depend on the
    /// elements.
    pub(crate) fn place<'a, M: Memory>(&self, arena: &'a Arena) -> Result<Run<'a, M>, OutOfMemory> {
        let square = |name, n| arena.matrix::<i16>(name, n, n);
        let product = |n| Ok([square("mul1", n)?, square("mul2", n)?, square("res", n)?]);
        Ok(match *self {
            Kernel::Cm1 { size, stride, passes } => {
                let array = arena.array("x", size.get())?;
                Box::new(move |mem| cm1::walk(mem, array, stride.get(), passes))
            }
            Kernel::Mm1 { n } => {
                let [mul1, mul2, res] = product(n)?;
                Box::new(move |mem| mm1::multiply(mem, mul1, mul2, res))
            }
            Kernel::Mm2 { n } => {
                let [mul1, _, res] = product(n)?;
                let tmp = square("tmp", n)?;
                Box::new(move |mem| mm2::multiply(mem, mul1, tmp, res))
            }
            Kernel::Mm3 { n, line } => {
                let [mul1, mul2, res] = product(n)?;
                Box::new(move |mem| mm3::multiply(mem, mul1, mul2, res, line.get() / size_of::<i16>()))
            }
            Kernel::Dgemm { order, n } => {
                let problem = Problem::new(arena, [n; 3], blocks())?;
                Box::new(move |mem| order.run(mem, &problem))
            }
        })
    }

    /// The model's counts on `machine` with empty caches. Calls `progress` with the finished
    /// thousandths.
    pub(crate) fn misses(&self, machine: &Machine, progress: extern "C" fn(u32)) -> Result<Value, String> {
        let arena = self.arena()?;
        let run = self.place(&arena).map_err(|error| error.to_string())?;
        let model = Modelled::new(machine, &arena).map_err(|error| error.to_string())?;
        let mut model = model.without_numbers().reporting(move |share| progress((1000.0 * share) as u32));
        run(&mut model);
        Ok(json!({ "counts": model.counts(), "machine": machine.summary() }))
    }

    /// The kernel's own source text.
    pub(crate) fn source(&self) -> Source {
        let (file, text) = match *self {
            Kernel::Cm1 { .. } => cm1::KERNEL,
            Kernel::Mm1 { .. } => mm1::KERNEL,
            Kernel::Mm2 { .. } => mm2::KERNEL,
            Kernel::Mm3 { .. } => mm3::KERNEL,
            Kernel::Dgemm { order, .. } => orders::FILES[order as usize],
        };
        let begin = if matches!(self, Kernel::Cm1 { .. }) { "pub fn walk<" } else { "pub fn multiply<" };
        let from = text.find(begin).unwrap_or(0);
        let length = text[from..].find("\n}").map_or(text.len() - from, |at| at + 2);
        let first = text[..from].matches('\n').count() + 1;
        Source { file, first, text: &text[from..from + length] }
    }
}

/// Sides of the blocks, which the plain loops do not have.
fn blocks() -> Blocks {
    Blocks::for_caches(0, 0, 1)
}

impl Order {
    fn run<M: Memory>(self, mem: &mut M, p: &Problem) {
        let (a, b, c) = (p.a(), p.b(), p.c());
        match self {
            Order::Ijk => orders::ijk::multiply(mem, a, b, c),
            Order::Jik => orders::jik::multiply(mem, a, b, c),
            Order::Ikj => orders::ikj::multiply(mem, a, b, c),
            Order::Kij => orders::kij::multiply(mem, a, b, c),
            Order::Jki => orders::jki::multiply(mem, a, b, c),
            Order::Kji => orders::kji::multiply(mem, a, b, c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_cut_out_of_its_file_whole() {
        let all = [
            Kernel::Cm1 { size: Bytes(64), stride: Bytes(8), passes: 1 },
            Kernel::Mm1 { n: 4 },
            Kernel::Mm2 { n: 4 },
            Kernel::Mm3 { n: 4, line: Bytes(8) },
            Kernel::Dgemm { order: Order::Kji, n: 4 },
        ];
        for kernel in all {
            let source = kernel.source();
            assert!(source.text.contains("fn ") && source.text.trim_end().ends_with('}'), "{}", source.text);
            assert_eq!(source.text.matches('{').count(), source.text.matches('}').count(), "{}", source.text);
            assert!(source.first > 1 && source.text.contains("mem.load"));
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let wrong = [
            Kernel::Cm1 { size: Bytes(64), stride: Bytes(0), passes: 1 },
            Kernel::Cm1 { size: Bytes(64), stride: Bytes(64), passes: 1 },
            Kernel::Cm1 { size: Bytes(u64::MAX), stride: Bytes(64), passes: 1 },
            Kernel::Mm1 { n: 0 },
            Kernel::Mm2 { n: usize::MAX },
            Kernel::Mm3 { n: 4, line: Bytes(1) },
        ];
        for kernel in wrong {
            assert!(kernel.arena().is_err(), "{kernel:?}");
        }
    }
}
