//! The key: the caches of each student's machine.

use std::path::Path;

use common::failure::Failure;
use common::input;

use serde::{Deserialize, Serialize};

use crate::draw::{Drawn, Geometry};

/// The schema of the file with the key.
pub(crate) const SCHEMA: &str = "cache-lab-kit/key/2";

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
    pub(crate) levels: [LevelKey; 2],
    pub(crate) memory_ns: f64,
}

/// The right values for one level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
        let level = |at: usize| {
            let Geometry { size, line, ways } = drawn.levels[at];
            let hit_ns = drawn.cycles[at] as f64 * CYCLE;
            LevelKey { size_bytes: size.0, line_bytes: line.0, ways, hit_ns }
        };
        let (name, levels, memory_ns) = (name.to_owned(), [level(0), level(1)], drawn.memory_ns as f64);
        Answers { name, file, seal, levels, memory_ns }
    }

    /// The machine that was drawn.
    pub(crate) fn drawn(&self) -> Drawn {
        let levels = self.levels.map(|level| Geometry::new(level.size_bytes, level.line_bytes, level.ways));
        let cycles = self.levels.map(|level| (level.hit_ns / CYCLE).round() as usize);
        Drawn { levels, cycles, memory_ns: self.memory_ns.round() as usize }
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
