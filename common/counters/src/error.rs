//! Errors of counting, by PAPI's names, with what helps.

use std::io;

use thiserror::Error;

/// PAPI's error codes, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Invalid argument.
    Einval = -1,
    /// Not enough memory.
    Enomem = -2,
    /// A system call failed.
    Esys = -3,
    /// No such event on this hardware.
    Enoevnt = -7,
    /// The event exists, but the counters for it are taken.
    Ecnflct = -8,
    /// The hardware has no counters.
    Enocntr = -13,
    /// Not permitted.
    Eperm = -15,
}

impl Code {
    /// PAPI's number, which is negative.
    pub fn number(self) -> i32 {
        self as i32
    }
}

/// Why counting failed, or why an event cannot be counted on this machine: PAPI's code, what
/// happened, and what helps.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct CounterError {
    /// PAPI's code.
    pub code: Code,
    /// What happened and what to do, as one sentence.
    pub sentence: String,
}

impl CounterError {
    /// An error with PAPI's `code` for it.
    pub fn new(code: Code, sentence: impl Into<String>) -> CounterError {
        CounterError { code, sentence: sentence.into() }
    }

    /// The buffer of samples was not mapped.
    pub(crate) fn buffer(error: &io::Error) -> CounterError {
        match error.kind() {
            io::ErrorKind::PermissionDenied => CounterError::new(
                Code::Eperm,
                "this process may lock too little memory for a buffer of samples; raise `ulimit -l` or kernel.perf_event_mlock_kb",
            ),
            _ => CounterError::system("mapping the sample buffer", error),
        }
    }

    /// A system call on an open event failed.
    pub(crate) fn system(doing: &str, error: &io::Error) -> CounterError {
        match error.kind() {
            io::ErrorKind::OutOfMemory => {
                CounterError::new(Code::Enomem, format!("{doing}: {error}; close other programs"))
            }
            _ => CounterError::new(Code::Esys, format!("{doing}: {error}; see `avail --self-test`")),
        }
    }
}
