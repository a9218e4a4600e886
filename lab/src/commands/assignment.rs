//! `lab assignment`: the guide's assignment as a file, to start one's own from.

use common::failure::Failure;
use common::output;
use report::GUIDES;

/// Print the assignment of `lab run`, to change it
///
/// Sizes, sections, questions, points and language are data: change the printed
/// file, and give it to `lab run --assignment`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// In this language
    #[arg(long, value_name = "LANGUAGE", default_value = GUIDES[0].0, value_parser = GUIDES.map(|(language, _)| language))]
    language: String,
}

/// Prints it.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let guide = GUIDES.iter().find(|(language, _)| *language == args.language).map_or("", |(_, text)| text);
    output::print(guide)
}
