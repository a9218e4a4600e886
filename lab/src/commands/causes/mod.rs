//! `lab causes`: what decides the time of the guide's products on this machine.

mod kernels;
mod measure;

use common::cli::{self, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::Session;
use common::output;
use common::units::Bytes;

pub(crate) use measure::measure;

/// Distinguish misses, waits and SIMD: compare the guide's products with versions that lack one of them
#[derive(Debug, clap::Args)]
#[command(mut_arg("runs", cli::runs("5")))]
pub(crate) struct Args {
    /// Set rows and columns of the matrices, 8 to 4096
    #[arg(value_name = "N", default_value = "512", value_parser = matrix_size)]
    size: u32,

    /// Set the cache line size in bytes, as found with cm1; it gives mm3's block size
    #[arg(long, value_name = "B", default_value = "64")]
    line_size: Bytes,

    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// Rows of a matrix, read from the command line.
pub(crate) fn matrix_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| (8..=4096).contains(size));
    size.ok_or_else(|| "a matrix has 8 to 4096 rows".to_owned())
}

/// Measures, prints, and explains what the figures show.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut session = Session::start(&args.measuring, &args.modelling, &args.output)?;
    session.runs = args.measuring.runs.unwrap_or(5) as usize;
    let record = measure(&session, args.size, args.line_size)?;
    output::finish(&record, &args.output, &report::causes::text)
}
