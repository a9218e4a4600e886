//! What is running and how long it will take, on a terminal's stderr. It is written between
//! measured regions only: no other thread runs next to them.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use common::output;

/// One experiment's line in the list of steps.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    /// Seconds expected.
    pub(crate) expected: f64,
}

/// The state of the run.
#[derive(Debug)]
pub(crate) struct Progress {
    steps: Vec<Step>,
    current: usize,
    started: Instant,
    drawn: Option<Instant>,
    shown: bool,
    quiet: bool,
}

impl Progress {
    /// Prints the list of `steps`, unless it must be quiet.
    pub(crate) fn new(steps: Vec<Step>, quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { steps, current: 0, started: Instant::now(), drawn: None, shown, quiet }
    }

    /// Reports that `share` (0 to 1) of the current step is done.
    pub(crate) fn at(&mut self, share: f64) {
        let fresh = self.drawn.is_some_and(|drawn| drawn.elapsed().as_secs_f64() < 0.2);
        let Some(step) = self.steps.get(self.current).filter(|_| self.shown && !fresh) else { return };
        let left = duration(self.left(step, share));
        let line = format!("{} {:.0} %, {left} left", self.name(step), 100.0 * share);
        self.draw(&line);
        self.drawn = Some(Instant::now());
    }

    /// Reports that the current step is done.
    pub(crate) fn next(&mut self) {
        let took = self.started.elapsed().as_secs_f64();
        if let Some(step) = self.steps.get(self.current).filter(|_| self.shown) {
            let line = format!("{}: {}", self.name(step), duration(took));
            self.draw(&line);
            eprintln!();
        }
        self.current += 1;
        self.started = Instant::now();
        self.drawn = None;
        self.at(0.0);
    }

    /// Prints a line of its own, unless it must be quiet.
    pub(crate) fn say(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        if self.shown {
            self.draw("");
        }
        output::message(text);
        self.drawn = None;
    }

    /// `3/8 cm1 on L2`: with the rest of the line it fits 40 columns.
    fn name(&self, step: &Step) -> String {
        format!("{}/{} {}", self.current + 1, self.steps.len(), step.name)
    }

    /// Seconds until the end: of this step by its own pace once that is known, of the
    /// others as expected.
    fn left(&self, step: &Step, share: f64) -> f64 {
        let elapsed = self.started.elapsed().as_secs_f64();
        let here = if share > 0.05 { elapsed / share - elapsed } else { step.expected - elapsed };
        here.max(0.0) + self.steps[self.current + 1..].iter().map(|s| s.expected).sum::<f64>()
    }

    fn draw(&self, line: &str) {
        let mut out = std::io::stderr().lock();
        // A closed terminal is no reason to stop measuring.
        let _ = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 90.0 => format!("{s:.0} s"),
        s => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_this_steps_pace_and_the_others_expectation() {
        let step = |expected| Step { name: "a".into(), expected };
        let mut progress = Progress::new(vec![step(2.0), step(5.0)], false);
        progress.started = Instant::now() - std::time::Duration::from_secs(10);
        let left = progress.left(&progress.steps[0], 0.5);
        assert!((14.9..15.5).contains(&left), "{left}");
        assert!(progress.left(&progress.steps[0], 0.0) < 5.1, "an overdue step is nearly done");
    }

    #[test]
    fn durations_are_read_at_a_glance() {
        assert_eq!([3.12, 42.4, 125.0].map(duration), ["3.1 s", "42 s", "2 min 05 s"]);
    }
}
