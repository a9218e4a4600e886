//! Termination signals: Ctrl-C, a closed terminal, a system that shuts down.

use crate::os::{Here, Os};

/// From now on the first signal that asks for an end is only remembered, until
/// [`exit_if_requested`]; the second ends the process at once. What is ignored stays ignored.
pub fn defer() {
    Here::defer_termination();
}

/// Whether the process was asked to end since [`defer`].
pub fn requested() -> bool {
    Here::termination_requested()
}

/// Ends the process by the signal that [`requested`] for it, if one did: the shell
/// sees what it would have seen without [`defer`].
pub fn exit_if_requested() {
    Here::exit_if_requested();
}

/// When the process is asked to end, calls `last` on a thread that did nothing but
/// wait, then ends it as if nobody had listened: the shell sees the signal. To be
/// called once, before any other thread is started. Where the system has no such
/// signals, `last` is never called.
pub fn on_request(last: impl FnOnce() + Send + 'static) {
    Here::on_termination(Box::new(last));
}
