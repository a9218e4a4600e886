//! `cm1 [--max 64K] [--event PAPI_L1_DCM]`: misses per access, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Measuring, Modelling, Output};
use common::measure::Session;
use common::output::Lines;

const EXAMPLES: &str = "\
Examples:
  cm1 --chart cm1.svg > cm1.out                  misses of the first level, and a chart
  cm1 --event PAPI_L2_DCM --min 256K --max 4M    misses of the second level
  cm1 --machine i5-7500 --sizes 32K,48K          by the model, of two sizes";

/// Count cache misses over a sweep of array size and stride
#[derive(clap::Parser)]
#[command(
    name = "cm1",
    version,
    after_help = EXAMPLES
)]
struct Args {
    #[command(flatten)]
    options: cm1::Options,
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
        let mut lines = Lines::of(&args.output);
        let record = cm1::measure(&session, &args.options, &mut |row| lines.print(&cm1::kit_row(row)))?;
        lines.finish(&record, &args.output)
    })
}
