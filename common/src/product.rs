//! Shared by mm1, mm2 and mm3: the course's 16-bit matrices, the options and the output.

use std::fmt::Write;

use clap::Args;

use crate::cli::Output;
use crate::failure::Failure;
use crate::measure::{self, Plan, Sample, Session};
use crate::output;
use events::Event;
use figures::value::Source;
use memory::{Arena, Matrix};
use records::product::{self, overflows};
use records::record::{Record, Row};

/// The fields of a record other than events.
const TIMES: [&str; 4] = ["wall_cycles", "wall_s", "cpu_s", AVERAGE];
/// The average time of a load of a described machine.
const AVERAGE: &str = "average_load_ns";

/// A note on larger products.
const WRAPS: &str = "elements of this product do not fit 16 bits and wrap as in C; so does the checksum";

/// The largest size accepted: three matrices of 1.5 GiB together.
const LARGEST: u32 = 16384;

/// Seconds of one inner iteration, measured and modelled.
const MEASURED: f64 = 2e-9;
const MODELLED: f64 = 8e-9;

/// Options of the three programs.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Set rows and columns of each matrix [default: 512, N of src/kernel.rs]
    #[arg(value_name = "N", conflicts_with = "size", value_parser = side())]
    n: Option<u32>,

    /// The same, by name
    #[arg(short = 'n', long = "size", value_name = "N", value_parser = side())]
    size: Option<u32>,

    /// Count these events, by PAPI's names or as `avail --native` lists them
    #[arg(
        long,
        value_name = "EVENTS",
        value_delimiter = ',',
        default_value = "PAPI_L1_DCM,PAPI_LD_INS,PAPI_SR_INS"
    )]
    events: Vec<String>,

    /// Print the modelled misses of each matrix at each level; records always have them
    #[arg(long)]
    by_array: bool,
}

fn side() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(LARGEST))
}

impl Options {
    /// Matrices of `size` by `size`, counting `events`.
    pub fn new(size: u32, events: &[&str]) -> Options {
        Options {
            n: None,
            size: Some(size),
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            by_array: false,
        }
    }

    /// Matrices of `n` by `n`, the program's own size, if the command line has none.
    #[must_use]
    pub fn or_size(self, n: u32) -> Options {
        Options { size: self.n.or(self.size).or(Some(n)), ..self }
    }

    /// Rows and columns.
    pub fn size(&self) -> usize {
        self.side() as usize
    }

    fn side(&self) -> u32 {
        self.n.or(self.size).unwrap_or_default()
    }

    /// Chooses the source of the events.
    /// Fails if an event is unknown, nothing can count it, or the product would take longer than a
    /// week.
    pub fn plan(&self, session: &Session) -> Result<Plan, Failure> {
        let events: Result<Vec<Event>, _> = self.events.iter().map(|name| counters::event(name)).collect();
        let plan = session.plan(&events.map_err(Failure::usage)?, true)?;
        let modelled = if plan.needs_model() || !session.measures_host { MODELLED } else { 0.0 };
        let measured = if session.measures_host { MEASURED * session.runs as f64 } else { 0.0 };
        let what = if session.measures_host {
            "this product"
        } else {
            "this product, if no state of the caches recurs,"
        };
        session.announce(what, f64::from(self.side()).powi(3) * (measured + modelled))?;
        Ok(plan)
    }
}

/// Memory for `count` matrices, one after the other.
/// Fails if there is no such memory.
pub fn arena(options: &Options, count: usize) -> Result<Arena, Failure> {
    measure::arena(count * options.size() * options.size() * size_of::<i16>())
}

/// The course's operands and an empty result: `mul1[i][j] = (i + j) % 8 + 1`,
/// `mul2[i][j] = (n - i + j) % 8 + 1`; empty too for a described machine, where no numbers are computed.
/// Fails if the arena is too small.
pub fn operands<'a>(
    session: &Session,
    arena: &'a Arena,
    options: &Options,
) -> Result<[Matrix<'a, i16>; 3], Failure> {
    let n = options.size();
    let matrix = |name| arena.matrix(name, n, n).map_err(Failure::could_not);
    let [mul1, mul2, res] = [matrix("mul1")?, matrix("mul2")?, matrix("res")?];
    if session.measures_host {
        write_operands(mul1, mul2);
    }
    Ok([mul1, mul2, res])
}

fn write_operands(mul1: Matrix<i16>, mul2: Matrix<i16>) {
    let n = mul1.rows();
    // Every row is a part of the same pattern. Copying it costs few stores, so that a whole
    // run under cachegrind still shows mostly the kernel's.
    let pattern: Vec<i16> = (0..n + 8).map(|j| (j % 8 + 1) as i16).collect();
    for i in 0..n {
        mul1.row(i).copy_from(&pattern[i % 8..]);
        mul2.row(i).copy_from(&pattern[(n - i) % 8..]);
    }
}

