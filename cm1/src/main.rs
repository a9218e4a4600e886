//! `cm1 [--max 64K] [--event PAPI_L1_DCM]`: misses per access, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Compare, Measuring, Modelling, Output};
use common::measure::Session;
use common::output::Lines;

/// Count cache misses over a sweep of array size and stride
#[derive(clap::Parser)]
#[command(
    name = "cm1",
    version,
    mut_arg("compare", cli::refused::<Compare>("cm1 prints one source: run it again with --counters model, and `lab compare` compares two records"))
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
        lines.finish(&record, &args.output, &cm1::chart)
    })
}
