//! A kernel step by step, compared with a simple cache.

use cache::Replay;
use figures::units::Bytes;
use machine::Machine;
use proptest::prelude::*;
use tab::{Kernel, Outcome, Steps};

/// A line in a set of the simple cache, with the times of its arrival and its last use.
#[derive(Clone, Copy, PartialEq)]
struct Line {
    number: u64,
    dirty: bool,
    arrived: usize,
    used: usize,
}

struct Naive {
    sets: Vec<Vec<Line>>,
    ways: usize,
    fifo: bool,
    /// All lines ever used, the last used one last: a fully associative cache of any size
    /// is the end of this list.
    history: Vec<u64>,
}

impl Naive {
    fn access(&mut self, time: usize, line: u64, store: bool) -> (Outcome, Option<(u64, bool)>) {
        let before = self.history.iter().rev().position(|&other| other == line);
        self.history.retain(|&other| other != line);
        self.history.push(line);
        let lines = self.sets.len() * self.ways;
        let count = self.sets.len() as u64;
        let set = &mut self.sets[(line % count) as usize];
        if let Some(found) = set.iter_mut().find(|found| found.number == line) {
            found.used = time;
            found.dirty |= store;
            return (Outcome::Hit, None);
        }
        let outcome = match before {
            None => Outcome::Compulsory,
            Some(distance) if distance >= lines => Outcome::Capacity,
            Some(_) => Outcome::Conflict,
        };
        let mut gone = None;
        if set.len() == self.ways {
            let age = |line: &Line| if self.fifo { line.arrived } else { line.used };
            let oldest = (0..set.len()).min_by_key(|&way| age(&set[way])).unwrap_or(0);
            gone = Some(set.remove(oldest));
        }
        set.push(Line { number: line, dirty: store, arrived: time, used: time });
        (outcome, gone.map(|line| (line.number, line.dirty)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// The page's steps, a trace (as C programs are counted) and a simple cache.
    #[test]
    fn steps_a_trace_and_a_simple_cache_agree(
        accesses in prop::collection::vec((0u64..48, any::<bool>()), 1..200),
        sets in 0u32..3, ways in 1usize..5, [allocate, through, fifo] in any::<[bool; 3]>()
    ) {
        let (sets, line) = (1u64 << sets, 16);
        let toml = format!(
            "name = \"small\"\n[[cache]]\nlevel = 1\nsize = {}\nline = {line}\nways = {ways}\nallocate = {allocate}\n\
             write = \"{}\"\nreplacement = \"{}\"\n",
            sets * ways as u64 * line,
            if through { "through" } else { "back" },
            if fifo { "fifo" } else { "lru" }
        );
        let machine = Machine::from_toml(&toml, "test").unwrap();
        let text: Vec<String> = accesses
            .iter()
            .map(|(place, store)| format!("{} a[{}]", if *store { "store" } else { "load" }, 2 * place))
            .collect();
        let steps = Steps::of_loops(&machine, &text.join("\n")).unwrap();
        prop_assert_eq!(steps.steps().len(), accesses.len());
        let mut replay = Replay::new(&machine, vec!["all"]).unwrap();
        let mut naive = Naive { sets: vec![Vec::new(); sets as usize], ways, fifo, history: Vec::new() };
        for (time, (step, (place, store))) in steps.steps().iter().zip(&accesses).enumerate() {
            let (address, before) = (8 * place, replay.kinds());
            replay.access(address, 8, *store, 0).unwrap();
            let after = replay.kinds();
            let kinds = [
                (Outcome::Compulsory, after.compulsory - before.compulsory),
                (Outcome::Capacity, after.capacity - before.capacity),
                (Outcome::Conflict, after.conflict - before.conflict),
            ];
            let missed: Vec<Outcome> = kinds.iter().filter(|kind| kind.1 == 1).map(|kind| kind.0).collect();
            let outcome = if missed.is_empty() { Outcome::Hit } else { missed[0] };
            prop_assert!(missed.len() < 2 && step.outcome == outcome, "step {}: {:?} {:?}", time, step, kinds);
            if !allocate {
                continue;
            }
            let (outcome, gone) = naive.access(time, address / line, *store && !through);
            prop_assert_eq!((step.address, step.store), (address, *store));
            prop_assert_eq!(step.outcome, outcome, "step {}", time);
            prop_assert_eq!(step.evicted, gone.map(|(number, dirty)| (number * line, dirty)), "step {}", time);
            let mut shown: Vec<(u64, bool, usize)> =
                steps.ways(time).iter().flatten().map(|way| (way.address, way.dirty, way.used)).collect();
            let held = &naive.sets[step.set];
            let mut expected: Vec<(u64, bool, usize)> =
                held.iter().map(|held| (held.number * line, held.dirty, held.used)).collect();
            shown.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(shown, expected, "step {}", time);
        }
    }
}

/// The line that is marked as the next victim is the one that the set evicts next.
#[test]
fn the_line_marked_as_the_next_victim_is_evicted_next() {
    for replacement in ["lru", "fifo", "plru"] {
        let toml = format!(
            "name = \"small\"\n[[cache]]\nlevel = 1\nsize = 512\nline = 16\nways = 4\nreplacement = \"{replacement}\"\n"
        );
        let machine = Machine::from_toml(&toml, "test").unwrap();
        let steps = Steps::walk(&machine, &Kernel::Mm1 { n: 24 }).unwrap();
        let mut next = [None; 8];
        let mut evictions = 0;
        for (at, step) in steps.steps().iter().enumerate() {
            if let Some((evicted, _)) = step.evicted {
                assert_eq!(next[step.set], Some(evicted), "{replacement}");
                evictions += 1;
            }
            next[step.set] = step.next.and_then(|way| steps.ways(at)[way]).map(|way| way.address);
        }
        assert!(evictions > 100, "{replacement}: {evictions}");
    }
}

/// A fully associative cache has as many ways as lines: a step stores only those that changed.
#[test]
fn a_step_stores_the_ways_that_changed() {
    let toml = "name = \"full\"\n[[cache]]\nlevel = 1\nsize = 4096\nline = 8\nways = 512\n";
    let machine = Machine::from_toml(toml, "test").unwrap();
    let steps = Steps::walk(&machine, &Kernel::Mm1 { n: 48 }).unwrap();
    assert!(steps.steps().iter().any(|step| step.evicted.is_some()));
    assert!(steps.steps().iter().all(|step| step.changes.len() <= 1));
    let last = steps.steps().len() - 1;
    assert_eq!(steps.ways(last).iter().flatten().count(), 512);
}

proptest! {
    /// Any text is shown or refused.
    #[test]
    fn any_text_of_own_accesses_is_shown_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "for", "in", "load", "store", "step", "i", "a", "[", "]", ":", ";", "..", "+", "-", "*", "\n", "  ",
            "0", "3", "64", "18446744073709551615", "0x1f", "#", "é",
        ]), 0..24)
    ) {
        let machine = Machine::named("lecture").unwrap();
        let _ = Steps::of_loops(&machine, &words.join(" "));
        let _ = Steps::of_loops(&machine, &format!("for i in 0..3: load {}", words.concat()));
    }
}

