//! `cm1 [--max 64K] [--event PAPI_L1_DCM]`: misses per access, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Common, Format};
use common::measure::Session;
use common::output;

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
        let kit = args.common.format == Format::Kit;
        let record = cm1::measure(&session, &args.options, &mut |row| {
            if kit {
                println!("{}", cm1::kit_row(row));
            }
        })?;
        output::finish(&record, &args.common, |_| String::new(), || cm1::chart(&record))
    })
}
