//! Ends a run before each step of replacing the old report by the new one. The preloaded
//! library `steps.c` counts the steps.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::SHORT;
use super::report::{self, Files, filled, old_report, whole};
use crate::kit::{lab, stderr};

const KILL: i32 = 9;
const TERM: i32 = 15;

/// An old report, and a run into the same folder with all experiments measured.
struct Scene {
    folder: tempfile::TempDir,
    old: Files,
    figures: Vec<String>,
    exchange: bool,
}

impl Scene {
    /// `None` where there is no C compiler.
    fn set(exchange: bool) -> Option<Scene> {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/broken_off/steps.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"]).arg(folder.path().join("steps.so")).arg(source).arg("-ldl");
        if !cc.status().is_ok_and(|status| status.success()) {
            skip::skip("no C compiler");
            return None;
        }
        let old = old_report(folder.path());
        let scene = Scene { figures: filled(&folder.path().join("report")), folder, old, exchange };
        let broken_off = scene.run(&format!("{SHORT} --size 24"), 1, KILL);
        assert_eq!(broken_off.status.signal(), Some(KILL), "{}", stderr(&broken_off));
        copy(&scene.report(), &scene.original());
        Some(scene)
    }

    fn report(&self) -> PathBuf {
        self.folder.path().join("report")
    }

    fn original(&self) -> PathBuf {
        self.folder.path().join("original")
    }

    /// The temporary name of the exchanged folder until it is removed.
    fn exchanged(&self) -> PathBuf {
        self.folder.path().join(".report.being-replaced")
    }

    /// Restores the state in which everything was measured.
    fn again(&self) {
        for left in [self.report(), self.exchanged()] {
            let _ = fs::remove_dir_all(left);
        }
        copy(&self.original(), &self.report());
    }

    /// Runs `lab`, which sends itself the signal before its `step`-th step; 0 for never.
    fn run(&self, args: &str, step: usize, signal: i32) -> Output {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = Command::new("env");
        command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]).args(args.split_whitespace());
        command.current_dir(self.folder.path()).env("LD_PRELOAD", path("steps.so"));
        command.env("STEP", step.to_string()).env("BY", signal.to_string()).env("STEPS", path("steps"));
        if !self.exchange {
            command.env("NO_EXCHANGE", "1");
        }
        command.output().unwrap()
    }

    /// The names of all steps.
    fn steps(&self) -> Vec<String> {
        let output = self.run("run --resume", 0, KILL);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(whole(&self.report(), &self.old), "new");
        let steps = fs::read_to_string(self.folder.path().join("steps")).unwrap();
        steps.lines().map(str::to_owned).collect()
    }

    /// Returns which report is there after a kill before that step. Then a resumed run, or
    /// the next run if the new report is there already, repairs the folder.
    fn killed(&self, step: usize) -> &'static str {
        self.again();
        let ended = self.run("run --resume", step, KILL);
        assert_eq!(ended.status.signal(), Some(KILL), "step {step}: {}", stderr(&ended));
        let page = fs::read(self.report().join("report.html")).unwrap();
        let is_old = page == self.old[Path::new("report.html")];
        if self.exchange {
            assert_eq!(whole(&self.report(), &self.old), if is_old { "old" } else { "new" }, "step {step}");
        }
        let goes_on = self.report().join(".unfinished/run.json").exists();
        assert!(goes_on || !is_old, "step {step}: what was measured is lost");
        if goes_on {
            let resumed = lab(self.folder.path(), "run --resume");
            assert!(resumed.status.success(), "step {step}: {}", stderr(&resumed));
        }
        assert_eq!(whole(&self.report(), &self.old), "new", "step {step}");
        assert_eq!(filled(&self.report()), self.figures, "step {step}");
        if is_old { "old" } else { "new" }
    }

    /// What the next run finds after a kill that follows the exchange, and leaves behind.
    fn check_tidied(&self) {
        assert!(self.exchanged().exists());
        let next = lab(self.folder.path(), &format!("{SHORT} --size 24"));
        assert!(next.status.success(), "{}", stderr(&next));
        assert!(!self.exchanged().exists() && !self.report().join(".unfinished").exists());
        assert!(report::files(&self.report()).contains_key(Path::new("answers.json")));
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// Kills a run before each of the steps that `wanted` chooses.
fn kill_before(scene: &Scene, wanted: impl Fn(&[String]) -> Vec<usize>) {
    let names = scene.steps();
    let mut seen = BTreeMap::<String, usize>::new();
    for step in wanted(&names) {
        let found = scene.killed(step);
        *seen.entry(format!("{} {found}", names[step - 1])).or_default() += 1;
    }
    println!("{} steps, exchanged: {}; killed before: {seen:?}", names.len(), scene.exchange);
}

/// The step at which the folders are exchanged.
fn exchange(names: &[String]) -> usize {
    assert!(names.iter().any(|name| name == "rename"), "{names:?}");
    names.iter().position(|name| name == "exchange").unwrap() + 1
}

#[test]
fn a_kill_while_the_report_is_replaced_leaves_the_old_one_or_the_new_one() {
    let Some(scene) = Scene::set(true) else { return };
    // Before a file is written, before and after the exchange, and before the last step.
    kill_before(&scene, |names| vec![2, exchange(names), exchange(names) + 1, names.len()]);
    scene.check_tidied();
}

#[test]
fn where_folders_cannot_be_exchanged_a_killed_run_goes_on_to_the_whole_report() {
    let Some(scene) = Scene::set(false) else { return };
    // Between two moved files, and while stored data are removed.
    kill_before(&scene, |names| vec![names.iter().rposition(|name| name == "rename").unwrap(), names.len()]);
}

#[test]
#[ignore = "takes some minutes: each step of both ways"]
fn a_kill_before_each_step() {
    for exchange in [true, false] {
        let Some(scene) = Scene::set(exchange) else { return };
        kill_before(&scene, |names| (1..=names.len()).collect());
    }
}

#[test]
fn a_signal_while_the_report_is_replaced_leaves_the_whole_new_one() {
    let Some(scene) = Scene::set(true) else { return };
    let exchanged = exchange(&scene.steps());
    for step in [2, exchanged, exchanged + 1] {
        scene.again();
        let ended = scene.run("run --resume", step, TERM);
        assert_eq!(ended.status.signal(), Some(TERM), "step {step}: {}", stderr(&ended));
        assert_eq!(whole(&scene.report(), &scene.old), "new");
        assert!(!scene.report().join(".unfinished").exists() && !scene.exchanged().exists());
        let told = stderr(&ended);
        assert!(told.contains("is ready") && !told.contains("nothing was measured"), "{told}");
    }
}
