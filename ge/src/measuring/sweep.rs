//! Rungs by sizes, interleaved and repeated: what the homework's charts show.

use common::cli::Counters;
use common::stats;
use common::value::Reading;

use crate::measuring::instructions;
use crate::measuring::measure::{self, Outcome, Task};
use crate::problem::matrices::Fill;
use crate::{Rounding, Variant};

/// One rung at one size.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The rung's name.
    pub variant: &'static str,
    /// Rows and columns.
    pub size: usize,
    /// All rounds.
    pub outcome: Outcome,
    /// Instructions executed.
    pub instructions: Reading,
    /// Cycles of the processor.
    pub cycles: Reading,
}

impl Cell {
    /// Seconds of each round.
    pub fn seconds(&self) -> Vec<f64> {
        self.outcome.times.iter().map(|time| time.wall.0).collect()
    }
}

/// What one rung gained over the one before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    /// The rung before.
    pub from: &'static str,
    /// The rung.
    pub to: &'static str,
    /// The size of both.
    pub size: usize,
    /// Time before over time now, the median over the rounds.
    pub times_faster: f64,
    /// The 95 % interval of that median.
    pub interval: (f64, f64),
}

/// What the experiment varies, and how often it repeats.
#[derive(Debug)]
pub struct Design<'a> {
    /// The rungs, in the order of the ladder.
    pub variants: Vec<&'static Variant>,
    /// The sizes.
    pub sizes: Vec<usize>,
    /// How often each rung runs at each size.
    pub rounds: usize,
    /// Where counts shall come from.
    pub counters: Counters,
    /// Processors for the rung that uses several.
    pub processors: &'a [usize],
}

impl Design<'_> {
    /// Runs of all rungs at all sizes together.
    pub fn runs(&self) -> usize {
        self.sizes.len() * self.variants.len() * self.rounds
    }
}

/// What a sweep gave.
#[derive(Debug)]
pub struct Swept {
    /// The cells that were measured.
    pub cells: Vec<Cell>,
    /// Why it came to an end: a sentence, if something failed (a rung cannot run
    /// here, the memory is short, a rung that promises ge1's bits broke the promise).
    pub ended: Result<(), String>,
}

/// Runs all rungs at all sizes. Within a round each size sees every rung once,
/// so that a slow moment of the machine hits neighbours alike; `each` sees round
/// and size. Once it `is_over`, or something fails, what is measured is all.
pub fn run(design: &Design, is_over: impl Fn() -> bool, each: impl FnMut(usize, usize)) -> Swept {
    let mut cells: Vec<Cell> = Vec::new();
    let ended = rounds(design, &mut cells, &is_over, each).and_then(|()| same_bits(design, &cells));
    count(design, &mut cells, is_over);
    Swept { cells, ended }
}

fn rounds(
    design: &Design,
    cells: &mut Vec<Cell>,
    is_over: impl Fn() -> bool,
    mut each: impl FnMut(usize, usize),
) -> Result<(), String> {
    for round in 0..design.rounds {
        for &size in &design.sizes {
            each(round, size);
            for variant in &design.variants {
                if is_over() && !cells.is_empty() {
                    return Ok(());
                }
                let outcome = measure::run(variant, &task(design, size), &is_over)?;
                match cells.iter_mut().find(|cell| cell.variant == variant.name && cell.size == size) {
                    Some(cell) => cell.outcome.times.extend(outcome.times),
                    None => cells.push(Cell {
                        variant: variant.name,
                        size,
                        outcome,
                        instructions: Reading::missing("not counted yet"),
                        cycles: Reading::missing("not counted yet"),
                    }),
                }
            }
        }
    }
    Ok(())
}

fn task<'a>(design: &Design<'a>, size: usize) -> Task<'a> {
    Task {
        size,
        fill: Fill::Rand,
        as_printed: false,
        counters: design.counters,
        runs: 1,
        processors: design.processors,
    }
}

