//! Being asked to end: Ctrl-C, a terminal that is closed, a system that goes down.

use crate::os::{Here, Os};

/// When the process is asked to end, calls `last` on a thread that did nothing but
/// wait, then ends it as if nobody had listened: the shell sees the signal. To be
/// called once, before any other thread is started. Where the system has no such
/// signals, `last` is never called.
pub fn when_asked(last: impl FnOnce() + Send + 'static) {
    Here::when_asked_to_end(Box::new(last));
}
