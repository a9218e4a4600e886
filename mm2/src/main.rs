//! `mm2 [--size N] [--time-transpose]`: the product, one matrix transposed first.

use std::process::ExitCode;

use common::cli::{self, Measuring, Modelling, Output};
use common::measure::Session;
use common::product::{self, Options};

const EXAMPLES: &str = "\
Examples:
  mm2 --time-transpose                   with the transposition in the figures
  mm2 --machine i5-7500 --record r.json  by the model, saved for `lab plot`";

/// 16-bit matrix product on a transposed matrix: L1 misses, loads, stores, cycles, time
#[derive(clap::Parser)]
#[command(name = "mm2", version, after_help = EXAMPLES)]
struct Args {
    #[command(flatten)]
    options: Options,
    /// Count and time the transposition too
    #[arg(long)]
    time_transpose: bool,
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
        let options = args.options.or_size(mm2::N);
        let record = mm2::measure(&session, &options, args.time_transpose || mm2::TIME_TRANSPOSE)?;
        product::finish(&record, &options, &args.output)
    })
}
