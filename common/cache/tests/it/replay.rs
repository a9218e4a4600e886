//! Traces: compared with published counts, with a list-based simulator, and with the kernels'
//! model.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use cache::{MissKinds, Modelled, Replay};
use figures::random::Random;
use figures::units::Bytes;
use machine::{CacheLevel, Machine, Mapping};
use memory::{Arena, Lanes, Memory, Vector, Word};

use crate::lists::touch;
use crate::machines::random_machine;

fn one_level(sets: usize, ways: usize, line: usize) -> Machine {
    let mut machine = Machine::named("i5-7500").unwrap();
    let size = Bytes((sets * ways * line) as u64);
    let first = CacheLevel { size, line: Bytes(line as u64), ways, ..machine.levels[0].clone() };
    machine.levels = vec![first];
    machine.walk = None;
    machine
}

/// The example in the handout of the cache lab of "Computer Systems: A Programmer's
/// Perspective" (16 sets of one line of 16 bytes): 4 hits, 5 misses, 3 evictions.
#[test]
fn the_published_example_has_its_published_counts() {
    let mut replay = Replay::new(&one_level(16, 1, 16), vec!["all"]).unwrap();
    let accesses: [(u64, bool); 9] = [
        (0x10, false),
        (0x20, false),
        (0x20, true),
        (0x22, false),
        (0x18, true),
        (0x110, false),
        (0x210, false),
        (0x12, false),
        (0x12, true),
    ];
    let seen = accesses.map(|(address, store)| {
        let outcome = replay.observe(address, 1, store, 0).unwrap();
        (outcome.misses[0], outcome.evictions[0])
    });
    assert_eq!(seen, [(1, 0), (1, 0), (0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 1), (0, 0)]);
    let counts = replay.counts();
    let level = counts.level(1).unwrap();
    assert_eq!((level.hits(), level.misses.total(), level.evictions), (4, 5, 3));
}

/// One set after the other as lists in order of use.
#[derive(Default)]
struct Lists {
    sets: HashMap<u64, Vec<u64>>,
    all: Vec<u64>,
    seen: HashSet<u64>,
    misses: u64,
    evictions: u64,
    kinds: MissKinds,
    /// Misses below 4 GiB.
    low: u64,
}

impl Lists {
    /// An access of the cache of so many sets, ways and bytes a line; one that `passes_by` fills no line.
    fn access(&mut self, address: u64, passes_by: bool, (sets, ways, line): (u64, usize, u64)) {
        let number = address / line;
        let touch = |list: &mut Vec<u64>, most| match passes_by && !list.contains(&number) {
            true => (false, false),
            false => touch(list, number, most),
        };
        let (hit, evicted) = touch(self.sets.entry(number % sets).or_default(), ways);
        let (full_hit, _) = touch(&mut self.all, ways * sets as usize);
        let is_first = self.seen.insert(number);
        self.misses += u64::from(!hit);
        self.low += u64::from(!hit && address < 1 << 32);
        self.evictions += u64::from(evicted);
        if !hit {
            *(match (is_first, full_hit) {
                (true, _) => &mut self.kinds.compulsory,
                (false, false) => &mut self.kinds.capacity,
                (false, true) => &mut self.kinds.conflict,
            }) += 1;
        }
    }
}

