//! `mm3 [--size N] [--line-size B]`: the product in blocks of a cache line.

use common::units::Bytes;
use common::{lesson, product};

const ABOUT: &str = "Blocked 16-bit matrix product: L1 misses, loads, stores, cycles, time";

const EXAMPLES: &str = "\
Examples:
  mm3 --line-size 32        blocks for lines of 32 bytes
  mm3 --counters hardware   counted by this processor, or refused with the reason";

#[derive(clap::Args)]
struct Args {
    #[command(flatten)]
    options: product::Options,
    /// Set the cache line size in bytes, as found with cm1; it gives the block size
    #[arg(long, value_name = "B", default_value_t = Bytes(mm3::CACHE_LINE_SIZE))]
    line_size: Bytes,
}

fn main() -> std::process::ExitCode {
    lesson::main("mm3", ABOUT, EXAMPLES, |session, args: Args, to| {
        let options = args.options.or_size(mm3::N);
        product::finish(&mm3::measure(session, &options, args.line_size)?, &options, to)
    })
}
