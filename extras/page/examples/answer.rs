//! Answers the page's requests outside a browser, one per line: the reference for tests of
//! the page.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::OnceLock;
use std::time::Instant;

use tab::{Clock, Lab};

/// Milliseconds since the first reading, like a page's clock.
extern "C" fn now() -> f64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

extern "C" fn progress(_: u32) {}

extern "C" fn point(_: f64, _: f64) {}

fn main() -> std::io::Result<()> {
    let mut lab = Lab::new(Clock { now, progress, point });
    for request in stdin().lock().lines() {
        writeln!(stdout(), "{}", lab.answer(&request?))?;
    }
    Ok(())
}
