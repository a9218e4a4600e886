//! Inputs that failed once no longer fail, and new ones that are nearly valid find nothing.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use fuzz::{TARGETS, Target, seeds};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Longest accepted time for one input, on a slow and busy machine.
const LONGEST: Duration = Duration::from_secs(20);
/// Largest mutated input in bytes; the readers' own limits are tested elsewhere.
const LARGEST: usize = 1 << 13;

/// The words of a dictionary: `"text"`, with `\xNN` for a byte.
fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let word = |line: &str| {
        let mut parts = line.trim_matches('"').split("\\x");
        let mut word = parts.next().unwrap().as_bytes().to_vec();
        for part in parts {
            word.push(u8::from_str_radix(&part[..2], 16).unwrap());
            word.extend(part[2..].bytes());
        }
        word
    };
    dictionary.lines().map(word).collect()
}

/// A change of an input: `with` replaces the bytes from a place on, or the lines.
#[derive(Debug, Clone)]
enum Change {
    Bytes(Index, usize, Vec<u8>),
    Repeat(Index, usize, usize),
    CutOff(Index),
    SwapLines(Index, Index),
}

fn change(words: Vec<Vec<u8>>) -> impl Strategy<Value = Change> {
    let numbers = ["0", "-1", "1e308", "0.5", "4096", "65537", "9223372036854775808", "18446744073709551615"];
    let numbers: Vec<Vec<u8>> = numbers.iter().map(|number| number.as_bytes().to_vec()).collect();
    let with = prop_oneof![4 => select(words), 2 => select(numbers), 2 => vec(any::<u8>(), 0..24)];
    prop_oneof![
        8 => (any::<Index>(), 0..24usize, with).prop_map(|(at, length, with)| Change::Bytes(at, length, with)),
        2 => (any::<Index>(), 1..40usize, 1..20usize).prop_map(|(at, length, n)| Change::Repeat(at, length, n)),
        1 => any::<Index>().prop_map(Change::CutOff),
        1 => any::<(Index, Index)>().prop_map(|(one, other)| Change::SwapLines(one, other)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let place = |at: &Index| at.index(bytes.len() + 1);
        let stretch = |at: &Index, length: usize| place(at)..(place(at) + length).min(bytes.len());
        match change {
            Change::Bytes(at, length, with) => _ = bytes.splice(stretch(at, *length), with.iter().copied()),
            Change::Repeat(at, length, times) => {
                let stretch = stretch(at, *length);
                let copy = bytes[stretch.clone()].repeat(*times);
                bytes.splice(stretch, copy);
            }
            Change::CutOff(at) => bytes.truncate(place(at)),
            Change::SwapLines(one, other) => {
                let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                lines.swap(one, other);
                bytes = lines.join(&b'\n');
            }
        }
    }
    bytes.truncate(LARGEST);
    bytes
}

fn survives(target: &Target, input: &[u8]) -> Result<(), TestCaseError> {
    let from = Instant::now();
    (target.run)(input);
    prop_assert!(from.elapsed() < LONGEST, "{:?}", from.elapsed());
    Ok(())
}

#[test]
fn readers_survive_any_input() {
    for target in TARGETS {
        let seeds = seeds(target);
        assert!(!seeds.is_empty(), "{} has no corpus", target.name);
        seeds.iter().for_each(|seed| survives(target, seed).unwrap());
        let config = Config { cases: 8000, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let inputs = (select(seeds), vec(change(words(target.dictionary)), 1..8));
        let inputs = inputs.prop_map(|(seed, changes)| changed(seed, &changes));
        let seen = runner.run(&inputs, |input| survives(target, &input));
        seen.unwrap_or_else(|failure| panic!("{}: {failure}", target.name));
    }
}
