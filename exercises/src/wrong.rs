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
    pub hint: String,
}

/// The sorts of failures; their names are those in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The file is as it was handed out, or there is none.
    Unchanged,
    /// The compiler refused the file.
    Compile,
    /// Wrong results, or too many accesses or misses.
    Result,
    /// Too much time.
    Time,
    /// Ended by a signal or a panic.
    Crash,
    /// Ended without a result.
    Ended,
    /// The check itself could not be made.
    Check,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl Wrong {
    /// A wrong result.
    pub fn new(found: impl Into<String>, hint: impl Into<String>) -> Wrong {
        Wrong { reason: Reason::Result, found: found.into(), hint: hint.into() }
    }

    /// A failure of another sort.
    pub fn of(reason: Reason, found: impl Into<String>) -> Wrong {
        Wrong { reason, found: found.into(), hint: String::new() }
    }

    /// The check itself could not be made.
    pub fn unmade(why: impl ToString) -> Wrong {
        Wrong::of(Reason::Check, why.to_string())
            .or_hint("Your function is not the cause: the check itself failed.")
    }

    /// The same with `hint`.
    #[must_use]
    pub fn or_hint(self, hint: &str) -> Wrong {
        Wrong { hint: hint.to_owned(), ..self }
    }
}
