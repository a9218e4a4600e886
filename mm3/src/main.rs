//! `mm3 [--size N] [--line-size B]`: the product in blocks of a cache line.

use std::process::ExitCode;

use common::cli::{self, Measuring, Modelling, Output};
use common::measure::Session;
use common::product::{self, Options};
use common::units::Bytes;

const EXAMPLES: &str = "\
Examples:
  mm3 --line-size 32        blocks for lines of 32 bytes
  mm3 --counters hardware   counted by this processor, or refused with the reason";

/// Blocked 16-bit matrix product: L1 misses, loads, stores, cycles, time
#[derive(clap::Parser)]
#[command(name = "mm3", version, after_help = EXAMPLES)]
struct Args {
    #[command(flatten)]
    options: Options,
    /// Set the cache line size in bytes, as found with cm1; it gives the block size
    #[arg(long, value_name = "B", default_value_t = Bytes(mm3::CACHE_LINE_SIZE))]
    line_size: Bytes,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

fn main() -> ExitCode {
    cli::run(|args: Args| {
        let session = Session::start(&args.measuring, &args.modelling, &args.output)?;
        let options = args.options.or_size(mm3::N);
        let record = mm3::measure(&session, &options, args.line_size)?;
        product::finish(&record, &options, &args.output)
    })
}
