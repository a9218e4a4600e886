//! Reads a description into a [`Machine`], and refuses invalid ones.

use serde::Deserialize;

mod places;
mod values;

use super::{
    CacheLevel, Core, Inclusion, Index, Machine, MachineError, Mapping, Replacement, Tlb, TlbIndex, Walk,
    Write,
};
use figures::text::{is_unprintable, says_nothing, shorten};
use figures::units::{Bytes, Hertz, Seconds};
use values::{Clock, Size, Time, Ways};

/// The longest description, in bytes: the catalogue's have 3,000.
pub const LONGEST: usize = 256 << 10;
/// Larger caches are taken for a wrong unit.
const LARGEST: Bytes = Bytes::mib(1024);
/// Largest number of lines of a cache: a model stores 8 to 24 bytes for each.
const MOST_LINES: u64 = 1 << 23;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    #[serde(default)]
    description: String,
    clock: Option<Clock>,
    memory: Option<Memory>,
    #[serde(default)]
    pages: Pages,
    #[serde(default)]
    core: CoreTimes,
    cache: Vec<Cache>,
    #[serde(default)]
    tlb: Vec<TlbEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    latency: Time,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Pages {
    size: Option<Size>,
    mapping: Option<MappingName>,
    seed: Option<u64>,
    walk: Option<WalkName>,
    walk_levels: Option<u8>,
}

