//! The cells of a sweep, one after the other. Those of a described machine are independent, so
//! they are modelled on all processors at once. Measured cells must never run like this.

use std::collections::VecDeque;
use std::thread;

use cache::{Counts, Modelled};
use figures::value::{Reading, Source};
use isa::Native;
use machine::{Machine, Replacement};
use memory::{Arena, Array};
use records::note::Note;
use records::record::{Record, Row};
use records::sweep::Cell;
use system::cpu;

use super::{Measured, Plan, Sample, Session, arena};
use crate::failure::Failure;

/// Times a cell's number of accesses.
pub type Timer = Box<dyn FnMut(Cell, f64) -> Result<Sample, Failure>>;

/// What spark and cm1 do in a cell: passes over the first bytes of an array.
pub struct Walks<'w> {
    /// Passes over `array` that touch every `stride`-th byte, on each kind of memory.
    pub native: fn(&mut Native, Array<u8>, usize, u64),
    /// The same function for the model.
    pub modelled: fn(&mut Modelled, Array<u8>, usize, u64),
    /// The number of passes.
    pub passes: &'w (dyn Fn(Cell) -> u64 + Sync),
    /// The largest array, and where it is.
    pub array: Array<'w, u8>,
    /// The memory that it is in.
    pub arena: &'w Arena,
    /// What is counted.
    pub plan: &'w Plan,
    /// Times them in another way, instead of `native`.
    pub timer: Option<Timer>,
    /// The row of a cell and the number of its accesses.
    pub row: &'w mut dyn FnMut(Cell, f64, &Sample) -> Row,
}

/// Accesses of a cell that are modelled where no state of the caches recurs. Were they independent, a share of one half
/// would have a standard error of 0.0005.
const RANDOM_ACCESSES: u64 = 1 << 20;
/// Passes of such a cell, at least: its first one fills the caches.
const RANDOM_PASSES: u64 = 8;
/// Seconds of one access of a sweep, measured or modelled, on average.
const ACCESS_S: f64 = 2e-9;
/// Seconds of one cell that is timed by dependent accesses.
const TIMED_CELL_S: f64 = 0.1;
/// Accesses to each byte until the state of a modelled cache usually recurs.
const MODELLED: f64 = 4.0;

