//! `lab assignment`: the guide's assignment as a file, to start one's own from.

use common::failure::Failure;
use common::output;
use report::GUIDE;

/// Print the assignment of `lab run`, to change it
///
/// Sizes, sections, questions and points are data: change the printed file, and give
/// it to `lab run --assignment`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Prints it.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    output::print(GUIDE)
}
