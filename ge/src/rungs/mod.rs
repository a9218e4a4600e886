//! The rungs, a file each: one loop nest on any memory.
//!
//! A rung takes the token of the instructions that it uses, so that it cannot be called on
//! a processor without them:
//!
//! ```
//! # use ge::{problem::system::System, rungs::{Rung, avx512::Avx512}};
//! # use isa::{Isa, Native, Octets};
//! # let arena = memory::Arena::with_capacity(System::bytes(9, 1).unwrap()).unwrap();
//! let system = System::new(&arena, 9, &[]).unwrap();
//! if let Some(octets) = Octets::detect() {
//!     Avx512::eliminate(&mut Native, system, octets);
//! }
//! ```
//!
//! ```compile_fail
//! # use ge::{problem::system::System, rungs::{Rung, avx512::Avx512}};
//! # use isa::{Isa, Native, Octets};
//! # let arena = memory::Arena::with_capacity(System::bytes(9, 1).unwrap()).unwrap();
//! let system = System::new(&arena, 9, &[]).unwrap();
//! Avx512::eliminate(&mut Native, system, Octets(()));
//! ```

pub mod auto;
pub mod avx512;
pub mod blocked;
pub mod fma;
pub mod ge1;
pub mod ge2;
pub mod ge3;
pub mod ge4;
pub mod ge5;
pub mod ge6;
pub mod ge7;
pub mod printed;
mod rung;
pub mod steps;
pub mod threads;

pub use rung::{Kernel, NotRun, Rung};
