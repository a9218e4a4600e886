//! Termination signals: Ctrl-C, a closed terminal, a system that shuts down.

use crate::os;

/// From now on the first termination signal is only stored, until [`exit_if_requested`];
/// the second ends the process at once. Signals that are ignored stay ignored.
pub fn defer() {
    os::defer_termination();
}

/// From now on `child`, a process by its number, receives what [`defer`] stores; `None`: no process does.
pub fn pass_to(child: Option<u32>) {
    os::pass_signals_to(child);
}

/// Whether there was a termination signal since [`defer`].
pub fn requested() -> bool {
    os::termination_requested()
}

/// Ends the process by the stored signal, if there was one: the shell sees the same as
/// without [`defer`].
pub fn exit_if_requested() {
    os::exit_if_requested();
}
