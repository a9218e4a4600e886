//! The speed of the cache model: accesses per second of whole products, and the time of
//! cm1's sweeps. `cargo bench -p mm3`

#![allow(clippy::unwrap_used, reason = "a bench may fail")]

use cm1::walk;
use common::cache::Modelled;
use common::machine::Machine;
use common::memory::{Arena, Matrix};
use common::sweep::Range;
use common::units::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Two levels, LRU, nothing else.
const TWO_LEVELS: &str = r#"
name = "two levels"
[[cache]]
level = 1
size = "32K"
line = 64
ways = 8
[[cache]]
level = 2
size = "256K"
line = 64
ways = 8
"#;

fn machine(name: &str) -> Machine {
    if name == "two-levels" { Machine::from_toml(TWO_LEVELS, name) } else { Machine::named(name) }.unwrap()
}

const MACHINES: [&str; 4] = ["two-levels", "i5-7500", "zen3", "lecture"];

type Product = fn(&mut Modelled, Matrix<i16>, Matrix<i16>, Matrix<i16>);

/// A product of N = 512: 4 N^3 accesses.
fn product(bencher: Bencher, machine_name: &str, multiply: Product) {
    let n = 512;
    let machine = machine(machine_name);
    let arena = Arena::with_capacity(3 * n * n * size_of::<i16>()).unwrap();
    let [a, b, c] = ["mul1", "mul2", "res"].map(|name| arena.matrix(name, n, n).unwrap());
    bencher.counter(ItemsCount::new(4 * n * n * n)).bench_local(|| {
        let mut model = Modelled::new(&machine, &arena).unwrap();
        multiply(&mut model, a, b, c);
        model.counts()
    });
}

#[divan::bench(args = MACHINES, sample_count = 3, sample_size = 1)]
fn mm1_512(bencher: Bencher, machine: &str) {
    product(bencher, machine, mm1::multiply);
}

#[divan::bench(args = MACHINES, sample_count = 3, sample_size = 1)]
fn mm2_512(bencher: Bencher, machine: &str) {
    product(bencher, machine, mm2::multiply);
}

/// cm1's cells from 8 KiB to `max`, 200 passes per stride.
#[divan::bench(args = ["64K", "2M"], sample_count = 3, sample_size = 1)]
fn cm1_sweep(bencher: Bencher, max: &str) {
    let machine = machine("i5-7500");
    let max: Bytes = max.parse().unwrap();
    let arena = Arena::with_capacity(max.get()).unwrap();
    let array = arena.array::<u8>("x", max.get()).unwrap();
    let cells = Range::default().cells(Bytes::kib(8), max).unwrap();
    bencher.bench_local(|| {
        for cell in &cells {
            let mut model = Modelled::new(&machine, &arena).unwrap();
            walk(&mut model, array.part(0, cell.size), cell.stride, 200 * cell.stride as u64 + 1);
            divan::black_box(model.counts());
        }
    });
}
