//! Cells of a sweep on a described machine: none depends on another, so they are
//! modelled on all processors at once. Cells that are measured never are.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use cache::{Counts, Modelled};
use machine::Machine;
use memory::Array;
use records::sweep::Cell;
use system::cpu;

use super::{Plan, Sample, Session, arena};
use crate::failure::Failure;

impl Session {
    /// Models `walk` over the array called `name` in each of `cells`, from cold
    /// caches; `take` sees the samples in the order of the cells, until it says
    /// that there are enough.
    ///
    /// # Errors
    ///
    /// If memory is short, the machine cannot be modelled, or `take` fails.
    pub fn model_cells(
        &self,
        plan: &Plan,
        name: &'static str,
        cells: &[Cell],
        walk: impl Fn(&mut Modelled, Array<u8>, Cell) + Sync,
        mut take: impl FnMut(Cell, &Sample) -> bool,
    ) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.cpus.len().clamp(1, cells.len().max(1)) {
                let (sender, next, walk) = (sender.clone(), &next, &walk);
                let (machine, cpus) = (&self.machine, &self.cpus);
                let work = move || {
                    cpu::pin(cpus); // not where the session's thread stays
                    while let at = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(cell) = cells.get(at)
                        && sender.send((at, counts(machine, name, *cell, walk))).is_ok()
                    {}
                };
                let started = thread::Builder::new().spawn_scoped(scope, work);
                started.map_err(|why| Failure::could_not(format!("the system starts no thread ({why})")))?;
            }
            drop(sender);
            in_order(cells, &receiver, |cell, counts| {
                let mut sample = Sample::default();
                self.modelled_time(&counts, &mut sample);
                sample.counts = plan.complete(Vec::new(), Some(&counts));
                sample.model = Some(counts);
                take(cell, &sample)
            })
        })
    }
}

/// What comes numbered, given to `take` in order.
fn in_order<T>(
    cells: &[Cell],
    numbered: &Receiver<(usize, Result<T, Failure>)>,
    mut take: impl FnMut(Cell, T) -> bool,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    for (at, cell) in cells.iter().enumerate() {
        while !early.contains_key(&at) {
            let (number, one) = numbered.recv().map_err(Failure::could_not)?;
            early.insert(number, one);
        }
        if let Some(one) = early.remove(&at)
            && !take(*cell, one?)
        {
            break;
        }
    }
    Ok(())
}

/// What the model of `machine` counts in one cell.
fn counts(
    machine: &Machine,
    name: &'static str,
    cell: Cell,
    walk: &impl Fn(&mut Modelled, Array<u8>, Cell),
) -> Result<Counts, Failure> {
    let arena = arena(cell.size)?;
    let array = arena.array::<u8>(name, cell.size).map_err(Failure::could_not)?;
    let model = Modelled::of_arrays_alone(machine, &arena, &[]).map_err(Failure::could_not)?;
    let mut model = model.without_numbers();
    walk(&mut model, array, cell);
    Ok(model.counts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_early_waits_for_what_stands_before_it() {
        let cells: Vec<Cell> = (1..=4).map(|size| Cell { size, stride: 1 }).collect();
        let taken = |numbers: &[usize], enough: usize| {
            let (sender, receiver) = mpsc::channel();
            numbers.iter().for_each(|&at| sender.send((at, Ok(10 * at))).unwrap());
            drop(sender);
            let mut taken = Vec::new();
            let done = in_order(&cells, &receiver, |cell, one| {
                taken.push((cell.size, one));
                taken.len() < enough
            });
            (done.is_ok(), taken)
        };
        assert_eq!(taken(&[2, 0, 3, 1], 9), (true, vec![(1, 0), (2, 10), (3, 20), (4, 30)]));
        assert_eq!(taken(&[2, 0, 1], 2), (true, vec![(1, 0), (2, 10)]));
        assert_eq!(taken(&[0, 2], 9), (false, vec![(1, 0)]));
    }
}
