//! Stride runs counted by their short cuts, against every access simulated.

use super::*;

/// An access of a nest of two loops: where it starts, how far it moves with
/// each step and with each run, whether it stores, and whether it is of 16 bytes, which may
/// cross the end of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stream {
    pub(super) start: isize,
    pub(super) step: isize,
    pub(super) run: isize,
    pub(super) store: bool,
    pub(super) wide: bool,
}

impl Stream {
    /// The arrays lie one behind the other, and may share a line.
    fn access(self, mem: &mut impl Memory, arrays: &[Array<u8>], run: usize, step: usize) {
        let mut at = (self.start + self.run * run as isize + self.step * step as isize) as usize;
        for array in arrays {
            if at < array.len() && self.wide && self.store {
                return mem.store_vector(array.lanes(at), [1; 16]);
            } else if at < array.len() && self.wide {
                mem.load_vector::<[u8; 16]>(array.lanes(at));
                return;
            } else if at < array.len() && self.store {
                return mem.store(array.at(at), 1);
            } else if at < array.len() {
                mem.load(array.at(at));
                return;
            }
            at -= array.len();
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Nest {
    pub(super) runs: usize,
    pub(super) steps: usize,
    /// Made once a run, before the steps.
    pub(super) lead_in: Vec<Stream>,
    pub(super) streams: Vec<Stream>,
}

const ROOM: usize = 1 << 17;

fn nest() -> impl Strategy<Value = Nest> {
    let steps = prop::sample::select(vec![0isize, 0, 1, 2, 8, 24, -1, -8, 64, -64, 512, 520]);
    let runs = prop::sample::select(vec![0isize, 0, 1, 2, 8, 64, -2]);
    let near = prop::sample::select(vec![0isize, 1, 60, 512, 1024, 4096]);
    let kind = (any::<bool>(), prop::bool::weighted(0.2));
    let stream = (0isize..6, near, steps, runs, kind).prop_map(|(at, near, step, run, (store, wide))| {
        let wide = wide && step >= 0 && run >= 0; // all of them in the second array
        Stream { start: (ROOM / 2) as isize + at * near + if wide { 24 } else { 0 }, step, run, store, wide }
    });
    let streams = prop::collection::vec(stream.clone(), 1..6);
    let lead_in = prop::collection::vec(stream, 0..3);
    // Many runs: a state may recur after as many as a set has ways, and some are left over.
    let runs = prop_oneof![1usize..40, 40usize..140];
    (runs, 0usize..60, lead_in, streams).prop_map(|(runs, steps, lead_in, streams)| Nest {
        runs,
        steps,
        lead_in,
        streams,
    })
}

pub(super) fn run(mem: &mut impl Memory, arrays: &[Array<u8>], nest: &Nest) {
    for run in 0..nest.runs {
        for stream in &nest.lead_in {
            stream.access(mem, arrays, run, 0);
        }
        let n = nest.steps;
        steps!(mem; for step in 0..n {
            for stream in &nest.streams {
                stream.access(mem, arrays, run, step);
            }
        });
    }
}

/// What `machine` counts for the nests over three arrays of `room` bytes, and what `held`
/// shows of it then: by the short cuts, and with every access simulated.
pub(super) fn both_ways<T>(
    machine: &Machine,
    room: usize,
    nests: &[Nest],
    held: impl Fn(&Hierarchy) -> T,
) -> [(Counts, T); 2] {
    let arena = Arena::with_capacity(3 * room).unwrap();
    let arrays = ["x", "y", "z"].map(|name| arena.array(name, room).unwrap());
    [false, true].map(|exhaustive| {
        let mut model = Modelled::new(machine, &arena).unwrap();
        model.runs.exhaustive = exhaustive;
        nests.iter().for_each(|nest| run(&mut model, &arrays, nest));
        (model.counts(), held(&model.filter.hierarchy))
    })
}

pub(super) fn any_machine() -> impl Strategy<Value = Machine> {
    let policy = prop::sample::select(vec!["lru", "lru", "lru", "fifo", "random", "plru"]);
    let prefetch = prop::sample::select(vec!["none", "none", "none", "next-line", "stride", "stream"]);
    let rules = prop::sample::select(vec!["", "", "write = \"through\"", "allocate = false"]);
    let inclusion = prop::sample::select(vec!["neither", "neither", "inclusive", "exclusive"]);
    // A third level, so many times as large as the second: of 128 times nothing is evicted.
    let third = prop::sample::select(vec![None, Some(2), Some(128)]);
    (geometry(), policy, prefetch, rules, inclusion, third, any::<[bool; 3]>()).prop_filter_map(
        "a tree needs 2, 4, 8 ... ways",
        |(levels, policy, prefetch, rules, inclusion, third, [tlbs, scattered, exclusive])| {
            if policy == "plru" && !levels.iter().all(|(_, ways)| ways.is_power_of_two()) {
                return None;
            }
            let rules = format!("replacement = \"{policy}\"\nprefetch = \"{prefetch}\"\n{rules}");
            let mut machine = machine(&levels, &rules);
            if let Some(last) = machine.levels.get_mut(1) {
                last.inclusion = match inclusion {
                    "inclusive" => machine::Inclusion::Inclusive,
                    "exclusive" => machine::Inclusion::Exclusive,
                    _ => machine::Inclusion::Neither,
                };
            }
            if let (Some(times), [_, second]) = (third, &machine.levels[..]) {
                let size = Bytes(times * second.size.0);
                let inclusion =
                    if exclusive { machine::Inclusion::Exclusive } else { machine::Inclusion::Neither };
                machine.levels.push(machine::CacheLevel { level: 3, size, inclusion, ..second.clone() });
            }
            machine.page_size = Bytes(512);
            if scattered {
                machine.mapping = Mapping::Random { seed: 3 };
            }
            Some(if tlbs { with_tlbs(machine) } else { machine })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn rows_are_counted_as_if_walked(
        machine in any_machine(),
        nests in prop::collection::vec(nest(), 1..4),
        repeat in 1u64..4,
        gap in prop::sample::select(vec![0, 24]),
    ) {
        let arena = Arena::with_capacity(ROOM).unwrap();
        let x = [("x", ROOM / 2 + gap), ("y", ROOM / 2 - gap)].map(|(name, len)| arena.array(name, len).unwrap());
        let count = |exhaustive: bool| {
            let mut model = Modelled::new(&machine, &arena).unwrap();
            model.runs.exhaustive = exhaustive;
            model.repeat(repeat, |mem| nests.iter().for_each(|nest| run(mem, &x, nest)));
            nests.iter().for_each(|nest| run(&mut model, &x, nest));
            model.counts()
        };
        prop_assert_eq!(count(false), count(true));
    }
}

/// Columns of two arrays, one of which stays while the other goes on, and single
/// accesses that come to another line each time.
#[test]
fn columns_are_compared_with_earlier_ones_not_walked() {
    let first = "name = \"test\"\n[[cache]]\nlevel = 1\nsize = 4096\nline = 64\nways = 4\n";
    let third = "[[cache]]\nlevel = 3\nsize = \"1M\"\nline = 64\nways = 8\n";
    for second in ["", "replacement = \"plru\"", "inclusion = \"inclusive\"", "inclusion = \"exclusive\""] {
        let two = format!("{first}[[cache]]\nlevel = 2\nsize = 32768\nline = 64\nways = 8\n{second}\n");
        for text in [format!("{two}{third}"), format!("{two}{third}inclusion = \"exclusive\""), two] {
            columns_are_compared(&Machine::from_toml(&text, "test").unwrap());
        }
    }
}

fn columns_are_compared(machine: &Machine) {
    let arena = Arena::with_capacity(3 * ROOM).unwrap();
    let [x, y, z] = ["x", "y", "z"].map(|name| arena.array::<u8>(name, ROOM).unwrap());
    let count = |exhaustive: bool| {
        let mut model = Modelled::of_arrays_alone(machine, &arena, &[]).unwrap();
        model.runs.exhaustive = exhaustive;
        let mem = &mut model;
        for k in 0..1024 {
            mem.load(z.at(1024 * (k % 128)));
            steps!(mem; for i in 0..128 {
                mem.store(x.at(1024 * i), 1);
                mem.load(y.at(1024 * i + k));
            });
        }
        (model.counts(), model.filter.hierarchy.levels[0].uses)
    };
    let [(counts, uses), (walked, all_uses)] = [false, true].map(count);
    assert_eq!(counts, walked);
    assert!(8 * uses < all_uses, "{uses} of {all_uses}");
}
