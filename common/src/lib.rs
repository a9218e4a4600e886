//! Everything in the lab kit except the lessons: what the programs import. (Terms are
//! explained in the [`glossary`].)
//!
//! # The map of the modules
//!
//! Each row is a crate in a folder of this one (programs: of the root), and uses only crates above
//! it. `scripts/layers.py` checks that, and that the modules within a crate have no cycles.
//!
//! | layer | crate | what it holds |
//! |---|---|---|
//! | **portable** | `figures` | bytes, seconds, ticks; a [`value`] with its source; medians; rates; checksums |
//! | | [`events`] | PAPI's presets, native events, processor families: as data |
//! | | [`memory`] | [`Memory`](memory::Memory): what a kernel's loads and stores do; arenas, arrays |
//! | | [`machine`] | a machine described: caches, TLBs, latencies; the catalogue |
//! | | [`cache`] | the cache model: [`Modelled`](cache::Modelled) memory and its counts |
//! | | `records` | [results](record) that outlive the run; [every saved format](saved) read back |
//! | | `geometry` | caches' geometry from curves and experiments |
//! | | `chart` | pictures, as SVG, PNG and PDF |
//! | | `report` | the report: one page made of findings (`lab` alone uses it) |
//! | **hardware, system** | [`isa`] | what depends on the instruction set: native memory, SIMD |
//! | | [`system`] | the operating system: clocks, affinity, pages, files, this machine |
//! | **experiments** | `latency` | timing with accesses that wait for each other |
//! | | [`counters`] | hardware counters: groups, sampling, refusals |
//! | | `papi` | PAPI's C interface, and the counts of rewritten programs (`lab cc` links it) |
//! | | `instrument` | rewrites compilers' assembly so that a program records its accesses |
//! | **session** | `common` | [one region measured](measure), [options](cli), [output](mod@output), [failures](failure) |
//! | | `ladder` | rungs of one kernel in turns, and over the size of their matrices |
//! | **tests** | `skip` | lists tests that cannot run on this machine |
//! | **programs** | `spark` … `lab` | the kernels, each with its handout |
//!
//! These are crates, so that the compiler enforces the layers: the portable ones use no
//! operating system, instruction set, file or clock, and run in a browser too
//! (`scripts/wasi_tests.sh`). And a change rebuilds only the crates that use it, so a new
//! chart does not rebuild the cache model.
//!
//! # One number's way
//!
//! A kernel calls [`Memory::load`](memory::Memory::load). On
//! [`Native`](isa::Native) memory that is one load instruction, which the
//! processor may count; on [`Modelled`](cache::Modelled) memory it is one access
//! of the model. [`Session::measure`](measure::Session::measure) runs the region
//! and gives a [`Reading`](value::Reading) for each event: an amount with its source
//! and spread, or the reason why there is none. The reading goes into a
//! [`Row`](record::Row) and from there, unchanged, to the terminal, the file, the
//! chart and the report. Rates are made of readings by [`Reading`](value::Reading) alone.
//!
//! # How to distrust a number
//!
//! - **Ask where it comes from.** `hardware` counts this processor with all its
//!   prefetching and speculation; `model` counts an ideal one; `timing` was
//!   inferred from a clock; `stepped` was counted at small sizes and carried to
//!   larger ones; `analytic` holds where its assumptions do.
//! - **Ask how it scattered.** One run is an anecdote; `--runs 5` prints the
//!   median with the smallest and the largest.
//! - **Ask what an event includes.** `avail -e NAME` says it for this processor.
//! - **Ask what ran.** Release build, one core, warm clock; the notes on stderr
//!   say what was not so.

pub mod cli;
mod console;
pub mod failure;
#[doc = include_str!("glossary.md")]
pub mod glossary {
    /// The glossary, as Markdown.
    pub const TEXT: &str = include_str!("glossary.md");
}
pub mod input;
pub mod lesson;
#[cfg(feature = "manuals")]
mod manuals;
pub mod measure;
pub mod output;
pub mod product;
pub mod sweep;

pub use cache;
pub use counters;
pub use events;
pub use figures::{checksum, encoding, quantity, random, stats, table, text, units, value};
pub use isa;
pub use memory::{self, steps};
pub use records::{VERSION, authentic, note, record, saved};
pub use system::{self, clock, core_clock, cpu, step};

/// Machine descriptions, and the host's.
pub mod machine {
    pub use ::machine::*;
    pub use system::machine::*;
}
