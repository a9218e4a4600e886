//! The experiments of the assignment, in order.

use std::io::IsTerminal;

use common::cli::Counters;
use common::failure::Failure;
use common::infer::{self, Answer};
use common::machine::Machine;
use common::measure::Session;
use common::record::Record;
use common::saved::Saved;
use common::units::Bytes;
use common::{output, product};
use report::{Findings, LineFrom, Sweep};

use super::environment;
use super::folder::Folder;
use super::settings::{Extent, Settings};

/// Shows on a terminal which experiment runs; between measured regions only.
struct Steps {
    quiet: bool,
    done: usize,
}

impl Steps {
    fn next(&mut self, name: &str) {
        self.done += 1;
        if !self.quiet && std::io::stderr().is_terminal() {
            output::message(format!("{}/8 {name}", self.done));
        }
    }
}

/// The name of the sweep with dependent accesses.
const WAITING: &str = "spark-waiting";

/// The events of the matrix products: the sheet's three, and L2's for the last
/// question.
const PRODUCT_EVENTS: [&str; 5] = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_L2_DCM", "PAPI_L2_DCA"];

/// Runs everything that is not stored already.
pub(super) fn run_all(
    mut session: Session,
    settings: Settings,
    folder: &Folder,
    quiet: bool,
) -> Result<Findings, Failure> {
    let host = environment::look(&session.machine, session.measures_host, session.cpus.len());
    let mut steps = Steps { quiet, done: 0 };
    steps.next("spark");
    let spark_options = spark::Options::new(Bytes::kib(4), settings.spark.max, settings.spark.repeats);
    // spark counts nothing, whatever the source of the other programs' counts.
    let counters = if session.measures_host { Counters::Auto } else { session.counters };
    let spark = folder.record("spark", || spark::measure(&session, counters, &spark_options, &mut |_| ()))?;
    let spark = Sweep { chart: spark::chart(&spark), printed: spark_table(&spark), record: spark };
    let drawn = folder.temporary("pictures/spark-stride.svg");
    let made = std::fs::create_dir_all(drawn.with_file_name(""));
    if made.is_ok() && output::write(&drawn, spark.chart.svg().as_bytes()).is_ok() && !quiet {
        output::message(format!("lab run: the first curves are in {}", drawn.display()));
    }
    let mut remarks = Vec::new();
    let waiting = match folder.stored(WAITING) {
        _ if !session.measures_host => Err("a modelled access always waits for the one before".to_owned()),
        Some(stored) => Ok(stored),
        None => match waiting(&session, &settings) {
            Ok(record) => folder.store(WAITING, &record).map(|()| Ok(record))?,
            Err(why) => {
                remarks.push(format!("spark with dependent accesses was not measured: {why}"));
                Err(why.to_string())
            }
        },
    };
    steps.next("cm1 on L1");
    let l1 = sweep(folder.record("cm1-l1", || cm1(&session, "PAPI_L1_DCM", settings.l1))?);
    steps.next("cm1 on L2");
    let l2 = sweep(folder.record("cm1-l2", || cm1(&session, "PAPI_L2_DCM", settings.l2))?);
    let l1_answer = infer::read(&Saved::of(&l1.record));
    let above = l1_answer.verdict.as_ref().ok().and_then(infer::Above::of);
    let l2_answer = infer::read_behind(&Saved::of(&l2.record), above);
    let (line, line_from) = line(&l1_answer, &session.machine);
    session.runs = settings.runs as usize;
    let options = product::Options::new(settings.size, &PRODUCT_EVENTS);
    let mut product = |name: &str, measure: &dyn Fn() -> Result<Record, Failure>| {
        steps.next(name);
        folder.record(name, measure)
    };
    let mm1 = product("mm1", &|| mm1::measure(&session, &options))?;
    let mm2 = product("mm2", &|| mm2::measure(&session, &options, false))?;
    let mm2_transposing = product("mm2-transposing", &|| mm2::measure(&session, &options, true))?;
    let mm3 = product("mm3", &|| mm3::measure(&session, &options, line))?;
    let causes = product("causes", &|| causes::measure(&session, settings.size, line))?;
    let (mut machine, here) = (session.machine, session.measures_host);
    if machine.sealed() {
        machine.levels.clear();
    }
    Ok(Findings {
        quick: settings.quick,
        size: settings.size,
        runs: settings.runs,
        host,
        machine,
        here,
        spark,
        waiting,
        l1,
        l2,
        mm1,
        mm2,
        mm2_transposing,
        mm3,
        causes,
        l1_answer,
        l2_answer,
        line,
        line_from,
        took: 0.0,
        remarks,
    })
}

/// Times dependent accesses.
fn waiting(session: &Session, settings: &Settings) -> Result<Record, Failure> {
    let max = settings.spark.max.max(settings.l2.max);
    let options = spark::Options::new(Bytes::kib(4), max, 1).at_stride(report::STRIDE);
    spark::measure(session, Counters::Timing, &options, &mut |_| ())
}

fn cm1(session: &Session, event: &str, extent: Extent) -> Result<Record, Failure> {
    cm1::measure(session, &cm1::Options::new(event, extent.max, extent.repeats).until_decided(), &mut |_| ())
}

fn sweep(record: Record) -> Sweep {
    let printed = record.rows.iter().map(|row| cm1::kit_row(row) + "\n").collect();
    Sweep { chart: cm1::chart(&record), printed, record }
}

/// The lines that spark prints of its record.
fn spark_table(record: &Record) -> String {
    let rows = record.rows.iter().map(spark::kit_row);
    let lines: Vec<String> = std::iter::once(spark::kit_header().to_owned()).chain(rows).collect();
    lines.join("\n") + "\n"
}

/// The line size that mm3's blocks must fit: the measured one, else the reported one.
fn line(answer: &Answer, machine: &Machine) -> (Bytes, LineFrom) {
    let read = answer.verdict.as_ref().ok().map(|found| found.line);
    let usable = |line: &Bytes| mm3::elements_per_line(*line).is_ok() && line.0 <= 1024;
    let described = machine.level(1).map(|cache| cache.line);
    match (read.filter(usable), described.filter(usable)) {
        // The records of a sealed machine would reveal the results of the sweeps.
        _ if machine.sealed() => (Bytes(64), LineFrom::Sealed),
        (Some(line), _) => (line, LineFrom::Sweep),
        (None, Some(line)) => (line, LineFrom::System),
        (None, None) => (Bytes(64), LineFrom::Usual),
    }
}
