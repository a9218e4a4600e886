//! For each task: the file as handed out fails with its hint, a solution passes, and
//! plausible wrong solutions fail for the right reason.

#![allow(clippy::unwrap_used)]

mod solutions;

use cache::Modelled;
use exercises::check::policy::{Way, best, lru, misses, policy, product, walk};
use exercises::check::{Wrong, block, ge4_tail, matrices};
use memory::{Array, Matrix, Memory};

/// The check fails, and its finding or hint has these words.
fn says(checked: exercises::check::Checked, words: &[&str]) {
    let Wrong { found, hint } = checked.unwrap_err();
    let output = format!("{found} | {hint}");
    assert!(words.iter().all(|word| output.contains(word)), "{words:?}: {output}");
}

/// Whether the files are as they are handed out: the gate sets this (`.ci/run`). A
/// student's own files may be unfinished, which must not fail a test.
fn handed_out() -> bool {
    std::env::var_os("EXERCISES_HANDED_OUT").is_some()
}

#[test]
fn every_task_is_handed_out_open_with_a_hint() {
    let expected = [
        ("tail", "column 28 was never changed", "twice"),
        ("block", "B = 0", "solve"),
        ("stencil", "nothing was stored", "loops over i and j"),
        ("transpose", "misses", "Nearly every store"),
        ("policy", "a product in blocks", "must be evicted at some time"),
    ];
    for (task, (name, found, hint)) in exercises::TASKS.iter().zip(expected) {
        assert_eq!(task.name, name);
        match (task.check)() {
            Err(wrong) if handed_out() => {
                assert!(wrong.found.contains(found) && wrong.hint.contains(hint), "{name}: {wrong:?}");
            }
            Err(wrong) => assert!(!wrong.found.is_empty() && !wrong.hint.is_empty(), "{name}: {wrong:?}"),
            Ok(facts) => assert!(!handed_out(), "{name}: {facts:?}"),
        }
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(root.join(task.file).exists(), "{}", task.file);
    }
}

#[test]
fn a_transposition_by_blocks() {
    fn blocks<M: Memory>(mem: &mut M, from: Matrix<f64>, to: Matrix<f64>, b: usize, past: usize) {
        let n = from.rows();
        for ii in (0..n).step_by(b) {
            for jj in (0..n).step_by(b) {
                for i in ii..n.min(ii + b + past) {
                    for j in jj..n.min(jj + b) {
                        let element = mem.load(from.at(i, j));
                        mem.store(to.at(j, i), element);
                    }
                }
            }
        }
    }
    let facts = matrices::transpose(solutions::transpose).unwrap();
    assert!(facts[0].contains("10000"), "{facts:?}");
    says(matrices::transpose(|mem, from, to| blocks(mem, from, to, 150, 0)), &["Nearly every store"]);
    says(matrices::transpose(|mem, from, to| blocks(mem, from, to, 2, 0)), &["too small"]);
    says(matrices::transpose(|mem, from, to| blocks(mem, from, to, 8, 1)), &["loads", "overlap"]);
    // The loops exchanged.
    let columns: matrices::Kernel = |mem, from, to| {
        for j in 0..from.rows() {
            for i in 0..from.rows() {
                let element = mem.load(from.at(i, j));
                mem.store(to.at(j, i), element);
            }
        }
    };
    says(matrices::transpose(columns), &["of from", "exchanging the loops"]);
    // Whole squares only.
    let whole: matrices::Kernel = |mem, from, to| {
        let n = from.rows() / 8 * 8;
        for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
            let element = mem.load(from.at(i, j));
            mem.store(to.at(j, i), element);
        }
    };
    says(matrices::transpose(whole), &["N = 37: to[0][32] was never written", "last square"]);
    // Without regard for the edge.
    let past: matrices::Kernel = |mem, from, to| {
        for j in 0..from.rows() + 3 {
            let element = mem.load(from.at(0, j));
            mem.store(to.at(j, 0), element);
        }
    };
    says(matrices::transpose(past), &["no element (0, 37)", "An index left"]);
}

#[test]
fn the_tail_of_ge4() {
    let facts = ge4_tail::subtract(solutions::subtract).unwrap();
    assert!(facts[1].contains("3.025814e12"), "{facts:?}");
    fn blocks<M: Memory>(mem: &mut M, t: Array<f64>, s: Array<f64>, m: f64, first: usize) -> usize {
        let mut j = first;
        while j + 8 <= t.len() {
            (j..j + 8).for_each(|column| solutions::step(mem, t, s, m, column));
            j += 8;
        }
        j
    }
    let without: ge4_tail::Kernel = |mem, t, s, m, first| {
        blocks(mem, t, s, m, first);
    };
    says(ge4_tail::subtract(without), &["column 36 was never changed", "need their own loop"]);
    // The last eight columns, whether or not a block changed them.
    let twice: ge4_tail::Kernel = |mem, t, s, m, first| {
        blocks(mem, t, s, m, first);
        (t.len() - 8..t.len()).for_each(|column| solutions::step(mem, t, s, m, column));
    };
    says(ge4_tail::subtract(twice), &["column 35 was changed twice", "Does the tail begin"]);
    let past: ge4_tail::Kernel = |mem, t, s, m, first| {
        for j in (first..t.len()).step_by(8) {
            (j..j + 8).for_each(|column| solutions::step(mem, t, s, m, column));
        }
    };
    says(ge4_tail::subtract(past), &["stopped with an error", "past the last column"]);
    // Right only if the multiplier is 1.
    let multiplier: ge4_tail::Kernel = |mem, t, s, _, first| solutions::subtract(mem, t, s, 1.0, first);
    says(ge4_tail::subtract(multiplier), &["Check is", "One multiplication"]);
}

