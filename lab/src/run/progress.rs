//! What is running, on a terminal's stderr. It is written between measured regions only: no
//! other thread runs next to them.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use common::output;

/// The steps of a run.
#[derive(Debug)]
pub(super) struct Progress {
    steps: Vec<String>,
    current: usize,
    drawn: Option<Instant>,
    shown: bool,
    quiet: bool,
}

impl Progress {
    /// Shows the first of `steps`, unless it must be quiet.
    pub(super) fn new(steps: Vec<String>, quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let mut progress = Progress { steps, current: 0, drawn: None, shown, quiet };
        progress.at(0.0);
        progress
    }

    /// Reports that `share` (0 to 1) of the current step is done.
    pub(super) fn at(&mut self, share: f64) {
        let fresh = self.drawn.is_some_and(|drawn| drawn.elapsed() < Duration::from_millis(200));
        if let Some(step) = self.steps.get(self.current).filter(|_| self.shown && !fresh) {
            // It fits 40 columns.
            draw(&format!("{}/{} {step} {:.0} %", self.current + 1, self.steps.len(), 100.0 * share));
            self.drawn = Some(Instant::now());
        }
    }

    /// Reports that the current step is done.
    pub(super) fn next(&mut self) {
        self.drawn = None;
        self.at(1.0);
        if self.shown {
            eprintln!();
        }
        self.current += 1;
        self.drawn = None;
        self.at(0.0);
    }

    /// Prints a line of its own, unless it must be quiet.
    pub(super) fn say(&mut self, text: &str) {
        if self.shown {
            draw("");
        }
        if !self.quiet {
            output::message(text);
        }
        self.drawn = None;
    }
}

fn draw(line: &str) {
    let mut out = std::io::stderr().lock();
    // A closed terminal is no reason to stop measuring.
    let _ = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
}
