//! The command line.

use clap::{Parser, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  avail -a               what can be counted on this machine, in one table
  avail -e PAPI_L1_DCM   what this event counts
  avail -e cpu/event=0x51,umask=0x01/    the same for an event by its numbers
  avail --self-test --format json > self-test.json    to send back: see avail's README";

/// What can this machine count? Without options: the hardware, and all presets.
#[derive(Debug, Parser)]
#[command(name = "avail", version, group = clap::ArgGroup::new("what").multiple(false), after_help = EXAMPLES)]
pub(crate) struct Args {
    /// List only the presets that can be counted
    #[arg(short = 'a')]
    pub(crate) available: bool,

    /// Also print the native events of each preset
    #[arg(short = 'd')]
    pub(crate) detailed: bool,

    /// Explain one event: what is opened, what it includes
    #[arg(short = 'e', value_name = "NAME", group = "what")]
    pub(crate) event: Option<String>,

    /// List the native events of processor and kernel, and those that cannot count a single program
    #[arg(long, group = "what")]
    pub(crate) native: bool,

    /// Print caches and TLBs, as the kernel and the processor report them
    #[arg(long, group = "what")]
    pub(crate) mem: bool,

    /// Measure the cost of opening, starting, stopping, reading and resetting
    #[arg(long, group = "what")]
    pub(crate) cost: bool,

    /// Count loops whose answers are known, and compare
    #[arg(long, group = "what")]
    pub(crate) self_test: bool,

    /// Choose how to print
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