#[test]
fn the_place_of_an_access_is_its_own_in_the_kernels_file() {
    let machine = Machine::named("lecture").unwrap();
    let steps = Steps::walk(&machine, &Kernel::Mm1 { n: 4 }).unwrap();
    let text = mm1::KERNEL.1;
    let named = |place: (u32, u32)| {
        let line = text.lines().nth(place.0 as usize - 1).unwrap();
        line[place.1 as usize - 1..].chars().take_while(|c| *c != ',').collect::<String>()
    };
    let called: Vec<String> = steps.steps()[..4].iter().map(|step| named(step.place)).collect();
    assert_eq!(called, ["load(mul1.at(i", "load(mul2.at(k", "load(res.at(i", "store(res.at(i"]);
}

/// A store that misses and fetches nothing is the first use of its line, so that the next miss is
/// a capacity miss, as in a trace; a kernel is stopped when no more accesses are shown.
#[test]
fn a_store_that_passes_by_brings_no_line() {
    let toml =
        "name = \"passes by\"\n[[cache]]\nlevel = 1\nsize = 1024\nline = 64\nways = 2\nallocate = false\n";
    let machine = Machine::from_toml(toml, "test").unwrap();
    let walked = Steps::of_loops(&machine, "store a[0]; load a[0]; load a[0]").unwrap();
    let outcomes: Vec<Outcome> = walked.steps().iter().map(|step| step.outcome).collect();
    assert_eq!(outcomes, [Outcome::Compulsory, Outcome::Capacity, Outcome::Hit]);
    assert_eq!(Steps::walk(&machine, &Kernel::Mm1 { n: 512 }).unwrap().steps().len(), 20_000);
}

