//! What is wrong with a kernel.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The measured facts of a right kernel, or what is wrong with it.
pub type Checked = Result<Vec<String>, Wrong>;

/// What is wrong with a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// What was found, with its figures.
    pub found: String,
    /// Where to look.
    pub hint: &'static str,
}

impl Wrong {
    pub(crate) fn new(found: impl Into<String>, hint: &'static str) -> Wrong {
        Wrong { found: found.into(), hint }
    }

    /// The check itself could not be made.
    pub(super) fn unmade(why: impl ToString) -> Wrong {
        Wrong::new(why.to_string(), "Your kernel is not the cause: the check itself failed.")
    }
}

/// The result of `work`, or the message of its panic.
pub(super) fn tried<T>(hint: &'static str, work: impl FnOnce() -> T) -> Result<T, Wrong> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Wrong::new(format!("your function stopped with an error: {said}"), hint)
    })
}
