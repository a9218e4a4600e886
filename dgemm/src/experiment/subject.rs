//! What runs.

use threads::NoThread;

use super::yardstick;
use crate::problem::Problem;
use crate::variants::Variant;

/// What is measured: a rung, or the library for comparison.
#[derive(Debug, Clone, Copy)]
pub enum Subject {
    /// A rung of the ladder.
    Rung(&'static Variant),
    /// The library.
    Yardstick,
}

impl Subject {
    /// Its name in the output.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Rung(variant) => variant.name,
            Subject::Yardstick => yardstick::NAME,
        }
    }

    /// The number of cores that it uses, of `threads`.
    pub fn cores(self, threads: usize) -> usize {
        match self {
            Subject::Rung(variant) => variant.cores(threads),
            Subject::Yardstick => 1,
        }
    }

    /// `c += a * b`.
    ///
    /// # Errors
    ///
    /// If the system does not start enough threads.
    pub fn run(self, p: &Problem) -> Result<(), NoThread> {
        match self {
            Subject::Rung(variant) => variant.run_native(p),
            Subject::Yardstick => {
                yardstick::multiply(p);
                Ok(())
            }
        }
    }
}
