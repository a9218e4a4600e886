//! How far the model is, on a terminal, where it takes more than a second.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use super::Session;

/// A line that is drawn again and again, and gone in the end.
struct StatusLine {
    /// When it was drawn last, or the work begun.
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
    /// What a model is to inform about the share (0 to 1) of the work that is done, dropped
    /// behind it; nothing where nobody looks.
    pub fn line_of_progress(&self) -> Option<Box<dyn FnMut(f64)>> {
        let mut line = StatusLine { last: Instant::now(), drawn: false };
        let shown = !self.quiet && stderr().is_terminal();
        shown.then(|| Box::new(move |share| line.draw(share)) as Box<dyn FnMut(f64)>)
    }
}
