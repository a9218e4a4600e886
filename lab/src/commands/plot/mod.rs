//! `lab plot`: draws saved sweeps, and records of a program that has a chart.

mod recorded;
mod records;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chart::{Axis, Chart, View};
use clap::ValueEnum;
use common::failure::Failure;
use common::saved::{Saved, SavedCell};
use common::text::shorten;
use common::units::Bytes;
use common::value::{Reading, Source};
use common::{authentic, input, output};

/// Draw saved sweeps of cm1 or spark, of this kit or of the C kits, or records of mm1 to mm3, ge, dgemm, flops, causes or trace
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What cm1 or spark printed or recorded, or other records; - is the standard input
    ///
    /// Sweeps of one machine and source are runs of one sweep, and each cell is their median; those of
    /// others are compared in one chart.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write this picture, .svg, .pdf or .png [default: the first file's name with .svg]
    #[arg(short, long, value_name = "PICTURE")]
    output: Option<PathBuf>,

    /// Choose what to draw [default: misses where the file has them, else time]
    #[arg(long, value_enum, value_name = "WHAT")]
    show: Option<Show>,

    /// Choose the figure of records that are no sweeps, by its name
    #[arg(long, value_name = "NAME")]
    figure: Option<String>,

    /// Compare the misses of `lab dgemm` with the closed form and with what real processors counted
    ///
    /// The file is a table like dgemm/recorded.csv, with the columns group, order, n, low_millions and
    /// high_millions; those of the orders that the records have are drawn.
    #[arg(long, value_name = "CSV", conflicts_with_all = ["figure", "show", "sizes"])]
    recorded: Option<PathBuf>,

    /// Choose the horizontal axis
    #[arg(long, value_enum, value_name = "AXIS", default_value = "stride")]
    over: Over,

    /// Draw these array sizes only, like 32K,64K
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    sizes: Vec<Bytes>,

    /// Draw damaged files too: an incomplete line is skipped, an entry that is not a number is a gap
    #[arg(long)]
    tolerate: bool,

    /// Make the horizontal axis logarithmic
    #[arg(long)]
    log_x: bool,

    /// Make the horizontal axis linear
    #[arg(long, conflicts_with = "log_x")]
    lin_x: bool,

    /// Make the vertical axis logarithmic, as it is for times that differ by a factor of 8 or more
    #[arg(long)]
    log_y: bool,

    /// Make the vertical axis linear
    #[arg(long, conflicts_with = "log_y")]
    lin_y: bool,

    /// Write this title; "" is none
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Write this caption; off is none
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,

    /// Set the width in a document, like 8cm; letters keep their size, 8 pt
    #[arg(long, value_name = "CM", value_parser = centimetres, conflicts_with = "size")]
    width: Option<f64>,

    /// Show this part of the horizontal axis, like 16:4K
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true, value_parser = pair)]
    x_range: Option<(f64, f64)>,

    /// Show this part of the vertical axis, like 0:1.5
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true, value_parser = pair)]
    y_range: Option<(f64, f64)>,

    /// Set width and height in pixels, like 1200x800
    #[arg(long, value_name = "WxH", value_parser = pair)]
    size: Option<(f64, f64)>,

    /// Draw each curve in a panel of its own
    #[arg(long)]
    panels: bool,
}

/// `8cm`, `80mm`.
fn centimetres(text: &str) -> Result<f64, String> {
    let number =
        |unit: &str, factor: f64| Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * factor);
    let read = number("cm", 1.0).or_else(|| number("mm", 0.1)).filter(|width| width.is_finite());
    read.ok_or_else(|| format!("'{text}' is not a width; write one like 8cm or 80mm"))
}

