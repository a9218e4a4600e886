//! For each task: the file as handed out fails, a solution passes, and wrong attempts fail for
//! the right reason.

use exercises::task::{Language, TASKS};

use crate::kit::{has_c, says, scores, solutions};

/// A task, its function in Rust, what the check says of the file as handed out, and of three
/// wrong attempts, such as a constant, a table of the cases, results without the work, half of it.
struct Attempts {
    task: &'static str,
    function: &'static str,
    starter: &'static str,
    wrong: [(&'static str, &'static str); 3],
}

const ATTEMPTS: &[Attempts] = &[
    Attempts {
        task: "rows",
        function: "sum(mem: &mut Memory, x: Matrix) -> f64",
        starter: "misses in 43264 loads; each line once would be 5408 | Which loop",
        wrong: [
            ("4.0", "the sum is 4,"),
            ("mem.load(x.at(0, 0)) * (x.rows() * x.cols()) as f64", "the sum is"),
            (
                "let mut s = 0.0; for i in 0..x.rows() / 2 { for j in 0..x.cols() { s += mem.load(x.at(i, j)); } } s",
                "All elements",
            ),
        ],
    },
    Attempts {
        task: "fuse",
        function: "scale_and_add(mem: &mut Memory, a: Array, b: Array, c: Array)",
        starter: "do both in one loop",
        wrong: [
            (
                "for i in 0..a.len() { mem.store(b.at(i), 1.0); mem.store(c.at(i), 1.0); }",
                "b[0] is 1, and must be",
            ),
            (
                "let v = mem.load(a.at(0)); for i in 0..a.len() { mem.store(b.at(i), 2.0 * v); mem.store(c.at(i), 3.0 * v); }",
                "b[1] is",
            ),
            (
                "for i in 0..a.len() { let v = mem.load(a.at(i)); mem.store(b.at(i), 2.0 * v); let w = mem.load(b.at(i)); mem.store(c.at(i), v + w); }",
                "8000 loads",
            ),
        ],
    },
    Attempts {
        task: "tail",
        function: "subtract(mem: &mut Memory, target: Array, source: Array, multiplier: f64, first: usize)",
        starter: "column 28 was never changed",
        wrong: [
            (
                "for j in first..target.len() { let v = mem.load(source.at(j)) * multiplier - mem.load(target.at(j)); mem.store(target.at(j), v); }",
                "Each column is wrong, so the step is",
            ),
            (
                "for j in first..target.len() { mem.store(target.at(j), 999.0 + j as f64); }",
                "0 loads and 23 stores; the work takes",
            ),
            (
                "let mut j = first; while j + 8 <= target.len() { for k in j..j + 8 { let v = mem.load(target.at(k)) - mem.load(source.at(k)) * multiplier; mem.store(target.at(k), v); } j += 8; }",
                "need their own loop",
            ),
        ],
    },
    Attempts {
        task: "stencil",
        function: "smooth(mem: &mut Memory, from: Matrix, to: Matrix)",
        starter: "nothing was stored | Begin with the two loops",
        wrong: [
            (
                "let n = to.rows(); for i in 1..n - 1 { for j in 1..n - 1 { mem.store(to.at(i, j), 5.0); } }",
                "to[1][1] is 5",
            ),
            (
                "let n = to.rows(); let v = mem.load(from.at(1, 1)); for i in 1..n - 1 { for j in 1..n - 1 { mem.store(to.at(i, j), v); } }",
                "each the mean of the four",
            ),
            (
                "let n = to.rows(); for j in 1..n - 1 { for i in 1..n - 1 { let sum = mem.load(from.at(i - 1, j)) + mem.load(from.at(i + 1, j)) + mem.load(from.at(i, j - 1)) + mem.load(from.at(i, j + 1)); mem.store(to.at(i, j), sum / 4.0); } }",
                "inner one",
            ),
        ],
    },
    Attempts {
        task: "block",
        function: "side(cache: usize, line: usize, element: usize) -> usize",
        starter: "B = 0 | Three squares",
        wrong: [
            (
                "match (cache, line, element) { (32768, 64, 8) => 32, (262144, 64, 8) => 104, (49152, 64, 8) => 40, (8192, 32, 8) => 16, (32768, 64, 2) => 64, (16384, 128, 4) => 32, _ => 16 }",
                "element 4: B = 16, and three squares of 32 fit too",
            ),
            ("cache", "Not even one square fits"),
            ("(cache / element / 3).isqrt()", "whole lines"),
        ],
    },
    Attempts {
        task: "transpose",
        function: "transpose(mem: &mut Memory, from: Matrix, to: Matrix)",
        starter: "Nearly every store misses",
        wrong: [
            (
                "for i in 0..to.rows() { for j in 0..to.rows() { mem.store(to.at(i, j), 0.0); } }",
                "to[0][0] is 0",
            ),
            (
                "let n = to.rows(); let mut v = Vec::new(); for i in 0..n { for j in 0..n { v.push(mem.load(from.at(i, j))); } } for i in 0..n { for j in 0..n { mem.store(to.at(i, j), v[j * n + i]); } }",
                "43264 elements were loaded before they were stored",
            ),
            (
                "let n = to.rows(); for ii in (0..n).step_by(8) { for jj in (0..n).step_by(8) { for i in ii..n.min(ii + 8) { for j in jj..n.min(jj + 8) { let v = mem.load(from.at(i, j)); mem.store(to.at(j, i), v); } } } }",
                "Good on the first machine",
            ),
        ],
    },
    Attempts {
        task: "soa",
        function: "place(particle: usize, field: usize, particles: usize) -> usize",
        starter: "a loop over field 0 has 100 misses",
        wrong: [
            ("0", "where field 0 of particle 0 is"),
            ("8 * particle + 7 - field", "a loop over field 0"),
            ("field * 100 + particle", "300 particles"),
        ],
    },
    Attempts {
        task: "pad",
        function: "pitch(columns: usize) -> usize",
        starter: "the second walk down a column",
        wrong: [
            (
                "match columns { 512 => 520, 1024 => 1032, 100 => 104, 256 => 264, 48 => 56, _ => 40 }",
                "rows of 1 elements",
            ),
            ("columns.next_multiple_of(8)", "even number of lines"),
            ("columns + 8", "start of a line"),
        ],
    },
    Attempts {
        task: "ways",
        function: "ways(mem: &mut Memory, x: Array) -> usize",
        starter: "1 for a cache of 4 ways",
        wrong: [
            (
                "use std::sync::atomic::*; static CALL: AtomicUsize = AtomicUsize::new(0); for i in 0..16 { mem.load(x.at(512 * i)); } [4, 8, 3, 12, 2, 16, 6, 10][CALL.fetch_add(1, Ordering::Relaxed) % 8]",
                "after 16 loads and 16 misses",
            ),
            ("x.len() / 4096", "4 ways, from 0 misses"),
            (
                "for k in 1..=17 { let mut m = 0; for _ in 0..2 { m = mem.misses(); for i in 0..k { mem.load(x.at(512 * i)); } } if mem.misses() > m { return k; } } 0",
                "k are one too many",
            ),
        ],
    },
    Attempts {
        task: "policy",
        function: "victim(ways: &[Way], chance: u64) -> usize",
        starter: "must be evicted at some time",
        wrong: [
            ("7", "a product in blocks"),
            (
                "(0..ways.len()).min_by_key(|&way| ways[way].used).unwrap()",
                "always evicts the line that is used next",
            ),
            ("ways.len()", "returned 8"),
        ],
    },
];

