//! `mm1 [--size N]`: the straightforward matrix product, counted and timed.

use std::process::ExitCode;

use common::cli::{self, Measuring, Modelling, Output};
use common::measure::Session;
use common::product::{self, Options};

const EXAMPLES: &str = "\
Examples:
  mm1 --size 1024 --runs 5                       the guide's size, medians of 5
  mm1 --machine i5-7500 --events PAPI_L2_DCM     by the model";

/// Straightforward 16-bit matrix product: L1 misses, loads, stores, cycles, time
#[derive(clap::Parser)]
#[command(name = "mm1", version, after_help = EXAMPLES)]
struct Args {
    #[command(flatten)]
    options: Options,
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
        let options = args.options.or_size(mm1::N);
        let record = mm1::measure(&session, &options)?;
        product::finish(&record, &options, &args.output)
    })
}
