//! `mm1 [--size N]`: the straightforward matrix product, counted and timed.

use common::{lesson, product};

const ABOUT: &str = "Straightforward 16-bit matrix product: L1 misses, loads, stores, cycles, time";

const EXAMPLES: &str = "\
Examples:
  mm1 --size 1024 --runs 5                       the guide's size, medians of 5
  mm1 --machine i5-7500 --events PAPI_L2_DCM     by the model";

fn main() -> std::process::ExitCode {
    lesson::main("mm1", ABOUT, EXAMPLES, |session, options: product::Options, to| {
        let options = options.or_size(mm1::N);
        product::finish(&mm1::measure(session, &options)?, &options, to)
    })
}