/// The ends of an axis, `16:4K`, or a width and a height, `1200x800`.
fn pair(text: &str) -> Result<(f64, f64), String> {
    let size = |text: &str| text.parse::<Bytes>().ok().map(|bytes| bytes.0 as f64);
    let number = |text: &str| text.parse().ok().filter(|x: &f64| x.is_finite()).or_else(|| size(text));
    let parts = text.split_once([':', 'x']);
    let numbers = parts.and_then(|(first, second)| Some((number(first)?, number(second)?)));
    numbers.ok_or_else(|| {
        format!("'{text}' is not a range and not a size; write two numbers, like 16:4K or 1200x800")
    })
}

/// The vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// Misses per access
    Misses,
    /// Nanoseconds per access
    Time,
}

/// The horizontal axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Over {
    /// The stride, one curve for each array size
    Stride,
    /// The array size, one curve for each stride
    Size,
}

/// Reads, draws, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let picture = args.output.clone().unwrap_or_else(|| default_output(&args.files));
    output::check_distinct(
        args.files.iter().chain(&args.recorded).map(PathBuf::as_path),
        [picture.as_path()],
    )?;
    let Args { x_range, y_range, size, panels, .. } = *args;
    let chosen = |yes: bool, no: bool| (yes || no).then_some(yes);
    let (log_x, log_y) = (chosen(args.log_x, args.lin_x), chosen(args.log_y, args.lin_y));
    let caption = args.caption.clone().map(|text| if text == "off" { String::new() } else { text });
    let (title, width_cm) = (args.title.clone(), args.width);
    let view = View { log_x, log_y, title, caption, width_cm, x_range, y_range, size, panels };
    let texts = args.files.iter().map(|path| input::text(path)).collect::<Result<Vec<_>, Failure>>()?;
    let read = |(path, text): (&PathBuf, &String)| {
        Some((input::name(path), authentic::read(text).ok().filter(records::are_drawn)?))
    };
    let found = args.files.iter().zip(&texts).map(read);
    if let Some(found) = found.collect::<Option<Vec<_>>>() {
        let chart = match &args.recorded {
            Some(table) => recorded::chart(&found, table)?,
            None => records::chart(&found, args.figure.as_deref()).map_err(Failure::could_not)?,
        };
        return draw(chart, &view, &picture);
    }
    if args.figure.is_some() || args.recorded.is_some() {
        return Err(Failure::usage(
            "--figure is for records of mm1 to mm3, ge, dgemm and flops, --recorded for those of `lab dgemm`; a sweep has --show",
        ));
    }
    let mut sweeps = Vec::new();
    for (path, text) in args.files.iter().zip(&texts) {
        let sweep = input::parsed(path, text)?;
        if let Some(damage) = sweep.damage.first().filter(|_| !args.tolerate) {
            let name = input::name(path);
            let remedy = "make the file again, or draw the rest of it with --tolerate";
            return Err(Failure::could_not(format!("{name}: {damage}; {remedy}")));
        }
        output::notes(&sweep.notes, &format!("lab plot: {}", input::name(path)));
        sweeps.push(sweep);
    }
    of_one_event(args, &sweeps)?;
    all_there(&args.sizes, &sweeps)?;
    draw(chart(args, &sweeps, &texts)?, &view, &picture)
}

/// Writes the chart as `view` describes it.
fn draw(chart: Chart, view: &View, picture: &Path) -> Result<(), Failure> {
    let chart = chart.viewed(view).map_err(Failure::usage)?;
    let bytes = chart.picture(&picture.to_string_lossy()).map_err(Failure::usage)?;
    output::write(picture, &bytes)?;
    output::message(format!("lab plot: drew {}", input::name(picture)));
    Ok(())
}

/// Refuses an array size that no file has.
fn all_there(sizes: &[Bytes], sweeps: &[Saved]) -> Result<(), Failure> {
    let there: BTreeSet<Bytes> =
        sweeps.iter().flat_map(|sweep| &sweep.cells).map(|cell| Bytes(cell.size)).collect();
    let Some(size) = sizes.iter().find(|size| !there.contains(size)) else { return Ok(()) };
    let there = shorten(&Vec::from_iter(there.iter().map(Bytes::to_string)).join(", "), 300);
    Err(Failure::usage(format!("--sizes {size} is not in these files; they have {there}")))
}

