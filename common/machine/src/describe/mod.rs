//! Reads a description into a [`Machine`], and refuses invalid ones.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

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
    name: Spanned<String>,
    description: Option<Spanned<String>>,
    clock: Option<Clock>,
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
    latency: Spanned<Time>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Pages {
    size: Option<Spanned<Size>>,
    mapping: Option<MappingName>,
    seed: Option<Spanned<u64>>,
    walk: Option<Spanned<WalkName>>,
    walk_levels: Option<Spanned<u8>>,
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
    in_flight: Option<Spanned<f64>>,
    store: Option<Spanned<Time>>,
    step: Option<Spanned<Time>>,
    pass: Option<Spanned<Time>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cache {
    level: Spanned<u8>,
    size: Spanned<Size>,
    line: Spanned<Size>,
    ways: Spanned<Ways>,
    replacement: Option<Spanned<Replacement>>,
    write: Option<Write>,
    allocate: Option<bool>,
    inclusion: Option<Spanned<Inclusion>>,
    index: Option<Index>,
    shared_by: Option<usize>,
    latency: Option<Spanned<Time>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TlbEntry {
    level: Spanned<u8>,
    entries: Spanned<usize>,
    ways: Spanned<Ways>,
    index: Option<Spanned<TlbIndex>>,
    penalty: Option<Spanned<Time>>,
}

/// What is wrong with the value at these bytes of the text.
struct Fault(Range<usize>, String);

type Checked<T> = Result<T, Fault>;

/// The first of the faults that there are: whether there is one, where, the reason.
fn check<const N: usize>(faults: [(bool, Range<usize>, String); N]) -> Checked<()> {
    match faults.into_iter().find(|(is_wrong, ..)| *is_wrong) {
        Some((_, place, reason)) => Err(Fault(place, reason)),
        None => Ok(()),
    }
}

/// Where a value is that may be left out.
fn place<T>(given: &Option<Spanned<T>>) -> Range<usize> {
    given.as_ref().map_or(0..0, Spanned::span)
}

fn value<T: Clone>(given: &Option<Spanned<T>>) -> Option<T> {
    given.as_ref().map(|given| given.get_ref().clone())
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
            wrong(at, key_at(text, at), e.message())
        })?;
        parsed.check().map_err(|Fault(at, reason)| wrong(at.start, key_at(text, at.start), &reason))
    }
}

/// The key of the value at byte `at`, or the key there; the line itself if it has no key.
fn key_at(text: &str, at: usize) -> &str {
    let (before, behind) = text.split_at(at.min(text.len()));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let value_of = before[start..].trim_end_matches([' ', '=']).rsplit([' ', ',', '{']).next();
    let keys = [value_of, behind.lines().next().and_then(|line| line.split(['=', '#']).next())];
    keys.into_iter().flatten().map(str::trim).find(|key| !key.is_empty()).unwrap_or("description")
}

impl Description {
    fn check(self) -> Checked<Machine> {
        let clock = self.clock.map(|Clock(hertz)| hertz);
        let is_longer = |text: &str, longest: usize| text.chars().count() > longest;
        let longer = |longest: usize| format!("is longer than {longest} characters; shorten it");
        // What cannot be shown in a list, in a caption, or on a terminal.
        let unprintable = "has a control character, or one that turns the direction of writing; leave it out";
        let (name, name_at) = (self.name.get_ref(), self.name.span());
        let (about, about_at) = (value(&self.description).unwrap_or_default(), place(&self.description));
        let caches = self.cache.get_ref();
        check([
            (name.trim().is_empty(), name_at.clone(), "is empty; give the machine a name".to_owned()),
            (is_longer(name, 100), name_at.clone(), longer(100)),
            (name.contains(is_unprintable), name_at, unprintable.to_owned()),
            (is_longer(&about, 300), about_at.clone(), longer(300)),
            (about.contains(is_unprintable), about_at, unprintable.to_owned()),
            (caches.is_empty(), self.cache.span(), "a machine needs at least one [[cache]]".to_owned()),
        ])?;
        let mut levels: Vec<CacheLevel> = Vec::new();
        for cache in caches {
            levels.push(cache.check(&levels, clock)?);
        }
        let tlbs = self.tlb.iter().enumerate().map(|(at, tlb)| tlb.check(at, clock));
        let tlbs = tlbs.collect::<Checked<Vec<Tlb>>>()?;
        let (page_size, mapping, walk) = self.pages.check(levels.len(), tlbs.len())?;
        Ok(Machine {
            name: self.name.into_inner(),
            description: about,
            clock,
            page_size,
            mapping,
            walk,
            levels,
            tlbs,
            memory_latency: self.memory.map(|memory| seconds(&memory.latency, clock)).transpose()?,
            core: self.core.check(clock)?,
            unknown: Vec::new(),
            seal: None,
        })
    }
}

