//! `lab plot`: draws saved sweeps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use common::chart::{Axis, Chart};
use common::cli::Look;
use common::failure::Failure;
use common::saved::{Saved, SavedCell};
use common::text::shorten;
use common::units::Bytes;
use common::value::{Reading, Source};
use common::{input, output};

/// Draw saved sweeps of cm1 or spark, of this kit or of the C kits
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart_size", |option| option.visible_alias("size")))]
pub(crate) struct Args {
    /// What cm1 or spark printed or recorded; several files are runs of one sweep,
    /// and each cell is their median; - is the standard input
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

    /// Draw files of different machines in one chart, each with its own curves
    #[arg(long)]
    overlay: bool,

    /// Draw damaged files too: an incomplete line is skipped, an entry that is not a number is a gap
    #[arg(long)]
    tolerate: bool,

    /// Set the line above the chart
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Set the lines below the chart, such as the machine's name
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,

    #[command(flatten)]
    look: Look,
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
    let mut sweeps = Vec::new();
    for path in &args.files {
        let sweep = input::sweep(path)?;
        check(path, &sweep, args.tolerate)?;
        sweeps.push(sweep);
    }
    output::check_distinct(args.files.iter().map(PathBuf::as_path), [picture.as_path()])?;
    of_one_event(args, &sweeps)?;
    all_there(&args.sizes, &sweeps)?;
    let labels = labels(args)?;
    let chart = args.look.applied(chart(args, &sweeps, &labels)?).map_err(Failure::usage)?;
    output::draw(&chart, &picture)?;
    output::message(format!("lab plot: drew {}", input::name(&picture)));
    Ok(())
}

/// Refuses an array size that no file has.
fn all_there(sizes: &[Bytes], sweeps: &[Saved]) -> Result<(), Failure> {
    let there: BTreeSet<Bytes> =
        sweeps.iter().flat_map(|sweep| &sweep.cells).map(|cell| Bytes(cell.size)).collect();
    match sizes.iter().find(|size| !there.contains(size)) {
        None => Ok(()),
        Some(size) => {
            let there: Vec<String> = there.iter().map(Bytes::to_string).collect();
            Err(Failure::usage(format!(
                "--sizes {size} is not in these files; they have {}",
                shorten(&there.join(", "), 300)
            )))
        }
    }
}

/// Refuses files whose misses are of different events: they have no median.
fn of_one_event(args: &Args, sweeps: &[Saved]) -> Result<(), Failure> {
    let events =
        args.files.iter().zip(sweeps).filter_map(|(file, sweep)| Some((file, sweep.event.as_ref()?)));
    let events: Vec<(&PathBuf, &String)> = events.collect();
    match events.iter().find(|(_, event)| *event != events[0].1) {
        Some((file, other)) if args.show != Some(Show::Time) => Err(Failure::usage(format!(
            "{} counted {}, {} counted {other}: a curve shows one event; draw each in its own picture",
            input::name(events[0].0),
            events[0].1,
            input::name(file)
        ))),
        _ => Ok(()),
    }
}

/// Refuses a damaged file; prints at most three other remarks on it to stderr.
fn check(path: &Path, sweep: &Saved, tolerate: bool) -> Result<(), Failure> {
    let name = input::name(path);
    if let Some(damage) = sweep.damage.first().filter(|_| !tolerate) {
        return Err(Failure::could_not(format!(
            "{name}: {damage}; make the file again, or draw the rest of it with --tolerate"
        )));
    }
    notes(&sweep.notes, &format!("lab plot: {name}"));
    Ok(())
}

fn default_output(files: &[PathBuf]) -> PathBuf {
    match files.first() {
        Some(first) if first != Path::new("-") => first.with_extension("svg"),
        _ => PathBuf::from("sweep.svg"),
    }
}

/// The prefix of each file's curves: empty, or its machine.
///
/// Refuses files of different machines unless they are to be drawn as separate curves.
fn labels(args: &Args) -> Result<Vec<String>, Failure> {
    let machines: Vec<Option<String>> = args.files.iter().map(|file| machine(file)).collect();
    let mut known = machines.iter().flatten();
    if let (Some(one), false) = (known.next(), args.overlay)
        && let Some(other) = known.find(|other| *other != one)
    {
        return Err(Failure::usage(format!(
            "these are sweeps of different machines, '{}' and '{}'; draw them in one chart with --overlay",
            shorten(one, 60),
            shorten(other, 60)
        )));
    }
    let label = |(file, machine): (&PathBuf, Option<String>)| match (args.overlay, machine) {
        (false, _) => String::new(),
        (true, Some(machine)) => shorten(machine.split(" (").next().unwrap_or_default(), 30) + ": ",
        (true, None) => input::name(file) + ": ",
    };
    Ok(args.files.iter().zip(machines).map(label).collect())
}