#[test]
fn caches_and_kernels_that_cannot_be_shown_are_refused() {
    let large = Machine::named("i5-7500").unwrap();
    assert!(Steps::walk(&large, &Kernel::Mm1 { n: 0 }).is_err());
    let toml = "name = \"x\"\n[[cache]]\nlevel = 1\nsize = \"1M\"\nline = 64\nways = 8\n";
    let huge = Machine::from_toml(toml, "test").unwrap();
    assert!(Steps::walk(&huge, &Kernel::Mm1 { n: 4 }).unwrap_err().contains("cannot be shown"));
    let toml = "name = \"x\"\n[[cache]]\nlevel = 1\nsize = \"32K\"\nline = 8\nways = \"full\"\n";
    let full = Machine::from_toml(toml, "test").unwrap();
    assert!(Steps::walk(&full, &Kernel::Mm1 { n: 4 }).unwrap_err().contains("1024 ways"));
    let sweep = Kernel::Cm1 { size: Bytes::kib(64), stride: Bytes::kib(8), passes: 3 };
    let steps = Steps::walk(&large, &sweep).unwrap();
    let misses = steps.steps().iter().filter(|step| step.outcome != Outcome::Hit).count();
    assert_eq!((steps.steps().len(), misses), (48, 8), "8 lines of one set stay in its 8 ways");
}

/// Loops that do what a kernel does show the same.
#[test]
fn own_accesses_are_shown_like_those_of_a_kernel() {
    let machine = Machine::named("i5-7500").unwrap();
    let cm1 = Kernel::Cm1 { size: Bytes::kib(64), stride: Bytes::kib(4), passes: 3 };
    let kernel = Steps::walk(&machine, &cm1).unwrap();
    let loops = "for p in 0..3: for i in 0..16384 step 1024: load x[i]; store x[i]";
    let own = Steps::of_loops(&machine, loops).unwrap();
    let shown = |steps: &Steps| -> Vec<_> {
        steps.steps().iter().map(|step| (step.address, step.store, step.outcome, step.evicted)).collect()
    };
    assert_eq!(shown(&own), shown(&kernel));
    let commented = Steps::of_loops(&machine, "load a[1]\n  # nothing\n store a[1]").unwrap();
    let places =
        Vec::from_iter(commented.steps().iter().map(|step| (step.address, step.outcome, step.place)));
    assert_eq!(places, [(4, Outcome::Compulsory, (1, 1)), (4, Outcome::Hit, (3, 2))]);
}

#[test]
fn loops_are_walked_in_order() {
    let machine = Machine::named("i5-7500").unwrap();
    for (text, expected) in [
        ("for i in 0..64 step 16: load a[i]", "r0 r64 r128 r192"),
        ("for i in 0..2: for j in 0..2: load a[i*8+j]; store b[j]", "r0 w64 r4 w68 r32 w64 r36 w68"),
        (
            "for i in 1..3: # outer\n  load a[2*i-1]\n  for j in i..3:\n    store a[j]\nload b[7]",
            "r4 w4 w8 r12 w8 r92",
        ),
        ("for i in 0..0:\n for j in 0..9: load a[j]\nload x[0]", "r0"),
    ] {
        let steps = Steps::of_loops(&machine, text).unwrap();
        let word = |step: &tab::Step| format!("{}{}", if step.store { "w" } else { "r" }, step.address);
        assert_eq!(Vec::from_iter(steps.steps().iter().map(word)).join(" "), expected, "{text}");
    }
    assert_eq!(Steps::of_loops(&machine, "for i in 0..4000000000: load a[0]").unwrap().steps().len(), 20_000);
    for (text, says) in [
        ("for i in 0..0: load a[i]", "there is no access"),
        ("r 0x40", "line 1: expected 'for', 'load' or 'store', not 'r'"),
        ("load a[1000000000]", "the array a reaches beyond 64 MiB"),
        ("for i in 0..4: load a[j]", "line 1: no loop around it has the variable 'j'"),
        ("for i in 0..0: load a[j]", "line 1: no loop around it has the variable 'j'"),
        ("load a[0]\nfor i in 0..4 step 0: load a[i]", "line 2: a step of 0 never ends"),
        ("load a[1-2]", "line 1: a[-1]: an index is 0 or more"),
        ("for i in 0..4:", "the loop does nothing"),
        ("for i in 0..4\n  load a[i]", "line 1: expected ':', not the line's end"),
        ("for i = 0..4: load a[i]", "line 1: expected 'in', not '='"),
        ("load a[(1)]", "line 1: expected a name, not '('"),
        ("load a[i][j]", "no loop around it"),
        ("load a[0]é", "line 1: expected ';', not 'é'"),
        ("load a[99999999999999999999]", "expected a whole number"),
        ("for i in 0..9: load a[9223372036854775807*i]", "a number is too large"),
        ("for i in 0..9000000: for j in 0..0: load a[i]", "more than 1000000 iterations"),
        (&"for i in 0..1: ".repeat(100_000), "more than 16 loops"),
    ] {
        let error = Steps::of_loops(&machine, text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}
