//! Why a text names no event.

use thiserror::Error;

/// Why a text names no event.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventError {
    /// No preset, no kernel event, no event in this machine's sysfs.
    #[error("there is no event '{name}'; {}", hint(.close))]
    Unknown {
        /// As it was written.
        name: String,
        /// Names like it, the closest first.
        close: Vec<String>,
    },
    /// It looks like `pmu/term=value/` but cannot be read.
    #[error("event '{text}': {why}; write PMU/TERM=VALUE,TERM=VALUE/, as in cpu/event=0x3c,umask=0x00/")]
    Notation {
        /// As it was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

fn hint(close: &[String]) -> String {
    match close {
        [] => "`avail -a` lists the presets, `avail --native` the events of this machine".into(),
        _ => format!("did you mean {}?", close.join(" or ")),
    }
}
