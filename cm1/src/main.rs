//! `cm1 [--max 64K] [--event PAPI_L1_DCM]`: misses per access, by array size and stride.

use common::lesson;
use common::output::Lines;

const ABOUT: &str = "Count cache misses over a sweep of array size and stride";

const EXAMPLES: &str = "\
Examples:
  cm1 --chart cm1.svg > cm1.out                  misses of the first level, and a chart
  cm1 --event PAPI_L2_DCM --min 256K --max 4M    misses of the second level
  cm1 --machine i5-7500 --sizes 32K,48K          by the model, of two sizes";

fn main() -> std::process::ExitCode {
    lesson::main("cm1", ABOUT, EXAMPLES, |session, options: cm1::Options, to| {
        let mut lines = Lines::of(to);
        let record = cm1::measure(session, &options, &mut |row| lines.print(&cm1::kit_row(row)))?;
        lines.finish(&record, to)
    })
}
