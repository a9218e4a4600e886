//! The rungs of a ladder over the size of their matrices: the driver of `lab ge` and
//! `lab dgemm`.

use std::path::PathBuf;
use std::str::FromStr;

use chart::{Axis, Chart};
use common::cli;
use common::failure::Failure;
use common::measure::Session;
use common::output::{self, Folder};
use common::record::{Record, Row};
use common::value::Reading;

/// Largest number of sizes in one sweep.
const SIZES: usize = 2000;

/// The options of both commands.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Set the sizes: FIRST..LAST:STEP, or a list like 100,500,1000
    #[arg(long, value_name = "SIZES", required = false)] // each command sets a default
    sizes: Sizes,

    /// Choose the rungs, in the order of the ladder (`ge --list` and `dgemm --list` name all)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) variants: Vec<String>,

    /// Write the charts, the record and its table to this folder [default: none are written]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sizes(Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let wrong = || "sizes are FIRST..LAST:STEP or a list of numbers from 1".to_owned();
        let number = |text: &str| text.trim().parse().ok().filter(|size| *size > 0).ok_or_else(wrong);
        let Some((first, rest)) = text.split_once("..") else {
            return text.split(',').map(number).collect::<Result<_, _>>().map(Sizes);
        };
        let (last, step) = rest.split_once(':').ok_or_else(wrong)?;
        let (first, last, step): (usize, usize, usize) = (number(first)?, number(last)?, number(step)?);
        if first > last {
            return Err(wrong());
        }
        let count = (last - first) / step + 1;
        if count > SIZES {
            return Err(format!("{count} sizes; a sweep has up to {SIZES}: choose a larger step"));
        }
        Ok(Sizes((first..=last).step_by(step).collect()))
    }
}

/// What differs between the ladders.
pub(crate) trait Ladder {
    /// The program's name in records and files.
    const NAME: &'static str;
    /// The key of a row with the size.
    const SIZE: &'static str;

    /// Seconds of measuring these rungs at a size, before anything is measured.
    fn estimate(&self, rungs: &[&'static str], size: usize) -> f64;

    /// Measures these rungs at a size, in turns.
    fn measure(&mut self, rungs: &[&'static str], size: usize) -> Result<Vec<Row>, Failure>;

    /// Adds to the record what follows from all rows.
    fn complete(&mut self, record: &mut Record);

    /// The program's own lines.
    fn text(&self, record: &Record) -> String;

    /// The charts, by the names of their files.
    fn charts(&self, record: &Record) -> Vec<(&'static str, Chart)>;
}

/// Measures `rungs` at all sizes; prints, draws and saves. What was measured before an error
/// or a signal is printed and saved too.
pub(crate) fn run<L: Ladder>(
    ladder: &mut L,
    rungs: Vec<&'static str>,
    session: &Session,
    options: &Options,
    to: &cli::Output,
) -> Result<(), Failure> {
    let folder = options.output.as_deref().map(Folder::prepare).transpose()?;
    let mut record =
        session.record(L::NAME).set("sizes", options.sizes.0.clone()).set("variants", rungs.clone());
    let seconds = options.sizes.0.iter().map(|&size| ladder.estimate(&rungs, size)).sum();
    session.announce("this sweep", seconds)?;
    session.finish_cell_on_signal();
    let measured = sweep(ladder, &rungs, session, options, &mut record);
    if record.rows.is_empty() {
        measured?;
        return Err(Failure::could_not("nothing was measured: choose smaller sizes"));
    }
    ladder.complete(&mut record);
    if let (Some(folder), Some(path)) = (&folder, &options.output) {
        let charts = ladder.charts(&record);
        let all: Vec<String> = charts.iter().map(|(name, _)| (*name).to_owned()).collect();
        let drawn = charts.into_iter().filter(|(_, chart)| !chart.is_empty());
        let mut files: Vec<_> =
            drawn.map(|(name, chart)| (name.to_owned(), chart.svg().into_bytes())).collect();
        for name in all.iter().filter(|name| files.iter().all(|(drawn, _)| drawn != *name)) {
            session.say(format_args!("note: {name} is not drawn: nothing was measured for it"));
        }
        for (ending, text) in [("csv", record.csv()), ("json", record.json())] {
            files.push((format!("{}.{ending}", L::NAME), text.into_bytes()));
        }
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        folder.fill(files, &all)?;
        session.say(format_args!("lab {}: wrote {} into {}", L::NAME, names.join(", "), path.display()));
    }
    let kit = &|record: &Record| ladder.text(record);
    output::finish(&record, to, kit)?;
    measured
}

fn sweep<L: Ladder>(
    ladder: &mut L,
    rungs: &[&'static str],
    session: &Session,
    options: &Options,
    record: &mut Record,
) -> Result<(), Failure> {
    for &size in &options.sizes.0 {
        if !record.rows.is_empty() && session.is_over() {
            let why = "interrupted, or much slower than estimated: the sweep ended early";
            session.note(record, format!("{why}; n = {size} and larger sizes are skipped"));
            break;
        }
        session.say(format_args!("n = {size}"));
        record.rows.extend(ladder.measure(rungs, size)?);
    }
    Ok(())
}

/// The rung of a row.
pub(crate) fn name(row: &Row) -> &str {
    row.text("variant")
}

/// The source of a reading in a table.
pub(crate) fn source(reading: Option<&Reading>) -> String {
    reading.and_then(Reading::source).map_or_else(|| "none".to_owned(), |source| source.to_string())
}

/// A chart of `figure` over the size, one curve for each rung, with the spread of the runs.
pub(crate) fn over_size<L: Ladder>(
    record: &Record,
    title: &str,
    [x, y]: [Axis; 2],
    figure: impl Fn(&Row) -> Reading,
) -> Chart {
    let mut rungs: Vec<&str> = Vec::new();
    for row in &record.rows {
        if !rungs.contains(&name(row)) {
            rungs.push(name(row));
        }
    }
    rungs.into_iter().fold(Chart::new(title, x, y), |chart, rung| {
        let rows = record.rows.iter().filter(|row| name(row) == rung);
        let points: Vec<(f64, Reading)> =
            rows.filter_map(|row| Some((row.whole(L::SIZE)? as f64, figure(row)))).collect();
        chart.readings(rung, &points)
    })
}

#[cfg(test)]
mod tests {
    use super::Sizes;

    #[test]
    fn sizes_are_steps_or_lists() {
        for (text, sizes) in [
            ("100..300:100", &[100, 200, 300][..]),
            ("100..350:100", &[100, 200, 300]),
            ("1..3:1", &[1, 2, 3]),
            ("5,17", &[5, 17]),
        ] {
            assert_eq!(text.parse(), Ok(Sizes(sizes.to_vec())), "{text}");
        }
        for wrong in
            ["", "a", "5,0", "0..9:3", "3..1:1", "1..3:0", "1,,2", "1..3", "1..18446744073709551615:1"]
        {
            assert!(wrong.parse::<Sizes>().is_err(), "{wrong}");
        }
    }
}
