//! From the text of a description to a [`Machine`], refusing what makes none.

use serde::Deserialize;
use toml::Spanned;

use super::quantity::{As, Time, Ways};
use super::{
    CacheLevel, Core, Inclusion, Index, Machine, MachineError, Mapping, Prefetch, Replacement, Tlb, Write,
};
use crate::units::{Bytes, Hertz, Seconds};

/// Larger caches are taken for a slip of the unit.
const LARGEST: Bytes = Bytes::mib(1024);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: Spanned<String>,
    #[serde(default)]
    description: String,
    clock: Option<As<Hertz>>,
    memory: Option<Memory>,
    #[serde(default)]
    pages: Pages,
    #[serde(default)]
    core: CoreTimes,
    cache: Spanned<Vec<Cache>>,
    #[serde(default)]
    tlb: Vec<TlbEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    latency: Spanned<As<Time>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Pages {
    size: Option<Spanned<As<Bytes>>>,
    mapping: Option<MappingName>,
    seed: Option<Spanned<u64>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CoreTimes {
    in_flight: Option<Spanned<f64>>,
    store: Option<Spanned<As<Time>>>,
    step: Option<Spanned<As<Time>>>,
    pass: Option<Spanned<As<Time>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cache {
    level: Spanned<u8>,
    size: Spanned<As<Bytes>>,
    line: Spanned<As<Bytes>>,
    ways: Spanned<As<Ways>>,
    replacement: Option<Spanned<ReplacementName>>,
    seed: Option<Spanned<u64>>,
    write: Option<Write>,
    allocate: Option<bool>,
    inclusion: Option<Spanned<Inclusion>>,
    index: Option<Index>,
    prefetch: Option<Prefetch>,
    shared_by: Option<usize>,
    latency: Option<Spanned<As<Time>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TlbEntry {
    level: Spanned<u8>,
    entries: Spanned<usize>,
    ways: Spanned<As<Ways>>,
    penalty: Option<Spanned<As<Time>>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum ReplacementName {
    Lru,
    Plru,
    Fifo,
    Random,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum MappingName {
    Identity,
    Random,
}

/// A key, its place in the text, and what is wrong with it.
struct Fault {
    key: &'static str,
    at: usize,
    reason: String,
}

type Checked<T> = Result<T, Fault>;

fn refuse<T, S>(key: &'static str, value: &Spanned<S>, reason: impl Into<String>) -> Checked<T> {
    Err(Fault { key, at: value.span().start, reason: reason.into() })
}

/// The machine that `text` describes.
pub(super) fn machine(text: &str, origin: &str) -> Result<Machine, MachineError> {
    let wrong = |at: usize, key: &str, reason: String| {
        let before = &text.as_bytes()[..at.min(text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        MachineError::Wrong { origin: origin.to_string(), line, key: key.to_string(), reason }
    };
    let parsed: Description = toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start);
        wrong(at, key_at(text, at), e.message().to_string())
    })?;
    parsed.check().map_err(|fault| wrong(fault.at, fault.key, fault.reason))
}

/// The key on the line around byte `at`; the line itself if it has none.
fn key_at(text: &str, at: usize) -> &str {
    let start = text[..at.min(text.len())].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let key = line.split(['=', '#']).next().unwrap_or(line).trim();
    if key.is_empty() { "description" } else { key }
}

impl Description {
    fn check(self) -> Checked<Machine> {
        let clock = self.clock.map(|As(clock)| clock);
        if self.name.get_ref().trim().is_empty() {
            return refuse("name", &self.name, "is empty; give the machine a name");
        }
        if self.cache.get_ref().is_empty() {
            return refuse("cache", &self.cache, "a machine needs at least one [[cache]]");
        }
        let mut levels: Vec<CacheLevel> = Vec::new();
        for cache in self.cache.get_ref() {
            levels.push(cache.check(&levels, clock)?);
        }
        let mut tlbs: Vec<Tlb> = Vec::new();
        for tlb in &self.tlb {
            tlbs.push(tlb.check(tlbs.len(), clock)?);
        }
        let memory_latency = self.memory.map(|memory| time("memory.latency", &memory.latency, clock));
        Ok(Machine {
            name: self.name.into_inner(),
            description: self.description,
            clock,
            page_size: self.pages.size()?,
            mapping: self.pages.mapping()?,
            levels,
            tlbs,
            memory_latency: memory_latency.transpose()?,
            core: self.core.check(clock)?,
            unknown: Vec::new(),
        })
    }
}

impl Pages {
    fn size(&self) -> Checked<Bytes> {
        let Some(given) = &self.size else { return Ok(Bytes::kib(4)) };
        let As(size) = *given.get_ref();
        if !size.0.is_power_of_two() || !(Bytes(512)..=LARGEST).contains(&size) {
            return refuse(
                "pages.size",
                given,
                format!("{size} is no page size; take a power of two from 512 B to {LARGEST}"),
            );
        }
        Ok(size)
    }

    fn mapping(&self) -> Checked<Mapping> {
        match (self.mapping, &self.seed) {
            (Some(MappingName::Random), seed) => {
                Ok(Mapping::Random { seed: seed.as_ref().map_or(1, |s| *s.get_ref()) })
            }
            (_, Some(seed)) => refuse("pages.seed", seed, "only mapping = \"random\" draws from a seed"),
            (_, None) => Ok(Mapping::Identity),
        }
    }
}

impl CoreTimes {
    fn check(&self, clock: Option<Hertz>) -> Checked<Core> {
        let in_flight = match &self.in_flight {
            Some(given) if !(1.0..=1000.0).contains(given.get_ref()) => {
                return refuse("core.in_flight", given, "must be a number from 1 to 1000");
            }
            given => given.as_ref().map_or(1.0, |n| *n.get_ref()),
        };
        let or_nothing = |key, given: &Option<_>| match given {
            Some(given) => time(key, given, clock),
            None => Ok(Seconds(0.0)),
        };
        Ok(Core {
            in_flight,
            store: or_nothing("core.store", &self.store)?,
            step: or_nothing("core.step", &self.step)?,
            pass: or_nothing("core.pass", &self.pass)?,
        })
    }
}

impl Cache {
    fn check(&self, above: &[CacheLevel], clock: Option<Hertz>) -> Checked<CacheLevel> {
        let level = next_level("cache.level", &self.level, above.len())?;
        let line = self.line()?;
        let size = self.size(line)?;
        let ways = self.ways((size.0 / line.0) as usize)?;
        let above = above.last();
        self.fits_under(above, size, line)?;
        Ok(CacheLevel {
            level,
            size,
            line,
            ways,
            shared_by: self.shared_by.unwrap_or(1),
            replacement: self.replacement(ways)?,
            write: self.write.unwrap_or(Write::Back),
            allocate: self.allocate.unwrap_or(true),
            inclusion: self.inclusion.as_ref().map_or(Inclusion::Neither, |i| *i.get_ref()),
            index: self.index.unwrap_or(if level == 1 { Index::Virtual } else { Index::Physical }),
            prefetch: self.prefetch.unwrap_or(Prefetch::None),
            latency: self.latency.as_ref().map(|l| time("cache.latency", l, clock)).transpose()?,
        })
    }

    fn line(&self) -> Checked<Bytes> {
        let As(line) = *self.line.get_ref();
        if !line.0.is_power_of_two() || !(8..=4096).contains(&line.0) {
            let reason = format!("{line} is no line size; take a power of two from 8 B to 4 KiB");
            return refuse("cache.line", &self.line, reason);
        }
        Ok(line)
    }

    fn size(&self, line: Bytes) -> Checked<Bytes> {
        let As(size) = *self.size.get_ref();
        let reason = if size < line {
            format!("{size} is less than one line of {line}")
        } else if size > LARGEST {
            format!("{size} is more than the {LARGEST} that can be modelled; is the unit right?")
        } else if !size.0.is_multiple_of(line.0) {
            format!("{size} is not a whole number of lines of {line}")
        } else {
            return Ok(size);
        };
        refuse("cache.size", &self.size, reason)
    }

    fn ways(&self, lines: usize) -> Checked<usize> {
        let ways = match *self.ways.get_ref() {
            As(Ways::Full) => lines,
            As(Ways::Number(ways)) => ways,
        };
        if !lines.is_multiple_of(ways) {
            let reason = format!("{ways} ways do not divide the {lines} lines of this cache");
            return refuse("cache.ways", &self.ways, reason);
        }
        if ways > 4096 {
            let reason = format!("{ways} ways are more than the 4096 that can be searched");
            return refuse("cache.ways", &self.ways, reason);
        }
        Ok(ways)
    }

    fn replacement(&self, ways: usize) -> Checked<Replacement> {
        let name = self.replacement.as_ref().map_or(ReplacementName::Lru, |r| *r.get_ref());
        match (name, &self.replacement, &self.seed) {
            (ReplacementName::Random, _, seed) => {
                Ok(Replacement::Random { seed: seed.as_ref().map_or(1, |s| *s.get_ref()) })
            }
            (_, _, Some(seed)) => {
                refuse("cache.seed", seed, "only replacement = \"random\" draws from a seed")
            }
            (ReplacementName::Plru, Some(given), _) if !ways.is_power_of_two() || ways > 64 => {
                let reason = format!("\"plru\" needs 1, 2, 4 ... 64 ways, this cache has {ways}");
                refuse("cache.replacement", given, reason)
            }
            (ReplacementName::Plru, ..) => Ok(Replacement::Plru),
            (ReplacementName::Fifo, ..) => Ok(Replacement::Fifo),
            (ReplacementName::Lru, ..) => Ok(Replacement::Lru),
        }
    }

    fn fits_under(&self, above: Option<&CacheLevel>, size: Bytes, line: Bytes) -> Checked<()> {
        let inclusion = self.inclusion.as_ref();
        let Some(above) = above else {
            return match inclusion {
                Some(i) if *i.get_ref() != Inclusion::Neither => {
                    refuse("cache.inclusion", i, "level 1 has no level above it to include or exclude")
                }
                _ => Ok(()),
            };
        };
        if line < above.line {
            let reason = format!("{line} is shorter than the {} of the level above", above.line);
            return refuse("cache.line", &self.line, reason);
        }
        match inclusion {
            Some(i) if *i.get_ref() == Inclusion::Inclusive && size < above.size => refuse(
                "cache.size",
                &self.size,
                format!("{size} cannot include the {} of the level above", above.size),
            ),
            Some(i) if *i.get_ref() == Inclusion::Exclusive && line != above.line => refuse(
                "cache.inclusion",
                i,
                format!("an exclusive level needs the line of the level above, {}", above.line),
            ),
            Some(i) if *i.get_ref() == Inclusion::Exclusive => Ok(()),
            _ if size < above.size => refuse(
                "cache.size",
                &self.size,
                format!("{size} is smaller than the {} of the level above", above.size),
            ),
            _ => Ok(()),
        }
    }
}

impl TlbEntry {
    fn check(&self, above: usize, clock: Option<Hertz>) -> Checked<Tlb> {
        let level = next_level("tlb.level", &self.level, above)?;
        let entries = *self.entries.get_ref();
        if !(1..=65536).contains(&entries) {
            return refuse("tlb.entries", &self.entries, "must be from 1 to 65536");
        }
        let ways = match *self.ways.get_ref() {
            As(Ways::Full) => entries,
            As(Ways::Number(ways)) => ways,
        };
        if !entries.is_multiple_of(ways) {
            let reason = format!("{ways} ways do not divide {entries} entries");
            return refuse("tlb.ways", &self.ways, reason);
        }
        let penalty = self.penalty.as_ref().map(|p| time("tlb.penalty", p, clock)).transpose()?;
        Ok(Tlb { level, entries, ways, penalty })
    }
}

/// Levels are described in order: 1, 2, 3.
fn next_level(key: &'static str, given: &Spanned<u8>, above: usize) -> Checked<u8> {
    if usize::from(*given.get_ref()) != above + 1 || above >= 4 {
        let reason =
            format!("is {}, expected {}; describe levels 1 to 4 in order", given.get_ref(), above + 1);
        return refuse(key, given, reason);
    }
    Ok(*given.get_ref())
}

fn time(key: &'static str, given: &Spanned<As<Time>>, clock: Option<Hertz>) -> Checked<Seconds> {
    let As(time) = given.get_ref();
    match time.with(clock) {
        Some(seconds) => Ok(seconds),
        None => refuse(key, given, "is in cycles, and there is no clock; add clock = \"3.4 GHz\""),
    }
}