/// A time in seconds.
fn seconds(given: &Spanned<Time>, clock: Option<Hertz>) -> Checked<Seconds> {
    let Time(number, second) = *given.get_ref();
    let second = second.or(clock.map(|clock| clock.0));
    let no_clock = "is in cycles, and there is no clock; add clock = \"3.4 GHz\"".to_owned();
    let seconds = second.map_or(0.0, |second| number / second);
    // With a clock of some hertz, cycles could be hours.
    let long = "is a second or more".to_owned();
    check([(second.is_none(), given.span(), no_clock), (seconds >= 1.0, given.span(), long)])?;
    Ok(Seconds(seconds))
}

fn time(given: &Option<Spanned<Time>>, clock: Option<Hertz>) -> Checked<Option<Seconds>> {
    given.as_ref().map(|given| seconds(given, clock)).transpose()
}

/// Ways of a cache or TLB of so many `lines` or entries.
fn ways(given: &Spanned<Ways>, lines: usize) -> Checked<usize> {
    let ways = given.get_ref().0.unwrap_or(lines);
    let reason = format!("{ways} ways do not divide the {lines} lines or entries");
    check([(!lines.is_multiple_of(ways), given.span(), reason)])?;
    Ok(ways)
}

/// Levels are described in order: 1, 2, 3.
fn next_level(above: usize, given: &Spanned<u8>) -> Checked<u8> {
    let level = *given.get_ref();
    let reason = format!("is {level}, expected {}; describe levels 1 to 4 in order", above + 1);
    check([(usize::from(level) != above + 1 || above >= 4, given.span(), reason)])?;
    Ok(level)
}

impl Pages {
    fn check(&self, caches: usize, tlbs: usize) -> Checked<(Bytes, Mapping, Option<Walk>)> {
        let size = value(&self.size).map_or(Bytes::kib(4), |Size(size)| size);
        let no_size = format!("{size} is no page size; take a power of two from 512 B to {LARGEST}");
        let is_size = size.0.is_power_of_two() && (Bytes(512)..=LARGEST).contains(&size);
        let is_random = matches!(self.mapping, Some(MappingName::Random));
        let no_seed = "only mapping = \"random\" draws from a seed".to_owned();
        let cache = value(&self.walk).map_or(0, |walk| walk as u8);
        let levels = value(&self.walk_levels).unwrap_or(1);
        let no_walk = "there are no walks; add walk = \"L1\" or \"L2\"".to_owned();
        let no_tlb = "only a miss of a TLB walks the page table; add a [[tlb]]".to_owned();
        let no_cache = format!("is L{cache}, and the machine has no such cache");
        let levels_at = place(&self.walk_levels);
        check([
            (!is_size, place(&self.size), no_size),
            (!is_random && self.seed.is_some(), place(&self.seed), no_seed),
            (cache == 0 && self.walk_levels.is_some(), levels_at.clone(), no_walk),
            (cache > 0 && tlbs == 0, place(&self.walk), no_tlb),
            (usize::from(cache) > caches, place(&self.walk), no_cache),
            (!(1..=4).contains(&levels), levels_at, "must be from 1 to 4".to_owned()),
        ])?;
        let walk = Walk { cache, levels: levels.min(Walk::most_levels(size)) };
        let seed = value(&self.seed).unwrap_or(1);
        let mapping = if is_random { Mapping::Random { seed } } else { Mapping::Identity };
        Ok((size, mapping, (cache > 0).then_some(walk)))
    }
}

