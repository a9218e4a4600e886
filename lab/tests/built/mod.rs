//! The programs beside `lab`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program of that name, which cargo has built from what is there now: it
/// builds for the tests of a package that package's programs only.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    BUILT.get_or_init(|| {
        let release = lab.parent().is_some_and(|folder| folder.ends_with("release"));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--bins"]).args(release.then_some("--release"));
        for package in ["spark", "cm1", "mm1", "mm2", "mm3", "ge", "dgemm", "flops", "avail"] {
            cargo.args(["--package", package]);
        }
        assert!(cargo.status().unwrap().success(), "the programs are not built");
    });
    lab.with_file_name(name).with_extension(lab.extension().unwrap_or_default())
}
