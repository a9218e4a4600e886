//! `spark [--min 4K] [--max 4M]`: how long an access takes, by array size and stride.

use std::process::ExitCode;

use common::cli::{self, Measuring, Modelling, Output};
use common::measure::Session;
use common::output::Lines;

const EXAMPLES: &str = "\
Examples:
  spark --runs 3 > spark.out                   the sweep of the guide, medians of 3
  spark --max 64M --strides 256 --chart t.svg  one stride, larger arrays, a chart
  spark --machine i5-7500 --format csv         the same, modelled, as a table";

/// Time a sweep over array size and stride
#[derive(clap::Parser)]
#[command(
    name = "spark",
    version,
    after_help = EXAMPLES
)]
struct Args {
    #[command(flatten)]
    options: spark::Options,
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
        let mut header = Some(spark::kit_header());
        let record = spark::measure(&session, session.counters, &args.options, &mut |row| {
            header.take().into_iter().for_each(|header| lines.print(header));
            lines.print(&spark::kit_row(row));
        })?;
        lines.finish(&record, &args.output)
    })
}
