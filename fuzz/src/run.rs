//! Runs targets, and saves the inputs on which they fail.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use figures::random::{Random, mix};
use system::clock;

use crate::targets::known;
use crate::{Target, mutate, watch};

/// Longest accepted time for an input, in seconds of processor time.
pub const SECONDS: f64 = 5.0;
/// Largest accepted memory for an input, in bytes.
pub const BYTES: usize = 256 << 20;

/// The results of a run of one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Number of inputs.
    pub inputs: u64,
    /// Inputs on which the reader panicked.
    pub panics: u64,
    /// Inputs that took more than [`SECONDS`].
    pub slow: u64,
    /// Inputs that took more than [`BYTES`].
    pub large: u64,
    /// The longest time, in seconds.
    pub longest: f64,
    /// The most memory, in bytes.
    pub most: usize,
}

/// The folder of this crate.
fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The inputs that are mutated: the target's corpus, and all inputs that ever failed.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds = known(target.name);
    for folder in ["corpus", "findings"] {
        let mut files: Vec<PathBuf> = fs::read_dir(home().join(folder).join(target.name))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        seeds.extend(files.iter().filter_map(|path| fs::read(path).ok()));
    }
    seeds
}

impl Seen {
    /// Runs the target once; a failing input is stored in `findings`.
    pub fn take(&mut self, target: &Target, input: &[u8], findings: Option<&Path>) {
        let from = clock::thread_cpu();
        let mut survived = true;
        let bytes = watch::peak(|| {
            survived = catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_ok();
        });
        let took = clock::thread_cpu().0 - from.0;
        self.inputs += 1;
        self.panics += u64::from(!survived);
        self.slow += u64::from(took > SECONDS);
        self.large += u64::from(bytes > BYTES);
        self.longest = self.longest.max(took);
        self.most = self.most.max(bytes);
        if let Some(findings) = findings.filter(|_| !survived || took > SECONDS || bytes > BYTES) {
            let hash = input.iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)));
            let place = findings.join(target.name);
            let kept = fs::create_dir_all(&place)
                .and_then(|()| fs::write(place.join(format!("{hash:016x}")), input));
            if let Err(error) = kept {
                eprintln!("fuzz: cannot save an input in {}: {error}", place.display());
            }
        }
    }

    /// The sum of these results.
    pub fn of(all: &[Seen]) -> Seen {
        let mut seen = Seen::default();
        all.iter().for_each(|other| seen.add(other.clone()));
        seen
    }

    /// Adds the results of another run.
    pub fn add(&mut self, other: Seen) {
        self.inputs += other.inputs;
        self.panics += other.panics;
        self.slow += other.slow;
        self.large += other.large;
        self.longest = self.longest.max(other.longest);
        self.most = self.most.max(other.most);
    }

    /// Whether an input failed.
    pub fn failed(&self) -> bool {
        self.panics + self.slow + self.large > 0
    }

    /// The results in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} inputs, {} panics, {} over {SECONDS} s (longest {:.3} s), {} over {} MiB (most {:.1} MiB)",
            self.inputs,
            self.panics,
            self.slow,
            self.longest,
            self.large,
            BYTES >> 20,
            self.most as f64 / f64::from(1 << 20)
        )
    }
}

/// Runs `inputs` mutations, or fewer if `seconds` of processor time pass before.
pub fn run(target: &Target, seed: u64, inputs: u64, seconds: f64, findings: Option<&Path>) -> Seen {
    let mut seen = Seen::default();
    let seeds = seeds(target);
    let mut random = Random::of_words(&[target.name, &seed.to_string()]);
    let from = clock::thread_cpu().0;
    while seen.inputs < inputs && (!seen.inputs.is_multiple_of(64) || clock::thread_cpu().0 - from < seconds)
    {
        let input = mutate::input(&mut random, &seeds, target.words);
        seen.take(target, &input, findings);
    }
    seen
}
