//! Inputs that failed once no longer fail, and half a second of new inputs for each reader
//! finds nothing. (`cargo run -p fuzz` takes longer.)

#![allow(clippy::unwrap_used)]

use fuzz::run::{self, Seen};
use fuzz::{TARGETS, watch};

#[global_allocator]
static WATCHED: watch::Watched = watch::Watched;

#[test]
fn readers_survive_any_input() {
    for target in TARGETS {
        let seeds = run::seeds(target);
        assert!(!seeds.is_empty(), "{} has no corpus", target.name);
        let mut seen = Seen::default();
        seeds.iter().for_each(|seed| seen.take(target, seed, None));
        let replayed = seen.inputs;
        seen.add(run::run(target, 18, u64::MAX, 0.5, None));
        println!("{:<8} {replayed} replayed; {}", target.name, seen.summary());
        assert!(!seen.failed(), "{}: {}; `cargo run -p fuzz` saves the input", target.name, seen.summary());
    }
}
