//! `mm2 [--size N] [--time-transpose]`: the product, one matrix transposed first.

use common::{lesson, product};

const ABOUT: &str = "16-bit matrix product on a transposed matrix: L1 misses, loads, stores, cycles, time";

const EXAMPLES: &str = "\
Examples:
  mm2 --time-transpose                   with the transposition in the figures
  mm2 --machine i5-7500 --record r.json  by the model, saved for `lab plot`";

#[derive(clap::Args)]
struct Args {
    #[command(flatten)]
    options: product::Options,
    /// Count and time the transposition too
    #[arg(long)]
    time_transpose: bool,
}

fn main() -> std::process::ExitCode {
    lesson::main("mm2", ABOUT, EXAMPLES, |session, args: Args, to| {
        let options = args.options.or_size(mm2::N);
        let record = mm2::measure(session, &options, args.time_transpose || mm2::TIME_TRANSPOSE)?;
        product::finish(&record, &options, to)
    })
}
