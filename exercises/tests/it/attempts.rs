//! For each task: the file as handed out fails, a solution passes, and wrong attempts fail for
//! the right reason.

use exercises::task::{Language, TASKS};

use crate::kit::{can_check, says, scores, solutions};

/// A task, its function in Rust, what the check says of the file as handed out, and of wrong attempts,
/// such as a constant, a table of the cases, results without the work, half of it.
struct Attempts {
    task: &'static str,
    function: &'static str,
    starter: &'static str,
    wrong: [(&'static str, &'static str); 3],
}

const ATTEMPTS: &[Attempts] = &[
    Attempts {
        task: "rows",
        function: "sum(rows: usize, cols: usize, x: &[f64]) -> f64",
        starter: "at most 5678 are allowed (8 KiB, 4 ways, lines of 64 bytes) | Which loop",
        wrong: [
            ("4.0", "the sum is 4,"),
            ("let mut s = 0.0; for y in &x[..rows * cols / 2] { s += y; } s", "All elements"),
            ("let mut s = 0.0; for y in x { s += y; } for y in x { s += y; } s / 2.0", "stores; at most"),
        ],
    },
    Attempts {
        task: "fuse",
        function: "scale_and_add(a: &[f64], b: &mut [f64], c: &mut [f64])",
        starter: "stores; at most 4200 and 8200 are allowed | Hold a[i] and b[i]",
        wrong: [
            ("for i in 0..a.len() { b[i] = 1.0; c[i] = 1.0; }", "b[0] is 1, and must be"),
            ("let v = a[0]; for i in 0..a.len() { b[i] = 2.0 * v; c[i] = 3.0 * v; }", "b[1] is"),
            (
                "let mut i = 0; while i < 4000 { b[i] = 2.0 * a[i]; c[i] = 3.0 * a[i]; i += 8; } for k in 0..4000 { if k % 8 > 0 { b[k] = 2.0 * a[k]; c[k] = 3.0 * a[k]; } }",
                "do both in one loop, in order",
            ),
        ],
    },
    Attempts {
        task: "tail",
        function: "subtract(target: &mut [f64], source: &[f64], m: f64, first: usize)",
        starter: "column 28 was never changed",
        wrong: [
            (
                "for j in first..target.len() { target[j] = source[j] * m - target[j]; }",
                "Each column is wrong, so the step is",
            ),
            ("for j in first..target.len() { target[j] = 999.0 + j as f64; }", "but an elimination has"),
            (
                "let mut j = first; while j + 8 <= target.len() { for k in j..j + 8 { target[k] -= source[k] * m; } j += 8; }",
                "need their own loop",
            ),
        ],
    },
    Attempts {
        task: "stencil",
        function: "smooth(n: usize, from: &[f64], to: &mut [f64])",
        starter: "no element of `to` was changed | Begin with the two loops",
        wrong: [
            ("for i in 1..n - 1 { for j in 1..n - 1 { to[i * n + j] = 5.0; } }", "to[1][1] is 5"),
            ("for i in 0..n { to[i] = from[i]; }", "to[0][0] is"),
            (
                "for j in 1..n - 1 { for i in 1..n - 1 { let k = i * n + j; to[k] = (from[k - n] + from[k + n] + from[k - 1] + from[k + 1]) / 4.0; } }",
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
                "match (cache, line, element) { (32768, 64, 8) => 32, (32768, 64, 2) => 64, (32768, 64, 4) => 48, _ => 16 }",
                "B = 16, and three squares of",
            ),
            ("cache", "Not even one square fits"),
            ("(cache / element / 3).isqrt()", "whole lines"),
        ],
    },
    Attempts {
        task: "transpose",
        function: "transpose(n: usize, from: &[f64], to: &mut [f64])",
        starter: "A column of one matrix has 208 lines",
        wrong: [
            ("for i in 0..n * n { to[i] = 0.0; }", "to[0][0] is 0"),
            (
                "let mut v = Vec::new(); for i in 0..n * n { v.push(from[i]); } for i in 0..n { for j in 0..n { to[i * n + j] = v[j * n + i]; } }",
                "without a copy of your own",
            ),
            (
                "for ii in (0..n).step_by(8) { for jj in (0..n).step_by(8) { for i in ii..n.min(ii + 8) { for j in jj..n.min(jj + 8) { to[j * n + i] = from[i * n + j]; } } } }",
                "Good on the first machine",
            ),
        ],
    },
    Attempts {
        task: "soa",
        function: "place(particle: usize, field: usize, particles: usize) -> usize",
        starter: "each field of 100 particles: 8",
        wrong: [
            ("0", "where field 0 of particle 0 is"),
            ("8 * particle + 7 - field", "each field of 100 particles: 8"),
            ("field * 100 + particle", "300 particles"),
        ],
    },
    Attempts {
        task: "pad",
        function: "pitch(columns: usize) -> usize",
        starter: "so a second walk down the column misses",
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
        function: "ways(x: &[f64], misses: fn() -> u64) -> usize",
        starter: "1 for a cache of 4 ways",
        wrong: [
            (
                "for k in 1..=17 { if misses() > 1000 { return k; } } x.len() / 4096",
                "4 ways, lines of 64 bytes) | Find the ways by loads",
            ),
            (
                "for k in 1..=17 { let mut m = 0; for _ in 0..2 { m = misses(); for i in 0..k { std::hint::black_box(x[512 * i]); } } if misses() > m { return k; } } 0",
                "k are one too many",
            ),
            (
                "for k in 1..=17 { let m = misses(); for i in 0..k { std::hint::black_box(x[512 * i]); } if misses() == m { return k; } } 17",
                "Count the misses of the second round alone",
            ),
        ],
    },
    Attempts {
        task: "policy",
        function: "victim(filled: &[u64], used: &[u64], uses: &[u64], chance: u64) -> usize",
        starter: "must be evicted at some time",
        wrong: [
            ("7", "a product in blocks"),
            (
                "(0..used.len()).min_by_key(|&way| used[way]).unwrap()",
                "always evicts the line that is used next",
            ),
            ("used.len()", "returned 8"),
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
    if !can_check() {
        return;
    }
    for attempt in 0..3 {
        let source = |attempts: &Attempts| {
            let text = format!("pub fn {} {{ {} }}\n", attempts.function, attempts.wrong[attempt].0);
            (format!("{}.rs", attempts.task), text)
        };
        let scores = scores(&ATTEMPTS.iter().map(source).collect::<Vec<_>>());
        for (attempts, score) in ATTEMPTS.iter().zip(scores) {
            let expected = attempts.wrong[attempt].1;
            let says = says(&score);
            assert!(
                says.starts_with("result: ") && says.contains(expected),
                "{} {attempt}: {says}",
                attempts.task
            );
            assert!(!says.ends_with("| "), "no hint: {says}");
        }
    }
}

/// The files as handed out compile and do not pass; solutions pass.
#[test]
fn starters_fail_and_solutions_pass_in_both_languages() {
    if !can_check() {
        return;
    }
    for language in Language::ALL {
        // A file that is as handed out is not even compiled.
        let changed = TASKS.iter().map(|task| (task.file(language), format!("{}\n", task.starter(language))));
        for (attempts, score) in ATTEMPTS.iter().zip(scores(&changed.collect::<Vec<_>>())) {
            let (says, task) = (says(&score), attempts.task);
            assert!(says.contains(attempts.starter), "{language:?} {task}: {says}");
        }
        for (task, score) in TASKS.iter().zip(scores(&solutions(language))) {
            assert_eq!((says(&score).as_str(), score.points()), ("", task.points));
            assert!(score.source.unwrap().ends_with(task.file(language)));
        }
    }
}

/// The data of a check depends on the file, so that no file can contain it; the same file gets the
/// same data.
#[test]
fn data_depends_on_the_file() {
    if !can_check() {
        return;
    }
    let found = |comment: &str| {
        let text = format!("// {comment}\npub fn sum(_: usize, _: usize, x: &[f64]) -> f64 {{ x[0] }}\n");
        says(&scores(&[("rows.rs".to_owned(), text)])[0])
    };
    assert!(found("a").contains("the sum is"), "{}", found("a"));
    assert_eq!(found("a"), found("a"));
    assert_ne!(found("a"), found("b"));
}
