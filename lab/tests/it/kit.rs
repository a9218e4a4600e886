//! Runs the kit's programs as users do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The program `name` in `folder`, with the arguments `args`.
pub(crate) fn run(folder: &Path, name: &str, args: &str) -> Output {
    Command::new(program(name)).current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

/// `lab` in `folder`, with the arguments `args`.
pub(crate) fn lab(folder: &Path, args: &str) -> Output {
    run(folder, crate::program_of(args), args)
}

/// The output of the same, which must succeed.
pub(crate) fn printed(folder: &Path, args: &str) -> String {
    let output = lab(folder, args);
    assert!(output.status.success(), "{args}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The messages of a program.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The commands that the help text of `lab` lists.
pub(crate) fn commands(help: &str) -> Vec<&str> {
    let (_, rest) = help.split_once("\nUsage:").unwrap();
    let (list, _) = rest.split_once("\nOptions:").unwrap();
    let name = |line: &'_ str| line.starts_with("  ") && line[2..].starts_with(char::is_lowercase);
    let names = list.lines().filter(|line| name(line)).map(|line| line.split_whitespace().next().unwrap());
    names.collect()
}

/// The program of that name, built now from the current sources: for the tests of a
/// package, cargo builds only that package's programs.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        // The test is in `deps` of the folder with the programs.
        let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
        let mut cargo = Command::new(env!("CARGO"));
        let release = folder.ends_with("release");
        cargo.args(["build", "--quiet", "--offline", "--bins"]).args(release.then_some("--release"));
        crate::PACKAGES.iter().for_each(|package| _ = cargo.args(["--package", package]));
        assert!(cargo.status().unwrap().success(), "the programs are not built");
        folder
    });
    folder.join(name).with_extension(std::env::consts::EXE_EXTENSION)
}
