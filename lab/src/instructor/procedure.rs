//! The measurements that the handout asks of a student.

use std::path::Path;

use clap::Parser;
use common::cli::{Counters, Measuring, Modelling, Output};
use common::failure::Failure;
use common::measure::Session;
use common::record::Record;

/// The commands, without `--machine`. They reach four times the largest cache that any
/// machine of a class has, so they reveal nothing about one machine.
const COMMANDS: [(&str, &str); 3] = [
    ("cm1-l1", "cm1 --max 256K --until-decided"),
    ("cm1-l2", "cm1 --event PAPI_L2_DCM --max 4M --until-decided"),
    ("spark", "spark --max 4M"),
];

#[derive(Parser)]
struct Cm1 {
    #[command(flatten)]
    options: cm1::Options,
}

#[derive(Parser)]
struct Spark {
    #[command(flatten)]
    options: spark::Options,
}

/// The records of all commands on the machine in the file at `path`, each with its name and
/// its program's output.
///
/// # Errors
///
/// If a measurement fails.
pub(super) fn sweeps(path: &Path) -> Result<Vec<(&'static str, Record, String)>, Failure> {
    let session = Session::start(
        &Measuring::once(Counters::Model),
        &Modelling::of(&path.display().to_string()),
        &Output::none(),
    )?;
    let sweep = |(name, command): (&'static str, &str)| {
        let (record, lines) = run(&session, command)?;
        let arguments = command.split(' ').skip(1).map(str::to_owned).collect();
        Ok((name, Record { arguments, ..record }, lines))
    };
    COMMANDS.into_iter().map(sweep).collect()
}

fn run(session: &Session, command: &str) -> Result<(Record, String), Failure> {
    let words = command.split(' ');
    let mut lines = String::new();
    if command.starts_with("spark") {
        lines += &(spark::kit_header().to_owned() + "\n");
        let args = Spark::try_parse_from(words).map_err(Failure::could_not)?;
        let record = spark::measure(session, session.counters, &args.options, &mut |row| {
            lines += &(spark::kit_row(row) + "\n")
        })?;
        return Ok((record, lines));
    }
    let args = Cm1::try_parse_from(words).map_err(Failure::could_not)?;
    let record = cm1::measure(session, &args.options, &mut |row| lines += &(cm1::kit_row(row) + "\n"))?;
    Ok((record, lines))
}
