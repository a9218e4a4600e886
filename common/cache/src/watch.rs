//! Who is told how far the kernel is.

use std::fmt;

/// Times that one is told at most along a way.
const TIMES: f64 = 1000.0;

#[derive(Default)]
pub(super) struct Watch {
    told: Option<Box<dyn FnMut(f64)>>,
    /// Bytes that inner loops go along in all, how many they have, and how many they had as
    /// it was told last; none where turns of an outer loop are counted.
    along: Option<[f64; 3]>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("along", &self.along).finish_non_exhaustive()
    }
}

impl Watch {
    pub(super) fn of_turns(told: impl FnMut(f64) + 'static) -> Watch {
        Watch { told: Some(Box::new(told)), along: None }
    }

    pub(super) fn along(bytes: f64, told: impl FnMut(f64) + 'static) -> Watch {
        Watch { told: Some(Box::new(told)), along: Some([bytes, 0.0, 0.0]) }
    }

    /// Such a share of the outer loop is done.
    pub(super) fn tell(&mut self, share: f64) {
        if let (Some(told), None) = (&mut self.told, self.along) {
            told(share);
        }
    }

    pub(super) fn is_along(&self) -> bool {
        self.along.is_some()
    }

    /// An inner loop has gone along so many bytes.
    pub(super) fn go_along(&mut self, bytes: usize) {
        let Some([all, done, then]) = &mut self.along else { return };
        *done += bytes as f64;
        if *done - *then > *all / TIMES
            && let Some(told) = &mut self.told
        {
            *then = *done;
            told((*done / *all).min(1.0));
        }
    }
}
