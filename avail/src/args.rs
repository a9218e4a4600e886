//! The command line.

use std::fmt::Display;

use clap::{Parser, ValueEnum};
use common::cli::Failure;
use serde::Serialize;

/// What can this machine count? Without options: the hardware, and all presets.
#[derive(Debug, Parser)]
#[command(name = "avail", version, group = clap::ArgGroup::new("what").multiple(false))]
pub(crate) struct Args {
    /// Only the presets that this machine counts
    #[arg(short = 'a')]
    pub(crate) available: bool,

    /// In detail: the native events behind each preset
    #[arg(short = 'd')]
    pub(crate) detailed: bool,

    /// Explain one event: what is opened for it, what it includes
    #[arg(short = 'e', value_name = "NAME", group = "what")]
    pub(crate) event: Option<String>,

    /// The native events that sysfs lists, and those that cannot be counted for one program
    #[arg(long, group = "what")]
    pub(crate) native: bool,

    /// Caches and TLBs, from sysfs and from the processor
    #[arg(long, group = "what")]
    pub(crate) mem: bool,

    /// What start, stop, read, accum and reset cost
    #[arg(long, group = "what")]
    pub(crate) cost: bool,

    /// Count kernels whose answers are known
    #[arg(long, group = "what")]
    pub(crate) self_test: bool,

    /// How to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables
    Text,
    /// One JSON object
    Json,
}

/// Prints one object.
pub(crate) fn json(object: &impl Serialize) -> Result<(), Failure> {
    println!("{}", serde_json::to_string_pretty(object).map_err(Failure::could_not)?);
    Ok(())
}

/// A line of the header: `Name                     : value`.
pub(crate) fn line(name: &str, value: impl Display) {
    println!("{name:<25}: {value}");
}

/// A rule across the page.
pub(crate) fn rule() {
    println!("{}", "-".repeat(80));
}
