//! The cache model's count of a product. If simulating all of it would take long, the first
//! iterations of the outermost loop are simulated and the others estimated from them.

use cache::{Counts, Modelled};
use figures::value::{Reading, Source};
use machine::{Machine, MachineError};
use memory::Arena;

use crate::counting::theory::Misses;
use crate::problem::Problem;
use crate::rungs::widest::tile;
use crate::variants::{Kernel, Variant};
use crate::view::View;

/// The model's counts of the whole product.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// Load instructions.
    pub loads: f64,
    /// Store instructions.
    pub stores: f64,
    /// Caches, level 1 first.
    pub levels: Vec<LevelCounts>,
    /// Misses of the last TLB, if the machine describes one.
    pub tlb: Option<f64>,
    /// How many iterations of the outermost loop were simulated, and how many there are;
    /// the others are estimated. (1, 1) if nothing is estimated.
    pub walked: (usize, usize),
}

/// The counts of one cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelCounts {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Accesses to it.
    pub accesses: f64,
    /// Misses of loads.
    pub load_misses: f64,
    /// All misses, by array.
    pub misses: Misses,
}

/// Why the model has no count.
#[derive(Debug, thiserror::Error)]
pub enum NoTally {
    /// The machine cannot be modelled.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Too many accesses, and no outermost loop to estimate them from.
    #[error("{0:.0} million accesses take long to simulate, and no loop repeats; --exact simulates them")]
    TooLong(f64),
}

/// The outermost loop, and its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outer {
    I(usize),
    J(usize),
    K(usize),
    /// No loop: nothing repeats.
    None,
}

impl Outer {
    fn of(variant: &Variant, p: &Problem) -> Outer {
        match variant.kernel {
            Kernel::Ijk | Kernel::Ikj | Kernel::FlatIjk | Kernel::FlatIkj => Outer::I(1),
            Kernel::Jik | Kernel::Jki => Outer::J(1),
            Kernel::Kij | Kernel::Kji => Outer::K(1),
            Kernel::BlockL1 | Kernel::Unrolled => Outer::I(p.blocks.l1),
            Kernel::BlockL2 => Outer::I(p.blocks.l2),
            Kernel::Recursive | Kernel::Packed | Kernel::Tiled | Kernel::Prefetch | Kernel::Threads => {
                Outer::None
            }
        }
    }
}

/// Accesses of the whole product, exact enough to decide how much to simulate.
fn accesses(variant: &Variant, p: &Problem) -> f64 {
    let (height, width) = tile(p.isa);
    p.iterations()
        * match variant.kernel {
            Kernel::Tiled | Kernel::Prefetch | Kernel::Threads => 1.0 / height as f64 + 1.0 / width as f64,
            Kernel::Ijk | Kernel::Jik | Kernel::FlatIjk | Kernel::BlockL1 => 2.0,
            Kernel::Recursive => 2.0 + 2.0 / p.blocks.base.max(1) as f64,
            _ => 3.0,
        }
}

/// Accesses that are simulated by default: a second or two.
pub const MAX_ACCESSES: f64 = 1e8;

/// Counts `variant` on `machine`. If the product makes more than `max_accesses`, the first
/// iterations of the outermost loop are simulated (with empty caches), then as many more,
/// from which the rest is estimated. Calls `progress` with the share (0 to 1) of the
/// simulation that is done.
///
/// # Errors
///
/// If the machine cannot be modelled, or the product is too long and has no outermost loop.
pub fn tally(
    variant: &Variant,
    p: &Problem,
    arena: &Arena,
    machine: &Machine,
    max_accesses: f64,
    progress: Option<Box<dyn FnMut(f64)>>,
) -> Result<Tally, NoTally> {
    let accesses = accesses(variant, p);
    let outer = Outer::of(variant, p);
    // The rungs without an outer loop have tiles of their own in addition to the matrices.
    let model = match outer {
        Outer::None => Modelled::new(machine, arena),
        _ => Modelled::of_arrays_alone(machine, arena, &["copies"]),
    };
    let mut model = model?.without_numbers();
    if let Some(progress) = progress {
        model = model.reporting(progress);
    }
    let [m, n, k] = p.sides();
    let (step, side) = match outer {
        Outer::I(step) => (step, m),
        Outer::J(step) => (step, n),
        Outer::K(step) => (step, k),
        Outer::None => (0, 0),
    };
    let slice = period(machine, p, outer, step);
    if accesses <= max_accesses || (outer != Outer::None && 2 * slice >= side) {
        variant.run(&mut model, p);
        return Ok(of(&model.counts(), (1, 1)));
    }
    if outer == Outer::None {
        return Err(NoTally::TooLong(accesses / 1e6));
    }
    variant.run(&mut model, &part(p, outer, 0, slice));
    let cold = of(&model.counts(), (0, 0));
    model.reset_counts();
    variant.run(&mut model, &part(p, outer, slice, slice));
    let steady = of(&model.counts(), (0, 0));
    let rest = (side - slice) as f64 / slice as f64;
    Ok(Tally { walked: (2 * slice, side), ..cold.with(&steady, |cold, steady| cold + rest * steady) })
}

