//! Who writes into the report's folder: the run, or the thread that a signal starts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The right to write into the folder, which one thread has at a time: the run's own,
/// or the one that a signal starts and that ends the run. Holds whether the report is
/// replaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn(Arc<Mutex<bool>>);

impl Turn {
    /// Waits for it.
    pub(crate) fn take(&self) -> MutexGuard<'_, bool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