fn same_bits(design: &Design, cells: &[Cell]) -> Result<(), String> {
    let exact: Vec<&str> =
        design.variants.iter().filter(|v| v.rounding == Rounding::Same).map(|v| v.name).collect();
    for &size in &design.sizes {
        let mut checks = cells.iter().filter(|cell| cell.size == size && exact.contains(&cell.variant));
        let Some(first) = checks.next() else { continue };
        if let Some(other) = checks.find(|cell| cell.outcome.check != first.outcome.check) {
            return Err(format!(
                "Check differs at size {size}: {} has {:e}, {} has {:e}; one of them is wrong",
                first.variant, first.outcome.check, other.variant, other.outcome.check
            ));
        }
    }
    Ok(())
}

/// Instructions and cycles: hardware, or instructions stepped once for each
/// rung and cycles from the times.
fn count(design: &Design, cells: &mut [Cell], is_over: impl Fn() -> bool) {
    for variant in &design.variants {
        let mut stepped = None;
        for cell in cells.iter_mut().filter(|cell| cell.variant == variant.name) {
            if is_over() {
                cell.instructions = Reading::missing("left out: the sweep had to end");
                cell.cycles = cell.outcome.cycles();
                continue;
            }
            [cell.instructions, cell.cycles] =
                match measure::hardware_totals(variant, &task(design, cell.size)) {
                    Ok(counted) => counted,
                    Err(_) if design.counters == Counters::Auto => {
                        let found = stepped.get_or_insert_with(|| instructions::Counts::find(variant));
                        [instructions::Counts::reading(found, cell.size), cell.outcome.cycles()]
                    }
                    Err(reason) => [Reading::missing(reason.clone()), Reading::missing(reason)],
                };
        }
    }
}

/// What each rung gained over the one before it, at the largest size, from the
/// ratios within each round.
pub fn gains(design: &Design, cells: &[Cell]) -> Vec<Gain> {
    let Some(&size) = design.sizes.iter().max() else { return Vec::new() };
    let cell = |name: &str| cells.iter().find(|cell| cell.size == size && cell.variant == name);
    let pairs = design.variants.windows(2);
    pairs
        .filter_map(|pair| {
            let (before, now) = (cell(pair[0].name)?, cell(pair[1].name)?);
            let ratios: Vec<f64> =
                before.seconds().iter().zip(now.seconds()).map(|(before, now)| before / now).collect();
            Some(Gain {
                from: before.variant,
                to: now.variant,
                size,
                times_faster: stats::median(&ratios)?,
                interval: stats::median_interval(&ratios)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sweep_fills_every_cell_and_compares_neighbours() {
        let variants: Vec<_> = ["ge2", "ge3"].iter().filter_map(|name| crate::find(name)).collect();
        let design =
            Design { variants, sizes: vec![8, 20], rounds: 3, counters: Counters::None, processors: &[] };
        let Swept { cells, ended } = run(&design, || false, |_, _| ());
        ended.unwrap();
        assert_eq!(cells.len(), 4);
        assert!(cells.iter().all(|cell| cell.outcome.times.len() == 3));
        assert!(cells.iter().all(|cell| cell.instructions.amount().is_none()));
        let gains = gains(&design, &cells);
        assert_eq!((gains.len(), gains[0].from, gains[0].size), (1, "ge2", 20));
        assert!(gains[0].interval.0 <= gains[0].times_faster && gains[0].times_faster <= gains[0].interval.1);
    }

    #[test]
    fn a_sweep_that_has_to_end_keeps_what_it_measured() {
        let variants: Vec<_> = ["ge2", "ge3"].iter().filter_map(|name| crate::find(name)).collect();
        let sizes = vec![8, 20, 1 << 40];
        let design = Design { variants, sizes, rounds: 3, counters: Counters::Auto, processors: &[] };
        let none = run(&design, || true, |_, _| ());
        assert_eq!((none.cells.len(), none.ended), (1, Ok(())), "the first is always measured");
        let failed = run(&design, || false, |_, _| ());
        assert_eq!(failed.cells.len(), 4);
        assert!(failed.ended.unwrap_err().contains("1099511627776"));
    }
}
