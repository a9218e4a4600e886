//! `discover infer`: reads the cache behind a saved sweep, with the argument.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use common::failure::Failure;
use common::{input, output};
use infer::{self, Answer, Hint, Sentence, Sets};

/// Read size, line and ways of the cache from a saved sweep, with the argument
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What cm1 or spark printed or recorded; - is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Use this L1 sweep, needed to read the ways of L2 from FILE
    #[arg(long, value_name = "FILE")]
    above: Option<PathBuf>,

    /// Choose how to print the answer
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

/// Reads the file, prints the answer; a refusal is exit code 1. In JSON, a file
/// that cannot be read at all is a refusal too.
pub fn run(args: &Args) -> Result<(), Failure> {
    let above = args.above.as_deref().map(known).transpose()?;
    let answer = match (input::sweep(&args.file), args.format) {
        (Ok(saved), _) => {
            output::notes(&saved.notes, "discover: note");
            infer::read_behind(&saved, above)
        }
        (Err(failure), Format::Json) => Answer { verdict: Err(failure.to_string().into()), why: Vec::new() },
        (Err(failure), Format::Text) => return Err(failure),
    };
    output::print(&match args.format {
        Format::Json => format!("{:#}\n", answer.json()),
        Format::Text => text(&answer),
    })?;
    answer.verdict.map(|_| ()).map_err(|why| Failure::could_not(advised(&why)))
}

/// The level that a sweep of L1 gives.
fn known(file: &Path) -> Result<Sets, Failure> {
    let found = infer::read(&input::sweep(file)?).verdict;
    found.as_ref().ok().and_then(Sets::of).ok_or_else(|| {
        Failure::could_not(format!(
            "{} does not show L1's size and ways exactly; sweep it with cm1 --until-decided, or leave --above out",
            file.display()
        ))
    })
}

/// The answer in lines, then the argument.
fn text(answer: &Answer) -> String {
    let mut lines = Vec::new();
    if let Ok(g) = &answer.verdict {
        lines.push(format!("size: {}", g.size_text()));
        lines.push(format!("line: {} B", g.line.0));
        lines.push(match g.ways_text() {
            Ok(ways) => format!("ways: {ways}"),
            Err(reason) => format!("ways: not counted ({reason})"),
        });
        if let Some(times) = g.times {
            lines.push(format!("hit: {:.2} ns", times.hit_ns));
            lines.push(format!("miss penalty: {:.2} ns", times.penalty_ns));
        }
        lines.push(format!("confidence: {:?}", g.confidence).to_lowercase());
        lines.push(String::new());
    }
    lines.extend(answer.why.iter().map(advised));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A sentence with the command lines for what would help.
fn advised(Sentence { text, hint }: &Sentence) -> String {
    let command = match hint {
        None => return text.clone(),
        Some(Hint::CountMisses) => "cm1 --event PAPI_L1_DCM, or cm1 --counters timing".to_owned(),
        Some(Hint::TimeMisses) => "cm1 --counters timing".to_owned(),
        Some(Hint::TimeDependent) => "spark --counters timing, or discover without a file".to_owned(),
        Some(Hint::MoreRuns) => "cm1 --runs 5".to_owned(),
        Some(Hint::LargerArrays) => "cm1 --max BYTES".to_owned(),
        Some(Hint::SmallerArrays) => "cm1 --min BYTES".to_owned(),
        Some(Hint::SizesBetween(fits, too_large)) => format!("cm1 --sizes {}", (fits + too_large) / 2),
        Some(Hint::Cells(cells)) => {
            let strides = Vec::from_iter(cells.iter().map(|cell| cell.1.to_string())).join(",");
            let array = cells.first().map_or(0, |cell| cell.0);
            format!(
                "cm1 --sizes {array} --strides {strides} prints the rows to append; cm1 --until-decided chooses and measures such cells itself"
            )
        }
        Some(Hint::LevelAbove) => "discover infer --above FILE".to_owned(),
        Some(Hint::Experiments) => "discover without a file".to_owned(),
    };
    format!("{text} ({command})")
}
