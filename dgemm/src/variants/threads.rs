//! One band of columns of b and c for each thread. Nothing is shared but a,
//! which is only read: no lock, no waiting but at the end.

use std::io;
use std::iter::repeat;
use std::thread::{Builder, Scope};

use isa::Native;
use memory::Memory;
use thiserror::Error;

use crate::problem::{LINE, Problem};
use crate::rungs::widest::{Product, tile};

/// `c += a * b`, the first band on this thread, every other on one of its own.
///
/// # Errors
///
/// If the system starts no more threads; c is then of no use.
///
/// A [`Problem`] is the only thing this takes, for its c and its room for
/// copies overlap nothing. Three views that are one cannot be asked for:
///
/// ```compile_fail
/// # use dgemm::{Blocks, Problem, variants::threads};
/// # let blocks = Blocks::for_caches(0, 0, 2);
/// # let arena = memory::Arena::with_capacity(Problem::bytes(8, 8, 8, blocks)).unwrap();
/// let mut p = Problem::new(&arena, [8, 8, 8], blocks).unwrap();
/// p.a = p.c;
/// threads::multiply(&p).unwrap();
/// ```
///
/// The same without the overlap:
///
/// ```
/// # use dgemm::{Blocks, Problem, variants::threads};
/// # let blocks = Blocks::for_caches(0, 0, 2);
/// # let arena = memory::Arena::with_capacity(Problem::bytes(8, 8, 8, blocks)).unwrap();
/// let p = Problem::new(&arena, [8, 8, 8], blocks).unwrap();
/// threads::multiply(&p).unwrap();
/// ```
///
/// Nor can a view be taken into a thread:
///
/// ```compile_fail
/// # use dgemm::{Blocks, Problem};
/// # let blocks = Blocks::for_caches(0, 0, 2);
/// # let arena = memory::Arena::with_capacity(Problem::bytes(8, 8, 8, blocks)).unwrap();
/// let p = Problem::new(&arena, [8, 8, 8], blocks).unwrap();
/// let c = p.c();
/// std::thread::scope(|scope| {
///     scope.spawn(|| c.at(0, 0).set(1.0));
/// });
/// ```
pub fn multiply(p: &Problem) -> Result<(), NoThread> {
    let isa = p.isa;
    let places = places(p.blocks.threads);
    let mut bands = bands(p);
    let own = bands.next();
    let lent = bands.zip(elsewhere(&places)).map(|(band, place)| Lent { band, place });
    std::thread::scope(|scope| {
        each_on_its_own(scope, lent, |lent| {
            stay_on(lent.place);
            lent.band.add::<_, true>(&mut Native, isa);
        })?;
        own.into_iter().for_each(|band| band.add::<_, true>(&mut Native, isa));
        Ok(())
    })
}

/// The processor of each thread where there are as many as threads. Else the system
/// places them: by itself it may start two on one, and separate them milliseconds later.
fn places(threads: usize) -> Vec<usize> {
    #[cfg(feature = "program")]
    let places = common::cpu::allowed();
    #[cfg(not(feature = "program"))]
    let places = Vec::new();
    if places.len() == threads { places } else { Vec::new() }
}

/// The processors that are left for other threads than this one, which is on one already;
/// then none in particular, for as many threads as there may be.
pub fn elsewhere(places: &[usize]) -> impl Iterator<Item = Option<usize>> {
    #[cfg(feature = "program")]
    let here = common::cpu::current();
    #[cfg(not(feature = "program"))]
    let here = None;
    let others = places.iter().copied().filter(move |place| Some(*place) != here);
    others.map(Some).chain(repeat(None))
}

/// Keeps this thread on one processor. Where the system does not agree, or is not asked, it
/// places the thread itself.
pub fn stay_on(place: Option<usize>) {
    #[cfg(feature = "program")]
    place.map(|processor| common::cpu::pin(&[processor]));
    let _ = place;
}

/// The same bands one after the other on one memory: what a model of one
/// core's caches can be shown.
pub fn in_turn<M: Memory>(mem: &mut M, p: &Problem) {
    bands(p).for_each(|band| Product { scratch: p.scratch, ..band }.add::<_, true>(mem, p.isa));
}

/// The product's bands of columns, of whole tiles except at the edge, each with
/// its own part of the scratch: no two write to the same element.
fn bands<'a>(p: &Problem<'a>) -> impl Iterator<Item = Product<'a>> {
    let Problem { a, b, c, scratch, blocks, isa } = *p;
    let threads = blocks.threads.max(1);
    let width = c.cols().div_ceil(threads).next_multiple_of(tile(isa).1).max(1);
    let share = scratch.len() / threads / LINE * LINE;
    (0..c.cols()).step_by(width).enumerate().map(move |(t, from)| {
        let views = [a, b.block(0, from, b.rows(), width), c.block(0, from, c.rows(), width)];
        Product { views, factors: None, sides: blocks.sides, scratch: scratch.part(t * share, share) }
    })
}

/// A band handed to one thread, and the processor where it is to stay.
struct Lent<'a> {
    band: Product<'a>,
    place: Option<usize>,
}

// SAFETY: only `multiply` makes one. What a thread writes (its band of c, its
// part of the scratch) no other thread reads or writes: `bands` cuts them out
// of a `Problem`, whose parts do not overlap. What is shared (a) nobody writes
// while the threads run, as `multiply` waits for all of them.
unsafe impl Send for Lent<'_> {}

/// The system starts no more threads.
#[derive(Debug, Error)]
#[error(
    "the system started {started} threads and then no more ({error}): use fewer, or a rung without threads; `ulimit -u` shows the limit"
)]
pub struct NoThread {
    started: usize,
    error: io::Error,
}

/// Starts a thread for each of `items`, which does `work` with it.
///
/// # Errors
///
/// If the system starts no more threads; those that run already go on.
pub fn each_on_its_own<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    items: impl Iterator<Item = T>,
    work: impl Fn(T) + Copy + Send + 'scope,
) -> Result<(), NoThread> {
    items.enumerate().try_for_each(|(started, item)| {
        let thread = Builder::new().spawn_scoped(scope, move || work(item));
        thread.map(drop).map_err(|error| NoThread { started, error })
    })
}
