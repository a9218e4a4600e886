//! `lab quiz`: predict a number, then let the model count it.

use std::io::{self, BufRead};

use clap::builder::PossibleValuesParser;
use common::failure::Failure;
use common::output;
use common::quantity::{Kind, cell};
use common::table::four;
use exercises::quiz::{QUIZZES, Quiz, find};

/// Predict a number, then the model counts it: right or wrong, and why
///
/// Without a NAME it asks all questions in turn; an empty line skips one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(QUIZZES.iter().map(|quiz| quiz.name)))]
    name: Option<String>,

    /// Your prediction; the program asks for it if missing
    #[arg(value_name = "NUMBER", requires = "name", value_parser = number, allow_negative_numbers = true)]
    prediction: Option<f64>,
}

/// Asks, counts, shows; exit code 1 if the given prediction is wrong.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let one = args.name.as_deref().and_then(find);
    if let (Some(quiz), Some(prediction)) = (one, args.prediction) {
        return if print_result(quiz, prediction)? { Ok(()) } else { Err(Failure::Reported) };
    }
    let (mut asked, mut right) = (0, 0);
    let mut lines = io::stdin().lock().lines();
    for quiz in QUIZZES.iter().filter(|quiz| one.is_none_or(|one| one.name == quiz.name)) {
        output::print(&format!("{}: {}\n", quiz.name, quiz.asks))?;
        match prediction(&mut lines)? {
            Answer::Number(prediction) => {
                asked += 1;
                right += u32::from(print_result(quiz, prediction)?);
            }
            Answer::None => continue,
            Answer::End => break,
        }
    }
    output::print(&format!("{right} of {asked} right\n"))
}

enum Answer {
    Number(f64),
    None,
    End,
}

/// The next line that is a number.
fn prediction(lines: &mut impl Iterator<Item = io::Result<String>>) -> Result<Answer, Failure> {
    loop {
        let Some(line) = lines.next() else { return Ok(Answer::End) };
        let line =
            line.map_err(|error| Failure::could_not(format!("the prediction cannot be read: {error}")))?;
        if line.trim().is_empty() {
            return Ok(Answer::None);
        }
        match number(&line) {
            Ok(number) => return Ok(Answer::Number(number)),
            Err(why) => output::message(why),
        }
    }
}

/// One number, read as in the report: `0,5`, `2^13`; `8 KiB` as 8192, `25 %` as a share.
fn number(text: &str) -> Result<f64, String> {
    let number = cell(text, Kind::Number)
        .or_else(|_| cell(text, Kind::Bytes))
        .or_else(|_| cell(text, Kind::Percent).map(|percent| percent / 100.0));
    number.map_err(|_| {
        let shown = common::text::shorten(text, 40);
        format!("'{shown}' is not a number; type one such as 0.25, 8192 or 8 KiB")
    })
}

/// Counts, and prints whether the prediction is right.
fn print_result(quiz: &Quiz, prediction: f64) -> Result<bool, Failure> {
    let judged = quiz.answer(prediction).map_err(Failure::could_not)?;
    let verdict = if judged.right { "right" } else { "wrong" };
    let why: String = judged.why.iter().map(|sentence| format!("  {sentence}\n")).collect();
    output::print(&format!("  {verdict}: {} (model)\n{why}", four(judged.counted)))?;
    Ok(judged.right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = ["0.25", " 0,25 ", "25 %", "2^13", "8 KiB", "-1"].map(|text| number(text).ok());
        assert_eq!(read, [Some(0.25), Some(0.25), Some(0.25), Some(8192.0), Some(8192.0), Some(-1.0)]);
        for wrong in ["", "none", "nan", "1e999", "8K", "1 or 2"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }
}
