//! `lab plot`: draws sweeps, records, and any table.

mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chart::{Chart, View};
use common::failure::Failure;
use common::product::is_event;
use common::record::{Record, Row};
use common::saved::Saved;
use common::text::shorten;
use common::units::Bytes;
use common::value::{Reading, Source};
use common::{authentic, input, output};
use report::{Columns, MatrixProgram, Set, columns, number};

/// Draw sweeps of cm1 or spark, of this kit or of the C kits, records of the kit's programs, or any table of numbers
///
/// Files of one machine, one event and one source are runs of one measurement, and the median is drawn; others are
/// compared in one chart.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What a program printed or recorded, or a table with names in its first line; - is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write this picture, .svg, .pdf or .png [default: the first file's name with .svg]
    #[arg(short, long, value_name = "PICTURE")]
    output: Option<PathBuf>,

    /// Choose the horizontal axis [default: stride, or size, or the first column]
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,

    /// Choose what to draw: misses or time of a sweep, a record's figure, a table's columns
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    y: Vec<String>,

    /// Draw a curve for each value of this column
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,

    /// Draw these array sizes only, like 32K,64K
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    sizes: Vec<Bytes>,

    /// Make these axes logarithmic, and others not: x, y, xy or none
    #[arg(long, value_name = "AXES", value_parser = ["x", "y", "xy", "none"])]
    log: Option<String>,

    /// Write this title; "" is none
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Write this caption; "" is none
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,

    /// Set the width in a document, like 8cm; letters keep their size, 8 pt
    #[arg(long, value_name = "CM", value_parser = centimetres)]
    width: Option<f64>,
}

/// `8cm`, `80mm`.
fn centimetres(text: &str) -> Result<f64, String> {
    let number =
        |unit: &str, factor: f64| Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * factor);
    let read = number("cm", 1.0).or_else(|| number("mm", 0.1)).filter(|width| width.is_finite());
    read.ok_or_else(|| format!("'{text}' is not a width; write one like 8cm or 80mm"))
}

/// A file that was read.
struct File {
    name: String,
    record: Record,
    /// The columns of numbers, if it is a table.
    numbers: Vec<String>,
    /// Its other columns, each with its first entry that is no number: `kind ('ijk')`.
    others: Vec<(String, String)>,
}

/// Reads, draws, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let picture = args.output.clone().unwrap_or_else(|| default_output(&args.files));
    output::check_distinct(args.files.iter().map(PathBuf::as_path), [picture.as_path()])?;
    let mut files = args.files.iter().map(|path| read(path, args)).collect::<Result<Vec<_>, Failure>>()?;
    keep_sizes(&args.sizes, &mut files)?;
    let chart = chart(args, &files)?;
    let log = args.log.as_deref();
    let view = View {
        log_x: log.map(|axes| axes.contains('x')),
        log_y: log.map(|axes| axes.contains('y')),
        title: args.title.clone(),
        caption: args.caption.clone(),
        width_cm: args.width,
        size: None,
    };
    let chart = chart.viewed(&view).map_err(Failure::usage)?;
    let bytes = chart.picture(&picture.to_string_lossy()).map_err(Failure::usage)?;
    output::write(&picture, &bytes)?;
    output::message(format!("lab plot: drew {}", input::name(&picture)));
    Ok(())
}

fn default_output(files: &[PathBuf]) -> PathBuf {
    match files.first() {
        Some(first) if first != Path::new("-") => first.with_extension("svg"),
        _ => PathBuf::from("sweep.svg"),
    }
}

/// Short names of a sweep's columns.
const SHORT: [(&str, &str); 4] =
    [("stride", "stride_bytes"), ("size", "size_bytes"), ("misses", "avg_misses"), ("time", "ns_per_access")];

