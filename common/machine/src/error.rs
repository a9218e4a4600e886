//! Errors about machines, with advice.

use thiserror::Error;

use figures::text::edit_distance;

use crate::catalogue;

/// Why a machine is unknown or cannot be modelled: a sentence with advice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MachineError {
    /// The system does not report its caches; what was missing.
    #[error(
        "this system does not say what caches it has ({0}); name a machine with --machine, for example --machine i5-7500"
    )]
    HostUnknown(String),
    /// A key of a description is wrong.
    #[error("{origin}, line {line}, {key}: {reason}")]
    Described {
        /// What the reader calls the description: a file, for example.
        origin: String,
        /// The line, counted from 1.
        line: usize,
        /// The key, as it is written there.
        key: String,
        /// What is wrong with its value; a clause.
        reason: String,
    },
    /// Anything else: there is no such machine, its file cannot be read, or its caches cannot be modelled.
    #[error("{0}")]
    Refused(String),
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
        MachineError::Refused(format!(
            "there is no machine '{name}'; choose host, {}, or the path of a description ending in .toml{hint}",
            names.join(", ")
        ))
    }
}
