//! Which thread may write into the report's folder: the run's, or the signal handler's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The right to write into the folder, for one thread at a time: the run's own, or the
/// signal handler's, which ends the run. The value says whether the report has been
/// replaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn(Arc<Mutex<bool>>);

impl Turn {
    /// Waits for the right to write.
    pub(crate) fn take(&self) -> MutexGuard<'_, bool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