/// Reads a file: a record, a sweep as text, or any table.
fn read(path: &Path, args: &Args) -> Result<File, Failure> {
    let (name, text) = (input::name(path), input::text(path)?);
    let failed = |why: String| Failure::could_not(format!("{name}: {why}"));
    let file = |record: Record| File { name: name.clone(), record, numbers: Vec::new(), others: Vec::new() };
    if text.trim_start().starts_with('{') {
        let record = authentic::read(&text).map_err(|why| failed(why.to_string()))?;
        if matches!(record.program.as_str(), "cm1" | "spark") {
            let sweep = input::parsed(path, &text)?;
            output::notes(&sweep.notes, &format!("lab plot: {name}"));
        }
        return Ok(file(record));
    }
    let is_short = |name: &String| SHORT.iter().any(|(short, long)| name == short || name == long);
    let names = args.x.iter().chain(&args.y).chain(&args.by);
    let head = text.lines().find(|line| !line.starts_with(['#', '['])).unwrap_or_default().to_lowercase();
    let is_sweep = head.contains("size") && head.contains("stride");
    match input::parsed(path, &text) {
        Ok(sweep) if names.clone().all(is_short) => {
            output::notes(&sweep.notes, &format!("lab plot: {name}"));
            Ok(file(record_of(&sweep)))
        }
        Err(why) if is_sweep && names.clone().all(is_short) => Err(why),
        sweep => match (table::read(&text), sweep) {
            (Ok((record, numbers, others)), _) => Ok(File { name: name.clone(), record, numbers, others }),
            // What programs print has name=value; a table has none.
            (Err(_), Err(why)) if head.contains('=') || !head.contains([',', ';', '\t']) => Err(why),
            (Err(why), _) => Err(failed(why)),
        },
    }
}

/// The cells of a sweep as rows; it has no machine.
fn record_of(sweep: &Saved) -> Record {
    let mut record = Record::new("cm1", "");
    if let Some(event) = &sweep.event {
        record.settings.insert("event".to_owned(), event.as_str().into());
    }
    let source = sweep.source.unwrap_or(Source::Timing);
    for cell in &sweep.cells {
        let mut row = Row::at([("size_bytes", cell.size.into()), ("stride_bytes", cell.stride.into())]);
        for (name, amount) in [("avg_misses", cell.misses), ("ns_per_access", cell.nanos)] {
            if let Some(amount) = amount {
                row = row.with(name, Reading::new(amount, source));
            }
        }
        record.rows.push(row);
    }
    record
}

/// Keeps the rows of these array sizes.
/// Fails if one of them is nowhere.
fn keep_sizes(sizes: &[Bytes], files: &mut [File]) -> Result<(), Failure> {
    let of = |row: &Row| row.whole("size_bytes").map(Bytes);
    let there: BTreeSet<Bytes> = files.iter().flat_map(|file| &file.record.rows).filter_map(of).collect();
    if let Some(size) = sizes.iter().find(|size| !there.contains(size)) {
        let there = shorten(&Vec::from_iter(there.iter().map(Bytes::to_string)).join(", "), 300);
        return Err(Failure::usage(format!("--sizes {size} is not in these files; they have {there}")));
    }
    for file in files.iter_mut().filter(|_| !sizes.is_empty()) {
        file.record.rows.retain(|row| of(row).is_some_and(|size| sizes.contains(&size)));
    }
    Ok(())
}

/// The places of a row that say how large its problem is, and which of several kernels it has; and what is drawn
/// of several figures: the first that the rows have.
const X: [&str; 3] = ["stride_bytes", "size", "n"];
const BY: [&str; 2] = ["variant", "kernel"];
const Y: [&str; 7] = ["avg_misses", "ns_per_access", "gflops", "mflops", "known_mflops", "cpu_s", "seconds"];

