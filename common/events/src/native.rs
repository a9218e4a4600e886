//! Native events, in the notations of `perf`: `pmu/event=0x3c,umask=0/`,
//! `r1a8`, and the names the kernel or sysfs knows.

use thiserror::Error;

use super::kernel;

/// An event of this machine, which the course texts do not name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Native {
    text: String,
    spec: Spec,
}

/// The meaning of a native event's notation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spec {
    /// `rNNNN`: the raw config of the CPU's own PMU.
    Raw(u64),
    /// `pmu/term=value,term/`: a PMU's directory in sysfs and its format terms;
    /// a term without value is the name of one of its events, or a bit.
    Pmu(String, Vec<(String, Option<u64>)>),
    /// A name from `linux/perf_event.h` in the notation of `perf list`.
    Kernel(u32, u64),
    /// A name in the `events` directory of a CPU PMU in sysfs.
    Sysfs(String),
}

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
    #[error("event '{0}' cannot be read; write PMU/TERM=VALUE,TERM=VALUE/, as in cpu/event=0x3c,umask=0x00/")]
    Notation(String),
}

fn hint(close: &[String]) -> String {
    match close {
        [] => "`avail -a` lists the presets, `avail --native` the events of this machine".into(),
        _ => format!("did you mean {}?", close.join(" or ")),
    }
}

impl Native {
    /// Reads any of the notations. A name is known only if the kernel has it or `in_sysfs`
    /// says so.
    pub(super) fn parse(text: &str, in_sysfs: impl Fn(&str) -> bool) -> Result<Option<Native>, EventError> {
        let bare = text.strip_suffix(":u").unwrap_or(text);
        let spec = if bare.contains('/') {
            Some(pmu(bare).ok_or_else(|| EventError::Notation(text.to_owned()))?)
        } else if let Some(config) = raw(bare) {
            Some(Spec::Raw(config))
        } else if let Some((kind, config)) = kernel::lookup(bare) {
            Some(Spec::Kernel(kind, config))
        } else {
            (plain(bare) && in_sysfs(bare)).then(|| Spec::Sysfs(bare.to_owned()))
        };
        Ok(spec.map(|spec| Native { text: text.to_owned(), spec }))
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its meaning.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The origin of the event, in words.
    pub fn description(&self) -> &'static str {
        match self.spec {
            Spec::Raw(_) => "raw event code of this processor",
            Spec::Pmu(..) => "event of a PMU, by its format in sysfs",
            Spec::Kernel(kernel::SOFTWARE, _) => "software event of the kernel",
            Spec::Kernel(..) => "hardware event by the kernel's generic name",
            Spec::Sysfs(_) => "event named in sysfs",
        }
    }
}

/// Whether the text can be the name of a file in sysfs.
fn plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}

fn raw(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('r')?;
    (digits.len() > 1 || digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| u64::from_str_radix(digits, 16).ok())
        .flatten()
}

/// A PMU and its terms; numbers are decimal, or hexadecimal with `0x`.
fn pmu(bare: &str) -> Option<Spec> {
    let (name, rest) = bare.split_once('/')?;
    let term = |term: &str| match term.split_once('=') {
        Some((key, value)) => plain(key).then_some((key.to_owned(), Some(number(value)?))),
        None => plain(term).then_some((term.to_owned(), None)),
    };
    let terms = rest.strip_suffix('/')?.split(',').map(term).collect::<Option<_>>()?;
    plain(name).then(|| Spec::Pmu(name.to_owned(), terms))
}

/// Decimal, or hexadecimal with `0x`.
pub fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Option<Spec> {
        Native::parse(text, |name| name == "ld_blocks").unwrap().map(|n| n.spec)
    }

    #[test]
    fn every_notation_of_perf_is_read() {
        let terms = vec![("event".to_owned(), Some(0x3c)), ("umask".to_owned(), Some(2))];
        assert_eq!(spec("cpu/event=0x3c,umask=2/"), Some(Spec::Pmu("cpu".into(), terms)));
        let one = vec![("instructions".to_owned(), None)];
        assert_eq!(spec("cpu_core/instructions/:u"), Some(Spec::Pmu("cpu_core".into(), one)));
        assert_eq!(spec("r1a8"), Some(Spec::Raw(0x1a8)));
        assert_eq!(spec("task-clock"), Some(Spec::Kernel(kernel::SOFTWARE, 1)));
        assert_eq!(spec("ld_blocks"), Some(Spec::Sysfs("ld_blocks".into())));
        assert_eq!(spec("rubbish"), None);
    }

    #[test]
    fn a_broken_notation_is_refused_with_an_example() {
        for text in ["cpu/event=0x3c", "cpu/event=blue/", "cpu//", "../etc/x=1/", "cpu/../"] {
            let error = Native::parse(text, |_| false).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("as in cpu/event=0x3c"), "{error}");
        }
    }

    #[test]
    fn any_mixture_of_the_notations_is_read_or_refused() {
        const PIECES: &str = "r|1a8|cpu|/|event=|0x|3c|,|umask|=|:u|PAPI_L1_DCM|task-clock|ld_blocks|..|é|\0| \
            |18446744073709551616|cpu/event=1/";
        let pieces: Vec<&str> = PIECES.split('|').collect();
        let mut random = figures::random::Random::new(1);
        for _ in 0..50_000 {
            let count = random.below(7);
            let text = String::from_iter((0..count).map(|_| pieces[random.below(pieces.len())]));
            match Native::parse(&text, |name| name == "ld_blocks") {
                Ok(read) => assert!(read.is_none_or(|read| read.text() == text), "{text}"),
                Err(error) => assert!(text.contains('/') && error.to_string().contains(&text), "{error}"),
            }
        }
    }
}
