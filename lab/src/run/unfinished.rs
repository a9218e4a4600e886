//! What a run stores until its report is written: its command line, and each experiment's
//! record as soon as it is measured.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use common::authentic;
use common::chart::Chart;
use common::failure::Failure;
use common::output;
use common::record::Record;
use common::system::files;
use serde_json::{Value as Json, json};

use super::turn::Turn;

/// The name of the folder for it, in the report's folder.
pub(crate) const NAME: &str = ".unfinished";
const LOCK: &str = "lock";
const STATE_FILE: &str = "run.json";

/// The stored records of the one run that writes into a folder.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
    turn: Turn,
    /// A file lock, held until the process ends in any way.
    _lock: File,
}

/// What identifies a run: command line, place, sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunState {
    /// Its command line, without the program.
    pub(crate) words: Vec<String>,
    /// The workstation's name and the machine that is measured.
    pub(crate) place: String,
    /// The sizes and programs of its assignment.
    pub(crate) assigned: String,
}

impl Unfinished {
    /// Locks the report's folder for this run.
    pub(crate) fn take(report: &Path, turn: Turn) -> Result<Unfinished, Failure> {
        let path = report.join(NAME);
        let told = report.display();
        let refused = |error: io::Error| {
            Failure::could_not(format!(
                "cannot write the report into '{told}': {error}; choose another folder with --output"
            ))
        };
        fs::create_dir_all(&path).map_err(refused)?;
        let lock = files::lock(&path.join(LOCK)).map_err(|error| {
            // The disk may be full: remove everything of this run.
            let _ = fs::remove_file(path.join(LOCK)).and_then(|()| fs::remove_dir(&path));
            refused(error)
        })?;
        let lock = lock.ok_or_else(|| {
            Failure::could_not(format!(
                "another lab run is measuring into '{told}'; wait until it ends, or choose another folder with --output"
            ))
        })?;
        Ok(Unfinished { path, turn, _lock: lock })
    }

    /// Makes a folder for the input of a record; it is removed with the others.
    pub(crate) fn scratch(&self) -> io::Result<PathBuf> {
        let _turn = self.turn.take();
        let path = self.path.join("scratch");
        fs::create_dir_all(&path).map(|()| path)
    }

    /// The state of the run whose records are stored, if there are any.
    pub(crate) fn state(&self) -> Option<RunState> {
        if names(&self.path).is_empty() {
            return None;
        }
        let state = read(&self.path.join(STATE_FILE))?;
        let words = state["words"].as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
        Some(RunState {
            words: words.collect::<Option<_>>()?,
            place: state["place"].as_str()?.to_owned(),
            assigned: state["assigned"].as_str()?.to_owned(),
        })
    }

    /// Begins a run: removes the records of another.
    pub(crate) fn save_state(&self, state: &RunState) -> Result<(), Failure> {
        let _turn = self.turn.take();
        for name in names(&self.path) {
            // A record that cannot be removed is overwritten when its experiment is
            // measured.
            let _ = fs::remove_file(self.path.join(format!("{name}.json")));
        }
        let state = json!({ "words": state.words, "place": state.place, "assigned": state.assigned });
        output::write(&self.path.join(STATE_FILE), state.to_string().as_bytes())
    }

    /// Draws `chart`, to look at before the page is ready. If that fails, the run
    /// continues.
    pub(crate) fn draw(&self, name: &str, chart: &Chart) -> Option<PathBuf> {
        let path = self.path.join(format!("{name}.svg"));
        let _turn = self.turn.take();
        output::write(&path, chart.svg().as_bytes()).ok().map(|()| path)
    }

    /// The record stored under `name`; otherwise calls `measure` and stores its record.
    /// Also returns the seconds that measuring took.
    pub(crate) fn record(
        &self,
        name: &str,
        measure: impl FnOnce() -> Result<Record, Failure>,
    ) -> Result<(Record, f64), Failure> {
        let path = self.path.join(format!("{name}.json"));
        if let Some(earlier) = stored(&path) {
            return Ok(earlier);
        }
        let started = Instant::now();
        let record = measure()?;
        let took = started.elapsed().as_secs_f64();
        // Stored as text: the seal of a sealed machine's record covers its characters.
        let text = json!({ "took": took, "record": record.json() }).to_string();
        let _turn = self.turn.take();
        output::write(&path, text.as_bytes())?;
        Ok((record, took))
    }
}

/// The stored record, if it can be read and its seal is valid.
fn stored(path: &Path) -> Option<(Record, f64)> {
    let json = read(path)?;
    Some((authentic::read(json["record"].as_str()?).ok()?, json["took"].as_f64()?))
}

fn read(path: &Path) -> Option<Json> {
    let bytes = files::read_at_most(path, common::saved::limits::BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Removes what an unfinished run has stored. The state goes first, so that after a kill in
/// between nothing can be resumed.
pub(crate) fn forget(unfinished: &Path) -> io::Result<()> {
    let _ = fs::remove_file(unfinished.join(STATE_FILE));
    fs::remove_dir_all(unfinished).or_else(|error| {
        // On Windows an open file, the lock, cannot be removed before it is closed.
        let locks = || fs::read_dir(unfinished)?.map(|entry| Ok(entry?.file_name() == LOCK)).collect();
        let locks: io::Result<Vec<bool>> = locks();
        if locks.is_ok_and(|locks| locks.iter().all(|is| *is)) { Ok(()) } else { Err(error) }
    })
}

/// The experiments whose records an unfinished run has stored.
pub(crate) fn names(unfinished: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(unfinished) else { return Vec::new() };
    let files = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = files
        .filter(|name| name != STATE_FILE)
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> RunState {
        RunState { words: vec!["--quick".into()], place: "host".into(), assigned: String::new() }
    }

    #[test]
    fn a_record_is_measured_once_and_one_that_cannot_be_read_again() {
        let place = tempfile::tempdir().unwrap();
        let run = Unfinished::take(place.path(), Turn::default()).unwrap();
        run.save_state(&state()).unwrap();
        assert_eq!(run.state(), None, "nothing is measured yet");
        let record = |machine: &str| Ok(Record::new("spark", machine));
        assert_eq!(run.record("spark", || record("one")).unwrap().0.machine, "one");
        assert_eq!(run.record("spark", || record("two")).unwrap().0.machine, "one");
        let drawn = run.draw("spark", &Chart::default()).unwrap();
        assert!(fs::read_to_string(drawn).unwrap().starts_with("<svg"));
        assert_eq!((run.state(), names(&run.path)), (Some(state()), vec!["spark".to_owned()]));
        fs::write(place.path().join(NAME).join("spark.json"), "{\"took\":1,").unwrap();
        assert_eq!(run.record("spark", || record("two")).unwrap().0.machine, "two");
        run.save_state(&state()).unwrap();
        assert!(names(&run.path).is_empty());
    }

    #[test]
    fn a_second_run_into_the_same_folder_is_refused_until_the_first_is_over() {
        let place = tempfile::tempdir().unwrap();
        let first = Unfinished::take(place.path(), Turn::default()).unwrap();
        let second = Unfinished::take(place.path(), Turn::default()).unwrap_err().to_string();
        assert!(second.contains("another lab run") && second.contains("--output"), "{second}");
        drop(first);
        Unfinished::take(place.path(), Turn::default()).unwrap();
    }
}
