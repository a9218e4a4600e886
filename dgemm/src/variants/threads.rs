//! One block of c for each thread. Only a and b are shared, which are only read: no locks,
//! and no waiting except at the end. Each thread copies the rows of a and the columns of b
//! that its block needs.

#[cfg(feature = "program")]
use common::system::threads::{NoThread, at_once};
use memory::Memory;

use crate::problem::{LINE, Problem};
use crate::rungs::widest::{Product, tile};

/// `c += a * b`, the first block of c on this thread, every other one on a thread of its
/// own.
/// Fails if the system does not start enough threads; c is then invalid.
///
/// It takes only a [`Problem`], because its c and its scratch memory overlap nothing. A
/// caller cannot pass the same view three times:
///
/// ```compile_fail,E0616
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
#[cfg(feature = "program")]
pub fn multiply(p: &Problem) -> Result<(), NoThread> {
    let isa = p.isa;
    at_once(cut(p).map(Lent), &common::cpu::allowed(), |Lent(block)| block.add(&mut isa::Native, isa))
}

/// The same blocks one after the other on one memory: for a model of one core's caches.
pub fn in_turn<M: Memory>(mem: &mut M, p: &Problem) {
    cut(p).for_each(|block| Product { scratch: p.scratch, ..block }.add(mem, p.isa));
}

/// The product divided into blocks of c, of whole tiles except at the edge, each with its
/// own part of the scratch memory: no two write to the same element.
fn cut<'a>(p: &Problem<'a>) -> impl Iterator<Item = Product<'a>> {
    let Problem { a, b, c, scratch, blocks, isa } = *p;
    let threads = blocks.threads.max(1);
    let (down, across) = grid(threads, c.rows(), c.cols());
    let (tile_height, tile_width) = tile(isa);
    let height = c.rows().div_ceil(down).next_multiple_of(tile_height);
    let width = c.cols().div_ceil(across).next_multiple_of(tile_width);
    let corners = (0..c.rows()).step_by(height.max(1)).flat_map(move |top| {
        let lefts = (0..c.cols()).step_by(width.max(1));
        lefts.map(move |left| (top, left))
    });
    let share = scratch.len() / threads / LINE * LINE;
    corners.enumerate().map(move |(t, (top, left))| {
        let rows = a.block(top, 0, height, a.cols());
        let columns = b.block(0, left, b.rows(), width);
        let views = [rows, columns, c.block(top, left, height, width)];
        Product { views, factors: None, sides: blocks.sides, scratch: scratch.part(t * share, share) }
    })
}

/// Blocks of an `m` by `n` c from top to bottom and from left to right, one for each
/// thread, with the shortest sides: a thread copies that many rows and columns. Two threads
/// halve a square's rows, because rows of a take longer to copy than columns of b.
fn grid(threads: usize, m: usize, n: usize) -> (usize, usize) {
    let across = (1..=threads).filter(|across| threads.is_multiple_of(*across));
    let grids = across.map(|across| (threads / across, across));
    grids.min_by_key(|(down, across)| m.div_ceil(*down) + n.div_ceil(*across)).unwrap_or((1, 1))
}

/// The block of one thread.
#[cfg(feature = "program")]
struct Lent<'a>(Product<'a>);

// SAFETY: only `multiply` makes one. What a thread writes (its block of c, its part of the
// scratch memory) no other thread reads or writes: `cut` takes them from a `Problem`, whose
// parts do not overlap. What is shared (a, b) is not written while the threads run, because
// `multiply` waits for all of them.
#[cfg(feature = "program")]
unsafe impl Send for Lent<'_> {}
