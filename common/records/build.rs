//! Sets `CACHE_LAB_VERSION`: the kit's version and, after a `+`, the commit of its sources if that
//! is known.
//!
//! The commit is that of `CACHE_LAB_COMMIT` (packagers), else of the file `COMMIT` (kits),
//! else, in release builds, of the git checkout. It says which sources were handed out, not
//! whether they were edited since. Debug builds omit it, so that a commit does not rebuild
//! the workspace for them.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = "../..";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CACHE_LAB_COMMIT");
    let commit = given().or_else(of_kit).or_else(of_checkout);
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = commit.map_or(version.clone(), |commit| format!("{version}+{commit}"));
    println!("cargo::rustc-env=CACHE_LAB_VERSION={version}");
}

fn given() -> Option<String> {
    checked(&env::var("CACHE_LAB_COMMIT").ok()?)
}

fn of_kit() -> Option<String> {
    let file = Path::new(ROOT).join("COMMIT");
    let text = fs::read_to_string(&file).ok()?;
    println!("cargo::rerun-if-changed={}", file.display());
    checked(&text)
}

/// The commit of the git checkout whose root is the kit's root.
fn of_checkout() -> Option<String> {
    if env::var("PROFILE").ok()? != "release" || !Path::new(ROOT).join(".git").exists() {
        return None;
    }
    // Git writes this log at each commit and checkout. If the file were missing, cargo
    // would rebuild every time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    let log = Path::new(ROOT).join(log);
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    checked(&git(&["rev-parse", "--short=10", "HEAD"])?)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(ROOT).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A commit, if it may follow the `+` of a version (semver.org).
fn checked(commit: &str) -> Option<String> {
    let commit = commit.trim();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!commit.is_empty() && commit.len() <= 64 && commit.chars().all(allowed)).then(|| commit.to_owned())
}
