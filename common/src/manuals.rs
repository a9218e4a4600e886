//! Man pages and shell completions of a program, for packagers.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

/// Writes the man pages of `program` and its commands into `folder/man1`, and its
/// completions into a folder for each shell.
pub(crate) fn write(program: Command, folder: &Path) -> ExitCode {
    match written(program, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            crate::console::message(format!("cannot write manuals into '{}': {error}", folder.display()));
            ExitCode::FAILURE
        }
    }
}

fn written(mut program: Command, folder: &Path) -> io::Result<()> {
    let name = program.get_name().to_owned();
    for (shell, place) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        std::fs::create_dir_all(folder.join(place))?;
        clap_complete::generate_to(shell, &mut program, &name, folder.join(place))?;
    }
    std::fs::create_dir_all(folder.join("man1"))?;
    clap_mangen::generate_to(program, folder.join("man1"))
}
