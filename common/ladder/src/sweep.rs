//! A ladder over the size of its matrices: measured, printed, drawn and saved.

use std::fmt::Write as _;
use std::path::PathBuf;

use chart::{Axis, Chart};
use common::cli::{self, Measuring, Modelling, Output};
use common::events::Event;
use common::failure::Failure;
use common::measure::{Plan, Session};
use common::output::{self, Folder};
use common::record::{Record, Row};

use crate::Sizes;

/// Repetitions if no option says how many.
const RUNS: usize = 3;

/// The options of a sweep. Each command sets the defaults of its ladder.
#[derive(Debug, clap::Args)]
#[command(mut_arg("runs", cli::runs("3")))]
pub struct Args {
    /// Set the sizes: FIRST..LAST:STEP, or a list like 100,500,1000
    #[arg(long, value_name = "SIZES", required = false)]
    sizes: Sizes,

    /// Choose the rungs, in the order of the ladder (`ge --list` and `dgemm --list` name all)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,

    /// Write the charts, the record and its table to this folder [default: none are written]
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// A session, and what counts the events.
#[derive(Debug)]
pub struct Setup {
    /// The session.
    pub session: Session,
    /// The sources of the ladder's events.
    pub plan: Plan,
}

impl Setup {
    /// Starts the session of a ladder with these events, and chooses what counts them.
    /// Fails if that is impossible with these options.
    pub fn start(
        measuring: &Measuring,
        modelling: &Modelling,
        to: &Output,
        events: &[Event],
    ) -> Result<Setup, Failure> {
        let mut session = Session::start(measuring, modelling, to)?;
        if session.measures_host && measuring.runs.is_none() {
            session.runs = RUNS;
        }
        let plan = session.plan(events, false)?;
        Ok(Setup { session, plan })
    }
}

/// A lesson: its rungs, and what is measured of them at one size.
pub trait Ladder: Default {
    /// A rung.
    type Rung: 'static;
    /// The program's name in records and files.
    const NAME: &'static str;
    /// The key of a row with the size.
    const SIZE: &'static str;
    /// The columns of the table: heading, figure, factor, decimals.
    const COLUMNS: &'static [(&'static str, &'static str, f64, usize)];
    /// The figures whose sources are in the table's last column.
    const SOURCES: &'static [&'static str];
    /// The events that are counted, if they can be.
    const EVENTS: &'static [Event];
    /// All rungs.
    const RUNGS: &'static [Self::Rung];

    /// The name of a rung.
    fn name(rung: &Self::Rung) -> &'static str;

