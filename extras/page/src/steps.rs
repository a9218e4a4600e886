//! Shows a kernel access by access: the model makes each access, and its effect is stored,
//! so that the page can go forwards and backwards.

mod own;
mod watcher;

use std::ops::Range;

use machine::{Index, Machine, Replacement};
use memory::Arena;
use serde_json::{Value, json};

use crate::kernels::{Kernel, Source};
pub use watcher::{Outcome, Step};
use watcher::{Watcher, Way};

/// Largest number of lines of a cache that can be shown.
const MOST_LINES: usize = 4096;
/// Most ways of a set: each step looks at all of them.
const MOST_WAYS: usize = 1024;
/// Largest number of ways that are shown at once: those of the sets around the present one.
const MOST_BOXES: usize = 256;

/// The recorded accesses of a kernel.
#[derive(Debug)]
pub struct Steps {
    steps: Vec<Step>,
    /// Whether the kernel makes more accesses.
    is_cut: bool,
    /// For each set, the steps that touched it.
    of_set: Vec<Vec<usize>>,
    /// Ways of a set.
    ways: usize,
    regions: Vec<Region>,
    line: u64,
    source: Source,
    replacement: Replacement,
}

impl Steps {
    /// Runs `kernel` on the first cache of `machine`, without other levels and empty.
    /// Fails, with a sentence, if the cache cannot be shown or the kernel's sizes are impossible.
    pub fn walk(machine: &Machine, kernel: &Kernel) -> Result<Steps, String> {
        let machine = alone(machine)?;
        let arena = kernel.arena()?;
        let run = kernel.place(&arena).map_err(|error| error.to_string())?;
        let mut watcher = Watcher::new(&machine, &arena)?;
        run(&mut watcher);
        Ok(Steps::of(&machine, watcher, kernel.source(), kernel.regions(&arena)))
    }

    /// Records the accesses of the loops in `text`.
    /// Fails, with a sentence, if the cache cannot be shown or the text is no such loops.
    pub fn of_loops(machine: &Machine, text: &str) -> Result<Steps, String> {
        let machine = alone(machine)?;
        let own = own::read(text)?;
        let bytes = own.regions.last().map_or(0, |region| region.bytes.end);
        let arena = Arena::with_capacity(bytes).map_err(|error| error.to_string())?;
        let memory = arena.array::<u8>("x", bytes).map_err(|error| error.to_string())?;
        let mut watcher = Watcher::new(&machine, &arena)?;
        for &(address, store, place) in &own.accesses {
            watcher.access(memory.at(address as usize), store, place);
        }
        watcher.is_cut |= own.is_cut;
        // the page has the text itself, which may be long
        let source = Source { file: "", first: 1, text: "" };
        Ok(Steps::of(&machine, watcher, source, own.regions))
    }

    fn of(machine: &Machine, watcher: Watcher, source: Source, regions: Vec<Region>) -> Steps {
        let mut of_set = vec![Vec::new(); machine.levels[0].sets()];
        for (at, step) in watcher.steps.iter().enumerate() {
            of_set[step.set].push(at);
        }
        Steps {
            steps: watcher.steps,
            is_cut: watcher.is_cut,
            of_set,
            ways: machine.levels[0].ways,
            regions,
            line: machine.levels[0].line.0,
            source,
            replacement: machine.levels[0].replacement,
        }
    }

    /// The recorded accesses in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The ways of its set after step `at`, counted from 0.
    pub fn ways(&self, at: usize) -> Vec<Option<Way>> {
        let mut ways = vec![None; self.ways];
        let touching = self.steps.get(at).map(|step| self.of_set[step.set].as_slice()).unwrap_or_default();
        for step in touching.iter().take_while(|step| **step <= at) {
            for (place, way) in &self.steps[*step].changes {
                ways[*place] = *way;
            }
        }
        ways
    }

    /// The data that the page shows with every step.
    pub(crate) fn summary(&self) -> Value {
        let source: Vec<&str> = self.source.text.lines().collect();
        json!({
            "steps": self.steps.len(),
            "cut": self.is_cut,
            "sets": self.of_set.len(),
            "tag_digits": self.tag_width().div_ceil(4),
            "file": self.source.file,
            "first": self.source.first,
            "source": source,
            "outcomes": self.steps.iter().map(|step| (step.outcome as u8).to_string()).collect::<String>(),
            "counts": count(&self.steps),
            "arrays": self.regions.iter().map(|region| &region.name).collect::<Vec<_>>(),
        })
    }

