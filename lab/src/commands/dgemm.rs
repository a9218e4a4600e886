//! `lab dgemm`: the lecture's charts of the matrix product.

use std::path::PathBuf;

use ::dgemm::experiment::{self, Outcome, Subject, charts, program};
use ::dgemm::{Problem, VARIANTS, Variant};
use common::chart::{Axis, Chart};
use common::cli::{self, Compare, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::{self, Plan, Session};
use common::output::{self, Objects, Shown};
use common::record::Record;
use common::value::{Reading, Source};

/// Draw time, rate and misses of the matrix product over the side n
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("runs", experiment::runs),
    mut_arg("counters", experiment::sources),
    mut_arg("compare", cli::refused::<Compare>("the chart of misses uses the model already: leave out --compare")),
    mut_arg("chart", cli::refused::<PathBuf>("this sweep draws three charts; choose their folder with --out DIR"))
)]
pub(crate) struct Args {
    /// Set the smallest and largest side; each doubling has two sides
    #[arg(long, value_name = "FROM..TO", default_value = "64..1024", value_parser = sizes)]
    sizes: (usize, usize),

    /// Choose the rungs, like ijk,ikj [default: those that the lecture compares, and the last ones]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,

    /// Skip a product that would take longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    limit: f64,

    /// Write the charts and the record to this folder [default: this one, with --record none]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// The rungs that the lecture's charts compare, and the last rungs of the ladder.
const USUAL: [&str; 9] =
    ["ijk", "ikj", "block-l1", "unrolled", "block-l2", "recursive", "packed", "prefetch", "threads"];
/// Products that one measured time takes: the first one, and its repetitions.
const RUNS: f64 = 2.0;
/// Why a sweep ended before its last side.
const OVER: &str = "interrupted, or much slower than estimated";
/// Assumed seconds of one operation before anything is measured.
const OPERATION: f64 = 0.25e-9;

fn sizes(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    sides
        .filter(|&(from, to)| 1 <= from && from <= to && to <= 16_384)
        .ok_or_else(|| format!("'{text}' is not a range of sides; give one like 64..2048, up to 16384"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds.ok_or_else(|| format!("'{text}' is not a number of seconds; give one above 0, like 20"))
}

/// `from`, 1.5 times that, twice that, and so on up to `to`.
fn sides((from, to): (usize, usize)) -> Vec<usize> {
    let doublings = (0..16).map(|power| from << power);
    let mut sides: Vec<usize> = doublings.flat_map(|side| [side, side + side / 2]).collect();
    sides.retain(|&side| side <= to);
    sides.dedup();
    sides
}

/// One measured rung at one side.
struct Point {
    n: usize,
    outcome: Outcome,
    gflops: Reading,
    misses: Reading,
}

/// Measures, draws, writes. Results are written also if there is no memory for a larger
/// side.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut variants = variants(&args.variants)?;
    let out = args.out.clone().or_else(|| args.output.record.is_none().then(|| PathBuf::from(".")));
    let folder = out.as_deref().map(output::Folder::prepare).transpose()?;
    let session = Session::start(&args.measuring, &args.modelling, &args.output)?;
    let plan = experiment::plan(&session)?;
    let mut record = session.record("lab dgemm");
    let mut points: Vec<Point> = Vec::new();
    let each = |&n: &usize| {
        variants.iter().map(|variant| expected_seconds(&[], variant, n).min(args.limit)).sum::<f64>()
    };
    let all: f64 = sides(args.sizes).iter().map(each).sum();
    session.expect("this sweep", RUNS * session.runs as f64 * all)?;
    session.finish_cell_on_signal();
    let mut measured = Ok(());
    for n in sides(args.sizes) {
        if !points.is_empty() && session.is_over() {
            session.note(&mut record, format!("{OVER}: n = {n} and larger sizes are skipped"));
            break;
        }
        variants.retain(|variant| {
            let expected = expected_seconds(&points, variant, n);
            if expected > args.limit {
                let (name, expected) = (variant.name, measure::duration(expected));
                session.note(
                    &mut record,
                    format!("{name} ends before n = {n}, where it would take about {expected}; --limit allows more"),
                );
            }
            expected <= args.limit
        });
        if variants.is_empty() {
            break;
        }
        session.say(format_args!("n = {n}"));
        measured = measure_side(&session, &plan, &variants, n, &mut points, &mut record);
        if measured.is_err() {
            break;
        }
    }
    if points.is_empty() {
        measured?;
        return Err(Failure::could_not("nothing was measured: choose smaller sides, or more with --limit"));
    }
    if let Some((folder, out)) = folder.zip(out) {
        let names = write(args, &folder, &session, &points, &record)?;
        session.say(format_args!("lab dgemm: wrote {} into {}", names.join(", "), out.display()));
    }
    let kit = &|_: &Record| kit(&points);
    output::finish(&record, &args.output, &Shown { kit, chart: None, json: Objects::Record })?;
    measured
}

fn variants(names: &[String]) -> Result<Vec<&'static Variant>, Failure> {
    let names: Vec<&str> =
        if names.is_empty() { USUAL.to_vec() } else { names.iter().map(|s| &**s).collect() };
    let find = |name: &&str| {
        Variant::find(name).ok_or_else(|| {
            let known: Vec<&str> = VARIANTS.iter().map(|v| v.name).collect();
            Failure::usage(format!("there is no variant '{name}'; it can be {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// Estimates the time of a product of side `n` from the largest side measured so far, if
/// there is one.
fn expected_seconds(points: &[Point], variant: &Variant, n: usize) -> f64 {
    let last = points.iter().rfind(|p| p.outcome.subject.name() == variant.name);
    let scaled = |p: &Point| Some(p.outcome.seconds.amount()? * (n as f64 / p.n as f64).powi(3));
    last.and_then(scaled).unwrap_or(2.0 * (n as f64).powi(3) * OPERATION)
}

fn measure_side(
    session: &Session,
    plan: &Plan,
    variants: &[&'static Variant],
    n: usize,
    points: &mut Vec<Point>,
    record: &mut Record,
) -> Result<(), Failure> {
    let blocks = experiment::blocks_for(&session.machine, session.cpus.len().max(1));
    let arena = measure::arena(Problem::bytes(n, n, n, blocks))?;
    let problem = if session.measures_host { Problem::new } else { Problem::without_numbers };
    let p = problem(&arena, [n; 3], blocks).map_err(Failure::could_not)?;
    let subjects: Vec<Subject> = variants.iter().copied().map(Subject::Rung).collect();
    let times = experiment::times(session, &subjects, &p)?;
    for outcome in experiment::counted(session, plan, &subjects, &p, &arena, false, times)? {
        if outcome.seconds.amount().is_none() && outcome.model.is_err() && session.is_over() {
            continue;
        }
        record.rows.push(program::row(&outcome, &p));
        let gflops = outcome.gflops(&p);
        let model = outcome.per_iteration(&p, 1).and_then(|per| per.model);
        let misses = model.map_or_else(
            || Reading::missing("nothing was modelled"),
            |model| Reading::new(model.total(), Source::Model),
        );
        points.push(Point { n, outcome, gflops, misses });
    }
    Ok(())
}

/// A line for each rung at each side.
fn kit(points: &[Point]) -> String {
    let mut text = String::from("variant\tn\tseconds\tGFLOP/s\tL1 misses per inner iteration\tsources\n");
    for point in points {
        let figures = [&point.outcome.seconds, &point.gflops, &point.misses];
        let cells =
            figures.map(|figure| figure.amount().map_or("-".to_owned(), |amount| format!("{amount:.6}")));
        let source =
            |reading: &Reading| reading.source().map_or("none".to_owned(), |source| source.to_string());
        let (name, sources) = (point.outcome.subject.name(), [figures[0], figures[2]].map(source).join(","));
        text += &format!("{name}\t{}\t{}\t{sources}\n", point.n, cells.join("\t"));
    }
    text
}

/// Draws and writes the charts; returns the names of the files.
fn write(
    args: &Args,
    folder: &output::Folder,
    session: &Session,
    points: &[Point],
    record: &Record,
) -> Result<Vec<String>, Failure> {
    let seconds = |p: &Point| p.outcome.seconds.clone();
    let machine = &session.machine.description;
    let timed = format!("Wall time on {machine}, source: timing.");
    let modelled = format!("Cache model of {machine}, source: model.");
    let misses = Axis::linear("misses per inner iteration");
    let drawings = [
        Drawing::new("time", "Time of the matrix product", Axis::log10("seconds"), seconds, &timed),
        Drawing::new(
            "rate",
            "Rate of the matrix product",
            Axis::log10("GFLOP/s"),
            |p| p.gflops.clone(),
            &timed,
        ),
        Drawing::new("misses", "L1 misses per inner iteration", misses, |p| p.misses.clone(), &modelled),
    ];
    let mut files = vec![("dgemm.json".to_owned(), record.json().into_bytes())];
    let mut all = Vec::new();
    for drawing in drawings {
        let name = format!("dgemm-{}.svg", drawing.what);
        all.push(name.clone());
        let chart = curves(drawing, points, session, args.sizes);
        if chart.is_empty() {
            session.say(format_args!("note: {name} is not drawn: nothing was measured for it"));
            continue;
        }
        files.push((name, chart.svg().into_bytes()));
    }
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    folder.fill(files, &all)?;
    Ok(names)
}

/// A chart to draw.
struct Drawing<'t> {
    what: &'t str,
    title: &'t str,
    axis: Axis,
    pick: fn(&Point) -> Reading,
    caption: &'t str,
}

impl<'t> Drawing<'t> {
    fn new(what: &'t str, title: &'t str, axis: Axis, pick: fn(&Point) -> Reading, caption: &'t str) -> Self {
        Drawing { what, title, axis, pick, caption }
    }
}

fn curves(drawing: Drawing, points: &[Point], session: &Session, (from, to): (usize, usize)) -> Chart {
    let Drawing { title, axis, pick, caption, .. } = drawing;
    let mut chart = Chart::new(title, Axis::log2("side n of the matrices"), axis).caption(caption);
    for variant in VARIANTS {
        let own: Vec<(f64, Reading)> = points
            .iter()
            .filter(|p| p.outcome.subject.name() == variant.name)
            .map(|p| (p.n as f64, pick(p)))
            .collect();
        if !own.is_empty() {
            chart = charts::curve(chart, variant.name, &own);
        }
    }
    for (n, label) in charts::capacities(&session.machine) {
        if (from as f64..=to as f64).contains(&n) {
            chart = chart.mark(n, label);
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_gives_two_sides_in_each_doubling() {
        assert_eq!(sides((64, 256)), [64, 96, 128, 192, 256]);
        assert_eq!(sides((1, 3)), [1, 2, 3]);
        assert_eq!(sizes("64..2048"), Ok((64, 2048)));
        for wrong in ["64", "0..8", "9..8", "a..b", "1..99999"] {
            assert!(sizes(wrong).unwrap_err().contains("64..2048"), "{wrong}");
        }
    }
}
