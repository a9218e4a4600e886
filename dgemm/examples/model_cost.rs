//! What the cache model costs: the time that a product takes to be modelled, against
//! its size, on each machine of the catalogue. Draws the picture of `docs/model-cost.md`
//! and prints its table: `cargo run --release -p dgemm --example model_cost [LARGEST]`

use std::error::Error;

use common::cache::Modelled;
use common::chart::{Axis, Chart};
use common::machine::{Machine, catalogue};
use common::memory::Arena;
use common::system::clock;
use dgemm::{Blocks, Problem, VARIANTS, Variant};

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/model-cost.svg");
/// The orders that meet all that is easy and hard for the model.
const ORDERS: [&str; 3] = ["ijk", "ikj", "jki"];
/// Seconds after which a larger size is left out.
const LONGEST: f64 = 4.0;

fn main() -> Result<(), Box<dyn Error>> {
    let largest = std::env::args().nth(1).map_or(Ok(1024), |size| size.parse())?;
    let title = "Modelling one product c += a b of doubles";
    let mut chart = Chart::new(title, Axis::log2("N"), Axis::log10("seconds of one processor"));
    println!("| machine | order | N | accesses | seconds |\n|---|---|---|---|---|");
    for entry in catalogue() {
        let machine = Machine::named(entry.name)?;
        for variant in VARIANTS.iter().filter(|variant| ORDERS.contains(&variant.name)) {
            let mut points = Vec::new();
            let mut n = 64;
            while n <= largest && points.last().is_none_or(|&(_, seconds)| seconds <= LONGEST) {
                let (accesses, seconds) = cost(variant, n, &machine)?;
                println!("| {} | {} | {n} | {accesses} | {seconds:.3} |", entry.name, variant.name);
                points.push((n as f64, seconds));
                n *= 2;
            }
            chart = chart.curve(variant.name, points).panel(entry.name);
        }
    }
    std::fs::write(PICTURE, chart.svg())?;
    Ok(())
}

/// Loads and stores of an `n` by `n` product on `machine`, and the processor time in
/// seconds that counting their misses takes.
fn cost(variant: &Variant, n: usize, machine: &Machine) -> Result<(u64, f64), Box<dyn Error>> {
    let blocks = Blocks::for_caches(0, 0, 1);
    let arena = Arena::with_capacity(Problem::bytes(n, n, n, blocks))?;
    let problem = Problem::without_numbers(&arena, [n; 3], blocks)?;
    let start = clock::thread_cpu().0;
    let mut model = Modelled::of_arrays_alone(machine, &arena, &["copies"])?.without_numbers();
    variant.run(&mut model, &problem);
    let counts = model.counts();
    Ok((counts.loads + counts.stores, clock::thread_cpu().0 - start))
}
