//! The experiments of the assignment, in order.

use common::cli::Counters;
use common::failure::Failure;
use common::infer::{self, Answer};
use common::machine::Machine;
use common::measure::Session;
use common::product;
use common::record::{Record, Row};
use common::saved::Saved;
use common::units::Bytes;
use report::{Findings, LineFrom, Sweep};

use super::environment;
use super::progress::{Progress, Step};
use super::settings::{Extent, Settings};
use super::unfinished::Unfinished;

/// The events of the matrix products: the sheet's three, and L2's for the last
/// question.
const PRODUCT_EVENTS: [&str; 5] = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_L2_DCM", "PAPI_L2_DCA"];

/// Runs everything that is not stored already.
pub(crate) fn run_all(
    mut session: Session,
    settings: Settings,
    unfinished: &Unfinished,
    quiet: bool,
) -> Result<Findings, Failure> {
    let mut took = 0.0;
    let mut keep = |name: &str, measure: &mut dyn FnMut() -> Result<Record, Failure>| {
        let (record, seconds) = unfinished.record(name, measure)?;
        took += seconds;
        Ok(record)
    };
    let host = environment::look(&session.machine, session.measures_host, session.cpus.len());
    let mut progress = Progress::new(steps(&settings), quiet);
    progress.at(0.0);
    let spark_options = spark::Options::new(Bytes::kib(4), settings.spark.max, settings.spark.repeats);
    let cells = spark_options.cells()?.len();
    // spark counts nothing, whatever the source of the other programs' counts.
    let counters = session.counters;
    session.counters = if session.measures_host { Counters::Auto } else { counters };
    let spark =
        keep("spark", &mut || spark::measure(&session, &spark_options, &mut counting(&mut progress, cells)))?;
    let spark = Sweep { chart: spark::chart(&spark), printed: spark_table(&spark), record: spark };
    progress.next();
    if let Some(path) = unfinished.draw("spark", &spark.chart) {
        progress.say(&format!("lab run: the first curves are in {}", path.display()));
    }
    session.counters = Counters::Timing;
    let waiting =
        keep("waiting", &mut || waiting(&session, &settings)).map_err(|failure: Failure| failure.to_string());
    session.counters = counters;
    let l1 = sweep(keep("cm1-l1", &mut || cm1(&session, "PAPI_L1_DCM", settings.l1, &mut progress))?);
    progress.next();
    let l2 = sweep(keep("cm1-l2", &mut || cm1(&session, "PAPI_L2_DCM", settings.l2, &mut progress))?);
    progress.next();
    let l1_answer = infer::read(&Saved::of(&l1.record));
    let above = l1_answer.verdict.as_ref().ok().and_then(infer::Above::of);
    let l2_answer = infer::read_behind(&Saved::of(&l2.record), above);
    let (line, line_from) = line(&l1_answer, &session.machine);
    session.runs = settings.runs as usize;
    let options = product::Options::new(settings.size, &PRODUCT_EVENTS);
    let mut done = |record: Result<Record, Failure>| record.inspect(|_| progress.next());
    let mm1 = done(keep("mm1", &mut || mm1::measure(&session, &options)))?;
    let mm2 = done(keep("mm2", &mut || mm2::measure(&session, &options, false)))?;
    let mm2_transposing = done(keep("mm2-transposing", &mut || mm2::measure(&session, &options, true)))?;
    let mm3 = done(keep("mm3", &mut || mm3::measure(&session, &options, line)))?;
    let causes = done(keep("causes", &mut || causes::measure(&session, settings.size, line)))?;
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
        took,
    })
}

/// Times dependent accesses; the accesses of a described machine's model always are.
fn waiting(session: &Session, settings: &Settings) -> Result<Record, Failure> {
    if !session.measures_host {
        return Err(Failure::could_not("a modelled access always waits for the one before"));
    }
    let max = settings.spark.max.max(settings.l2.max);
    spark::measure(
        session,
        &spark::Options::new(Bytes::kib(4), max, 1).at_stride(report::STRIDE),
        &mut |_| (),
    )
}

/// The steps with the seconds expected: an access of a sweep about 1.5 ns, an
/// inner iteration of a product about 1 ns measured and 6 ns modelled.
fn steps(settings: &Settings) -> Vec<Step> {
    let sweep = |name: &str, Extent { max, repeats }: Extent| {
        let strides = f64::from(max.0.ilog2());
        Step { name: name.to_owned(), expected: 2.0 * max.0 as f64 * repeats as f64 * strides * 1.5e-9 }
    };
    let inner = f64::from(settings.size).powi(3);
    let product = |name: &str| Step {
        name: name.to_owned(),
        expected: inner * (f64::from(settings.runs) + 6.0) * 1e-9,
    };
    vec![
        sweep("spark", settings.spark),
        sweep("cm1 on L1", settings.l1),
        sweep("cm1 on L2", settings.l2),
        product("mm1"),
        product("mm2"),
        product("mm2 part c"),
        product("mm3"),
        Step { name: "wait or miss".to_owned(), expected: 8.0 * inner * f64::from(settings.runs + 3) * 1e-9 },
    ]
}

/// Counts the rows of a sweep of `cells` for the progress line. Larger arrays take longer:
/// the share grows with the cube of the finished rows.
fn counting(progress: &mut Progress, cells: usize) -> impl FnMut(&Row) {
    let mut rows = 0.0;
    move |_| {
        rows += 1.0;
        progress.at((rows / cells.max(1) as f64).powi(3).min(1.0));
    }
}

fn cm1(session: &Session, event: &str, extent: Extent, progress: &mut Progress) -> Result<Record, Failure> {
    let options = cm1::Options::new(event, extent.max, extent.repeats).until_decided();
    let cells = options.cells()?.len();
    cm1::measure(session, &options, &mut counting(progress, cells))
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
    let told = machine.level(1).map(|cache| cache.line);
    match (read.filter(usable), told.filter(usable)) {
        // The records of a sealed machine would reveal the results of the sweeps.
        _ if machine.sealed() => (Bytes(64), LineFrom::Sealed),
        (Some(line), _) => (line, LineFrom::Sweep),
        (None, Some(line)) => (line, LineFrom::System),
        (None, None) => (Bytes(64), LineFrom::Usual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::Sizes;

    #[test]
    fn a_line_of_progress_fits_forty_columns() {
        let machine = Machine::named("i5-7500").unwrap();
        let steps = steps(&Settings::new(
            false,
            &Sizes { matrix: Some(4096), runs: Some(100), ..Sizes::default() },
            1,
            &machine,
        ));
        let longest = steps.iter().map(|step| step.name.chars().count()).max().unwrap();
        assert!(longest <= 40 - "8/8  100 %, 59 min 59 s left".len(), "{longest}");
    }
}