    /// The state after step `at`; 0 is before the first one. Of a `half` step it shows the next access, which is only
    /// compared with the tags of its set yet.
    /// Fails, with a sentence, if there are fewer steps.
    pub(crate) fn state(&self, at: usize, half: bool) -> Result<Value, String> {
        let done = self.steps.get(..at).ok_or_else(|| {
            format!("there is no step {at}: the first {} accesses are shown", self.steps.len())
        })?;
        let shown = if half { self.steps.get(at) } else { done.last() };
        let now = shown.map(|step| step.set);
        let used: Vec<usize> =
            (0..self.of_set.len()).filter(|set| self.last(*set, at).is_some() || now == Some(*set)).collect();
        let holding = used.iter().filter(|set| self.held(**set, at).iter().any(Option::is_some)).count();
        let present = used.iter().position(|set| now == Some(*set)).unwrap_or(0);
        let seen = around(present, (MOST_BOXES / self.ways).max(1), used.len());
        Ok(json!({
            "at": at,
            "step": shown.map(|step| self.shown(step)),
            "used": used.len(),
            "holding": holding,
            "sets": used[seen].iter().map(|set| self.set(*set, at, now == Some(*set))).collect::<Vec<_>>(),
            "counts": count(done),
            "arrays": self.arrays(done),
        }))
    }

    /// What an access to `address` would do after step `at`.
    pub(crate) fn probe(&self, at: usize, address: u64) -> Value {
        let line = address - address % self.line;
        let set = (address / self.line) as usize % self.of_set.len();
        let ways = self.held(set, at);
        let victim = self.last(set, at).and_then(|last| ways[self.steps[last].next?]);
        json!({
            "place": self.split(address),
            "hit": ways.iter().flatten().any(|way| way.address == line),
            "full": ways.iter().all(Option::is_some),
            "evicts": victim.map(|way| self.name(way.address)),
        })
    }

    /// The last of the first `at` steps that accessed this set.
    fn last(&self, set: usize, at: usize) -> Option<usize> {
        let all = &self.of_set[set];
        all[..all.partition_point(|step| *step < at)].last().copied()
    }

    /// The ways of a set after step `at`.
    fn held(&self, set: usize, at: usize) -> Vec<Option<Way>> {
        self.last(set, at).map_or_else(|| vec![None; self.ways], |last| self.ways(last))
    }

    /// A set after step `at`; if it is the one that is accessed `now`, with the ways around the access.
    fn set(&self, set: usize, at: usize, now: bool) -> Value {
        let (last, ways) = (self.last(set, at), self.held(set, at));
        let order = |way: &Way| match self.replacement {
            Replacement::Fifo => way.arrived,
            _ => way.used,
        };
        let newer = |way: &Way| ways.iter().flatten().filter(|other| order(other) > order(way)).count() + 1;
        let shown = |(place, way): (usize, &Option<Way>)| {
            way.as_ref().map(|way| {
                json!({
                    "name": self.name(way.address),
                    "tag": self.tag(way.address),
                    "array": self.region(way.address).map(|(at, _)| at),
                    "dirty": way.dirty,
                    "rank": newer(way),
                    "next": last.is_some_and(|last| self.steps[last].next == Some(place)),
                    "touched": way.used + 1 == at,
                })
            })
        };
        let accessed = ways.iter().position(|way| way.is_some_and(|way| Some(way.used) == last)).unwrap_or(0);
        let seen = around(accessed, MOST_BOXES, ways.len());
        let shown: Vec<_> = ways.iter().enumerate().map(shown).skip(seen.start).take(seen.len()).collect();
        json!({ "set": set, "now": now, "first": seen.start, "ways": shown })
    }

    /// Hits and misses of each array that was accessed.
    fn arrays(&self, done: &[Step]) -> Vec<Value> {
        let of = |region: &Region| {
            let its = |step: &&Step| region.bytes.contains(&(step.address as usize));
            let accesses = done.iter().filter(its).count();
            let hits = done.iter().filter(its).filter(|step| step.outcome == Outcome::Hit).count();
            (accesses > 0).then(|| json!({ "name": region.name, "hits": hits, "misses": accesses - hits }))
        };
        self.regions.iter().filter_map(of).collect()
    }

