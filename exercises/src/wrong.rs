//! What is wrong with a solution.

use std::fmt;

/// What is wrong with a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The sort of failure, as in the JSON.
    pub reason: Reason,
    /// What was found, with its figures.
    pub found: String,
    /// Where to look; empty if `found` says it all.
    pub hint: &'static str,
}

/// The sorts of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The file is as it was handed out, or there is none.
    Unchanged,
    /// The compiler refused the file.
    Compile,
    /// Wrong results, or too many accesses or misses.
    Result,
    /// More than 100 times the accesses of a solution.
    Accesses,
    /// Too much time.
    Time,
    /// Too much memory.
    Memory,
    /// Another process or thread, or a signal to one.
    Processes,
    /// Ended by a signal or a panic.
    Crash,
    /// Ended without a result, or wrote to what belongs to the check.
    Ended,
    /// The check itself could not be made.
    Check,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Unchanged => "unchanged",
            Reason::Compile => "compile",
            Reason::Result => "result",
            Reason::Accesses => "accesses",
            Reason::Time => "time",
            Reason::Memory => "memory",
            Reason::Processes => "processes",
            Reason::Crash => "crash",
            Reason::Ended => "ended",
            Reason::Check => "check",
        })
    }
}

impl Wrong {
    /// A wrong result.
    pub fn new(found: impl Into<String>, hint: &'static str) -> Wrong {
        Wrong { reason: Reason::Result, found: found.into(), hint }
    }

    /// A failure of another sort.
    pub fn of(reason: Reason, found: impl Into<String>) -> Wrong {
        Wrong { reason, found: found.into(), hint: "" }
    }

    /// The check itself could not be made.
    pub fn unmade(why: impl ToString) -> Wrong {
        Wrong {
            hint: "Your function is not the cause: the check itself failed.",
            ..Wrong::of(Reason::Check, why.to_string())
        }
    }

    /// The same with `hint`, if it has none.
    #[must_use]
    pub fn or_hint(self, hint: &'static str) -> Wrong {
        if self.hint.is_empty() { Wrong { hint, ..self } } else { self }
    }
}
