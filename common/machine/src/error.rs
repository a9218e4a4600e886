//! Errors about machines, with advice.

use thiserror::Error;

use figures::text::edit_distance;

use crate::catalogue;

/// A machine that is unknown or cannot be modelled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MachineError {
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
    /// The system does not report its caches.
    #[error(
        "this system does not say what caches it has ({reason}); name a machine with --machine, for example --machine i5-7500"
    )]
    HostUnknown {
        /// What was missing.
        reason: String,
    },
    /// Anything else, as a sentence: there is no such machine, its file cannot be read, or its
    /// caches cannot be modelled.
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
