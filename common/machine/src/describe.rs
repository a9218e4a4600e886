//! Reads a description into a [`Machine`], and refuses invalid ones.

use serde::Deserialize;
use toml::Spanned;

mod checked;
mod levels;

use super::{CacheLevel, Core, Machine, MachineError, Mapping, Tlb, Walk};
use checked::{Checked, Given, LARGEST, bytes, hertz, refuse, time};
use figures::text::{is_unprintable, says_nothing, shorten};
use figures::units::{Bytes, Hertz, Seconds};
use levels::{Cache, TlbEntry};

/// The longest description, in bytes: the catalogue's have 3,000.
pub const LONGEST: usize = 256 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: Spanned<String>,
    description: Option<Spanned<String>>,
    clock: Option<Given>,
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
    latency: Given,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Pages {
    size: Option<Given>,
    mapping: Option<MappingName>,
    seed: Option<Spanned<u64>>,
    walk: Option<Spanned<WalkName>>,
    walk_levels: Option<Spanned<u8>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
enum WalkName {
    L1,
    L2,
    #[serde(rename = "none")]
    None,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CoreTimes {
    in_flight: Option<Spanned<f64>>,
    store: Option<Given>,
    step: Option<Given>,
    pass: Option<Given>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum MappingName {
    Identity,
    Random,
}

impl Machine {
    /// The machine described by `text`; errors call it `origin`.
    /// Fails if it describes no machine that can be modelled.
    pub fn from_toml(text: &str, origin: &str) -> Result<Machine, MachineError> {
        let wrong = |at: usize, key: &str, reason: String| {
            let before = &text.as_bytes()[..at.min(text.len())];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            // Both may repeat any text in the file.
            let (key, reason) = (shorten(key, 60), shorten(&reason, 600));
            MachineError::Described { origin: origin.to_owned(), line, key, reason }
        };
        if text.len() > LONGEST {
            return Err(wrong(
                0,
                "description",
                format!("has more than {LONGEST} bytes; is it a description?"),
            ));
        }
        if says_nothing(text) {
            return Err(MachineError::Refused(format!(
                "there is nothing in {origin}; start from a description that the kit has: `lab machines i5-7500` prints it"
            )));
        }
        let parsed: Description = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            wrong(at, key_at(text, at), e.message().to_string())
        })?;
        parsed.check().map_err(|fault| wrong(fault.at, fault.key, fault.reason))
    }
}

/// The key on the line around byte `at`; the line itself if it has no key.
fn key_at(text: &str, at: usize) -> &str {
    let start = text[..at.min(text.len())].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let key = line.split(['=', '#']).next().unwrap_or(line).trim();
    if key.is_empty() { "description" } else { key }
}

impl Description {
    fn check(self) -> Checked<Machine> {
        let clock = self.clock.as_ref().map(|given| hertz("clock", given)).transpose()?;
        if self.name.get_ref().trim().is_empty() {
            return refuse("name", &self.name, "is empty; give the machine a name");
        }
        one_line("name", &self.name, 100)?;
        self.description.iter().try_for_each(|about| one_line("description", about, 300))?;
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
            description: self.description.map(Spanned::into_inner).unwrap_or_default(),
            clock,
            page_size: self.pages.size()?,
            mapping: self.pages.mapping()?,
            walk: self.pages.walk(levels.len(), tlbs.len())?,
            levels,
            tlbs,
            memory_latency: memory_latency.transpose()?,
            core: self.core.check(clock)?,
            unknown: Vec::new(),
            seal: None,
        })
    }
}

/// Refuses characters that cannot be shown in a list, in a caption, or on a terminal.
fn one_line(key: &'static str, given: &Spanned<String>, longest: usize) -> Checked<()> {
    if given.get_ref().chars().count() > longest {
        return refuse(key, given, format!("is longer than {longest} characters; shorten it"));
    }
    if given.get_ref().contains(is_unprintable) {
        return refuse(
            key,
            given,
            "has a control character, or one that turns the direction of writing; leave it out",
        );
    }
    Ok(())
}

impl Pages {
    fn size(&self) -> Checked<Bytes> {
        let Some(given) = &self.size else { return Ok(Bytes::kib(4)) };
        let size = bytes("pages.size", given)?;
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

impl Pages {
    fn walk(&self, caches: usize, tlbs: usize) -> Checked<Option<Walk>> {
        let name = self.walk.as_ref().map_or(WalkName::None, |name| *name.get_ref());
        let (cache, given) = match (name, &self.walk, &self.walk_levels) {
            (WalkName::L1, Some(given), _) => (1, given),
            (WalkName::L2, Some(given), _) => (2, given),
            (_, _, Some(levels)) => {
                return refuse(
                    "pages.walk_levels",
                    levels,
                    "there are no walks; add walk = \"L1\" or \"L2\"",
                );
            }
            _ => return Ok(None),
        };
        if tlbs == 0 {
            return refuse("pages.walk", given, "only a miss of a TLB walks the page table; add a [[tlb]]");
        }
        if usize::from(cache) > caches {
            return refuse("pages.walk", given, format!("is L{cache}, and the machine has no such cache"));
        }
        let most = Walk::most_levels(self.size()?);
        let levels = match &self.walk_levels {
            Some(given) if !(1..=4).contains(given.get_ref()) => {
                return refuse("pages.walk_levels", given, "must be from 1 to 4");
            }
            given => given.as_ref().map_or(1, |levels| (*levels.get_ref()).min(most)),
        };
        Ok(Some(Walk { cache, levels }))
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
        let or_nothing = |key, given: &Option<Given>| match given {
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