#[test]
fn traces_of_sparse_addresses_equal_lists() {
    let mut random = Random::new(7);
    for (case, (sets, ways, line)) in
        [(1, 8, 64), (16, 1, 16), (64, 8, 64), (5, 3, 32), (12, 2, 64), (2, 1, 2)].into_iter().enumerate()
    {
        let mut machine = one_level(sets, ways, line);
        machine.levels[0].allocate = case % 2 == 0;
        let mut replay = Replay::new(&machine, vec!["low", "high"]).unwrap();
        let mut lists = Lists::default();
        let bases =
            [0x40_0000, 0x7fff_ffff_0000, 0x5555_5555_4000, u64::MAX - (1 << 14)].map(|base| base & !7);
        for _ in 0..20_000 {
            let near = random.below(11);
            let address = bases[random.below(4)] + 8 * random.below(1 << near) as u64;
            let name = u8::from(address > 1 << 32);
            // Up to two lines, or more where lines are short.
            let bytes = [1, 4, 8, 8, 32][random.below(5)].min(8 * line as u64);
            let store = random.below(3) == 0;
            replay.access(address, bytes, store, name).unwrap();
            for number in address / line as u64..=(address + bytes - 1) / line as u64 {
                let at = (number * line as u64).max(address);
                lists.access(at, store && case % 2 == 1, (sets as u64, ways, line as u64));
            }
        }
        let counts = replay.counts();
        let level = counts.level(1).unwrap();
        assert_eq!(
            (level.misses.total(), level.evictions),
            (lists.misses, lists.evictions),
            "{sets} {ways} {line}"
        );
        assert_eq!(replay.kinds(), lists.kinds, "{sets} {ways} {line}");
        assert_eq!((level.arrays[0].name, level.arrays[0].misses.total()), ("low", lists.low));
    }
}

/// Memory that writes its accesses down.
struct Log {
    origin: usize,
    accesses: Vec<(u64, u64, bool)>,
}

impl Log {
    fn note(&mut self, pointer: usize, bytes: usize, store: bool) {
        self.accesses.push(((pointer - self.origin) as u64, bytes as u64, store));
    }
}

impl Memory for Log {
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        self.note(cell.as_ptr() as usize, size_of::<T>(), false);
        cell.get()
    }

    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        self.note(cell.as_ptr() as usize, size_of::<T>(), true);
        cell.set(value);
    }

    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        self.note(lanes.address(), size_of::<V>(), false);
        lanes.read()
    }

    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        self.note(lanes.address(), size_of::<V>(), true);
        lanes.write(value);
    }

    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self)) {
        (0..times).for_each(|_| body(self));
    }
}

/// Accesses at random places of an array, some more often than others.
fn wander(mem: &mut impl Memory, array: &[Cell<u32>], seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..4000 {
        let near = 1 + random.below(array.len().ilog2() as usize);
        let cell = &array[random.below(1 << near)];
        match random.below(3) {
            0 => mem.store(cell, 1),
            _ => drop(mem.load(cell)),
        }
    }
}

/// On machines with all that a description can contain: policies, exclusive and inclusive
/// levels, TLBs.
#[test]
fn a_kernel_and_its_trace_count_the_same() {
    let mut random = Random::new(11);
    let mut compared = 0;
    while compared < 60 {
        let (machine, text) = random_machine(&mut random);
        if machine.mapping != Mapping::Identity {
            continue; // pages get their frames in another order
        }
        // The page table begins at multiples of 128 KiB: at another one in a trace.
        let fits = |cache: &CacheLevel| (128 << 10) % (cache.sets() as u64 * cache.line.0) == 0;
        if machine.walk.is_some() && !machine.levels.iter().all(fits) {
            continue;
        }
        compared += 1;
        let arena = Arena::with_capacity(1 << 16).unwrap();
        let array = arena.array::<u32>("a", 1 << 13).unwrap().cells();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        wander(&mut model, array, compared);
        let mut log = Log { origin: arena.origin(), accesses: Vec::new() };
        wander(&mut log, array, compared);
        let mut replay = Replay::new(&machine, vec!["a", "(outside)"]).unwrap();
        for (address, bytes, store) in log.accesses {
            replay.access(address, bytes, store, 0).unwrap();
        }
        assert_eq!(replay.counts(), model.counts(), "{text}");
    }
}

#[test]
fn a_trace_of_too_much_memory_is_refused() {
    let mut replay = Replay::new(&Machine::named("i5-7500").unwrap(), vec!["all"]).unwrap();
    let refused = (0..1 << 20).find_map(|piece: u64| replay.access(piece << 30, 1, false, 0).err());
    assert!(refused.unwrap().to_string().contains("separate regions of memory than"));
}