/// Sum of all elements.
pub fn checksum(res: Matrix<'_, i16>) -> i64 {
    res.flat().cells().iter().map(|cell| i64::from(cell.get())).sum()
}

/// The result of one program as a record of one row.
pub fn record(
    program: &str,
    session: &Session,
    options: &Options,
    plan: &Plan,
    sample: &Sample,
    res: Matrix<'_, i16>,
) -> Record {
    let mut record = session.record(program).set("size", options.side());
    session.note(&mut record, plan.note());
    if overflows(options.size()) {
        session.note(&mut record, WRAPS);
    }
    let checksum = if session.measures_host { checksum(res) } else { product::checksum(options.size()) };
    let mut row = Row::at([("size", options.side().into())]).result("checksum", checksum);
    for (event, reading) in &sample.counts {
        row = row.with(event.name(), reading.clone());
    }
    for (name, misses) in sample.model.iter().flat_map(|counts| counts.by_array()) {
        row = row.with(name, misses);
    }
    row = row
        .with("wall_cycles", sample.cycles.clone())
        .with("wall_s", sample.wall.clone())
        .with("cpu_s", sample.cpu.clone());
    let average = sample.model.as_ref().and_then(|counts| measure::average_load(counts, &session.machine));
    if let Some((average, formula)) = average {
        row = row.with(AVERAGE, average).set("average_load", formula);
    }
    session.note_waits(&mut record, &sample.wall, &sample.cpu, 1);
    record.rows.push(row);
    record
}

/// Whether a figure of a record counts an event.
pub fn is_event(name: &str) -> bool {
    !TIMES.contains(&name) && !name.contains(output::BY_ARRAY)
}

/// The lines that the C kit prints.
pub fn kit_text(record: &Record) -> String {
    let mut text = String::new();
    for row in &record.rows {
        let events: Vec<_> = row.figures.iter().filter(|figure| is_event(&figure.name)).collect();
        for event in &events {
            let zero = match event.reading.source() {
                Some(source) => format!("{:.6}\tsource={source}", 0.0),
                None => event.reading.to_string(),
            };
            let _ = writeln!(text, "After resetting counter '{}' [x10^6]: {zero}", event.name);
        }
        for event in &events {
            let count = event.reading.scaled(1e-6);
            let walks = output::walks(row, event);
            let _ = writeln!(text, "After stopping counter '{}'  [x10^6]: {count}{walks}", event.name);
        }
        for (name, label, factor) in
            [("wall_cycles", "cycles [x10^6]", 1e-6), ("wall_s", "time [seconds]", 1.0)]
        {
            if let Some(reading) = row.reading(name) {
                let modelled = reading.source() == Some(Source::Model);
                let cpu = row.amount("cpu_s").filter(|_| name == "wall_s");
                let what = match cpu {
                    _ if modelled => "\tof the memory alone, no waits".to_owned() + &average(row, name),
                    Some(cpu) => format!("\tcpu_s={cpu:.6}"),
                    None => String::new(),
                };
                let _ = writeln!(text, "Wall clock {label}: {}{what}", reading.scaled(factor));
            }
        }
        if let Some(checksum) = row.value("checksum") {
            let _ = writeln!(text, "Matrix checksum: {checksum}");
        }
    }
    text
}

/// After the modelled time: the average of a load, and its formula.
fn average(row: &Row, name: &str) -> String {
    let average = row.amount(AVERAGE).filter(|_| name == "wall_s");
    average.map_or(String::new(), |ns| format!("\taverage_load_ns={ns:.6}\t= {}", row.text("average_load")))
}

/// Prints the record, and saves it and its chart, as the options say.
/// Fails if a file cannot be written.
pub fn finish(record: &Record, options: &Options, to: &Output) -> Result<(), Failure> {
    let kit = |record: &Record| {
        kit_text(record) + &if options.by_array { output::misses_by_array(record) } else { String::new() }
    };
    output::finish(record, to, &kit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operands_are_the_courses() {
        let options = Options::new(13, &["PAPI_L1_DCM"]);
        let arena = arena(&options, 3).unwrap();
        let [mul1, mul2, res] = ["a", "b", "c"].map(|name| arena.matrix(name, 13, 13).unwrap());
        write_operands(mul1, mul2);
        for (i, j) in (0..169).map(|at| (at / 13, at % 13)) {
            assert_eq!(mul1.at(i, j).get() as usize, (i + j) % 8 + 1);
            assert_eq!(mul2.at(i, j).get() as usize, (13 - i + j) % 8 + 1);
        }
        assert_eq!(checksum(res), 0);
    }
}
