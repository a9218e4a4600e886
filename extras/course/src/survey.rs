//! `course survey`: one record of the machine it runs on, for a page about a lab.

use std::path::PathBuf;

use common::cli::{Counters, Measuring, Modelling, Output};
use common::counters::Platform;
use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::product::Options;
use common::system::{date, facts::Facts, host};
use common::{machine, output, seal};
use serde_json::{Value, json};

/// The schema of such a record.
const SCHEMA: &str = "cache-lab-kit/survey/1";
/// Events that a course needs.
const EVENTS: [&str; 5] = ["PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_FP_OPS"];
/// Rows and columns of the matrices that are multiplied for the timing.
const SIZE: u32 = 256;

/// Describe this machine in one file: what it reports, what experiments find
///
/// Run it on every machine of a lab (extras/course/scripts/room has files for Slurm, GNU
/// parallel and Ansible), then put the files on one page with class.py.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write this file
    #[arg(short, long, value_name = "FILE", required = true)]
    output: PathBuf,

    /// Also write the machine's name; without it an id is written
    #[arg(long)]
    name: bool,

    /// Set the time for the experiments on caches
    #[arg(long, value_name = "S", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
}

/// Reads, measures, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let session = Session::start(
        &Measuring { runs: Some(3), ..Measuring::once(Counters::Auto) },
        &Modelling::of("host"),
        &Output::none(),
    )?;
    let load = host::load();
    let mut record = reported_by_system(args);
    record["load"] = json!(load);
    record["warnings"] = session.warnings.iter().map(ToString::to_string).collect();
    record["counters"] = EVENTS.iter().map(|name| counter(&session, name)).collect();
    record["timings"] = timings(session);
    let (levels, found) = found(args.seconds);
    record["caches_found"] = levels;
    record["experiments"] = found;
    output::write(&args.output, format!("{record:#}\n").as_bytes())?;
    output::say_written(&args.output, &args.output.display().to_string())
}

/// What the system reports about the machine.
fn reported_by_system(args: &Args) -> Value {
    let facts = Facts::of_host();
    let name = facts.host_name.clone().unwrap_or_default();
    let (logical, cores, sockets) = facts.counts();
    let machine = machine::host();
    let levels = machine.as_ref().map(|machine| machine.levels.clone()).unwrap_or_default();
    json!({
        "schema": SCHEMA,
        "time": date::now(),
        "kit_version": common::VERSION,
        "host": { "id": &common::checksum::digits("host", &[name.as_bytes()])[..12], "name": args.name.then_some(name) },
        "processor": { "name": facts.name, "vendor": facts.vendor, "logical": logical, "cores": cores, "sockets": sockets },
        "virtual_machine": facts.virtual_machine,
        "container": facts.container,
        "kernel": facts.system,
        "governor": facts.governor,
        "perf_event_paranoid": Platform::host().environment.paranoid,
        "page_bytes": machine.as_ref().ok().map(|machine| machine.page_size.0),
        "caches_reported": levels.iter().map(|l| json!({
            "level": l.level, "size_bytes": l.size.0, "line_bytes": l.line.0, "ways": l.ways, "shared_by": l.shared_by,
        })).collect::<Vec<_>>(),
        "caches_reported_reason": machine.err().map(|why| why.to_string()),
    })
}

/// Whether an event is counted on this machine, and if not, why.
fn counter(session: &Session, name: &str) -> Value {
    let plan = Event::parse(name).map_err(Failure::could_not).and_then(|event| session.plan(&[event]));
    let reason = match &plan {
        Ok(plan) => plan.reason().map(str::to_owned),
        Err(failure) => Some(failure.to_string()),
    };
    let counted = plan.is_ok_and(|plan| plan.counts());
    json!({ "event": name, "counted": counted, "reason": reason.filter(|_| !counted) })
}

/// Seconds of three matrix products, the median of three runs each.
fn timings(mut session: Session) -> Value {
    session.counters = Counters::None;
    let options = Options::new(SIZE, &[]);
    let line = common::units::Bytes(64);
    let products = [
        ("mm1", mm1::measure(&session, &options)),
        ("mm2", mm2::measure(&session, &options, false)),
        ("mm3", mm3::measure(&session, &options, line)),
    ];
    let timing = |(program, record): (&str, Result<common::record::Record, Failure>)| {
        let seconds = record.as_ref().ok().and_then(|record| record.rows.first()?.amount("wall_s"));
        let reason = record.err().map(|failure| failure.to_string());
        json!({ "program": program, "size": SIZE, "seconds": seconds, "reason": reason })
    };
    products.into_iter().map(timing).collect()
}

/// What the experiments found: the levels, and the evidence.
fn found(seconds: u32) -> (Value, Value) {
    match discover_host::on_time(seconds) {
        Err(failure) => (json!([]), json!({ "reason": failure.to_string() })),
        Ok(findings) => {
            let mut discovered = findings.json(None);
            let levels = discovered["levels"].take();
            if let Some(discovered) = discovered.as_object_mut() {
                discovered.remove("levels");
            }
            discovered["curve_bytes_ns"] = json!(findings.settled.scan);
            (levels, discovered)
        }
    }
}
