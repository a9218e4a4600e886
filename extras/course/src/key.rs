//! The instructor's secret phrase, and the key: the caches of each student's machine.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::{encoding, input};

use serde::{Deserialize, Serialize};

use crate::draw::Drawn;

/// Shortest phrase in characters: short phrases can be guessed by trying them all.
const MIN_CHARACTERS: usize = 12;
/// Longest phrase, in bytes.
const MAX_PHRASE_BYTES: u64 = 4096;

/// Where the secret words come from: never the command line, which every
/// process of a machine can read.
#[derive(Debug, Clone, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Phrase {
    /// Read the instructor's secret words from standard input
    #[arg(long)]
    key: bool,

    /// Read them from this file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Phrase {
    /// What machines are drawn from.
    /// Fails if the words cannot be read, or are too few.
    pub(crate) fn read(&self) -> Result<String, Failure> {
        let path = self.key_file.as_deref().unwrap_or(Path::new("-"));
        let bytes = match &self.key_file {
            Some(path) => common::system::files::read_at_most(path, MAX_PHRASE_BYTES + 1),
            None => of_input(),
        };
        let (name, bytes) = (input::name(path), bytes.map_err(|error| input::unreadable(path, &error))?);
        if bytes.len() as u64 > MAX_PHRASE_BYTES {
            return Err(Failure::usage(format!("{name} is too long for a key; give a line of words")));
        }
        let words =
            encoding::decode(&bytes).map_err(|why| Failure::usage(format!("{name} is no key: {why}")))?;
        if is_guessed(&words) {
            return Err(Failure::usage(format!(
                "the key in {name}: anybody would try such words; give some that have nothing to do with each other"
            )));
        }
        let words = words.trim();
        if words.chars().count() < MIN_CHARACTERS {
            return Err(Failure::usage(format!(
                "the key in {name}: its words have fewer than {MIN_CHARACTERS} characters, and are soon guessed; use more"
            )));
        }
        Ok(words.to_owned())
    }
}

/// What people choose most, what they join it with, and what a course suggests; longer words first.
const COMMON: &str = "administrator architecture measurement performance university qwertyuiop qwertzuiop \
    superman semester password passwort iloveyou baseball football princess sunshine computer whatever starwars \
    changeme asdfghjkl teacher professor welcome student science zxcvbnm letmein trustno michael charlie \
    systems spring summer autumn winter monkey dragon shadow secret master jordan batman hunter memory qwerty \
    qwertz azerty asdfgh course cache class admin login hello ninja senha exam test kit lab abc the of my";

/// Letters that people write as other characters.
const DISGUISED: [(char, char); 9] = [
    ('@', 'a'),
    ('4', 'a'),
    ('0', 'o'),
    ('1', 'i'),
    ('!', 'i'),
    ('3', 'e'),
    ('$', 's'),
    ('5', 's'),
    ('7', 't'),
];

/// Whether little is left of a phrase without digits and the words that people choose most.
fn is_guessed(phrase: &str) -> bool {
    let plain =
        |c: char| DISGUISED.iter().find(|(disguised, _)| *disguised == c).map_or(c, |(_, plain)| *plain);
    let phrase = phrase.to_lowercase();
    [phrase.clone(), phrase.chars().map(plain).collect()].into_iter().any(|phrase| {
        let mut rest: String = phrase.chars().filter(|c| c.is_alphabetic()).collect();
        COMMON.split_whitespace().for_each(|word| rest = rest.replace(word, ""));
        let letters: Vec<u32> = rest.chars().map(u32::from).collect();
        let steps = letters.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) > 1).count();
        letters.iter().collect::<std::collections::BTreeSet<_>>().len() < 4 || steps < 3
    })
}

fn of_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().take(MAX_PHRASE_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
}

/// The schema of the file with the key.
pub(crate) const SCHEMA: &str = "cache-lab-kit/key/1";

/// The machines of a class with their caches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) schema: String,
    /// The header of the roster's column that names the students; none if they were named on
    /// the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<String>,
    pub(crate) machines: Vec<Answers>,
}

/// One machine and its student.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// The student.
    pub(crate) name: String,
    /// The file that was handed out.
    pub(crate) file: String,
    /// The tag of its seal, which is also in the records made on it.
    pub(crate) seal: String,
    /// Level 1 first.
    pub(crate) levels: Vec<LevelKey>,
    pub(crate) memory_ns: f64,
    pub(crate) tlb_entries: Option<usize>,
}

/// The right values for one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LevelKey {
    pub(crate) size_bytes: u64,
    pub(crate) line_bytes: u64,
    pub(crate) ways: u64,
    pub(crate) hit_ns: f64,
}

/// Clock period of a drawn machine in nanoseconds: 2 GHz.
const CYCLE: f64 = 0.5;

impl Answers {
    pub(crate) fn of(name: &str, file: String, seal: String, drawn: &Drawn) -> Answers {
        let level = |(g, cycles): (crate::draw::Geometry, usize)| LevelKey {
            size_bytes: g.size.0,
            line_bytes: g.line.0,
            ways: g.ways,
            hit_ns: cycles as f64 * CYCLE,
        };
        Answers {
            name: name.to_owned(),
            file,
            seal,
            levels: drawn.levels.into_iter().zip(drawn.cycles).map(level).collect(),
            memory_ns: drawn.memory_ns as f64,
            tlb_entries: drawn.tlb_entries,
        }
    }
}

impl Key {
    /// The header of the students' names.
    pub(crate) fn column(&self) -> &str {
        self.column.as_deref().unwrap_or("student")
    }

    /// Reads `FILE-key.json`.
    /// Fails if the file is not a key.
    pub(crate) fn read(path: &Path) -> Result<Key, Failure> {
        let read: Result<Key, _> = serde_json::from_str(&input::text(path)?);
        read.ok().filter(|key| key.schema == SCHEMA).ok_or_else(|| {
            let name = input::name(path);
            Failure::usage(format!(
                "{name} is not a key; give the JSON file that course mystery wrote next to its folder"
            ))
        })
    }
}