/// Refuses files whose misses are of different events: they have no median.
fn of_one_event(args: &Args, sweeps: &[Saved]) -> Result<(), Failure> {
    let events: BTreeSet<&str> = sweeps.iter().filter_map(|sweep| sweep.event.as_deref()).collect();
    if events.len() > 1 && args.show != Some(Show::Time) {
        let events = Vec::from_iter(events).join(" and ");
        let remedy = "a curve shows one event; draw each in its own picture";
        return Err(Failure::usage(format!("these files counted {events}: {remedy}")));
    }
    Ok(())
}

fn default_output(files: &[PathBuf]) -> PathBuf {
    match files.first() {
        Some(first) if first != Path::new("-") => first.with_extension("svg"),
        _ => PathBuf::from("sweep.svg"),
    }
}

/// Curves that are runs of one sweep: of one machine and one source.
#[derive(Debug, Clone, PartialEq)]
struct Set {
    /// The machine or the file, and the source, as far as known.
    name: String,
    /// The machine field by field: two can have one name.
    machine: serde_json::Value,
}

/// The set of each file. Files of formats that name no machine are of one machine.
fn sets(args: &Args, sweeps: &[Saved], texts: &[String]) -> Vec<Set> {
    let machines = Vec::from_iter(texts.iter().map(|text| machine(text)));
    let is_known = machines.iter().any(Option::is_some);
    let of = |((path, machine), sweep): ((&PathBuf, &Option<(String, serde_json::Value)>), &Saved)| {
        let (name, machine) = match machine {
            Some((name, machine)) => (Some(name.clone()), machine.clone()),
            None => (is_known.then(|| input::name(path)), serde_json::Value::Null),
        };
        let source = sweep.source.map(|source| format!("source: {source}"));
        Set { name: Vec::from_iter(name.into_iter().chain(source)).join("; "), machine }
    };
    args.files.iter().zip(&machines).zip(sweeps).map(of).collect()
}

/// The machine that a record names, also field by field; other formats do not name it.
fn machine(text: &str) -> Option<(String, serde_json::Value)> {
    let record: serde_json::Value = serde_json::from_str(text).ok()?;
    Some((record.get("machine")?.as_str()?.to_owned(), record.get("machine_data")?.clone()))
}

/// Times that differ by more than this factor have a logarithmic axis.
const WIDE: f64 = 8.0;

