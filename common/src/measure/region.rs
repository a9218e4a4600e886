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
    /// Arrays of the arena that the model need not expect an access to.
    pub idle: &'r [&'r str],
}

impl<'r> Measured<'r> {
    /// The same, but the model only counts: for kernels that access the arena's
    /// arrays alone, and the same whatever the numbers in them. What the machine's own run left there stays.
    #[must_use]
    pub fn without_numbers(self) -> Self {
        Measured { computes: false, ..self }
    }

    /// The same, and these of the arrays are not accessed.
    #[must_use]
    pub fn without_arrays(self, idle: &'r [&'r str]) -> Self {
        Measured { idle, ..self }
    }
}

/// `region!(|mem| kernel(mem, a, b, c))`: everything between the two reads of
/// the counters, and nothing else.
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
