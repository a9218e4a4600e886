//! One sum of products, by every floating-point unit of the processor. The sum
//! is one chain of additions, so that its speed is the adder's latency and its
//! width, and nothing else.

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse;
#[cfg(target_arch = "x86_64")]
mod x87;

/// A thread's share of the product `c = a b`: some rows of a and of c, and all
/// of b, which is given transposed, so that every element of c is the product
/// of two rows. All are stored row by row.
#[derive(Debug)]
pub struct Band<'m> {
    /// Length of a row of a and of b.
    pub depth: usize,
    /// Rows of a.
    pub a: &'m [f64],
    /// All rows of b transposed.
    pub b: &'m [f64],
    /// Rows of c.
    pub c: &'m mut [f64],
}

/// The loops over rows. Each sum starts from the last one times zero: without
/// that, the processor would work on two sums at once, and the rate would say
/// something about its reordering and nothing about its adder.
#[inline(always)]
fn rows(band: Band, dot: impl Fn(f64, &[f64], &[f64]) -> f64) {
    let Band { depth, a, b, c } = band;
    let width = b.len() / depth.max(1);
    let mut last = 0.0;
    for (row, c) in a.chunks_exact(depth.max(1)).zip(c.chunks_exact_mut(width.max(1))) {
        for (column, c) in b.chunks_exact(depth.max(1)).zip(c) {
            last = dot(0.0 * last, row, column);
            *c = last;
        }
    }
}

/// One way to add and multiply.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// As given on the command line.
    pub name: &'static str,
    /// The unit, in words.
    pub unit: &'static str,
    /// Doubles it adds in one instruction.
    pub width: usize,
    /// The product, never inlined and in a section of its own: by that the
    /// samples are sorted.
    pub band: fn(Band),
    /// A chain of that many additions, each waiting for the one before.
    pub chain: fn(u64) -> f64,
    /// Whether this processor has it.
    pub present: fn() -> bool,
}

/// The kernels of this kind of processor, narrow to wide.
#[cfg(target_arch = "x86_64")]
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "x87",
        unit: "the stack of 80-bit registers",
        width: 1,
        band: x87::band,
        chain: x87::chain,
        present: || true,
    },
    Kernel {
        name: "sse-scalar",
        unit: "the lower half of a 16-byte register",
        width: 1,
        band: scalar::band,
        chain: scalar::chain,
        present: || true,
    },
    Kernel {
        name: "sse-packed",
        unit: "a 16-byte register",
        width: 2,
        band: sse::band,
        chain: sse::chain,
        present: || true,
    },
    Kernel {
        name: "avx",
        unit: "a 32-byte register",
        width: 4,
        band: avx::band,
        chain: avx::chain,
        present: || is_x86_feature_detected!("avx"),
    },
];

/// The kernels of this kind of processor, narrow to wide.
#[cfg(target_arch = "aarch64")]
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "scalar",
        unit: "the lower half of a 16-byte register",
        width: 1,
        band: scalar::band,
        chain: scalar::chain,
        present: || true,
    },
    Kernel {
        name: "neon",
        unit: "a 16-byte register",
        width: 2,
        band: neon::band,
        chain: neon::chain,
        present: || true,
    },
];

/// The kernels of this kind of processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const KERNELS: &[Kernel] = &[Kernel {
    name: "scalar",
    unit: "one double at a time",
    width: 1,
    band: scalar::band,
    chain: scalar::chain,
    present: || true,
}];

impl Kernel {
    /// The kernel of that name.
    pub fn find(name: &str) -> Option<&'static Kernel> {
        KERNELS.iter().find(|kernel| kernel.name == name)
    }
}