#[derive(Deserialize, Clone, Copy)]
enum WalkName {
    #[serde(rename = "none")]
    None,
    L1,
    L2,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum MappingName {
    Identity,
    Random,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CoreTimes {
    in_flight: Option<f64>,
    store: Option<Time>,
    step: Option<Time>,
    pass: Option<Time>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cache {
    level: u8,
    size: Size,
    line: Size,
    ways: Ways,
    replacement: Option<Replacement>,
    write: Option<Write>,
    allocate: Option<bool>,
    inclusion: Option<Inclusion>,
    index: Option<Index>,
    shared_by: Option<usize>,
    latency: Option<Time>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TlbEntry {
    level: u8,
    entries: usize,
    ways: Ways,
    index: Option<TlbIndex>,
    penalty: Option<Time>,
}

/// What is wrong with the value of a key, in the table of that number among those of its name.
struct Fault {
    key: &'static str,
    table: usize,
    reason: String,
}

type Checked<T> = Result<T, Fault>;

/// The first of the faults that there are: whether there is one, the key, the reason.
fn check<const N: usize>(table: usize, faults: [(bool, &'static str, String); N]) -> Checked<()> {
    match faults.into_iter().find(|(is_wrong, ..)| *is_wrong) {
        Some((_, key, reason)) => Err(Fault { key, table, reason }),
        None => Ok(()),
    }
}

impl Machine {
    /// The machine described by `text`; errors call it `origin`.
    /// Fails if it describes no machine that can be modelled.
    pub fn from_toml(text: &str, origin: &str) -> Result<Machine, MachineError> {
        let wrong = |at: usize, key: &str, reason: &str| {
            let before = &text.as_bytes()[..at.min(text.len())];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            // Both may repeat any text in the file.
            let (key, reason) = (shorten(key, 60), shorten(reason, 600));
            MachineError::Described { origin: origin.to_owned(), line, key, reason }
        };
        if text.len() > LONGEST {
            let reason = format!("has more than {LONGEST} bytes; is it a description?");
            return Err(wrong(0, "description", &reason));
        }
        if says_nothing(text) {
            return Err(MachineError::Refused(format!(
                "there is nothing in {origin}; start from a description that the kit has: `lab machines i5-7500` prints it"
            )));
        }
        let parsed: Description = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let place = places::all(text).into_iter().find(|(.., bytes)| bytes.contains(&at));
            wrong(at, place.as_ref().map_or(key_at(text, at), |(key, ..)| key), e.message())
        })?;
        parsed.check().map_err(|Fault { key, table, reason }| {
            let place =
                places::all(text).into_iter().find(|(name, number, _)| name == key && *number == table);
            wrong(place.map_or(0, |(.., bytes)| bytes.start), key, &reason)
        })
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
        let clock = self.clock.map(|Clock(hertz)| hertz);
        let (name, about) = (&self.name, &self.description);
        let is_longer = |text: &str, longest: usize| text.chars().count() > longest;
        let longer = |longest: usize| format!("is longer than {longest} characters; shorten it");
        // What cannot be shown in a list, in a caption, or on a terminal.
        let unprintable = "has a control character, or one that turns the direction of writing; leave it out";
        check(
            0,
            [
                (name.trim().is_empty(), "name", "is empty; give the machine a name".to_owned()),
                (is_longer(name, 100), "name", longer(100)),
                (name.contains(is_unprintable), "name", unprintable.to_owned()),
                (is_longer(about, 300), "description", longer(300)),
                (about.contains(is_unprintable), "description", unprintable.to_owned()),
                (self.cache.is_empty(), "cache", "a machine needs at least one [[cache]]".to_owned()),
            ],
        )?;
        let mut levels: Vec<CacheLevel> = Vec::new();
        for cache in &self.cache {
            levels.push(cache.check(&levels, clock)?);
        }
        let tlbs = self.tlb.iter().enumerate().map(|(at, tlb)| tlb.check(at, clock));
        let tlbs = tlbs.collect::<Checked<Vec<Tlb>>>()?;
        let (page_size, mapping, walk) = self.pages.check(levels.len(), tlbs.len())?;
        Ok(Machine {
            name: self.name,
            description: self.description,
            clock,
            page_size,
            mapping,
            walk,
            levels,
            tlbs,
            memory_latency: time("memory.latency", 0, self.memory.map(|memory| memory.latency), clock)?,
            core: self.core.check(clock)?,
            unknown: Vec::new(),
            seal: None,
        })
    }
}

/// A time in seconds.
fn time(
    key: &'static str,
    table: usize,
    given: Option<Time>,
    clock: Option<Hertz>,
) -> Checked<Option<Seconds>> {
    let Some(Time(number, second)) = given else { return Ok(None) };
    let second = second.or(clock.map(|clock| clock.0));
    let no_clock = "is in cycles, and there is no clock; add clock = \"3.4 GHz\"".to_owned();
    let seconds = second.map_or(0.0, |second| number / second);
    // With a clock of some hertz, cycles could be hours.
    let long = (seconds >= 1.0, key, "is a second or more".to_owned());
    check(table, [(second.is_none(), key, no_clock), long])?;
    Ok(Some(Seconds(seconds)))
}

/// Ways of a cache or TLB of so many `lines` or entries.
fn ways(key: &'static str, table: usize, given: Ways, lines: usize) -> Checked<usize> {
    let ways = given.0.unwrap_or(lines);
    let reason = format!("{ways} ways do not divide the {lines} lines or entries");
    check(table, [(!lines.is_multiple_of(ways), key, reason)])?;
    Ok(ways)
}

/// Levels are described in order: 1, 2, 3.
fn next_level(key: &'static str, above: usize, given: u8) -> Checked<u8> {
    let reason = format!("is {given}, expected {}; describe levels 1 to 4 in order", above + 1);
    check(above, [(usize::from(given) != above + 1 || above >= 4, key, reason)])?;
    Ok(given)
}

impl Pages {
    fn check(&self, caches: usize, tlbs: usize) -> Checked<(Bytes, Mapping, Option<Walk>)> {
        let size = self.size.map_or(Bytes::kib(4), |Size(size)| size);
        let no_size = format!("{size} is no page size; take a power of two from 512 B to {LARGEST}");
        let is_size = size.0.is_power_of_two() && (Bytes(512)..=LARGEST).contains(&size);
        let is_random = matches!(self.mapping, Some(MappingName::Random));
        let no_seed = "only mapping = \"random\" draws from a seed".to_owned();
        let cache = self.walk.map_or(0, |walk| walk as u8);
        let levels = self.walk_levels.unwrap_or(1);
        let no_walk = "there are no walks; add walk = \"L1\" or \"L2\"".to_owned();
        let no_tlb = "only a miss of a TLB walks the page table; add a [[tlb]]".to_owned();
        let no_cache = format!("is L{cache}, and the machine has no such cache");
        check(
            0,
            [
                (!is_size, "pages.size", no_size),
                (!is_random && self.seed.is_some(), "pages.seed", no_seed),
                (cache == 0 && self.walk_levels.is_some(), "pages.walk_levels", no_walk),
                (cache > 0 && tlbs == 0, "pages.walk", no_tlb),
                (usize::from(cache) > caches, "pages.walk", no_cache),
                (!(1..=4).contains(&levels), "pages.walk_levels", "must be from 1 to 4".to_owned()),
            ],
        )?;
        let walk = Walk { cache, levels: levels.min(Walk::most_levels(size)) };
        let seed = self.seed.unwrap_or(1);
        let mapping = if is_random { Mapping::Random { seed } } else { Mapping::Identity };
        Ok((size, mapping, (cache > 0).then_some(walk)))
    }
}

impl CoreTimes {
    fn check(&self, clock: Option<Hertz>) -> Checked<Core> {
        let in_flight = self.in_flight.unwrap_or(1.0);
        let reason = "must be a number from 1 to 1000".to_owned();
        check(0, [(!(1.0..=1000.0).contains(&in_flight), "core.in_flight", reason)])?;
        let or_nothing =
            |key, given| time(key, 0, given, clock).map(|seconds| seconds.unwrap_or(Seconds(0.0)));
        Ok(Core {
            in_flight,
            store: or_nothing("core.store", self.store)?,
            step: or_nothing("core.step", self.step)?,
            pass: or_nothing("core.pass", self.pass)?,
        })
    }
}

impl Cache {
    fn check(&self, above: &[CacheLevel], clock: Option<Hertz>) -> Checked<CacheLevel> {
        let (at, Size(size), Size(line)) = (above.len(), self.size, self.line);
        let level = next_level("cache.level", at, self.level)?;
        let lines = size.0 / line.0.max(1);
        let is_line = line.0.is_power_of_two() && (1..=4096).contains(&line.0);
        let no_line = format!("{line} is no line size; take a power of two from 1 B to 4 KiB");
        let too_small = format!("{size} is less than one line of {line}");
        let too_large = format!("{size} is more than the {LARGEST} that can be modelled; is the unit right?");
        let too_many = format!(
            "{size} in lines of {line} are {lines} lines, more than the {MOST_LINES} that can be modelled; is the unit right?"
        );
        let no_lines = format!("{size} is not a whole number of lines of {line}");
        check(
            at,
            [
                (!is_line, "cache.line", no_line),
                (size < line, "cache.size", too_small),
                (size > LARGEST, "cache.size", too_large),
                (lines > MOST_LINES, "cache.size", too_many),
                (lines * line.0 != size.0, "cache.size", no_lines),
            ],
        )?;
        let ways = ways("cache.ways", at, self.ways, lines as usize)?;
        let too_many = format!("{ways} ways are more than the 4096 that can be searched");
        let replacement = self.replacement.unwrap_or(Replacement::Lru);
        let is_tree = ways.is_power_of_two() && ways <= 64;
        let no_tree = format!("\"plru\" needs 1, 2, 4 ... 64 ways, this cache has {ways}");
        let inclusion = self.inclusion.unwrap_or(Inclusion::Neither);
        let is_exclusive = inclusion == Inclusion::Exclusive;
        let none_above = "level 1 has no level above it to include or exclude".to_owned();
        check(
            at,
            [
                (ways > 4096, "cache.ways", too_many),
                (replacement == Replacement::Plru && !is_tree, "cache.replacement", no_tree),
                (inclusion != Inclusion::Neither && at == 0, "cache.inclusion", none_above),
            ],
        )?;
        if let Some(above) = above.last() {
            let shorter = format!("{line} is shorter than the {} of the level above", above.line);
            let smaller = format!("{size} is smaller than the {} of the level above", above.size);
            let other = format!("an exclusive level needs the line of the level above, {}", above.line);
            check(
                at,
                [
                    (line < above.line, "cache.line", shorter),
                    (!is_exclusive && size < above.size, "cache.size", smaller),
                    (is_exclusive && line != above.line, "cache.inclusion", other),
                ],
            )?;
        }
        Ok(CacheLevel {
            level,
            size,
            line,
            ways,
            shared_by: self.shared_by.unwrap_or(1),
            replacement,
            write: self.write.unwrap_or(Write::Back),
            allocate: self.allocate.unwrap_or(true),
            inclusion,
            index: self.index.unwrap_or(if level == 1 { Index::Virtual } else { Index::Physical }),
            latency: time("cache.latency", at, self.latency, clock)?,
        })
    }
}

impl TlbEntry {
    fn check(&self, at: usize, clock: Option<Hertz>) -> Checked<Tlb> {
        let (level, entries) = (next_level("tlb.level", at, self.level)?, self.entries);
        let is_wrong = !(1..=65536).contains(&entries);
        check(at, [(is_wrong, "tlb.entries", "must be from 1 to 65536".to_owned())])?;
        let ways = ways("tlb.ways", at, self.ways, entries)?;
        let index = self.index.unwrap_or(TlbIndex::Modulo);
        let no_index = format!("\"xor\" needs 2, 4, 8 ... sets, this TLB has {}", entries / ways);
        let is_wrong = index == TlbIndex::Xor && !(entries / ways).is_power_of_two();
        check(at, [(is_wrong, "tlb.index", no_index)])?;
        Ok(Tlb { level, entries, ways, index, penalty: time("tlb.penalty", at, self.penalty, clock)? })
    }
}
