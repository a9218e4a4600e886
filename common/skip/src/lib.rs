//! Tests that cannot run on a machine: they say so, and the gate lists them.

use std::io::{self, Write};

/// If this is set, a test that cannot run fails.
pub const STRICT: &str = "CACHE_LAB_STRICT_TESTS";

/// Reports that the calling test cannot run, and why. The line bypasses the test harness,
/// which hides the output of passing tests.
///
/// # Panics
///
/// If [`STRICT`] is set.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    assert!(std::env::var_os(STRICT).is_none(), "{name} cannot run: {why}");
    let _ = writeln!(io::stderr(), "SKIPPED {name}: {why}");
}
