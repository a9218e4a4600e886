//! One band of columns of b and c for each thread. Nothing is shared but a,
//! which is only read: no lock, no waiting but at the end.

use common::memory::{Array, Memory};

use common::isa::Native;

use crate::problem::LINE;
use crate::simd::Isa;
use crate::tiled::Sides;
use crate::variants::one_core;
use crate::view::View;

/// The bands of `threads` threads: whole tiles, except at the edge.
pub fn bands(columns: usize, threads: usize, tile: usize) -> impl Iterator<Item = (usize, usize)> {
    let width = columns.div_ceil(threads.max(1)).next_multiple_of(tile).max(1);
    (0..columns).step_by(width).map(move |from| (from, width))
}

/// `c += a * b`, every band on a thread of its own. `scratch` is cut into as
/// many parts as there are threads.
pub fn multiply(isa: Isa, [a, b, c]: [View; 3], sides: Sides, scratch: Array<f64>, threads: usize) {
    let share = scratch.len() / threads.max(1) / LINE * LINE;
    std::thread::scope(|scope| {
        for (t, (from, width)) in bands(c.cols(), threads, isa.tile().1).enumerate() {
            let views = [a, b.block(0, from, b.rows(), width), c.block(0, from, c.rows(), width)];
            let mine = Lent((views, scratch.part(t * share, share)));
            scope.spawn(move || {
                let (views, scratch) = mine.taken();
                one_core::<_, true>(&mut Native, isa, views, None, sides, scratch);
            });
        }
    });
}

/// The same bands one after the other on one memory: what a model of one
/// core's caches can be shown.
pub fn in_turn<M: Memory>(
    mem: &mut M,
    isa: Isa,
    [a, b, c]: [View; 3],
    sides: Sides,
    scratch: Array<f64>,
    threads: usize,
) {
    for (from, width) in bands(c.cols(), threads, isa.tile().1) {
        let views = [a, b.block(0, from, b.rows(), width), c.block(0, from, c.rows(), width)];
        one_core::<_, true>(mem, isa, views, None, sides, scratch);
    }
}

/// Views handed to one thread.
struct Lent<T>(T);

// SAFETY: what a thread writes (its band of c, its part of the scratch) no
// other thread reads or writes, and what is shared (a) nobody writes while the
// threads run: `multiply` hands out disjoint bands and waits for all of them.
unsafe impl<T> Send for Lent<T> {}

impl<T> Lent<T> {
    fn taken(self) -> T {
        self.0
    }
}
