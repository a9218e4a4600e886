//! The programs `ge1` to `ge7` and `ge`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, value_parser};

use common::cli::{self, Counters, Measuring, Modelling, Output};
use common::output;

use common::events::Event;
use common::failure::Failure;
use common::measure::Session;
use common::record::{Record, Row};
use common::value::Reading;

use crate::measuring::Eliminations;
use crate::measuring::measure::{self, AllStepped};
use crate::{VARIANTS, Variant, modelled};
use ladder::Ladder;

/// Seconds that the model needs for one.
const MODELLED: f64 = 4e-9;
/// The model's counts, and their names in a record.
const MODELLED_EVENTS: [(&str, Event); 4] = [
    ("loads", Event::LD_INS),
    ("stores", Event::SR_INS),
    ("l1_misses", Event::L1_DCM),
    ("l2_misses", Event::L2_DCM),
];

/// Gaussian elimination of the course's matrix, by one rung of the ladder
#[derive(Debug, clap::Parser)]
#[command(
    version,
    after_help = "Example:\n  ge3 1000 2 --runs 5    instructions and cycles at N = 1000, the median of 5 runs"
)]
struct OneRung {
    /// Rows and columns of the matrix
    #[arg(value_parser = value_parser!(u32).range(1..))]
    size: u32,
    #[command(flatten)]
    what: What,
}

/// Gaussian elimination of the course's matrix, by any rung of the ladder.
#[derive(Debug, clap::Parser)]
#[command(
    name = "ge",
    version,
    after_help = "Examples:\n  ge --list                        all rungs, and which of them run on this processor\n  ge blocked 1000 1 --runs 5       MFLOPS of one of them\n  ge ge1 200 --machine i5-7500     its misses, by the model of another machine"
)]
pub struct AnyRung {
    /// The rung: ge1 to ge7, blocked, or printed
    #[arg(required_unless_present = "list")]
    variant: Option<String>,
    /// Rows and columns of the matrix
    #[arg(required_unless_present = "list", value_parser = value_parser!(u32).range(1..))]
    size: Option<u32>,
    /// List the rungs, and which of them this processor can run
    #[arg(long, exclusive = true)]
    list: bool,
    #[command(flatten)]
    what: What,
}

