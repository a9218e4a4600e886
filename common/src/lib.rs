//! Everything in the lab kit that is not the lesson.
//!
//! # The map of the house
//!
//! From the ground up; a module uses only what stands above it in this table.
//!
//! | module | what it holds |
//! |---|---|
//! | [`units`], [`stats`] | bytes, seconds, ticks; medians and intervals |
//! | [`value`] | a figure that knows its [`Source`](value::Source), or why it is missing |
//! | [`memory`] | [`Memory`](memory::Memory): what a kernel's loads and stores do; arrays and matrices |
//! | [`machine`] | a machine as data: caches, TLBs, latencies; the catalogue and this host |
//! | [`events`] | PAPI's presets and native events, and what they are on each processor |
//! | [`cache`] | the cache model: [`Modelled`](cache::Modelled) memory and its counts |
//! | [`system`] | what is asked of the operating system, one file for each: [`clock`]s, affinity ([`cpu`]), pages, the facts of a processor |
//! | [`counters`] | hardware counters: event sets, groups, sampling, refusals |
//! | `latency` | timing experiments with dependent accesses |
//! | [`measure`] | one region of code, who counts it, how often it runs |
//! | [`sweep`], [`product`] | the cells of spark and cm1; the matrices of mm1, mm2, mm3 |
//! | [`metric`] | derived metrics: IPC, FLOPS, hit rate …, each with its formula |
//! | [`saved`], [`record`] | results that outlive the run: read in every old format, written as JSON and CSV |
//! | [`infer`] | from curves to geometry, with the argument |
//! | [`chart`] | pictures |
//! | [`cli`] | options, exit codes, errors as one sentence |
//!
//! # One number's way
//!
//! A kernel calls [`Memory::load`](memory::Memory::load). On
//! [`Native`](memory::Native) memory that is one load instruction, which the
//! processor may count; on [`Modelled`](cache::Modelled) memory it is one access
//! of the model. [`Session::measure`](measure::Session::measure) runs the region
//! and gives a [`Reading`](value::Reading) an event: an amount with its source
//! and spread, or the reason why there is none. The reading goes into a
//! [`Row`](record::Row) and from there, unchanged, to the terminal, the file, the
//! chart and the report.
//!
//! # How to distrust a number
//!
//! - **Ask where it comes from.** `hardware` counts this processor with all its
//!   prefetching and speculation; `model` counts an ideal one; `timing` was
//!   inferred from a clock; `analytic` holds where its assumptions do.
//! - **Ask how it scattered.** One run is an anecdote; `--runs 5` prints the
//!   median with the smallest and the largest.
//! - **Ask what an event includes.** `avail -e NAME` says it for this processor.
//! - **Ask what ran.** Release build, one core, warm clock; the notes on stderr
//!   say what was not so.

pub mod cli;
pub mod failure;
pub mod input;
pub mod measure;
pub mod output;
pub mod product;
pub mod sweep;

pub use cache;
pub use chart;
pub use counters;
pub use events;
pub use figures::{metric, random, stats, text, units, value};
pub use infer;
pub use isa;
pub use latency;
pub use memory::{self, steps};
pub use records::{record, saved};
pub use system::{self, clock, core_clock, cpu, step};

/// Machines as data, and this one.
pub mod machine {
    pub use ::machine::*;
    pub use system::machine::*;
}
