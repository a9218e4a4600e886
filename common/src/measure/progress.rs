//! The progress of a model run that takes more than a second, and of a sweep, on a terminal.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use super::Session;

/// A line that is redrawn, and removed at the end.
struct StatusLine {
    /// When it was last drawn, or the work began.
    last: Instant,
    drawn: bool,
}

impl StatusLine {
    fn draw(&mut self, share: f64) {
        if self.last.elapsed() > Duration::from_secs(1) {
            eprint!("\rmodelling: {:.0} % ", 100.0 * share);
            (self.last, self.drawn) = (Instant::now(), true);
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if self.drawn {
            eprint!("\r\x1b[K");
        }
    }
}

impl Session {
    /// Draws that `done` of `all` parts are measured, on a terminal to which no results are
    /// printed; at the end removes that.
    pub fn progress(&self, done: usize, all: usize) {
        if self.quiet || !stderr().is_terminal() || stdout().is_terminal() {
            return;
        }
        // A closed terminal is no reason to stop measuring.
        let _ = match done < all {
            true => write!(stderr(), "\rmeasured {done} of {all} "),
            false => write!(stderr(), "\r\x1b[K"),
        };
    }

    /// The callback to which a model reports the share (0 to 1) of its work that is done;
    /// it is dropped after the run. None without a terminal.
    pub fn line_of_progress(&self) -> Option<Box<dyn FnMut(f64)>> {
        let mut line = StatusLine { last: Instant::now(), drawn: false };
        let shown = !self.quiet && stderr().is_terminal();
        shown.then(|| Box::new(move |share| line.draw(share)) as Box<dyn FnMut(f64)>)
    }
}