/// The chart of the cells' medians over all sweeps of one set.
fn chart(args: &Args, sweeps: &[Saved], texts: &[String]) -> Result<Chart, Failure> {
    let own = sets(args, sweeps, texts);
    let mut sets: Vec<&Set> = Vec::new();
    for set in &own {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    let number = |set: &Set| sets.iter().position(|known| *known == set).unwrap_or_default();
    let cells = sweeps
        .iter()
        .zip(&own)
        .flat_map(|(sweep, set)| sweep.cells.iter().map(move |cell| (number(set), cell)));
    let is_wanted = |cell: &SavedCell| args.sizes.is_empty() || args.sizes.contains(&Bytes(cell.size));
    let cells = Vec::from_iter(cells.filter(|(_, cell)| is_wanted(cell)));
    let misses = cells.iter().any(|(_, cell)| cell.misses.is_some());
    let show = args.show.unwrap_or(if misses { Show::Misses } else { Show::Time });
    let amount = |cell: &SavedCell| if show == Show::Misses { cell.misses } else { cell.nanos };
    let mut curves: BTreeMap<(usize, u64), BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for (set, cell) in cells {
        let (curve, at) = match args.over {
            Over::Stride => (cell.size, cell.stride),
            Over::Size => (cell.stride, cell.size),
        };
        curves.entry((set, curve)).or_default().entry(at).or_default().extend(amount(cell));
    }
    let has = |cell: &SavedCell| is_wanted(cell) && amount(cell).is_some();
    if let Some(at) = sweeps.iter().position(|sweep| !sweep.cells.iter().any(has)) {
        let (what, other) = if show == Show::Misses { ("misses", "time") } else { ("times", "misses") };
        return Err(Failure::could_not(format!(
            "{} has no {what} for these sizes: leave it out, or draw it with --show {other}",
            input::name(&args.files[at])
        )));
    }
    let other = sweeps.iter().find(|sweep| !sweep.counts_misses()).and_then(|sweep| sweep.event.as_deref());
    let (what, y) = match (show, other) {
        (Show::Misses, None) => ("Misses", Axis::share("misses per access")),
        (Show::Misses, Some(event)) => (event, Axis::linear(format!("{event} per access"))),
        (Show::Time, _) => ("Time", Axis::linear("time per access (ns)")),
    };
    let (over, x) = match args.over {
        Over::Stride => ("stride", Axis::bytes("stride between accesses")),
        Over::Size => ("array size", Axis::bytes("array size")),
    };
    let mut chart =
        Chart::new(format!("{what} against {over}"), x, y).caption(caption(args, sweeps, &sets, &own));
    chart.ordered = true;
    for ((set, curve), points) in curves {
        let median = |(at, runs): (u64, Vec<f64>)| (at as f64, Reading::from_runs(&runs, Source::Timing));
        let points = Vec::from_iter(points.into_iter().map(median));
        let name = Bytes(curve).to_string();
        let name = if sets.len() > 1 { format!("{}: {name}", letter(set)) } else { name };
        chart = chart.readings(name, &points);
        chart.series.iter_mut().last().into_iter().for_each(|series| {
            (series.set, series.bytes) = (set, Some(curve));
        });
    }
    chart.set_sparse();
    let amounts = chart.series.iter().flat_map(|series| &series.points).map(|at| at.1).filter(|y| *y > 0.0);
    let [least, most] = [f64::min, f64::max].map(|end| amounts.clone().reduce(end).unwrap_or(1.0));
    drop(amounts);
    chart.y.is_log = show == Show::Time && most > WIDE * least;
    for series in &mut chart.series {
        let own = sweeps.iter().zip(&own).find(|(_, set)| number(set) == series.set);
        series.source =
            own.and_then(|(sweep, _)| sweep.source).map(|source| source.to_string()).unwrap_or_default();
    }
    Ok(chart)
}

/// A set's name at its curves: A, B ...
fn letter(set: usize) -> char {
    char::from(b'A' + (set % 26) as u8)
}

/// The events; then machine, source and files of each set of curves, as far as known.
fn caption(args: &Args, sweeps: &[Saved], sets: &[&Set], own: &[Set]) -> String {
    let events = sweeps.iter().filter_map(|sweep| Some(format!("event {}", sweep.event.as_ref()?)));
    let events = Vec::from_iter(events.collect::<BTreeSet<_>>()).join(", ");
    let of = |(number, set): (usize, &&Set)| {
        let files =
            args.files.iter().zip(own).filter(|(_, own)| own == set).map(|(file, _)| input::name(file));
        let files = Vec::from_iter(files);
        let files = match &files[..] {
            [one] => format!("file {one}"),
            many => format!("median of {} files: {}", many.len(), many.join(", ")),
        };
        let facts = [set.name.clone(), files];
        let facts = Vec::from_iter(facts.into_iter().filter(|fact| !fact.is_empty())).join("; ");
        if sets.len() > 1 { format!("{}: {facts}", letter(number)) } else { facts }
    };
    let each = sets.iter().enumerate().map(of);
    Vec::from_iter(Some(events).filter(|events| !events.is_empty()).into_iter().chain(each)).join(". ") + "."
}
