//! The key: the caches of each student's machine.

use std::path::Path;

use common::failure::Failure;
use common::input;

use serde::{Deserialize, Serialize};

use crate::draw::Drawn;

/// The schema of the file with the key.
pub(crate) const SCHEMA: &str = "cache-lab-kit/key/2";

/// The machines of a class with their caches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) schema: String,
    /// The header of the roster's column that names the students.
    pub(crate) column: String,
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
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
}

impl Key {
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