/// The columns that are drawn: the chosen ones, or the usual ones.
fn chosen(args: &Args, files: &[File]) -> Result<Columns, Failure> {
    let rows = Vec::from_iter(files.iter().flat_map(rows_of));
    let known = columns(&rows);
    let is_known = |name: &str| known.iter().any(|known| known == name);
    let named = |name: &String| {
        let long = SHORT.iter().find(|(short, _)| name == short).map(|(_, long)| (*long).to_owned());
        let name = long.filter(|long| is_known(long) && !is_known(name)).unwrap_or_else(|| name.clone());
        if is_known(&name) {
            return Ok(name);
        }
        let known = shorten(&known.join(", "), 600);
        Err(Failure::usage(format!("there is no column '{}'; there are {known}", shorten(&name, 60))))
    };
    let first = |names: &[&str]| names.iter().find(|name| is_known(name)).map(|name| (*name).to_owned());
    let has = |name: &str| rows.iter().any(|(record, row)| number(record, row, name).is_some());
    let is_free = args.x.is_none() && args.y.is_empty() && args.by.is_none();
    if is_free && has("cpu_s") && files.iter().all(|file| file.record.program == "causes") {
        let y = ["cpu_s", "free_cpu_s"].map(str::to_owned).into();
        return Ok(Columns { x: "kernel".to_owned(), y, by: String::new() });
    }
    let numbers = Vec::from_iter(files.iter().flat_map(|file| &file.numbers));
    let columns_of_table = || known.get(1).cloned();
    let x = args.x.as_ref().map(named).transpose()?;
    let x = x.or_else(|| if numbers.is_empty() { first(&X) } else { columns_of_table() });
    let x =
        x.ok_or_else(|| Failure::could_not("these records have nothing to draw against; name it with --x"))?;
    let by = match (args.by.as_ref().map(named).transpose()?, x.as_str()) {
        (Some(by), _) => by,
        (None, "stride_bytes") => "size_bytes".to_owned(),
        (None, "size_bytes") => "stride_bytes".to_owned(),
        (None, _) if !numbers.is_empty() => String::new(),
        _ => first(&BY).unwrap_or_else(|| "program".to_owned()),
    };
    let mut y = args.y.iter().map(named).collect::<Result<Vec<_>, Failure>>()?;
    if y.is_empty() && numbers.is_empty() {
        let figures = rows.iter().flat_map(|(_, row)| &row.figures);
        let figures =
            figures.filter(|figure| figure.reading.amount().is_some()).map(|figure| figure.name.clone());
        let is_product =
            |file: &File| MatrixProgram::ALL.iter().any(|own| own.program() == file.record.program);
        match Y.iter().find(|name| has(name)) {
            _ if files.len() == 1 && is_product(&files[0]) => y.extend(figures.filter(|name| is_event(name))),
            Some(usual) => y.push((*usual).to_owned()),
            None => y.extend(figures.take(1)),
        }
    } else if y.is_empty() {
        y.extend(known.iter().filter(|name| numbers.contains(name) && ![&x, &by].contains(name)).cloned());
    }
    if y.is_empty() {
        let others =
            Vec::from_iter(files.iter().flat_map(|file| &file.others).map(|(_, entry)| entry.as_str()));
        return Err(Failure::could_not(match others.join(", ") {
            none if none.is_empty() => "these files have no figure that can be drawn".to_owned(),
            others => format!(
                "no column but '{x}' has numbers only; of the others these entries are none: {others}"
            ),
        }));
    }
    Ok(Columns { x, y, by })
}

fn rows_of(file: &File) -> impl Iterator<Item = (&Record, &Row)> {
    file.record.rows.iter().map(|row| (&file.record, row))
}

/// Curves of one machine, one event and one source: what they are of, as far as known, and the names of their files.
struct Origin<'f> {
    name: String,
    of: (&'f str, &'f serde_json::Value),
    files: Vec<&'f str>,
    rows: Vec<(&'f Record, &'f Row)>,
}

