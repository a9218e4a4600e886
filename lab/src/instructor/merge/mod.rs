//! `lab merge`: the machines of a lab on one page.

mod outliers;
mod surveyed;

use std::path::{Path, PathBuf};

use common::chart::{Axis, Chart};
use common::failure::Failure;
use common::system::files;
use common::{encoding, input, output};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use surveyed::Surveyed;

/// Write the records of lab survey to one page: table, curves, outliers
///
/// A file that is not such a record is named on the page and on stderr, and left
/// out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write this page
    #[arg(short, long, value_name = "PAGE.html", default_value = "class.html")]
    output: PathBuf,

    /// Also write a table: a line for each machine
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,

    /// What lab survey wrote, one file for each machine
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Reads all files, writes the page.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let written = std::iter::once(&args.output).chain(&args.csv);
    output::check_distinct(args.files.iter().map(PathBuf::as_path), written.map(PathBuf::as_path))?;
    let mut machines: Vec<Surveyed> = Vec::new();
    let mut invalid = Vec::new();
    let mut seen: Vec<(String, serde_json::Value)> = Vec::new();
    for path in &args.files {
        let name = input::name(path);
        match read(path).and_then(|text| once(&mut seen, &name, &text).and_then(|()| Surveyed::parse(&text)))
        {
            Ok(machine) => machines.push(machine),
            Err(reason) => invalid.push((name, reason)),
        }
    }
    if let (true, Some((file, reason))) = (machines.is_empty(), invalid.first()) {
        return Err(Failure::could_not(format!(
            "none of the files is a record of lab survey; the first, {file}: {reason}"
        )));
    }
    for (file, reason) in &invalid {
        output::message(format!("lab merge: note: {file} is left out: {reason}"));
    }
    surveyed::label(&mut machines);
    let remarks = outliers::remarks(&machines);
    if let Some(path) = &args.csv {
        output::write(path, surveyed::table(&machines, &remarks).text().as_bytes())?;
    }
    output::write(&args.output, page(&machines, &remarks, &invalid)?.as_bytes())?;
    let s = if machines.len() == 1 { "" } else { "s" };
    output::say_written(&args.output, &format!("{} machine{s} in {}", machines.len(), args.output.display()))
}

/// Largest size of a record in bytes; a usual one has some 10 KiB.
const RECORD_BYTES: u64 = 4 << 20;

/// The text of a file; errors are clauses.
fn read(path: &Path) -> Result<String, String> {
    let refused = |error: std::io::Error| format!("it cannot be read ({error})");
    if !std::fs::metadata(path).map_err(refused)?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let bytes = files::read_at_most(path, RECORD_BYTES + 1).map_err(refused)?;
    if bytes.len() as u64 > RECORD_BYTES {
        return Err(format!("it is larger than {} MiB", RECORD_BYTES >> 20));
    }
    encoding::decode(&bytes).map_err(|why| why.to_string())
}

/// Refuses a record that is there twice, even if it is formatted in another way.
fn once(seen: &mut Vec<(String, serde_json::Value)>, name: &str, text: &str) -> Result<(), String> {
    // A text that is not JSON is refused later by the reader of records, which says why.
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return Ok(()) };
    match seen.iter().find(|(_, known)| *known == value) {
        Some((first, _)) => Err(format!("it is the same record as {first}")),
        None => {
            seen.push((name.to_owned(), value));
            Ok(())
        }
    }
}

const TEMPLATE: &str = include_str!("class.html");

/// The data for the template.
#[derive(Serialize)]
struct Page<'p> {
    machines: usize,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    remarks: &'p [(String, String)],
    invalid: &'p [(String, String)],
    chart: String,
}

fn page(
    machines: &[Surveyed],
    remarks: &[(String, String)],
    invalid: &[(String, String)],
) -> Result<String, Failure> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let table = surveyed::table(machines, remarks);
    let cells = |row: &Vec<String>| row.iter().map(|cell| short(cell)).collect::<Vec<_>>();
    let fields = Page {
        machines: machines.len(),
        header: table.header.iter().map(|name| name.replace('_', " ")).collect(),
        rows: table.rows.iter().map(cells).collect(),
        remarks,
        invalid,
        chart: chart(machines).svg(),
    };
    environment.render_named_str("class.html", TEMPLATE, Serde(fields)).map_err(Failure::could_not)
}

