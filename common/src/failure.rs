//! Why a program ends without a result.

use std::fmt::Display;

use thiserror::Error;

/// Why a program ends without a result: one sentence, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// The program could not do it on this machine; exit code 1.
    #[error("{0}")]
    CouldNot(String),
    /// Invalid command line; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The failure has already been printed; exit code 1.
    #[error("")]
    Reported,
}

impl Failure {
    /// The program could not do it: `reason` says what, and what to do about it.
    pub fn could_not(reason: impl Display) -> Failure {
        Failure::CouldNot(reason.to_string())
    }

    /// Invalid command line: `reason` names the value and what is accepted.
    pub fn usage(reason: impl Display) -> Failure {
        Failure::Usage(reason.to_string())
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::CouldNot(_) | Failure::Reported => 1,
            Failure::Usage(_) => 2,
        }
    }
}
