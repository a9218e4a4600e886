//! Why a program ends without a result.

use std::fmt::Display;

use thiserror::Error;

/// Why a program ends without a result: one sentence, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// It could not be done on this machine; exit code 1.
    #[error("{0}")]
    CouldNot(String),
    /// It was asked for wrongly; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Everything is printed already, and it is not good news; exit code 1.
    #[error("")]
    Reported,
}

impl Failure {
    /// It could not be done: `reason` says what and what to do about it.
    pub fn could_not(reason: impl Display) -> Failure {
        Failure::CouldNot(reason.to_string())
    }

    /// It was asked for wrongly: `reason` names the value and what is accepted.
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

impl From<latency::LatencyError> for Failure {
    fn from(error: latency::LatencyError) -> Failure {
        Failure::could_not(error)
    }
}
