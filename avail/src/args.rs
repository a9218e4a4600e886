//! The command line.

use clap::{Parser, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  avail -a               what can be counted here, in one table
  avail -e PAPI_L1_DCM   what this event counts, and whether it can be compared
  avail -e PAPI_FP_OPS --family skl      the same on another processor
  avail -e cpu/event=0x51,umask=0x01/    the same for an event by its numbers
  avail --families       which processors the presets are mapped for
  avail --self-test --json > self-test.json    to be sent back: see avail's README";

/// What can this machine count? Without options: the hardware, and all presets.
#[derive(Debug, Parser)]
#[command(name = "avail", version, group = clap::ArgGroup::new("what").multiple(false), after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only the presets that can be counted here
    #[arg(short = 'a')]
    pub(crate) available: bool,

    /// Each preset with the processor's own events behind it
    #[arg(short = 'd')]
    pub(crate) detailed: bool,

    /// One event explained: what is opened, what it includes, whether it can be compared
    #[arg(short = 'e', value_name = "NAME", group = "what")]
    pub(crate) event: Option<String>,

    /// With -e: on a processor of this family, by its key in --families
    #[arg(long, value_name = "KEY", requires = "event")]
    pub(crate) family: Option<String>,

    /// The processors that the presets are mapped for, and from which tables
    #[arg(long, group = "what")]
    pub(crate) families: bool,

    /// The processor's and the kernel's own events, and which count no single program
    #[arg(long, group = "what")]
    pub(crate) native: bool,

    /// Caches and TLBs, as the kernel and the processor tell them
    #[arg(long, group = "what")]
    pub(crate) mem: bool,

    /// What starting, stopping, reading, accumulating and resetting cost
    #[arg(long, group = "what")]
    pub(crate) cost: bool,

    /// Count loops whose answers are known, and compare
    #[arg(long, group = "what")]
    pub(crate) self_test: bool,

    /// How to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

impl Args {
    /// How to print.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables
    Text,
    /// One JSON object
    Json,
}
