//! `spark [--min 4K] [--max 4M]`: how long an access takes, by array size and stride.

use common::lesson;
use common::output::Lines;

const ABOUT: &str = "Time a sweep over array size and stride";

const EXAMPLES: &str = "\
Examples:
  spark --runs 3 > spark.out                   the sweep of the guide, medians of 3
  spark --max 64M --strides 256 --chart t.svg  one stride, larger arrays, a chart
  spark --machine i5-7500 --format csv         the same, modelled, as a table";

fn main() -> std::process::ExitCode {
    lesson::main("spark", ABOUT, EXAMPLES, |session, options: spark::Options, to| {
        let mut lines = Lines::of(to);
        let mut header = Some(spark::KIT_HEADER);
        let record = spark::measure(session, session.counters, &options, &mut |row| {
            header.take().into_iter().for_each(|header| lines.print(header));
            lines.print(&spark::kit_row(row));
        })?;
        lines.finish(&record, to)
    })
}