#[test]
fn a_block_from_the_rule() {
    let facts = block::side(solutions::side).unwrap();
    let counts: Vec<u64> =
        facts.iter().map(|fact| fact.split(' ').nth_back(1).unwrap().parse().unwrap()).collect();
    assert!(counts[1] < counts[0] && counts[1] < counts[2], "the rule's block misses least: {facts:?}");
    let one: block::Rule = |cache, line, element| {
        let b = (cache / element).isqrt();
        b - b % (line / element)
    };
    says(block::side(one), &["three squares take", "one of each matrix"]);
    says(block::side(|cache, _, element| (cache / element / 3).isqrt()), &["whole lines"]);
    says(block::side(|_, _, _| 32), &["B = 32, and three squares of 40 fit too", "cache's size"]);
    let bytes: block::Rule = |cache, line, _| {
        let b = (cache / 3).isqrt();
        b - b % (line / 8)
    };
    says(block::side(bytes), &["Not even one square fits"]);
    says(block::side(|cache, line, element| cache / (line / element - 8)), &["stopped", "zero"]);
}

#[test]
fn a_stencil() {
    fn at<M: Memory>(mem: &mut M, from: Matrix<f64>, i: usize, j: usize) -> f64 {
        let rows = mem.load(from.at(i - 1, j)) + mem.load(from.at(i + 1, j));
        rows + mem.load(from.at(i, j - 1)) + mem.load(from.at(i, j + 1))
    }
    matrices::smooth(solutions::smooth).unwrap();
    let columns: matrices::Kernel = |mem, from, to| {
        for j in 1..from.rows() - 1 {
            for i in 1..from.rows() - 1 {
                let sum = at(mem, from, i, j);
                mem.store(to.at(i, j), sum / 4.0);
            }
        }
    };
    says(matrices::smooth(columns), &["misses", "inner one"]);
    let in_place: matrices::Kernel = |mem, from, _| {
        for i in 1..from.rows() - 1 {
            for j in 1..from.rows() - 1 {
                let sum = at(mem, from, i, j);
                mem.store(from.at(i, j), sum / 4.0);
            }
        }
    };
    says(matrices::smooth(in_place), &["from[1][1] was changed", "into `to`"]);
    let border: matrices::Kernel = |mem, from, to| {
        for i in 1..from.rows() {
            for j in 1..from.rows() {
                let sum = at(mem, from, i, j);
                mem.store(to.at(i, j), sum / 4.0);
            }
        }
    };
    says(matrices::smooth(border), &["no element (1, 37)", "An index left"]);
    let middle: matrices::Kernel = |mem, from, to| {
        for i in 1..from.rows() - 1 {
            for j in 1..from.rows() - 1 {
                let sum = at(mem, from, i, j) + mem.load(from.at(i, j));
                mem.store(to.at(i, j), sum / 5.0);
            }
        }
    };
    says(matrices::smooth(middle), &["to[1][1] is", "the four adjacent elements"]);
}

#[test]
fn a_policy() {
    policy(solutions::victim).unwrap();
    says(policy(lru), &["a walk", "always evicts the line that is used next"]);
    // Evicts the most recently used line, so the first lines of the array stay for ever.
    let mru = |ways: &[Way], _: u64| (0..ways.len()).max_by_key(|&way| ways[way].used).unwrap();
    says(policy(mru), &["a product", "must be evicted at some time"]);
    // First in, first out.
    let fifo = |ways: &[Way], _: u64| (0..ways.len()).min_by_key(|&way| ways[way].filled).unwrap();
    says(policy(fifo), &["a walk"]);
    says(policy(|ways, _| ways.len()), &["returned 8", "ways.len() - 1"]);
}

/// The exercise's cache with LRU has the same misses as the kit's model.
#[test]
fn the_policys_cache_is_the_models() {
    use machine::Machine;
    use memory::Arena;
    let text = "name = \"x\"\n[[cache]]\nlevel = 1\nsize = 8192\nline = 64\nways = 8\n";
    let machine = Machine::from_toml(text, "x").unwrap();
    for lines in [walk().unwrap(), product().unwrap()] {
        let arena = Arena::with_capacity(64 * (lines.iter().max().unwrap() + 1)).unwrap();
        let bytes = arena.array::<u8>("x", arena.capacity()).unwrap();
        let mut model = Modelled::new(&machine, &arena).unwrap();
        lines.iter().for_each(|line| {
            model.load(bytes.at(64 * line));
        });
        let counted = model.counts().levels[0].misses.total();
        assert_eq!(misses(&lines, lru).unwrap(), counted);
        assert!(best(&lines) <= counted);
    }
}