    fn shown(&self, step: &Step) -> Value {
        json!({
            "place": self.split(step.address),
            "store": step.store,
            "element": self.name(step.address),
            "outcome": step.outcome,
            "evicted": step.evicted.map(|(line, _)| self.name(line)),
            "evicted_tag": step.evicted.map(|(line, _)| self.tag(line)),
            "written_back": step.evicted.is_some_and(|(_, dirty)| dirty),
            "line": step.place.0,
            "column": step.place.1,
        })
    }

    /// An address as tag, set and offset: numbers and bits.
    fn split(&self, address: u64) -> Value {
        let (sets, tag) = (self.of_set.len() as u64, self.tag(address));
        let (set, offset) = (address / self.line % sets, address % self.line);
        json!({
            "address": address,
            "tag": tag,
            "set": set,
            "offset": offset,
            "tag_bits": bits(tag, self.tag_width()),
            "set_bits": bits(set, sets.trailing_zeros()),
            "offset_bits": bits(offset, self.line.trailing_zeros()),
        })
    }

    /// Number of bits of the longest tag.
    fn tag_width(&self) -> u32 {
        let end = self.steps.iter().map(|step| self.tag(step.address)).max().unwrap_or(0);
        (u64::BITS - end.leading_zeros()).max(1)
    }

    fn tag(&self, address: u64) -> u64 {
        address / self.line / self.of_set.len() as u64
    }

    /// The array at a place in the arena, with its number.
    fn region(&self, place: u64) -> Option<(usize, &Region)> {
        self.regions.iter().enumerate().find(|(_, region)| region.bytes.contains(&(place as usize)))
    }

    /// The element at a place in the arena, as the kernel's text writes it: `mul1[2][0]`.
    fn name(&self, place: u64) -> String {
        let Some((_, Region { name, bytes, element, columns })) = self.region(place) else {
            return format!("{place:#x}");
        };
        let index = (place as usize - bytes.start) / element;
        match *columns {
            0 => format!("{name}[{index}]"),
            columns => format!("{name}[{}][{}]", index / columns, index % columns),
        }
    }
}

/// An array in the arena.
#[derive(Debug)]
struct Region {
    name: String,
    bytes: Range<usize>,
    /// Bytes per element.
    element: usize,
    /// Elements per row; 0 if it is no matrix.
    columns: usize,
}

impl Kernel {
    /// Its arrays.
    fn regions(&self, arena: &Arena) -> Vec<Region> {
        let (element, columns) = match *self {
            Kernel::Cm1 { .. } => (1, 0),
            Kernel::Mm1 { n } | Kernel::Mm2 { n } | Kernel::Mm3 { n, .. } => (size_of::<i16>(), n),
            Kernel::Dgemm { n, .. } => (size_of::<f64>(), n),
        };
        let region =
            |memory::Allocation { name, bytes }| Region { name: name.to_owned(), bytes, element, columns };
        arena.allocations().into_iter().map(region).collect()
    }
}

/// The machine with its first cache only, whose sets virtual addresses select.
fn alone(machine: &Machine) -> Result<Machine, String> {
    let mut machine = machine.clone();
    machine.levels.truncate(1);
    machine.tlbs.clear();
    let Some(first) = machine.levels.first_mut() else {
        return Err("this machine has no cache to show".to_owned());
    };
    first.index = Index::Virtual;
    if first.lines() > MOST_LINES || first.ways > MOST_WAYS || !first.sets().is_power_of_two() {
        return Err(format!(
            "a cache of {} lines in {} sets cannot be shown: take at most {MOST_LINES} lines and {MOST_WAYS} ways, in a \
             power of two of sets, so that bits of the address pick the set",
            first.lines(),
            first.sets()
        ));
    }
    Ok(machine)
}

/// At most `most` of `count` numbers, around `at`.
fn around(at: usize, most: usize, count: usize) -> Range<usize> {
    let from = at.saturating_sub(most / 2).min(count.saturating_sub(most));
    from..(from + most).min(count)
}

fn count(done: &[Step]) -> Value {
    let of = |outcome| done.iter().filter(|step| step.outcome == outcome).count();
    json!({
        "accesses": done.len(),
        "hits": of(Outcome::Hit),
        "compulsory": of(Outcome::Compulsory),
        "capacity": of(Outcome::Capacity),
        "conflict": of(Outcome::Conflict),
        "evictions": done.iter().filter(|step| step.evicted.is_some()).count(),
        "write_backs": done.iter().filter(|step| step.evicted.is_some_and(|(_, dirty)| dirty)).count(),
    })
}

fn bits(number: u64, width: u32) -> String {
    if width == 0 { String::new() } else { format!("{number:0width$b}", width = width as usize) }
}
