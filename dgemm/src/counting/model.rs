//! The cache model's count of a product.

use cache::{Counts, LevelCounts, Modelled};
use figures::value::{Reading, Source};
use machine::Machine;
use memory::Arena;

use crate::counting::theory::Misses;
use crate::problem::Problem;
use crate::variants::{Kernel, Variant};

/// Longest count in seconds, of all rungs together.
pub const LONGEST_S: f64 = 300.0;
/// An outermost loop of more iterations can be sampled.
const LEAST_SAMPLED: usize = 100;
/// Seconds after which a rung of three plain loops is estimated from samples.
const SAMPLED_S: f64 = 20.0;

/// Counts `variant` on `machine`, from empty caches. Calls `progress` with the share (0 to 1)
/// that is done.
/// Fails with a sentence: the machine cannot be modelled, or it would take more than `limit_s` seconds.
pub fn count(
    variant: &Variant,
    p: &Problem,
    arena: &Arena,
    machine: &Machine,
    limit_s: f64,
    progress: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    let seconds = seconds(variant, p.sides(), machine);
    if seconds > limit_s {
        return Err(format!(
            "the model would need {seconds:.0} seconds for {:.0} million accesses, and {limit_s:.0} is its limit: choose a smaller N, or one rung instead of all",
            accesses(variant, p.sides()) / 1e6
        ));
    }
    let model = match variant.kernel {
        Kernel::Tiled | Kernel::Threads => Modelled::new(machine, arena),
        _ => Modelled::of_arrays_alone(machine, arena, &["copies", "before"]),
    };
    let mut model = model.map_err(|error| error.to_string())?.without_numbers().estimating();
    if let Some(progress) = progress {
        model = model.reporting(progress);
    }
    variant.run(&mut model, p);
    Ok(model.counts())
}

/// Pages of 4 KiB before the arrays at further places; a TLB with hashed sets reads so many bits of them.
const FURTHER: [usize; 4] = [1111, 5461, 11000, 14000];

/// L1 misses with the arrays at several places, as the system gives them from run to run, if they are more than 1 %
/// apart; `here` is what [`count`] gave. Only misses of a TLB depend on the place.
pub fn placements(variant: &Variant, p: &Problem, machine: &Machine, here: &Counts) -> Option<Reading> {
    let level = here.level(1)?;
    let first = level.misses.total() as f64;
    if (level.walk_misses()? as f64) < 0.01 * first {
        return None;
    }
    let further = |pages| {
        let [m, n, k] = p.sides();
        let bytes = Problem::bytes(m, n, k, p.blocks) + (pages << 12);
        let arena = Arena::with_capacity(bytes).ok()?;
        arena.array::<f64>("before", pages << 9).ok()?;
        let moved = Problem::without_numbers(&arena, p.sides(), p.blocks).ok()?;
        let counts = count(variant, &moved, &arena, machine, LONGEST_S, None).ok()?;
        Some(counts.level(1)?.misses.total() as f64)
    };
    let all: Option<Vec<f64>> = FURTHER.into_iter().map(further).chain([Some(first)]).collect();
    let all = all?;
    let (least, most) =
        (all.iter().copied().fold(first, f64::min), all.iter().copied().fold(first, f64::max));
    (most > 1.01 * least).then(|| Reading::from_runs(&all, Source::Model))
}

/// The time of [`count`], if no state of the caches recurs.
pub fn seconds(variant: &Variant, sides: [usize; 3], machine: &Machine) -> f64 {
    // What is sealed must not show in an estimate.
    let is_fully_associative = machine.visible_levels().first().is_some_and(|cache| cache.ways > 64);
    let per_second = match variant.kernel {
        Kernel::Recursive => 6e6, // a tree of tiny loops
        _ if is_fully_associative => 1e7,
        _ => 5e7,
    };
    let seconds = accesses(variant, sides) / per_second;
    if outer_iterations(variant, sides) > LEAST_SAMPLED { seconds.min(SAMPLED_S) } else { seconds }
}

/// Iterations of the outermost loop of a rung of three plain loops, which all cost the same; 0 for
/// other rungs.
fn outer_iterations(variant: &Variant, [m, n, k]: [usize; 3]) -> usize {
    match variant.kernel {
        Kernel::Ijk | Kernel::Ikj | Kernel::FlatIjk | Kernel::FlatIkj => m,
        Kernel::Jik | Kernel::Jki => n,
        Kernel::Kij | Kernel::Kji => k,
        _ => 0,
    }
}

/// Accesses of the whole product, roughly: to estimate a time.
fn accesses(variant: &Variant, sides: [usize; 3]) -> f64 {
    let each = if let Kernel::Tiled | Kernel::Threads = variant.kernel { 0.25 } else { 3.0 };
    each * sides.map(|side| side as f64).iter().product::<f64>()
}

impl Misses {
    /// The model's misses of one level, by array.
    pub fn counted(level: &LevelCounts) -> Misses {
        let of = |name| {
            let of_it = level.arrays.iter().filter(|array| array.name == name);
            of_it.map(|array| array.misses.total() as f64).sum::<f64>()
        };
        Misses {
            a: of("a"),
            b: of("b"),
            c: of("c"),
            copies: of("copies"),
            walks: level.walk_misses().unwrap_or(0) as f64,
        }
    }
}
