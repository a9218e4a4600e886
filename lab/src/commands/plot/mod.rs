//! `lab plot`: draws saved sweeps, and records of a program that has a chart.

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

/// Draw saved sweeps of cm1 or spark, of this kit or of the C kits, or a record of mm1 to mm3, causes or trace
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What cm1 or spark printed or recorded; several files of one machine are runs of one
    /// sweep, and each cell is their median; - is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write this picture, .svg or .png [default: the first file's name with .svg]
    #[arg(short, long, value_name = "PICTURE")]
    output: Option<PathBuf>,

    /// Choose what to draw [default: misses where the file has them, else time]
    #[arg(long, value_enum, value_name = "WHAT")]
    show: Option<Show>,

    /// Choose the horizontal axis
    #[arg(long, value_enum, value_name = "AXIS", default_value = "stride")]
    over: Over,

    /// Draw these array sizes only, like 32K,64K
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    sizes: Vec<Bytes>,

    /// Draw damaged files too: an incomplete line is skipped, an entry that is not a number is a gap
    #[arg(long)]
    tolerate: bool,

    /// Make the vertical axis logarithmic
    #[arg(long)]
    log_y: bool,

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
    output::check_distinct(args.files.iter().map(PathBuf::as_path), [picture.as_path()])?;
    let Args { log_y, x_range, y_range, size, panels, .. } = *args;
    let view = View { log_y, x_range, y_range, size, panels };
    let mut sweeps = Vec::new();
    for path in &args.files {
        let text = input::text(path)?;
        let record = if args.files.len() == 1 { authentic::read(&text).ok() } else { None };
        if let Some(chart) = record.as_ref().and_then(records::chart) {
            return draw(chart, &view, &picture);
        }
        let sweep = input::parsed(path, &text)?;
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
    draw(chart(args, &sweeps)?, &view, &picture)
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

/// The prefix of each file's curves: empty if all are of one machine, or no file names another.
fn labels(files: &[PathBuf]) -> Vec<String> {
    let machines = Vec::from_iter(files.iter().map(|file| machine(file)));
    let known: BTreeSet<&String> = machines.iter().flatten().collect();
    let label = |(file, machine): (&PathBuf, &Option<String>)| match machine {
        _ if known.len() < 2 => String::new(),
        Some(machine) => shorten(machine.split(" (").next().unwrap_or_default(), 30) + ": ",
        None => input::name(file) + ": ",
    };
    files.iter().zip(&machines).map(label).collect()
}

/// The machine that a record names; other formats do not name it.
fn machine(file: &Path) -> Option<String> {
    let text = (file != Path::new("-")).then(|| input::text(file).ok())??;
    let record: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(record.get("machine")?.as_str()?.to_owned())
}

/// The chart of the cells' medians over all sweeps with the same label.
fn chart(args: &Args, sweeps: &[Saved]) -> Result<Chart, Failure> {
    let labels = labels(&args.files);
    let cells = sweeps
        .iter()
        .zip(&labels)
        .flat_map(|(sweep, label)| sweep.cells.iter().map(move |cell| (label, cell)));
    let is_wanted = |cell: &SavedCell| args.sizes.is_empty() || args.sizes.contains(&Bytes(cell.size));
    let cells = Vec::from_iter(cells.filter(|(_, cell)| is_wanted(cell)));
    let misses = cells.iter().any(|(_, cell)| cell.misses.is_some());
    let show = args.show.unwrap_or(if misses { Show::Misses } else { Show::Time });
    let mut curves: BTreeMap<(&String, u64), BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for (label, cell) in cells {
        let (curve, at) = match args.over {
            Over::Stride => (cell.size, cell.stride),
            Over::Size => (cell.stride, cell.size),
        };
        let amount = if show == Show::Misses { cell.misses } else { cell.nanos };
        curves.entry((label, curve)).or_default().entry(at).or_default().extend(amount);
    }
    if args.over == Over::Stride && args.sizes.is_empty() {
        // Sizes of a few further cells only, between the others.
        let few = curves.values().map(BTreeMap::len).max().unwrap_or(0).min(3);
        curves.retain(|_, points| points.len() >= few);
    }
    if curves.values().flat_map(BTreeMap::values).all(Vec::is_empty) {
        let what = if show == Show::Misses { "misses" } else { "times" };
        let why = format!("there are no {what} to draw in these files for the sizes wanted");
        return Err(Failure::could_not(why));
    }
    let other = sweeps.iter().find(|sweep| !sweep.counts_misses()).and_then(|sweep| sweep.event.as_deref());
    let (what, y) = match (show, other) {
        (Show::Misses, None) => ("Misses", Axis::linear("misses per access")),
        (Show::Misses, Some(event)) => (event, Axis::linear(format!("{event} per access"))),
        (Show::Time, _) => ("Time", Axis::linear("time per access (ns)")),
    };
    let (over, x) = match args.over {
        Over::Stride => ("stride", Axis::bytes("stride between accesses")),
        Over::Size => ("array size", Axis::bytes("array size")),
    };
    let mut chart = Chart::new(format!("{what} against {over}"), x, y).caption(caption(args, sweeps));
    // The curves of different machines have no order.
    chart.ordered = labels.iter().all(String::is_empty);
    for ((label, curve), points) in curves {
        let median = |(at, runs): (u64, Vec<f64>)| (at as f64, Reading::from_runs(&runs, Source::Timing));
        let points = Vec::from_iter(points.into_iter().map(median));
        chart = chart.readings(format!("{label}{}", Bytes(curve)), &points);
    }
    let sources = sweeps.iter().filter_map(|sweep| sweep.source).map(|source| source.to_string());
    let sources = Vec::from_iter(sources.collect::<BTreeSet<_>>()).join(", ");
    chart.series.iter_mut().for_each(|series| series.source.clone_from(&sources));
    Ok(chart)
}

/// Event, source and files of the figures, as far as known.
fn caption(args: &Args, sweeps: &[Saved]) -> String {
    let events = sweeps.iter().filter_map(|sweep| Some(format!("event {}", sweep.event.as_ref()?)));
    let sources = sweeps.iter().filter_map(|sweep| Some(format!("source: {}", sweep.source?)));
    let facts: BTreeSet<String> = events.chain(sources).collect();
    let files = Vec::from_iter(args.files.iter().map(|file| input::name(file)));
    let files = match &files[..] {
        [one] => format!("file {one}"),
        many => format!("median of {} files: {}", many.len(), many.join(", ")),
    };
    Vec::from_iter(facts.into_iter().chain([files])).join("; ") + "."
}