#[test]
fn every_task_has_attempts() {
    let names: Vec<&str> = ATTEMPTS.iter().map(|attempts| attempts.task).collect();
    assert_eq!(names, TASKS.iter().map(|task| task.name).collect::<Vec<_>>());
}

#[test]
fn wrong_attempts_fail_for_the_right_reason() {
    for attempt in 0..3 {
        let source = |attempts: &Attempts| {
            let (body, _) = attempts.wrong[attempt];
            let text = format!("use crate::memory::*;\npub fn {} {{ {body} }}\n", attempts.function);
            (format!("{}.rs", attempts.task), text)
        };
        let scores = scores(&ATTEMPTS.iter().map(source).collect::<Vec<_>>());
        for (attempts, score) in ATTEMPTS.iter().zip(scores) {
            let expected = attempts.wrong[attempt].1;
            assert_eq!(score["reason"], "result", "{} {attempt}: {score}", attempts.task);
            assert!(says(&score).contains(expected), "{} {attempt}: {}", attempts.task, says(&score));
            assert!(!score["hint"].as_str().unwrap().is_empty(), "{score}");
        }
    }
}

/// The files as handed out compile and do not pass; solutions pass with the same counts.
#[test]
fn starters_fail_and_solutions_pass_alike_in_both_languages() {
    let mut languages = vec![Language::Rust];
    if has_c() {
        languages.push(Language::C);
    }
    let mut passed = Vec::new();
    for language in languages {
        // A file that is as handed out is not even compiled.
        let changed = TASKS.iter().map(|task| (task.file(language), format!("{}\n", task.starter(language))));
        for (attempts, score) in ATTEMPTS.iter().zip(scores(&changed.collect::<Vec<_>>())) {
            assert!(
                says(&score).contains(attempts.starter),
                "{language:?} {}: {}",
                attempts.task,
                says(&score)
            );
        }
        let mut scores = scores(&solutions(language));
        for (task, score) in TASKS.iter().zip(&mut scores) {
            assert!(score["passed"] == true && score["points"] == task.points, "{score}");
            assert_eq!(score["source"], task.file(language));
            score["source"].take();
        }
        passed.push(scores);
    }
    assert!(passed.iter().all(|scores| *scores == passed[0]), "{passed:#?}");
}

/// The data of a check depends on the file, so that no file can contain it; the same file gets the
/// same data.
#[test]
fn data_depends_on_the_file() {
    let found = |comment: &str| {
        let text = format!(
            "use crate::memory::*;\n// {comment}\npub fn sum(mem: &mut Memory, x: Matrix) -> f64 {{ mem.load(x.at(0, 0)) }}\n"
        );
        says(&scores(&[("rows.rs".to_owned(), text)])[0])
    };
    assert!(found("a").contains("the sum is"), "{}", found("a"));
    assert_eq!(found("a"), found("a"));
    assert_ne!(found("a"), found("b"));
}

/// A copy by the C library is one load for each element, as a loop's.
#[test]
fn copies_in_c_are_counted_by_elements() {
    if !has_c() {
        return;
    }
    let text = "#include <stddef.h>\n#include <string.h>\ndouble sum(size_t rows, size_t cols, double x[rows][cols]) { double row[cols], s = 0; for (size_t i = 0; i < rows; i++) { memcpy(row, x[i], sizeof row); for (size_t j = 0; j < cols; j++) s += row[j]; } return s; }\n";
    let score = &scores(&[("rows.c".to_owned(), text.to_owned())])[0];
    assert!(score["passed"] == true && score["accesses"] == 43264, "{score}");
}
