//! The options of `lab run`.

use std::path::PathBuf;

use common::cli::Counters;

use crate::commands::causes::matrix_size;

/// Do the whole assignment and write the report
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Use smaller sizes and fewer repetitions: less than half a minute
    #[arg(long)]
    pub(super) quick: bool,

    /// Write the report, its pictures and records to this folder
    #[arg(short, long, value_name = "DIR", default_value = "report")]
    pub(super) output: PathBuf,

    /// Use this assignment; `lab assignment` prints one to start from
    #[arg(long, value_name = "FILE")]
    pub(super) assignment: Option<PathBuf>,

    /// Suppress notes on stderr; they stay in the report
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Set rows and columns of the matrices, 8 to 4096; the guide's text has 1024 [default: 512, 256 with --quick]
    #[arg(short = 'n', long, value_name = "N", value_parser = matrix_size)]
    pub(super) size: Option<u32>,

    /// Repeat each matrix product N times; the report has the median [default: 3, 1 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) runs: Option<u32>,

    /// Choose the source of counts
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "auto")]
    pub(super) counters: Counters,

    /// Run on this machine: host, or a model by its name or TOML file
    #[arg(long, env = "LAB_MACHINE", value_name = "MACHINE", default_value = "host")]
    pub(super) machine: String,

    /// Run on this processor
    #[arg(long, value_name = "N")]
    pub(super) cpu: Option<usize>,

    /// Divide all repetitions of the sweeps; for trying the report out
    #[arg(long, value_name = "N", default_value = "1", hide = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) hasten: u64,
}
