//! `cm1 [--max 64K] [--event PAPI_L1_DCM]`: misses per access, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Common};
use common::measure::Session;
use common::output::Lines;

/// Counts cache misses over a sweep of array size and stride
#[derive(clap::Parser)]
#[command(name = "cm1", version)]
struct Args {
    #[command(flatten)]
    options: cm1::Options,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    cli::run(|args: Args| {
        let session = Session::start(&args.common)?;
        let mut lines = Lines::of(&args.common);
        let record = cm1::measure(&session, &args.options, &mut |row| lines.print(&cm1::kit_row(row)))?;
        lines.finish(&record, &args.common, || cm1::chart(&record))
    })
}
