//! The experiments of the assignment, in order.

use common::cli::Counters;
use common::failure::Failure;
use common::machine::Machine;
use common::measure::Session;
use common::product;
use common::record::Record;
use common::saved::Saved;
use common::units::Bytes;
use geometry::Answer;
use report::{Findings, LineFrom};

use super::environment;
use super::folder::Folder;
use super::settings::{Extent, Settings};

/// The events of the matrix products: the sheet's three, and L2's for the last
/// question.
const PRODUCT_EVENTS: [&str; 5] = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_L2_DCM", "PAPI_L2_DCA"];

/// How many there are.
pub(super) fn count(here: bool) -> usize {
    8 + usize::from(here)
}

/// Runs everything. `remarks` gets the experiment that failed and is not necessary.
pub(super) fn run_all(
    mut session: Session,
    settings: Settings,
    folder: &Folder,
    mut remarks: Vec<String>,
) -> Result<Findings, Failure> {
    let host = environment::look(&session.machine, session.measures_host, session.cpus.len());
    let record = |name: &str, measure: &dyn Fn() -> Result<Record, Failure>| folder.record(name, measure);
    // spark counts nothing, whatever the source of the other programs' counts.
    let counters = if session.measures_host { Counters::Auto } else { session.counters };
    let options = spark::Options::new(Bytes::kib(4), settings.spark.max, settings.spark.repeats);
    let spark = record("spark", &|| spark::measure(&session, counters, &options, &mut |_| ()))?;
    // A modelled access always waits for the one before.
    let waiting = session.measures_host.then(|| {
        let max = settings.spark.max.max(settings.l2.max);
        let options = spark::Options::new(Bytes::kib(4), max, 1).at_stride(report::STRIDE);
        record("spark-waiting", &|| spark::measure(&session, Counters::Timing, &options, &mut |_| ()))
    });
    let waiting = waiting.and_then(|measured| {
        let failed = |why| remarks.push(format!("spark with dependent accesses was not measured: {why}"));
        measured.map_err(failed).ok()
    });
    let cm1 = |event: &str, extent: Extent| {
        let options = cm1::Options::new(event, extent.max, extent.repeats);
        cm1::measure(&session, &options, &mut |_| ())
    };
    let l1 = record("cm1-l1", &|| cm1("PAPI_L1_DCM", settings.l1))?;
    let l2 = record("cm1-l2", &|| cm1("PAPI_L2_DCM", settings.l2))?;
    let l1_answer = geometry::read(&Saved::of(&l1));
    let (line, line_from) = line(&l1_answer, &session.machine);
    session.runs = settings.runs as usize;
    let options = product::Options::new(settings.size, &PRODUCT_EVENTS);
    let mm1 = record("mm1", &|| mm1::measure(&session, &options))?;
    let mm2 = record("mm2", &|| mm2::measure(&session, &options, false))?;
    let mm2_transposing = record("mm2-transposing", &|| mm2::measure(&session, &options, true))?;
    let mm3 = record("mm3", &|| mm3::measure(&session, &options, line))?;
    let causes = record("causes", &|| crate::commands::causes::measure(&session, settings.size, line))?;
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
        line,
        line_from,
        took: 0.0,
        remarks,
    })
}

/// The line size that mm3's blocks must fit: the measured one, else the reported one.
fn line(answer: &Answer, machine: &Machine) -> (Bytes, LineFrom) {
    let read = answer.verdict.as_ref().ok().and_then(|found| found.line.clone().ok());
    let usable = |line: &Bytes| mm3::elements_per_line(*line).is_ok() && line.0 <= 1024;
    let reported = machine.level(1).map(|cache| cache.line);
    match (read.filter(usable), reported.filter(usable)) {
        // The records of a sealed machine would reveal the results of the sweeps.
        _ if machine.sealed() => (Bytes(64), LineFrom::Sealed),
        (Some(line), _) => (line, LineFrom::Sweep),
        (None, Some(line)) => (line, LineFrom::System),
        (None, None) => (Bytes(64), LineFrom::Usual),
    }
}