/// After how many iterations of the outermost loop the accesses have the same offsets
/// within lines again, rounded up to a multiple of `step`.
fn period(machine: &Machine, p: &Problem, outer: Outer, step: usize) -> usize {
    let line = machine.levels.iter().map(|cache| cache.line.0 as usize / 8).max().unwrap_or(8);
    let [_, n, k] = p.sides();
    let whole_rows = (1..line).find(|rows| [n, k].iter().all(|side| (rows * side).is_multiple_of(line)));
    match outer {
        Outer::I(_) if step == 1 => whole_rows.unwrap_or(line).max(2),
        Outer::J(_) | Outer::K(_) => line,
        _ => step,
    }
}

/// The iterations `from..from + count` of the outermost loop, on the whole matrices.
fn part<'a>(p: &Problem<'a>, outer: Outer, from: usize, count: usize) -> Problem<'a> {
    let rows = |x: View<'a>| x.block(from, 0, count, x.cols());
    let cols = |x: View<'a>| x.block(0, from, x.rows(), count);
    match outer {
        Outer::I(_) => Problem { a: rows(p.a), c: rows(p.c), ..*p },
        Outer::J(_) => Problem { b: cols(p.b), c: cols(p.c), ..*p },
        Outer::K(_) => Problem { a: cols(p.a), b: rows(p.b), ..*p },
        Outer::None => *p,
    }
}

fn of(counts: &Counts, walked: (usize, usize)) -> Tally {
    let level = |level: &cache::LevelCounts| {
        let of = |name| {
            let of_it = level.arrays.iter().filter(|array| array.name == name);
            of_it.map(|array| array.misses.total() as f64).sum::<f64>()
        };
        let misses = Misses { a: of("a"), b: of("b"), c: of("c"), copies: of("copies") };
        LevelCounts {
            level: level.level,
            accesses: level.accesses.total() as f64,
            load_misses: level.misses.loads as f64,
            misses,
        }
    };
    Tally {
        loads: counts.loads as f64,
        stores: counts.stores as f64,
        levels: counts.levels.iter().map(level).collect(),
        tlb: counts.tlbs.last().map(|tlb| tlb.misses as f64),
        walked,
    }
}

impl Tally {
    fn with(&self, other: &Tally, f: impl Fn(f64, f64) -> f64) -> Tally {
        let levels = self.levels.iter().zip(&other.levels).map(|(x, y)| LevelCounts {
            level: x.level,
            accesses: f(x.accesses, y.accesses),
            load_misses: f(x.load_misses, y.load_misses),
            misses: x.misses.with(y.misses, &f),
        });
        Tally {
            loads: f(self.loads, other.loads),
            stores: f(self.stores, other.stores),
            levels: levels.collect(),
            tlb: self.tlb.zip(other.tlb).map(|(x, y)| f(x, y)),
            walked: self.walked,
        }
    }

    /// The model's count of a PAPI preset.
    pub fn reading(&self, name: &str) -> Reading {
        let level = |digit: char| self.levels.iter().find(|level| digit == (b'0' + level.level) as char);
        let mut letters = name.strip_prefix("PAPI_L").unwrap_or_default().chars();
        let amount = match (name, letters.next().and_then(level), letters.as_str()) {
            ("PAPI_LD_INS", ..) => Some(self.loads),
            ("PAPI_SR_INS", ..) => Some(self.stores),
            ("PAPI_LST_INS", ..) => Some(self.loads + self.stores),
            ("PAPI_TLB_DM", ..) => self.tlb,
            (_, Some(level), "_DCM") => Some(level.misses.total()),
            (_, Some(level), "_LDM") => Some(level.load_misses),
            _ => None,
        };
        match amount {
            Some(amount) => Reading::new(amount, Source::Model),
            None => Reading::missing(format!("the cache model does not count {name}")),
        }
    }
}