impl Session {
    /// Adds a row to the record for each cell, until the user ends the sweep.
    /// Fails if there is not enough memory, it would take longer than a week, or nothing can be counted or timed.
    pub fn sweep(&self, walks: &mut Walks<'_>, cells: &[Cell], record: &mut Record) -> Result<(), Failure> {
        let all = record.rows.len() + cells.len();
        let Walks { native, modelled, passes, array, arena, plan, timer, row } = walks;
        let (native, modelled, passes) = (*native, *modelled, *passes);
        let random = self.machine.levels.iter().any(|level| level.replacement == Replacement::Random);
        // the note would reveal a sealed machine's policy
        let most =
            if !self.measures_host && !self.machine.sealed() && random { RANDOM_ACCESSES } else { u64::MAX };
        let passes =
            |cell: Cell| passes(cell).min((most / (cell.accesses_per_pass()).max(1)).max(RANDOM_PASSES));
        let accesses = |cell: Cell| (passes(cell) * cell.accesses_per_pass()) as f64;
        let seconds = |cell: &Cell| match timer {
            Some(_) => TIMED_CELL_S,
            None if self.measures_host => accesses(*cell) * ACCESS_S,
            None => accesses(*cell).min(MODELLED * cell.size as f64) * ACCESS_S,
        };
        self.announce("this sweep", cells.iter().map(seconds).sum::<f64>() * self.runs as f64)?;
        self.finish_cell_on_signal();
        if most < u64::MAX {
            let why = "random replacement never repeats itself";
            self.note(
                record,
                Note::Counts(format!("{why}: each cell models {most} accesses, or {RANDOM_PASSES} passes")),
            );
        }
        if !self.measures_host {
            let walk = |mem: &mut Modelled, part: Array<'_, u8>, cell: Cell| {
                modelled(mem, part, cell.stride, passes(cell));
            };
            return self.model_cells(plan, cells, walk, |cell, sample| {
                let goes_on = !self.gives_up(record, all);
                if goes_on {
                    record.rows.push(row(cell, accesses(cell), sample));
                }
                goes_on
            });
        }
        for &cell in cells {
            self.progress(record.rows.len(), all);
            if self.gives_up(record, all) {
                break;
            }
            let part = array.part(0, cell.size);
            let region = Measured {
                native: &mut || native(&mut Native, part, cell.stride, passes(cell)),
                modelled: &mut |mem| modelled(mem, part, cell.stride, passes(cell)),
                computes: false,
                idle: &[],
            };
            let sample = match timer {
                Some(timer) => timer(cell, accesses(cell))?,
                None => self.measure(arena, plan, &mut || part.fill(|_| 0), region)?,
            };
            record.rows.push(row(cell, accesses(cell), &sample));
        }
        self.progress(all, all);
        Ok(())
    }

    /// Models `walk` over an array in each of `cells`, from cold caches, some cells at a time, or one where the system
    /// starts no thread; `take` sees the samples in the order of the cells, until it says that there are enough.
    /// Fails if memory is short, or the machine cannot be modelled.
    fn model_cells(
        &self,
        plan: &Plan,
        cells: &[Cell],
        walk: impl Fn(&mut Modelled, Array<u8>, Cell) + Sync,
        mut take: impl FnMut(Cell, &Sample) -> bool,
    ) -> Result<(), Failure> {
        let (machine, cpus) = (&self.machine, &self.cpus);
        let work = |cell: Cell| counts(machine, cell, &walk);
        thread::scope(|scope| {
            let start = |cell: Cell| {
                let on_any = move || {
                    cpu::pin(cpus); // not where the session's thread stays
                    work(cell)
                };
                (cell, thread::Builder::new().spawn_scoped(scope, on_any))
            };
            // Cells differ: while the first one ends, others that began later keep the processors busy.
            let mut started = VecDeque::new();
            let mut rest = cells.iter().copied();
            loop {
                started.extend(rest.by_ref().take(2 * cpus.len().max(1) - started.len()).map(start));
                let Some((cell, thread)) = started.pop_front() else { return Ok(()) };
                let counts = match thread {
                    Ok(thread) => {
                        thread.join().map_err(|_| Failure::could_not("a cell was not modelled"))??
                    }
                    Err(_) => work(cell)?,
                };
                let mut sample = Sample::default();
                self.modelled_time(&counts, &mut sample);
                sample.counts = plan.complete(Vec::new(), Some(&counts));
                sample.model = Some(counts);
                if !take(cell, &sample) {
                    return Ok(());
                }
            }
        })
    }

    /// The time of a described machine, from its latencies.
    pub(super) fn modelled_time(&self, counts: &Counts, sample: &mut Sample) {
        let time = counts.time(&self.machine).map(|time| time.overlapped);
        let no_clock = || format!("the clock of {} is not described", self.machine.name);
        let cycles = time.clone().and_then(|t| Ok(self.machine.clock.ok_or_else(no_clock)?.periods(t)));
        sample.cycles = Reading::of(cycles, Source::Model);
        sample.wall = Reading::of(time.map(|t| t.0), Source::Model);
        sample.cpu = sample.wall.clone();
    }
}

/// The model's counts of one cell on `machine`.
fn counts(
    machine: &Machine,
    cell: Cell,
    walk: &impl Fn(&mut Modelled, Array<u8>, Cell),
) -> Result<Counts, Failure> {
    let arena = arena(cell.size)?;
    let array = arena.array::<u8>("array", cell.size).map_err(Failure::could_not)?;
    let model = Modelled::of_arrays_alone(machine, &arena, &[]).map_err(Failure::could_not)?;
    let mut model = model.without_numbers();
    walk(&mut model, array, cell);
    Ok(model.counts())
}
