//! `lab infer`: reads the cache behind a saved sweep, with the argument.

use std::path::PathBuf;

use clap::ValueEnum;
use common::failure::Failure;
use common::infer::{Answer, read};
use common::input;
use common::units::Bytes;

use super::plot;

/// Read size, line and ways of the cache from a saved sweep, with the argument
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What cm1 or spark printed or recorded; - is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How to print the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences
    Text,
    /// One object
    Json,
}

/// Reads the file, prints the answer; a refusal is exit code 1.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let saved = input::sweep(&args.file)?;
    plot::notes(&saved.notes, "lab: note");
    let answer = read(&saved);
    match args.format {
        Format::Json => println!("{:#}", answer.json()),
        Format::Text => print!("{}", text(&answer)),
    }
    match &answer.verdict {
        Ok(_) => Ok(()),
        Err(_) if args.format == Format::Json => Err(Failure::Told),
        Err(reason) => Err(Failure::could_not(reason)),
    }
}

/// The answer in lines, the argument below it.
fn text(answer: &Answer) -> String {
    let mut lines = Vec::new();
    if let Ok(g) = &answer.verdict {
        lines.push(format!("size: {}", g.size));
        lines.push(format!("line: {} B", g.line.0));
        lines.push(match &g.ways {
            Ok(ways) => format!("ways: {ways}"),
            Err(reason) => format!("ways: not counted ({reason})"),
        });
        if let Some(times) = g.times {
            lines.push(format!("hit: {:.2} ns", times.hit_ns));
            lines.push(format!("miss penalty: {:.2} ns", times.penalty_ns));
        }
        lines.push(format!("confidence: {:?}", g.confidence).to_lowercase());
        if g.below.0 >= 2 * g.size.0 {
            lines.push(format!("tried next: {}", Bytes(g.below.0)));
        }
        lines.push(String::new());
    }
    lines.extend(answer.why.iter().cloned());
    lines.join("\n") + "\n"
}