/// The chart of the chosen columns; its caption names every file.
fn chart(args: &Args, files: &[File]) -> Result<Chart, Failure> {
    let chosen = chosen(args, files)?;
    let has = |(record, row): (&Record, &Row)| chosen.y.iter().any(|y| number(record, row, y).is_some());
    if let Some(file) = files.iter().find(|file| !rows_of(file).any(has)) {
        let (y, name) = (chosen.y.join(", "), &file.name);
        let text = |(_, row): (&Record, &Row)| {
            chosen.y.iter().map(|y| row.text(y).to_owned()).find(|text| !text.is_empty())
        };
        let lacks = match rows_of(file).find_map(text) {
            Some(text) => {
                format!("the cells of {y} in {name} are not numbers, such as '{}'", shorten(&text, 30))
            }
            None => format!("{name} has no {y}"),
        };
        return Err(Failure::could_not(format!("{lacks}: leave it out, or draw another column with --y")));
    }
    let mut origins: Vec<Origin<'_>> = Vec::new();
    for file in files {
        let (record, is_table) = (&file.record, !file.numbers.is_empty());
        let sources = rows_of(file).filter_map(|(_, row)| row.reading(chosen.y.first()?)?.source());
        let sources = sources.map(|source| source.to_string()).collect::<BTreeSet<_>>();
        let source = Vec::from_iter(sources).join(", ");
        let source = (!is_table && !source.is_empty()).then(|| format!("source: {source}"));
        let event = record.settings.get("event").filter(|_| chosen.y == ["avg_misses"]);
        let event = event.and_then(|event| Some(format!("event {}", event.as_str()?)));
        let machine = Some(record.machine.clone()).filter(|machine| !machine.is_empty());
        let name = Vec::from_iter([machine, event, source].into_iter().flatten()).join("; ");
        // Files without a machine are of one machine; tables are each of their own.
        let of = (if is_table { file.name.as_str() } else { "" }, &record.machine_data);
        match origins.iter_mut().find(|known| known.of == of && known.name == name) {
            Some(known) => {
                known.files.push(&file.name);
                known.rows.extend(rows_of(file));
            }
            None => origins.push(Origin { name, of, files: vec![&file.name], rows: rows_of(file).collect() }),
        }
    }
    let count = origins.len();
    let letter =
        |at: usize| if count > 1 { char::from(b'A' + (at % 26) as u8).to_string() } else { String::new() };
    // What a program hands over with --chart has no file.
    let is_input = args.files == [Path::new("-")];
    let caption = origins.iter().enumerate().map(|(at, Origin { name, files, .. })| {
        let files = match &files[..] {
            _ if is_input => String::new(),
            [one] => format!("file {one}"),
            many => format!("{} files: {}", many.len(), many.join(", ")),
        };
        let facts =
            Vec::from_iter([name.clone(), files].into_iter().filter(|part| !part.is_empty())).join("; ");
        if count > 1 { format!("{}: {facts}", letter(at)) } else { facts }
    });
    // Of a table, all columns of numbers are drawn.
    let rest = files.iter().flat_map(|file| &file.others).filter(|_| args.y.is_empty());
    let rest =
        rest.filter(|(name, _)| ![&chosen.x, &chosen.by].contains(&name)).map(|(_, entry)| entry.as_str());
    let rest = Vec::from_iter(rest).join(", ");
    let rest = Some(format!("Not drawn, as they are no numbers: {rest}")).filter(|_| !rest.is_empty());
    let caption = Vec::from_iter(caption.chain(rest).filter(|part| !part.is_empty())).join(". ");
    let sets =
        origins.into_iter().enumerate().map(|(at, origin)| Set { name: letter(at), rows: origin.rows });
    let chart = report::chart(&Vec::from_iter(sets), &chosen).map_err(Failure::could_not)?;
    let mut chart = chart.caption(caption);
    let amounts = chart.series.iter().flat_map(|series| &series.points).map(|at| at.1).filter(|y| *y > 0.0);
    let [least, most] = [f64::min, f64::max].map(|end| amounts.clone().reduce(end).unwrap_or(1.0));
    let is_time = chart.y.label.contains("time");
    chart.y.is_log = is_time && most > WIDE * least && chart.x.names.is_empty();
    Ok(chart)
}

/// Times that differ by more than this factor have a logarithmic axis.
const WIDE: f64 = 8.0;
