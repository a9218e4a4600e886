//! The measured region.

use cache::Modelled;
use isa::Native;

/// The measured region: one closure, compiled for native memory and for the
/// model. Written with [`region!`](crate::region).
pub struct Measured<'r> {
    /// The region on the machine's own memory.
    pub native: &'r mut dyn FnMut(&mut Native),
    /// The region on the modelled memory.
    pub modelled: &'r mut dyn FnMut(&mut Modelled),
    /// Whether the model must compute the numbers too.
    pub computes: bool,
    /// Arrays of the arena that the region does not access, so the model ignores them.
    pub idle: &'r [&'r str],
}

impl<'r> Measured<'r> {
    /// The same, but the model only counts. For kernels that access only the arena's
    /// arrays, and make the same accesses whatever the numbers in them. The results of the
    /// native run stay in the arrays.
    #[must_use]
    pub fn without_numbers(self) -> Self {
        Measured { computes: false, ..self }
    }

    /// The same, and the region does not access these arrays.
    #[must_use]
    pub fn without_arrays(self, idle: &'r [&'r str]) -> Self {
        Measured { idle, ..self }
    }
}

/// `region!(|mem| kernel(mem, a, b, c))`: exactly the code between the two readings of the
/// counters.
#[macro_export]
macro_rules! region {
    (|$mem:ident| $body:expr) => {
        $crate::measure::Measured {
            native: &mut |$mem: &mut $crate::isa::Native| $body,
            modelled: &mut |$mem: &mut $crate::cache::Modelled| $body,
            computes: true,
            idle: &[],
        }
    };
}
