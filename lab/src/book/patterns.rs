//! Pictures of which elements the kernels access, in order.

use common::chart::{Axis, Chart};
use common::memory::{Arena, Matrix, OutOfMemory, Recorded};
use dgemm::rungs::orders;
use dgemm::{Blocks, Problem};

/// Rows of the matrices, and accesses that are drawn: three iterations of the loops, few
/// enough to follow one by one.
const N: usize = 16;
const SHOWN: usize = 3 * 4 * N;

/// Each picture, and the handout that it belongs to.
pub(super) fn all() -> Result<Vec<(&'static str, Chart)>, OutOfMemory> {
    Ok(vec![
        ("cm1", walk()?),
        ("mm1", product("mm1: i, j, k", |mem, [a, b, c, _]| mm1::multiply(mem, a, b, c))?),
        (
            "mm2",
            product("mm2: i, j, k on the transposed matrix", |mem, [a, _, c, t]| {
                mm2::multiply(mem, a, t, c)
            })?,
        ),
        (
            "mm3",
            product("Order i, k, j without blocks", |mem, [a, b, c, _]| {
                mm3::multiply_unblocked(mem, a, b, c)
            })?,
        ),
        (
            "mm3",
            product("mm3: i, k, j in blocks of 4 by 4", |mem, [a, b, c, _]| mm3::multiply(mem, a, b, c, 4))?,
        ),
        ("dgemm", doubles("dgemm ijk", |mem, p| orders::ijk::multiply(mem, p.a(), p.b(), p.c()))?),
        ("dgemm", doubles("dgemm ikj", |mem, p| orders::ikj::multiply(mem, p.a(), p.b(), p.c()))?),
        ("dgemm", doubles("dgemm jki", |mem, p| orders::jki::multiply(mem, p.a(), p.b(), p.c()))?),
    ])
}

type Four<'a> = [Matrix<'a, i16>; 4];

fn product(title: &str, kernel: impl Fn(&mut Recorded, Four<'_>)) -> Result<Chart, OutOfMemory> {
    let arena = Arena::with_capacity(4 * 2 * N * N)?;
    let matrix = |name| arena.matrix::<i16>(name, N, N);
    let all = [matrix("mul1")?, matrix("mul2")?, matrix("res")?, matrix("tmp")?];
    let mut recorded = Recorded::first(SHOWN);
    kernel(&mut recorded, all);
    Ok(drawn(title, &recorded, &arena, size_of::<i16>()))
}

fn doubles(title: &str, kernel: impl Fn(&mut Recorded, &Problem<'_>)) -> Result<Chart, OutOfMemory> {
    let blocks = Blocks::for_caches(0, 0, 1);
    let arena = Arena::with_capacity(Problem::bytes(N, N, N, blocks))?;
    let problem = Problem::new(&arena, [N; 3], blocks)?;
    let mut recorded = Recorded::first(SHOWN);
    kernel(&mut recorded, &problem);
    Ok(drawn(title, &recorded, &arena, size_of::<f64>()))
}

fn walk() -> Result<Chart, OutOfMemory> {
    let arena = Arena::with_capacity(256)?;
    let array = arena.array::<u8>("x", 256)?;
    let mut recorded = Recorded::first(SHOWN);
    cm1::walk(&mut recorded, array, 16, 3);
    Ok(drawn("cm1: 256 bytes, every 16th", &recorded, &arena, 1))
}

/// A curve for each array: which of its elements each access touches.
fn drawn(title: &str, recorded: &Recorded, arena: &Arena, element: usize) -> Chart {
    let axes =
        (Axis::linear("number of the access"), Axis::linear("element, counted from the array's first"));
    let chart = Chart::new(title, axes.0, axes.1).caption("Loads and stores, as the kernel makes them.");
    arena.allocations().into_iter().fold(chart, |chart, array| {
        let places = (1..).zip(recorded.touched()).filter_map(|(at, touched)| {
            let offset = touched.address - arena.origin();
            array
                .bytes
                .contains(&offset)
                .then(|| (f64::from(at), ((offset - array.bytes.start) / element) as f64))
        });
        let places: Vec<(f64, f64)> = places.collect();
        if places.is_empty() { chart } else { chart.curve(array.name, places) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mul2 walks down a column: each step is N elements further on.
    #[test]
    fn a_picture_shows_the_kernels_own_accesses() {
        let all = all().unwrap();
        let mm1 = &all[1].1;
        let of = |name: &str| &mm1.series.iter().find(|series| series.name == name).unwrap().points;
        let elements: Vec<f64> = of("mul2").iter().take(4).map(|point| point.1).collect();
        assert_eq!(elements, [0.0, 16.0, 32.0, 48.0]);
        let elements: Vec<f64> = of("mul1").iter().take(4).map(|point| point.1).collect();
        assert_eq!(elements, [0.0, 1.0, 2.0, 3.0]);
        assert!(all.iter().all(|(_, chart)| !chart.is_empty() && chart.series.len() <= 3));
    }
}
