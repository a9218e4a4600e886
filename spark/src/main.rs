//! `spark [--min 4K] [--max 4M]`: how long an access takes, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Common, Format};
use common::measure::Session;
use common::output;

/// Times a sweep over array size and stride
#[derive(clap::Parser)]
#[command(name = "spark", version)]
struct Args {
    #[command(flatten)]
    options: spark::Options,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    cli::run(|args: Args| {
        let session = Session::start(&args.common)?;
        let kit = args.common.format == Format::Kit;
        if kit {
            println!("{}", spark::kit_header());
        }
        let record = spark::measure(&session, &args.options, &mut |row| {
            if kit {
                println!("{}", spark::kit_row(row));
            }
        })?;
        output::finish(&record, &args.common, |_| String::new(), || spark::chart(&record))
    })
}
