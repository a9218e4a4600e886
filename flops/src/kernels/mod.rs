//! One sum of products, by every floating-point unit of the processor. The sum is one chain
//! of additions, so that its speed depends only on the adder's latency and its width.

#[cfg(target_arch = "x86_64")]
mod avx;
mod band;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse;
#[cfg(target_arch = "x86_64")]
mod x87;

pub use band::Band;

/// One way to add and multiply.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Its name on the command line.
    pub name: &'static str,
    /// The product, never inlined and in a section of its own, so that samples can be
    /// assigned to it.
    pub band: fn(Band),
    /// Whether this processor has it.
    pub present: fn() -> bool,
}

/// The kernels of this kind of processor, narrow to wide.
#[cfg(target_arch = "x86_64")]
pub const KERNELS: &[Kernel] = &[
    Kernel { name: "x87", band: x87::band, present: || true },
    Kernel { name: "sse-scalar", band: scalar::band, present: || true },
    Kernel { name: "sse-packed", band: sse::band, present: || true },
    Kernel { name: "avx", band: avx::band, present: || is_x86_feature_detected!("avx") },
];

/// The kernels of this kind of processor, narrow to wide.
#[cfg(target_arch = "aarch64")]
pub const KERNELS: &[Kernel] = &[
    Kernel { name: "scalar", band: scalar::band, present: || true },
    Kernel { name: "neon", band: neon::band, present: || true },
];

/// The kernels of this kind of processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const KERNELS: &[Kernel] = &[Kernel { name: "scalar", band: scalar::band, present: || true }];

impl Kernel {
    /// The kernel of that name.
    pub fn find(name: &str) -> Option<&'static Kernel> {
        KERNELS.iter().find(|kernel| kernel.name == name)
    }
}
