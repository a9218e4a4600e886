//! Rungs and sizes, interleaved and repeated: the data of the homework's charts.

use common::measure::{Plan, Session};
use common::value::{Reading, Source};

use crate::measuring::measure::{self, Outcome, Stepped, Task};
use crate::problem::matrices::Fill;
use crate::{Rounding, Variant};

/// One rung at one size.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The rung's name.
    pub variant: &'static str,
    /// Rows and columns.
    pub size: usize,
    /// The times of all rounds.
    pub outcome: Outcome,
    /// Instructions executed.
    pub instructions: Reading,
    /// Cycles of the processor.
    pub cycles: Reading,
}

impl Cell {
    /// Seconds of each round.
    pub fn seconds(&self) -> Vec<f64> {
        self.outcome.timed.runs.iter().map(|time| time.wall.0).collect()
    }
}

/// The speed-up of one rung over the one before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    /// The rung before.
    pub from: &'static str,
    /// The rung.
    pub to: &'static str,
    /// The size of both.
    pub size: usize,
    /// Old time divided by new time, in each round.
    pub times_as_fast: Reading,
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
    /// The source of instructions and cycles.
    pub plan: Plan,
    /// Processors for the rung that uses several.
    pub processors: &'a [usize],
}

impl Design<'_> {
    /// Runs of all rungs at all sizes together.
    pub fn runs(&self) -> usize {
        self.sizes.len() * self.variants.len() * self.rounds
    }
}

/// The results of a sweep.
#[derive(Debug)]
pub struct Swept {
    /// The cells that were measured.
    pub cells: Vec<Cell>,
    /// Why it ended: a sentence if something failed (a rung cannot run on this machine,
    /// there is not enough memory, or a rung that should have ge1's bits differs).
    pub ended: Result<(), String>,
}

/// Runs all rungs at all sizes. Within a round each size is run by every rung once, so that
/// a slow moment of the machine affects neighbouring rungs equally; `each` is called with
/// round and size. After `is_over`, or an error, returns what is measured so far.
pub fn run(
    design: &Design,
    session: &Session,
    is_over: impl Fn() -> bool,
    each: impl FnMut(usize, usize),
) -> Swept {
    let mut cells: Vec<Cell> = Vec::new();
    let swept = rounds(design, session, &mut cells, &is_over, each);
    let counted = count(design, session, &mut cells, is_over);
    Swept { cells, ended: swept.and(counted) }
}

fn rounds(
    design: &Design,
    session: &Session,
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
                let outcome = measure::run(variant, &task(design, size), session, 1)?;
                same_bits(design, cells, variant, size, outcome.check)?;
                match cells.iter_mut().find(|cell| cell.variant == variant.name && cell.size == size) {
                    Some(cell) => cell.outcome.timed.runs.extend(outcome.timed.runs),
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
    Task { size, fill: Fill::Rand, as_printed: false, processors: design.processors }
}

/// Fails if a rung that should have the same bits as others has another `check` than an
/// earlier run at that size, its own or theirs.
fn same_bits(
    design: &Design,
    cells: &[Cell],
    variant: &Variant,
    size: usize,
    check: f64,
) -> Result<(), String> {
    let exact = |name: &str| design.variants.iter().any(|v| v.name == name && v.rounding == Rounding::Same);
    let differs = |cell: &&Cell| {
        cell.size == size && exact(cell.variant) && cell.outcome.check.to_bits() != check.to_bits()
    };
    match cells.iter().find(differs).filter(|_| variant.rounding == Rounding::Same) {
        Some(other) => Err(format!(
            "Check differs at size {size}: {} has {:e}, {} has {check:e}; one of them is wrong",
            other.variant, other.outcome.check, variant.name
        )),
        None => Ok(()),
    }
}

/// Instructions and cycles of all cells.
fn count(
    design: &Design,
    session: &Session,
    cells: &mut [Cell],
    is_over: impl Fn() -> bool,
) -> Result<(), String> {
    for variant in &design.variants {
        let stepped = Stepped::new();
        for cell in cells.iter_mut().filter(|cell| cell.variant == variant.name) {
            if is_over() {
                cell.instructions = Reading::missing("left out: the sweep ended early");
                cell.cycles = cell.outcome.cycles();
                continue;
            }
            let task = task(design, cell.size);
            let totals = measure::totals(variant, &task, session, &design.plan, &cell.outcome, &stepped);
            [cell.instructions, cell.cycles] = totals.map_err(|failure| failure.to_string())?;
        }
    }
    Ok(())
}

/// The speed-up of each rung over the one before it, at the largest size, from the ratios
/// within each round.
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
                times_as_fast: Reading::from_runs(&ratios, Source::Timing),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::cli::{Counters, Measuring, Modelling, Output};

    fn design(session: &Session, sizes: &[usize]) -> Design<'static> {
        let variants = ["ge2", "ge3"].iter().filter_map(|name| crate::find(name)).collect();
        let plan = measure::plan(session).unwrap();
        Design { variants, sizes: sizes.to_vec(), rounds: 3, plan, processors: &[] }
    }

    fn session(counters: Counters) -> Session {
        Session::start(&Measuring::once(counters), &Modelling::of("host"), &Output::none()).unwrap()
    }

    #[test]
    fn a_small_sweep_fills_every_cell_and_compares_the_next_ones() {
        let session = session(Counters::None);
        let design = design(&session, &[8, 20]);
        let Swept { cells, ended } = run(&design, &session, || false, |_, _| ());
        ended.unwrap();
        assert_eq!(cells.len(), 4);
        assert!(cells.iter().all(|cell| cell.outcome.timed.runs.len() == 3));
        assert!(cells.iter().all(|cell| cell.instructions.amount().is_none()));
        let gains = gains(&design, &cells);
        assert_eq!((gains.len(), gains[0].from, gains[0].size), (1, "ge2", 20));
        assert_eq!(gains[0].times_as_fast.runs().len(), 3);
    }

    #[test]
    fn a_sweep_that_has_to_end_retains_what_it_measured() {
        let session = session(Counters::Auto);
        let design = design(&session, &[8, 20, 1 << 40]);
        let none = run(&design, &session, || true, |_, _| ());
        assert_eq!((none.cells.len(), none.ended), (1, Ok(())), "the first is always measured");
        let failed = run(&design, &session, || false, |_, _| ());
        assert_eq!(failed.cells.len(), 4);
        assert!(failed.ended.unwrap_err().contains("1099511627776"));
    }

    #[test]
    fn every_round_is_compared_with_the_others() {
        let session = session(Counters::None);
        let design = design(&session, &[8]);
        let cells = run(&design, &session, || false, |_, _| ()).cells;
        let right = cells[0].outcome.check;
        for variant in &design.variants {
            assert_eq!(same_bits(&design, &cells, variant, 8, right), Ok(()));
            assert_eq!(same_bits(&design, &cells, variant, 9, 0.0), Ok(()), "another size");
            let told = same_bits(&design, &cells, variant, 8, right + 1.0).unwrap_err();
            assert!(told.contains("size 8"), "{told}");
        }
    }
}
