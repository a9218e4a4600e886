//! `spark [--min 4K] [--max 4M]`: how long an access takes, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Common};
use common::measure::Session;
use common::output::Lines;

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
        let mut lines = Lines::of(&args.common);
        let mut header = Some(spark::kit_header());
        let record = spark::measure(&session, &args.options, &mut |row| {
            header.take().into_iter().for_each(|header| lines.print(header));
            lines.print(&spark::kit_row(row));
        })?;
        lines.finish(&record, &args.common, || spark::chart(&record))
    })
}
