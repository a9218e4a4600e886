//! The rungs, a file each: one loop nest on any memory.
//!
//! A rung takes the token of the instructions that it uses, so that it cannot be called on
//! a processor without them:
//!
//! ```
//! # use ge::{problem::system::System, rungs::{Rung, ge7::Ge7}};
//! # use isa::{Isa, Native, Quads};
//! # let arena = memory::Arena::with_capacity(System::bytes(9)).unwrap();
//! let system = System::new(&arena, 9).unwrap();
//! if let Some(quads) = Quads::detect() {
//!     Ge7::eliminate(&mut Native, system, quads);
//! }
//! ```
//!
//! ```compile_fail,E0423
//! # use ge::{problem::system::System, rungs::{Rung, ge7::Ge7}};
//! # use isa::{Isa, Native, Quads};
//! # let arena = memory::Arena::with_capacity(System::bytes(9)).unwrap();
//! let system = System::new(&arena, 9).unwrap();
//! Ge7::eliminate(&mut Native, system, Quads(()));
//! ```

pub mod blocked;
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

pub(crate) use rung::enter;
pub use rung::{NotRun, Rung};