impl CoreTimes {
    fn check(&self, clock: Option<Hertz>) -> Checked<Core> {
        let in_flight = value(&self.in_flight).unwrap_or(1.0);
        let reason = "must be a number from 1 to 1000".to_owned();
        check([(!(1.0..=1000.0).contains(&in_flight), place(&self.in_flight), reason)])?;
        let or_nothing = |given| time(given, clock).map(|seconds| seconds.unwrap_or(Seconds(0.0)));
        Ok(Core {
            in_flight,
            store: or_nothing(&self.store)?,
            step: or_nothing(&self.step)?,
            pass: or_nothing(&self.pass)?,
        })
    }
}

impl Cache {
    fn check(&self, above: &[CacheLevel], clock: Option<Hertz>) -> Checked<CacheLevel> {
        let level = next_level(above.len(), &self.level)?;
        let (Size(size), Size(line)) = (*self.size.get_ref(), *self.line.get_ref());
        let (size_at, line_at) = (self.size.span(), self.line.span());
        let lines = size.0 / line.0.max(1);
        let is_line = line.0.is_power_of_two() && (1..=4096).contains(&line.0);
        let no_line = format!("{line} is no line size; take a power of two from 1 B to 4 KiB");
        let too_small = format!("{size} is less than one line of {line}");
        let too_large = format!("{size} is more than the {LARGEST} that can be modelled; is the unit right?");
        let too_many = format!(
            "{size} in lines of {line} are {lines} lines, more than the {MOST_LINES} that can be modelled; is the unit right?"
        );
        let no_lines = format!("{size} is not a whole number of lines of {line}");
        check([
            (!is_line, line_at.clone(), no_line),
            (size < line, size_at.clone(), too_small),
            (size > LARGEST, size_at.clone(), too_large),
            (lines > MOST_LINES, size_at.clone(), too_many),
            (lines * line.0 != size.0, size_at.clone(), no_lines),
        ])?;
        let ways = ways(&self.ways, lines as usize)?;
        let too_many = format!("{ways} ways are more than the 4096 that can be searched");
        let replacement = value(&self.replacement).unwrap_or(Replacement::Lru);
        let is_tree = ways.is_power_of_two() && ways <= 64;
        let no_tree = format!("\"plru\" needs 1, 2, 4 ... 64 ways, this cache has {ways}");
        let inclusion = value(&self.inclusion).unwrap_or(Inclusion::Neither);
        let none_above = "level 1 has no level above it to include or exclude".to_owned();
        check([
            (ways > 4096, self.ways.span(), too_many),
            (replacement == Replacement::Plru && !is_tree, place(&self.replacement), no_tree),
            (inclusion != Inclusion::Neither && above.is_empty(), place(&self.inclusion), none_above),
        ])?;
        if let Some(above) = above.last() {
            let is_exclusive = inclusion == Inclusion::Exclusive;
            let shorter = format!("{line} is shorter than the {} of the level above", above.line);
            let smaller = format!("{size} is smaller than the {} of the level above", above.size);
            let other = format!("an exclusive level needs the line of the level above, {}", above.line);
            check([
                (line < above.line, line_at, shorter),
                (!is_exclusive && size < above.size, size_at, smaller),
                (is_exclusive && line != above.line, place(&self.inclusion), other),
            ])?;
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
            latency: time(&self.latency, clock)?,
        })
    }
}

impl TlbEntry {
    fn check(&self, at: usize, clock: Option<Hertz>) -> Checked<Tlb> {
        let (level, entries) = (next_level(at, &self.level)?, *self.entries.get_ref());
        let is_wrong = !(1..=65536).contains(&entries);
        check([(is_wrong, self.entries.span(), "must be from 1 to 65536".to_owned())])?;
        let ways = ways(&self.ways, entries)?;
        let index = value(&self.index).unwrap_or(TlbIndex::Modulo);
        let no_index = format!("\"xor\" needs 2, 4, 8 ... sets, this TLB has {}", entries / ways);
        let is_wrong = index == TlbIndex::Xor && !(entries / ways).is_power_of_two();
        check([(is_wrong, place(&self.index), no_index)])?;
        Ok(Tlb { level, entries, ways, index, penalty: time(&self.penalty, clock)? })
    }
}
