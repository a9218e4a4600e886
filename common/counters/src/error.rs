//! Errors of counting, by PAPI's names, with what helps.

use std::fmt;
use std::io;

use super::refusal::Refusal;

/// PAPI's error codes, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Invalid argument.
    Einval = -1,
    /// Not enough memory.
    Enomem = -2,
    /// A system call failed.
    Esys = -3,
    /// Access to the counters was lost.
    Eclost = -5,
    /// No such event on this hardware.
    Enoevnt = -7,
    /// The event exists, but the counters for it are taken.
    Ecnflct = -8,
    /// The event set is not running.
    Enotrun = -9,
    /// The event set is running.
    Eisrun = -10,
    /// No such event set.
    Enoevst = -11,
    /// Not a preset.
    Enotpreset = -12,
    /// The hardware has no counters.
    Enocntr = -13,
    /// Anything else.
    Emisc = -14,
    /// Not permitted.
    Eperm = -15,
}

impl Code {
    /// All of them.
    pub const ALL: [Code; 13] = [
        Code::Einval,
        Code::Enomem,
        Code::Esys,
        Code::Eclost,
        Code::Enoevnt,
        Code::Ecnflct,
        Code::Enotrun,
        Code::Eisrun,
        Code::Enoevst,
        Code::Enotpreset,
        Code::Enocntr,
        Code::Emisc,
        Code::Eperm,
    ];

    /// As in `PAPI_EINVAL`.
    pub fn name(self) -> &'static str {
        match self {
            Code::Einval => "PAPI_EINVAL",
            Code::Enomem => "PAPI_ENOMEM",
            Code::Esys => "PAPI_ESYS",
            Code::Eclost => "PAPI_ECLOST",
            Code::Enoevnt => "PAPI_ENOEVNT",
            Code::Ecnflct => "PAPI_ECNFLCT",
            Code::Enotrun => "PAPI_ENOTRUN",
            Code::Eisrun => "PAPI_EISRUN",
            Code::Enoevst => "PAPI_ENOEVST",
            Code::Enotpreset => "PAPI_ENOTPRESET",
            Code::Enocntr => "PAPI_ENOCNTR",
            Code::Emisc => "PAPI_EMISC",
            Code::Eperm => "PAPI_EPERM",
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Code::Einval => "invalid argument",
            Code::Enomem => "not enough memory",
            Code::Esys => "a system call failed",
            Code::Eclost => "access to the counters was lost",
            Code::Enoevnt => "this hardware has no such event",
            Code::Ecnflct => "the event exists, but its counters are taken",
            Code::Enotrun => "the event set is not running",
            Code::Eisrun => "the event set is running",
            Code::Enoevst => "there is no such event set",
            Code::Enotpreset => "the event is no preset",
            Code::Enocntr => "the hardware has no counters",
            Code::Emisc => "another error",
            Code::Eperm => "not permitted",
        }
    }

    /// PAPI's number, which is negative.
    pub fn number(self) -> i32 {
        self as i32
    }
}

/// Why counting failed: PAPI's code, what happened, and what helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterError {
    /// PAPI's code.
    pub code: Code,
    /// What happened and what to do, as one sentence.
    pub sentence: String,
}

impl CounterError {
    /// An error with PAPI's `code` for it.
    pub fn new(code: Code, sentence: impl Into<String>) -> CounterError {
        CounterError { code, sentence: sentence.into() }
    }

    /// The buffer of samples was not mapped.
    pub(crate) fn buffer(error: &io::Error) -> CounterError {
        match error.kind() {
            io::ErrorKind::PermissionDenied => CounterError::new(
                Code::Eperm,
                "this process may lock too little memory for a buffer of samples; raise `ulimit -l` or kernel.perf_event_mlock_kb",
            ),
            _ => CounterError::system("mapping the sample buffer", error),
        }
    }

    /// A system call on an open event failed.
    pub(crate) fn system(doing: &str, error: &io::Error) -> CounterError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => CounterError::new(
                Code::Ecnflct,
                format!(
                    "{doing}: the kernel found no free counter for an event that must always have one; count fewer at once"
                ),
            ),
            io::ErrorKind::OutOfMemory => {
                CounterError::new(Code::Enomem, format!("{doing}: {error}; close other programs"))
            }
            _ => CounterError::new(Code::Esys, format!("{doing}: {error}; see `avail --self-test`")),
        }
    }
}

impl fmt::Display for CounterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.code.name(), self.code.meaning(), self.sentence)
    }
}

impl std::error::Error for CounterError {}

impl Refusal {
    /// PAPI's code for it.
    pub fn code(&self) -> Code {
        match self {
            Refusal::NoPmuInVm(_)
            | Refusal::NoPmu
            | Refusal::NoPerf
            | Refusal::Silent { .. }
            | Refusal::Jumps { .. } => Code::Enocntr,
            Refusal::NoInstructions
            | Refusal::NotOnThisCpu { .. }
            | Refusal::NotMapped { .. }
            | Refusal::NoInterrupt { .. }
            | Refusal::NoSuchPmu { .. }
            | Refusal::NoSuchTerm { .. } => Code::Enoevnt,
            Refusal::Paranoid { .. }
            | Refusal::KernelEvent { .. }
            | Refusal::KernelIncluded { .. }
            | Refusal::Sealed { .. } => Code::Eperm,
            Refusal::NeverRan { .. } | Refusal::Busy { .. } => Code::Ecnflct,
            Refusal::Invalid { .. } | Refusal::Uncore { .. } => Code::Einval,
            Refusal::System { .. } => Code::Esys,
            Refusal::Several(all) => all.first().map_or(Code::Emisc, Refusal::code),
        }
    }
}

impl From<Refusal> for CounterError {
    fn from(refusal: Refusal) -> CounterError {
        CounterError::new(refusal.code(), refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_papis_code_its_meaning_and_a_remedy() {
        let error = CounterError::from(Refusal::Paranoid { level: 3, container: false });
        let text = error.to_string();
        assert!(text.starts_with("PAPI_EPERM (not permitted): kernel.perf_event_paranoid is 3"), "{text}");
        assert!(text.contains("sudo sysctl kernel.perf_event_paranoid=2"), "{text}");
        let numbers: std::collections::HashSet<i32> = Code::ALL.iter().map(|c| c.number()).collect();
        assert_eq!(numbers.len(), Code::ALL.len());
    }
}
