//! Termination signals: Ctrl-C, a closed terminal, a system that shuts down.

use crate::os::{Here, Os};

/// From now on the first signal that asks for an end is only remembered, until
/// [`obey`]; the second ends the process at once. What is ignored stays ignored.
pub fn put_off() {
    Here::put_off_the_end();
}

/// Whether the process was asked to end since [`put_off`].
pub fn asked() -> bool {
    Here::asked_to_end()
}

/// Ends the process by the signal that [`asked`] for it, if one did: the shell
/// sees what it would have seen without [`put_off`].
pub fn obey() {
    Here::obey();
}

/// When the process is asked to end, calls `last` on a thread that did nothing but
/// wait, then ends it as if nobody had listened: the shell sees the signal. To be
/// called once, before any other thread is started. Where the system has no such
/// signals, `last` is never called.
pub fn when_asked(last: impl FnOnce() + Send + 'static) {
    Here::when_asked_to_end(Box::new(last));
}
