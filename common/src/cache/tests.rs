use super::*;
use crate::memory::{Matrix, squares};

fn lru_machine(levels: &[(u64, u64, u64)]) -> Machine {
    let mut text = "name = \"test\"\n".to_string();
    for (i, (size, line, ways)) in levels.iter().enumerate() {
        text += &format!("[[cache]]\nlevel = {}\nsize = {size}\nline = {line}\nways = {ways}\n", i + 1);
    }
    Machine::from_toml(&text, "test").unwrap()
}

fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            }
        }
    }
}

/// The contract's table is for N = 512; the same product at an eighth of the
/// size, on caches an eighth of the size, has the same pattern.
#[test]
fn a_column_walk_misses_every_time() {
    let machine = lru_machine(&[(4096, 64, 8), (524288, 64, 8)]);
    let n = 128;
    let arena = Arena::with_capacity(3 * n * n * 2).unwrap();
    let [a, b, c] = ["mul1", "mul2", "res"].map(|name| arena.matrix::<i16>(name, n, n).unwrap());
    let mut model = Modelled::new(&machine, &arena).unwrap();
    multiply(&mut model, a, b, c);
    let counts = model.counts();
    assert_eq!((counts.loads, counts.stores), (3 * 128 * 128 * 128, 128 * 128 * 128));
    let first = counts.level(1).unwrap();
    assert_eq!(first.arrays[1].name, "mul2");
    assert_eq!(first.arrays[1].misses.loads, 128 * 128 * 128);
    let second = counts.level(2).unwrap();
    assert_eq!(second.accesses, first.misses);
    assert_eq!(second.misses.total(), 3 * 128 * 128 * 2 / 64);
    assert_eq!(counts.memory_reads, second.misses.total());
}
