//! Why a command line was refused, in one sentence.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use figures::units::Bytes;

/// The message: what was wrong, and what was probably meant.
pub(super) fn sentence(command: &Command, error: &clap::Error) -> String {
    if let Some(word) = negative(error) {
        return format!("'{word}': negative numbers are not accepted; see --help");
    }
    let meant = stray(error).and_then(|word| meant(command, word));
    one_line(&error.to_string(), meant.as_deref())
}

/// A negative number, which the parser takes for an option. Its own advice, to put it after
/// `--`, would be wrong too.
fn negative(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let digit = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    (error.kind() == ErrorKind::UnknownArgument && word.strip_prefix('-').is_some_and(digit)).then_some(word)
}

/// The refused word, if the program takes no word in that position.
fn stray(error: &clap::Error) -> Option<&str> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let place = text(ContextKind::InvalidArg)?;
    match error.kind() {
        ErrorKind::UnknownArgument => Some(place),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if place.starts_with(['[', '<']) => {
            text(ContextKind::InvalidValue)
        }
        _ => None,
    }
}

/// How to give the word to the option that was probably meant, judging by its form.
fn meant(command: &Command, word: &str) -> Option<String> {
    let named = || ::machine::catalogue().iter().any(|entry| entry.name == word);
    let options: &[&str] = if word.starts_with("PAPI_") {
        &["event", "events"]
    } else if word.ends_with(".toml") || named() {
        &["machine"]
    } else if word.parse::<Bytes>().is_ok() {
        &["max"]
    } else {
        &[]
    };
    let option = command.get_arguments().find(|option| options.contains(&option.get_id().as_str()))?;
    let long = option.get_long().map(|long| format!("--{long}"));
    let flag = long.or_else(|| option.get_short().map(|short| format!("-{short}")))?;
    Some(format!("{flag} {word}"))
}

/// The parser's message on one line without its usage text; with what was probably `meant`.
fn one_line(message: &str, meant: Option<&str>) -> String {
    let (message, usage) = message.split_once("\n\nUsage:").unwrap_or((message, ""));
    let usage = usage.lines().next().unwrap_or_default().trim();
    let message = message.split("\n\nFor more information").next().unwrap_or(message);
    let words: Vec<&str> = message.trim_start_matches("error: ").split_whitespace().collect();
    let message = [
        ("invalid digit found in string", "a whole number is needed"),
        ("cannot parse integer from empty string", "a whole number is needed"),
        ("number too large to fit in target type", "the number is too large"),
        ("a value is required for", "a value is missing for"),
        (" but none was supplied", ""),
        ("the following required arguments were not provided:", "missing:"),
        (" tip: ", "; tip: "),
        (" is not in ", " is outside "),
        ("..=", " to "),
    ]
    .iter()
    .fold(words.join(" "), |message, (from, to)| message.replace(from, to));
    // No option has a value that looks like an option.
    let message = message.split("; tip: to pass '").next().unwrap_or_default();
    // For missing arguments the usage line helps most.
    let usage = if message.starts_with("missing:") { format!("; usage: {usage}") } else { String::new() };
    let meant = meant.map_or(String::new(), |meant| format!("; write '{meant}'"));
    format!("{message}{usage}{meant}; see --help")
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::{Measuring, Modelling, Output};

    #[derive(Debug, Parser)]
    #[command(name = "example")]
    struct Example {
        #[command(flatten)]
        measuring: Measuring,
        #[command(flatten)]
        output: Output,
    }

    #[test]
    fn a_wrong_value_is_named_on_one_line_with_what_is_accepted() {
        let error = Example::try_parse_from(["example", "--counters", "papi"]).unwrap_err();
        let line = one_line(&error.to_string(), None);
        assert!(!line.contains('\n'));
        assert!(line.contains("'papi'") && line.contains("hardware"), "{line}");
        let error = Example::try_parse_from(["example", "--runs", "0"]).unwrap_err();
        let line = one_line(&error.to_string(), None);
        assert!(line.contains("'0'") && line.contains("0 is outside 1 to "), "{line}");
        let error = Example::try_parse_from(["example", "--cpu", "abc"]).unwrap_err();
        assert!(one_line(&error.to_string(), None).ends_with("a whole number is needed; see --help"));
        for empty in [&["--record", ""][..], &["--record"]] {
            let error = Example::try_parse_from(["example"].iter().chain(empty)).unwrap_err();
            let message = "a value is missing for '--record <FILE>'; see --help";
            assert_eq!(one_line(&error.to_string(), None), message);
        }
    }
    #[test]
    fn a_number_below_zero_is_no_option() {
        #[derive(Debug, Parser)]
        #[command(name = "example")]
        struct Sized {
            side: Option<u32>,
            #[arg(long)]
            size: Option<u32>,
        }
        for words in [&["-3"][..], &["--size", "-3"], &["-3.5"], &["-.5"]] {
            let error = Sized::try_parse_from(["example"].iter().chain(words)).unwrap_err();
            let message = sentence(&Sized::command(), &error);
            assert!(
                message.contains("negative numbers are not accepted") && !message.contains("tip"),
                "{words:?}: {message}"
            );
        }
        let error = Sized::try_parse_from(["example", "-x"]).unwrap_err();
        assert!(!sentence(&Sized::command(), &error).contains("minus"));
    }

    #[test]
    fn a_word_without_its_option_is_refused_with_the_option_meant() {
        #[derive(Debug, Parser)]
        #[command(name = "example")]
        struct Sweep {
            #[arg(long)]
            event: Option<String>,
            #[arg(long)]
            max: Option<Bytes>,
            side: Option<u32>,
            #[command(flatten)]
            modelling: Modelling,
        }
        for (words, message) in [
            (&["1", "PAPI_L2_DCM"][..], Some("--event PAPI_L2_DCM")),
            (&["PAPI_L2_DCM"], Some("--event PAPI_L2_DCM")),
            (&["64K"], Some("--max 64K")),
            (&["i5-7500"], Some("--machine i5-7500")),
            (&["1", "./own.toml"], Some("--machine ./own.toml")),
            (&["nonsense"], None),
            (&["--max", "PAPI_L2_DCM"], None),
            (&["--nonsense"], None),
        ] {
            let error = Sweep::try_parse_from(["example"].iter().chain(words)).unwrap_err();
            let found = stray(&error).and_then(|word| meant(&Sweep::command(), word));
            assert_eq!(found.as_deref(), message, "{words:?}");
        }
    }
}