    /// The rung of that name.
    /// Fails if there is none; the sentence names all.
    fn rung(name: &str) -> Result<&'static Self::Rung, Failure> {
        Self::RUNGS.iter().find(|rung| Self::name(rung) == name).ok_or_else(|| {
            let names = Vec::from_iter(Self::RUNGS.iter().map(Self::name)).join(", ");
            Failure::usage(format!("there is no rung '{name}'; there are {names}"))
        })
    }

    /// Seconds of measuring these rungs at a size, before anything is measured.
    fn estimate(session: &Session, rungs: &[&'static Self::Rung], size: usize) -> f64;

    /// Measures these rungs at a size, in turns.
    /// Fails if a rung does not run, memory is short, or a counter fails.
    fn measure(&mut self, on: &Setup, rungs: &[&'static Self::Rung], n: usize) -> Result<Vec<Row>, Failure>;

    /// Adds to the record what follows from all rows.
    fn complete(&self, _record: &mut Record) {}

    /// The lines after the table.
    fn remarks(_record: &Record) -> String {
        String::new()
    }

    /// The charts, by the names of their files.
    fn charts(record: &Record, session: &Session) -> Vec<(&'static str, Chart)>;

    /// A chart of a figure times `factor` over the size, one curve for each rung, with the spread of the runs.
    fn chart(record: &Record, title: &str, axes: [Axis; 2], figure: &str, factor: f64) -> Chart {
        let mut rungs: Vec<&str> = Vec::new();
        for rung in record.rows.iter().map(name) {
            if !rungs.contains(&rung) {
                rungs.push(rung);
            }
        }
        let [x, y] = axes;
        rungs.into_iter().fold(Chart::new(title, x, y), |chart, rung| {
            let rows = record.rows.iter().filter(|row| name(row) == rung);
            let point = |row: &Row| Some((row.whole(Self::SIZE)? as f64, row.figure(figure).scaled(factor)));
            chart.readings(rung, &rows.filter_map(point).collect::<Vec<_>>())
        })
    }
}

/// Measures the chosen rungs at all sizes; prints, draws and saves. What was measured before an error or a signal is
/// printed and saved too.
/// Fails if a rung is unknown, nothing can be measured, or a file cannot be written.
pub fn run<L: Ladder>(args: &Args) -> Result<(), Failure> {
    let rungs = args.variants.iter().map(|name| L::rung(name)).collect::<Result<Vec<_>, _>>()?;
    let on = Setup::start(&args.measuring, &args.modelling, &args.output, L::EVENTS)?;
    let (session, sizes) = (&on.session, &args.sizes.0);
    let folder = args.folder.as_deref().map(Folder::prepare).transpose()?;
    let mut record =
        session.record(L::NAME).set("sizes", sizes.clone()).set("variants", args.variants.clone());
    session.announce("this sweep", sizes.iter().map(|&size| L::estimate(session, &rungs, size)).sum())?;
    session.finish_cell_on_signal();
    let mut ladder = L::default();
    let mut measured = Ok(());
    for &size in sizes {
        if !record.rows.is_empty() && session.is_over() {
            let why = "interrupted, or much slower than estimated: the sweep ended early";
            session.note(&mut record, format!("{why}; n = {size} and the sizes after it are skipped"));
            break;
        }
        session.say(format_args!("n = {size}"));
        match ladder.measure(&on, &rungs, size) {
            Ok(rows) => record.rows.extend(rows),
            Err(why) => {
                measured = Err(why);
                break;
            }
        }
    }
    if record.rows.is_empty() {
        return measured.and(Err(Failure::could_not("nothing was measured: choose smaller sizes")));
    }
    ladder.complete(&mut record);
    if let (Some(folder), Some(path)) = (folder, &args.folder) {
        let charts = L::charts(&record, session);
        let all: Vec<String> = charts.iter().map(|(name, _)| (*name).to_owned()).collect();
        let (drawn, empty): (Vec<_>, Vec<_>) = charts.into_iter().partition(|(_, chart)| !chart.is_empty());
        for (name, _) in empty {
            session.say(format_args!("note: {name} is not drawn: nothing was measured for it"));
        }
        let tables = [("csv", record.csv()), ("json", record.json())];
        let tables = tables.map(|(ending, text)| (format!("{}.{ending}", L::NAME), text.into_bytes()));
        let drawn = drawn.into_iter().map(|(name, chart)| (name.to_owned(), chart.svg().into_bytes()));
        let files: Vec<_> = drawn.chain(tables).collect();
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        folder.fill(files, &all)?;
        session.say(format_args!("lab {}: wrote {} into {}", L::NAME, names.join(", "), path.display()));
    }
    output::finish(&record, &args.output, &text::<L>)?;
    measured
}

/// The table, and the ladder's remarks.
fn text<L: Ladder>(record: &Record) -> String {
    let heads = L::COLUMNS.iter().map(|(head, ..)| *head).collect::<Vec<_>>().join("\t");
    let mut text = format!("variant\t{}\t{heads}\tsources\n", L::SIZE);
    for row in &record.rows {
        let cells = L::COLUMNS.iter().map(|(_, figure, factor, digits)| {
            row.amount(figure).map_or("-".to_owned(), |amount| format!("{:.digits$}", factor * amount))
        });
        let source = |figure: &&str| row.reading(figure)?.source();
        let sources =
            L::SOURCES.iter().map(|figure| source(figure).map_or("none".to_owned(), |it| it.to_string()));
        let [cells, sources] = [cells.collect::<Vec<_>>().join("\t"), sources.collect::<Vec<_>>().join(",")];
        // Writing to a String cannot fail.
        let _ =
            writeln!(text, "{}\t{}\t{cells}\t{sources}", name(row), row.whole(L::SIZE).unwrap_or_default());
    }
    text + &L::remarks(record)
}

/// The rung of a row.
pub fn name(row: &Row) -> &str {
    row.text("variant")
}