/// The machine that a record names; other formats do not name it.
fn machine(file: &Path) -> Option<String> {
    let text = (file != Path::new("-")).then(|| input::text(file).ok())??;
    let record: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(record.get("machine")?.as_str()?.to_owned())
}

/// The chart of the cells' medians over all sweeps with the same label.
fn chart(args: &Args, sweeps: &[Saved], labels: &[String]) -> Result<Chart, Failure> {
    let of_file = |(sweep, label): (&'_ Saved, _)| {
        sweep.cells.iter().map(move |cell| (label, *cell)).collect::<Vec<_>>()
    };
    let cells: Vec<(&String, SavedCell)> =
        sweeps.iter().zip(labels).flat_map(of_file).filter(|(_, cell)| wanted(args, cell)).collect();
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
    if curves.values().flat_map(BTreeMap::values).all(Vec::is_empty) {
        let what = if show == Show::Misses { "misses" } else { "times" };
        return Err(Failure::could_not(format!(
            "there are no {what} to draw in these files for the sizes wanted"
        )));
    }
    let other = sweeps.iter().find(|sweep| !sweep.counts_misses()).and_then(|sweep| sweep.event.as_deref());
    let (what, y) = match (show, other) {
        (Show::Misses, None) => ("Misses", Axis::linear("misses per access").upto(1.0)),
        (Show::Misses, Some(event)) => (event, Axis::linear(format!("{event} per access"))),
        (Show::Time, _) => ("Time", Axis::linear("time per access (ns)")),
    };
    let (over, x) = match args.over {
        Over::Stride => ("stride", Axis::bytes("stride between accesses")),
        Over::Size => ("array size", Axis::bytes("array size")),
    };
    let title = args.title.clone().unwrap_or_else(|| format!("{what} against {over}"));
    let mut chart = Chart::new(title, x, y).caption(caption(args, sweeps));
    let mut sources: Vec<String> =
        sweeps.iter().filter_map(|sweep| Some(sweep.source?.to_string())).collect();
    sources.dedup();
    for ((label, curve), points) in curves {
        let median = |(at, runs): (u64, Vec<f64>)| (at as f64, Reading::from_runs(&runs, Source::Timing));
        let readings: Vec<(f64, Reading)> = points.into_iter().map(median).collect();
        chart = chart.readings(format!("{label}{}", Bytes(curve)), &readings).source(sources.join(", "));
    }
    // The curves of different machines have no order.
    Ok(if args.overlay { chart } else { chart.ordered() })
}

fn wanted(args: &Args, cell: &SavedCell) -> bool {
    args.sizes.is_empty() || args.sizes.contains(&Bytes(cell.size))
}

/// Event, source and files of the figures, as far as known.
fn caption(args: &Args, sweeps: &[Saved]) -> String {
    let files: Vec<String> = args.files.iter().map(|file| input::name(file)).collect();
    let mut facts = Vec::new();
    let mut distinct = |fact: String| {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    };
    for sweep in sweeps {
        sweep.event.iter().for_each(|event| distinct(format!("event {event}")));
        sweep.source.iter().for_each(|source| distinct(format!("source: {source}")));
    }
    distinct(match files.as_slice() {
        [one] => format!("file {one}"),
        many => format!("median of {} files: {}", many.len(), many.join(", ")),
    });
    let known = args.caption.iter().cloned().chain([facts.join("; ") + "."]);
    known.collect::<Vec<_>>().join("\n")
}

/// Prints the first three remarks on a file, and how many more there are, to stderr.
pub(crate) fn notes(notes: &[String], program: &str) {
    for note in notes.iter().take(3) {
        output::message(format!("{program}: {note}"));
    }
    if notes.len() > 3 {
        output::message(format!("{program}: and {} more of the kind", notes.len() - 3));
    }
}
