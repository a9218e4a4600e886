//! Errors about machines, with advice.

use std::path::PathBuf;

use thiserror::Error;

use figures::text::edit_distance;

use super::catalogue;

/// A machine that is unknown or cannot be modelled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MachineError {
    /// Neither in the catalogue nor a file.
    #[error(
        "there is no machine '{name}'; choose host, {known}, or the path of a description ending in .toml{hint}"
    )]
    NoSuch {
        /// As given.
        name: String,
        /// The catalogue's names.
        known: String,
        /// `; did you mean X?`, or nothing.
        hint: String,
    },
    /// The file does not exist or is not text.
    #[error("cannot read the machine description {}: {reason}; `lab machines` names those that the kit has", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// A file without a key.
    #[error(
        "there is nothing in {origin}; start from a description that the kit has: `lab machines i5-7500` prints it"
    )]
    Empty {
        /// The file.
        origin: String,
    },
    /// A key of a description.
    #[error("{origin}, line {line}, {key}: {reason}")]
    Wrong {
        /// The file, or the name in the catalogue.
        origin: String,
        /// Line number, from 1.
        line: usize,
        /// Key, with its table: `cache.ways`.
        key: String,
        /// What is wrong with it, and what is accepted.
        reason: String,
    },
    /// The file was changed after it was sealed.
    #[error(
        "{origin}: its seal does not open, so nothing is known of this machine: the file was changed, or is of another version of the kit or other programs; get it again (lab mystery makes it)"
    )]
    DamagedSeal {
        /// The file.
        origin: String,
    },
    /// The system does not report its caches.
    #[error(
        "this system does not say what caches it has ({reason}); name a machine with --machine, for example --machine i5-7500"
    )]
    HostUnknown {
        /// What was missing.
        reason: String,
    },
    /// Its caches are not described, so there is nothing to model.
    #[error("{reason}")]
    Undescribed {
        /// What is unknown, and what helps.
        reason: String,
    },
    /// The arrays are larger than the model's line numbers reach.
    #[error(
        "the cache model reaches {reach} bytes with lines of {line} bytes, the arrays need {bytes}; choose a smaller size or longer lines"
    )]
    TooMuchMemory {
        /// Bytes of the arrays.
        bytes: usize,
        /// Bytes that can be modelled.
        reach: usize,
        /// Shortest line of the machine.
        line: usize,
    },
}

impl MachineError {
    pub(super) fn no_such(name: &str) -> MachineError {
        let names: Vec<&str> = catalogue().iter().map(|entry| entry.name).collect();
        let begun = |known: &str| name.len() > 1 && known.starts_with(name);
        let close = names.iter().min_by_key(|known| (!begun(known), edit_distance(known, name)));
        let hint = match close {
            Some(close) if begun(close) || edit_distance(close, name) <= 3 => {
                format!("; did you mean {close}?")
            }
            _ => String::new(),
        };
        MachineError::NoSuch { name: name.to_string(), known: names.join(", "), hint }
    }
}