/// Numbers formatted for a table.
fn short(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(number) if number.fract() != 0.0 => {
            let digits = if number.abs() < 1.0 { 4 } else { 2 };
            format!("{number:.digits$}")
        }
        _ => cell.to_owned(),
    }
}

/// The time of accesses by working set, one curve for each machine.
fn chart(machines: &[Surveyed]) -> Chart {
    let axes = (Axis::bytes("working set"), Axis::log2("ns per access"));
    let chart = Chart::new("Time of dependent accesses by working set", axes.0, axes.1)
        .caption("One curve for each machine; measured with a clock.");
    machines.iter().fold(chart, |chart, machine| chart.curve(machine.label.clone(), machine.curve.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(id: &str, l1: u64, seconds: f64) -> Surveyed {
        let text = serde_json::json!({
            "schema": "cache-lab-kit/survey/1", "time": format!("2026-03-01T10:00:{:02.0}Z", 1000.0 * seconds % 60.0), "kit_version": "0.1.0",
            "host": { "id": id, "name": null }, "processor": { "name": "<b>CPU</b>", "logical": 4 },
            "caches_reported": [{ "level": 1, "size_bytes": 32768, "line_bytes": 64, "ways": 8 }],
            "caches_found": [{ "level": 1, "size": l1, "size_low": l1, "size_high": l1, "line": 64, "ways": 8, "latency_ns": 1.0, "confidence": "high" }],
            "experiments": { "curve_bytes_ns": [[1024, 1.0], [65536, 3.0]], "clock_drift": 0.0 },
            "timings": [{ "program": "mm1", "seconds": seconds }, { "program": "mm2", "seconds": 0.1 }, { "program": "mm3", "seconds": 0.1 }], "counters": [], "warnings": [],
        });
        Surveyed::parse(&text.to_string()).unwrap()
    }

    #[test]
    fn a_lab_is_one_page_with_its_outliers_named() {
        let mut machines: Vec<Surveyed> =
            (0..8).map(|i| machine("a1", 32768, 0.1 + 0.001 * f64::from(i))).collect();
        machines.push(machine("b2", 49152, 0.5));
        surveyed::label(&mut machines);
        assert_eq!((&*machines[0].label, &*machines[7].label, &*machines[8].label), ("a1 #1", "a1 #8", "b2"));
        let remarks = outliers::remarks(&machines);
        let of = |label: &str| remarks.iter().filter(|(who, _)| who == label).count();
        assert_eq!((of("b2"), of("a1 #1"), remarks.len()), (2, 0, 2), "{remarks:?}");
        let page = page(&machines, &remarks, &[("x.json".to_owned(), "is not a record".to_owned())]).unwrap();
        assert!(page.contains("&lt;b&gt;CPU") && !page.contains("<b>CPU") && page.contains("x.json"));
        assert!(page.contains("<svg") && page.matches("<tr>").count() >= 10);
    }

    #[test]
    fn a_size_that_is_open_is_compared_by_its_ends() {
        let with_ends = |low: u64, high: Option<u64>| {
            let mut machine = machine("a1", 32768, 0.1);
            let found = &mut machine.caches_found[0];
            (found.size, found.size_low, found.size_high) = (None, Some(low), high);
            outliers::remarks(&[machine]).into_iter().map(|(_, remark)| remark).collect::<Vec<_>>()
        };
        assert_eq!(with_ends(16 << 10, Some(48 << 10)), Vec::<String>::new());
        assert_eq!(with_ends(16 << 10, None), Vec::<String>::new());
        let says = |found: &str| vec![format!("L1: experiments find {found}, the system reports 32 KiB.")];
        assert_eq!(with_ends(64 << 10, None), says("64 KiB or more"));
        assert_eq!(with_ends(64 << 10, Some(96 << 10)), says("64 KiB to 96 KiB"));
    }

    #[test]
    fn what_is_no_survey_is_reported() {
        for text in ["", "{}", "[1]", r#"{"schema": "cache-lab-kit/survey/9"}"#] {
            assert!(Surveyed::parse(text).is_err(), "{text}");
        }
    }
}