#[derive(Debug, clap::Args)]
#[command(
    mut_arg("chart", cli::refused::<PathBuf>("a chart needs several sizes: use `lab ge`"))
)]
struct What {
    /// Choose what to measure: 0 time, 1 flops, 2 instructions and cycles
    #[arg(default_value = "0", value_parser = value_parser!(u8).range(0..=2))]
    measure: u8,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// One of the seven programs: only its name differs.
pub fn main(name: &'static str) -> ExitCode {
    cli::run_as(OneRung::command().name(name), |arguments: OneRung| {
        run(name, arguments.size as usize, &arguments.what)
    })
}

/// Runs the rung that the command line names, or lists them.
/// Fails if this machine cannot run it, or the command line is invalid.
pub fn any(arguments: AnyRung) -> Result<(), Failure> {
    match (arguments.variant, arguments.size) {
        (Some(name), Some(size)) if !arguments.list => run(&name, size as usize, &arguments.what),
        _ => output::print(&VARIANTS.iter().map(|variant| listed(variant) + "\n").collect::<String>()),
    }
}

fn listed(variant: &Variant) -> String {
    let here = if variant.available().is_ok() { "" } else { " (not on this processor)" };
    format!("{:<10} {:<14} {}{here}", variant.name, variant.needs(), variant.idea)
}

fn run(name: &str, size: usize, what: &What) -> Result<(), Failure> {
    let variant = Eliminations::rung(name)?;
    let session = Session::start(&what.measuring, &what.modelling, &what.output)?;
    let wants_model = !session.measures_host || session.counters == Counters::Model;
    measure::arena(size)?;
    let timed = if session.measures_host { measure::OPERATION * session.runs as f64 } else { 0.0 };
    let walked = if wants_model { MODELLED } else { 0.0 };
    session.announce(name, Variant::flops(size) * (timed + walked))?;
    let mut record = session.record(name);
    let mut row = Row::at([("variant", variant.name.into()), ("size", size.into())]);
    if session.measures_host {
        let plan = (what.measure == 2).then(|| session.plan(&measure::EVENTS, false)).transpose()?;
        row =
            measure::rows(&[variant], size, &session, plan.as_ref(), &mut AllStepped::new())?.swap_remove(0);
        let [wall, cpu] = ["real_time_seconds", "proc_time_seconds"].map(|name| row.figure(name));
        session.note_waits(&mut record, &wall, &cpu, 1);
    }
    if wants_model {
        row = with_model(row, variant, size, &session)?;
    }
    record.rows.push(row);
    output::finish(&record, &what.output, &|record| kit(record, what.measure))
}

/// The row with the counts of the cache model.
fn with_model(row: Row, variant: &Variant, size: usize, session: &Session) -> Result<Row, Failure> {
    let counts = modelled::count(variant, size, &session.machine).map_err(Failure::could_not)?;
    let totals = MODELLED_EVENTS.map(|(name, event)| (name.to_owned(), counts.reading(&event)));
    let all = totals.into_iter().chain(counts.by_array());
    Ok(all.fold(row, |row, (name, reading)| row.with(name, reading)))
}

/// The homework's lines, each with its source at the end.
fn kit(record: &Record, measure: u8) -> String {
    let Some(row) = record.rows.first() else { return String::new() };
    let line = |(name, _): (&str, Event)| Some(format!("Model {name}: {:.0}\n", row.reading(name)?));
    let modelled = MODELLED_EVENTS.into_iter().filter_map(line);
    times(row, measure) + &modelled.collect::<String>() + &checks(row)
}

fn times(row: &Row, measure: u8) -> String {
    let Some(time) = row.reading("real_time_seconds") else {
        return "Time: not counted (another machine is modelled)\n".to_owned();
    };
    let number = |name: &str, form: &dyn Fn(f64) -> String| {
        let figure = row.figure(name);
        figure.amount().map_or_else(|| figure.to_string(), form)
    };
    let fixed = &|number: f64| format!("{number:.6}");
    match measure {
        0 => format!("Time: {} {}\n", number("real_time_seconds", &exponent), source(time)),
        1 => format!(
            "Real_time: {} Proc_time: {} flpops: {} MFLOPS: {} {} flpops=analytic (2 per inner step, 1 per multiplier)\n",
            number("real_time_seconds", fixed),
            number("proc_time_seconds", fixed),
            number("flops", &|flops| format!("{flops:.0}")),
            number("mflops", fixed),
            source(time),
        ),
        _ => {
            let [instructions, cycles] = ["instructions", "cycles"].map(|name| row.figure(name));
            format!(
                "\nThe total instructions executed are {}, total cycles {} instructions: {} cycles: {}\n",
                whole(&instructions),
                whole(&cycles),
                source(&instructions),
                source(&cycles)
            )
        }
    }
}

fn checks(row: &Row) -> String {
    let key = |name: &str| row.value(name).and_then(serde_json::Value::as_f64);
    if row.value("check").is_none() {
        return "Check: not computed \n".to_owned();
    }
    let residual = key("residual").map(|residual| format!("residual: {}", exponent(residual)));
    let check = exponent(key("check").unwrap_or(f64::NAN));
    format!("Check: {check} {}\n", residual.unwrap_or_default())
}

fn whole(reading: &Reading) -> String {
    reading.amount().map_or_else(|| reading.to_string(), |amount| format!("{amount:.0}"))
}

/// `source=timing`, and the spread of the runs.
fn source(reading: &Reading) -> String {
    match reading.source() {
        None => "source=none".to_owned(),
        Some(source) => {
            let spread = reading.spread().map_or(String::new(), |s| {
                format!(" median of {} ({} to {})", s.runs, exponent(s.min), exponent(s.max))
            });
            format!("source={source}{spread}")
        }
    }
}

/// `x` as C's `printf("%e", x)` prints it: six decimals, a sign and at least two digits in
/// the exponent.
fn exponent(x: f64) -> String {
    let text = format!("{x:.6e}");
    // Infinity and NaN have no exponent.
    let Some((digits, power)) = text.split_once('e') else { return text.to_lowercase() };
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn exponents_are_those_of_printf() {
        for (x, expected) in [
            (-873285032152802.5, "-8.732850e+14"),
            (-0.0, "-0.000000e+00"),
            (9.9999999, "1.000000e+01"),
            (1.01e143, "1.010000e+143"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(exponent(x), expected);
        }
    }
}
