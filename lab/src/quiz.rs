//! `lab quiz`: predict a number, then let the model count it.

use std::io::{self, BufRead};

use clap::builder::PossibleValuesParser;
use common::failure::Failure;
use common::output;
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

/// A number as people write it: `0,5`, `8 KiB` as 8192, `25 %` as 25.
fn number(text: &str) -> Result<f64, String> {
    let plain = text.trim().trim_end_matches('%').trim_end().replace(',', ".");
    let number = plain.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.or_else(|| plain.parse::<common::units::Bytes>().ok().map(|bytes| bytes.0 as f64));
    number.ok_or_else(|| {
        format!("'{}' is not a number; type one such as 0.25, 8192 or 8K", common::text::shorten(text, 40))
    })
}

/// Counts, and prints whether the prediction is right.
fn print_result(quiz: &Quiz, prediction: f64) -> Result<bool, Failure> {
    let told = quiz.answer(prediction).map_err(Failure::could_not)?;
    let verdict = if told.right { "right" } else { "wrong" };
    let why: String = told.why.iter().map(|sentence| format!("  {sentence}\n")).collect();
    output::print(&format!("  {verdict}: {} (model)\n{why}", four(told.counted)))?;
    Ok(told.right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = ["0.25", " 0,25 ", "99.2 %", "8K", "8 KiB", "-1"].map(|text| number(text).ok());
        assert_eq!(read, [Some(0.25), Some(0.25), Some(99.2), Some(8192.0), Some(8192.0), Some(-1.0)]);
        for wrong in ["", "none", "nan", "1e999"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }
}
