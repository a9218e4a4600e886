//! A cache, as the system or the processor describes it.

use figures::text::listed;
use figures::units::Bytes;

/// What a cache contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// The source of a cache's description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teller {
    /// Linux, in `/sys`.
    Sysfs,
    /// macOS.
    Sysctl,
    /// The processor.
    Cpuid,
}

impl Teller {
    /// The name of the source in one word.
    pub fn name(self) -> &'static str {
        match self {
            Teller::Sysfs => "sysfs",
            Teller::Sysctl => "sysctl",
            Teller::Cpuid => "cpuid",
        }
    }
}

/// One cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u8,
    /// What it contains.
    pub kind: CacheKind,
    /// Its size; 0 if that is not reported.
    pub size: Bytes,
    /// Its line size; 0 if that is not reported.
    pub line: Bytes,
    /// Lines per set.
    pub ways: Option<u64>,
    /// Number of sets.
    pub sets: Option<u64>,
    /// The logical processors that share it.
    pub shared_by: Option<Sharers>,
    /// The source.
    pub teller: Teller,
}

/// The logical processors that share a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharers {
    /// These, as the kernel lists them: `0-3,8`.
    Listed(String),
    /// At most this many: CPUID reports how many numbers are reserved for them, of which
    /// this process may use fewer.
    AtMost(usize),
}

impl Cache {
    /// Whether it contains data.
    pub fn holds_data(&self) -> bool {
        self.kind != CacheKind::Instruction
    }

    /// Why no cache can be as described; a clause.
    pub fn fault(&self) -> Option<String> {
        let (size, line) = (self.size, self.line);
        let missing: Vec<&str> = [("size", size.0 > 0), ("line", line.0 > 0), ("ways", self.ways.is_some())]
            .into_iter()
            .filter_map(|(name, told)| (!told).then_some(name))
            .collect();
        if !missing.is_empty() {
            return Some(format!("does not say its {}", missing.join(", ")));
        }
        let ways = self.ways.unwrap_or_default();
        let lines = size.0 / line.0;
        if !line.0.is_power_of_two() || !size.0.is_multiple_of(line.0) {
            return Some(format!("says {size} with lines of {line}, which no cache has"));
        }
        if ways == 0 || lines == 0 || !lines.is_multiple_of(ways) {
            return Some(format!(
                "says {size} with {ways} ways, but its {lines} lines make no sets of {ways}"
            ));
        }
        // (CPUID may report several partitions of so many sets)
        let sets = self.sets.filter(|_| self.teller != Teller::Cpuid)?;
        let product = sets.saturating_mul(ways).saturating_mul(line.0);
        (product != size.0)
            .then(|| format!("says {size}, but {sets} sets of {ways} lines of {line} are {}", Bytes(product)))
    }

    /// How many logical processors share it; 1 if that is not reported.
    pub fn sharers(&self) -> usize {
        match &self.shared_by {
            Some(Sharers::Listed(list)) => listed(list).len().max(1),
            Some(Sharers::AtMost(most)) => *most,
            None => 1,
        }
    }
}
