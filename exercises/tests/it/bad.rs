//! Files that loop, crash, eat memory, forge results or do not compile: each is named, with its line
//! where it has one, and costs its own points alone.

use std::process::Command;

use exercises::task::Language;

use crate::kit::{can_check, says, scores, solutions, stdout};

/// The body of a function, the reason, and words of the finding. The body begins in line 2.
type Bad = (&'static str, &'static str, &'static str);

const RUST: &[Bad] = &[
    ("loop { std::hint::black_box(rows); }", "time", "did not end within 3 s of processor time"),
    ("let mut all = Vec::new();\nloop { all.push(vec![1u8; 1 << 20]); }", "crash", "signal 6"),
    (
        "println!();\nx[rows * cols]",
        "crash",
        "rows.rs:3: index out of bounds: the len is 407 but the index is 407",
    ),
    ("(rows / (cols - cols)) as f64", "crash", "rows.rs:2: attempt to divide by zero"),
    ("(cols - rows) as f64", "crash", "rows.rs:2: attempt to subtract with overflow"),
    (
        "fn f(n: u64) -> u64 { std::hint::black_box(f(n + 1)) + n }\nf(0) as f64",
        "crash",
        "crashed at rows.rs:2",
    ),
    (
        "let _ = std::fs::write(\"result\", \"passed\\0passed\\0\\0\\00\\0\"); std::process::exit(0)",
        "ended",
        "it must return",
    ),
    ("std::thread::scope(|s| s.spawn(|| x.iter().sum()).join().unwrap())", "result", "of threads"),
    ("let s: f64 = \"no number\"; s", "compile", "rows.rs:2:14\n"),
    ("unsafe { std::hint::unreachable_unchecked() }", "compile", "usage of an `unsafe` block"),
];

const C: &[Bad] = &[
    ("for (;;) *(volatile double *)x;", "time", "processor time; it was at rows.c:2"),
    ("for (;;) { volatile char *p = malloc(1 << 20);\n*p = 1; }", "crash", "crashed at rows.c:3"),
    ("_exit(0);", "ended", "it must return"),
    ("return *(volatile int *)0;", "crash", "crashed at rows.c:2"),
    (
        "double s = 0; for (int i = 0; i <= rows; i++)\nfor (int j = 0; j < cols; j++) s += x[i][j];\nreturn s;",
        "crash",
        "crashed at rows.c:3",
    ),
    ("volatile int none = 0;\nreturn 5 / none;", "crash", "crashed at rows.c:3: a division by zero"),
    ("return f(0);", "crash", "crashed at rows.c:1"),
    ("puts(\"passed\"); return 0;", "result", "the sum is 0"),
    ("((double *)x)[-1] = 0; return 0;", "result", "an element before the first one of x was written"),
    (
        "PAPI_hl_region_end(\"sum\"); double s = 0; for (int i = 0; i < rows * cols; i++) s += x[0][i]; PAPI_hl_region_begin(\"sum\"); return s;",
        "ended",
        "belong to the check",
    ),
    ("return no_such_variable;", "compile", "rows.c:2:8: error: "),
    ("return no_such_function();", "compile", "undefined reference to `no_such_function'"),
    ("return 0; } int main(void) {", "compile", "multiple definition of `main'"),
];

/// Checks a file of `rows` with this body next to a right one of `pad`.
fn named(language: Language, before: &str, bodies: &[Bad]) {
    let file = |name: &str| format!("{name}.{}", language.ending());
    let right = solutions(language).into_iter().find(|(name, _)| *name == file("pad")).unwrap();
    for (body, reason, words) in bodies {
        let scores = scores(&[(file("rows"), format!("{before} {{\n{body} }}\n")), right.clone()]);
        let says = says(&scores[0]);
        assert!(says.starts_with(&format!("{reason}: ")) && says.contains(words), "{body}: {says}");
        assert_eq!((scores[0].points(), scores[7].points()), (0, 1), "{body}");
    }
}

#[test]
fn bad_files_in_rust_are_named() {
    if can_check() {
        named(Language::Rust, "pub fn sum(rows: usize, cols: usize, x: &[f64]) -> f64", RUST);
    }
}

#[test]
fn bad_files_in_c_are_named() {
    if can_check() {
        let before = "void *malloc(); void *memcpy(); void exit(int); void _exit(int); int puts(); int PAPI_hl_region_begin(); int PAPI_hl_region_end(); double f(volatile int n) { return f(n + 1) + n; } double sum(unsigned long rows, unsigned long cols, double x[rows][cols])";
        named(Language::C, before, C);
    }
}

/// What is missing on the machine is not the student's fault, and never an open task.
#[test]
fn a_machine_without_a_compiler_is_named() {
    if !can_check() {
        return;
    }
    for language in Language::ALL {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("my-exercises")).unwrap();
        for (name, text) in solutions(language).into_iter().take(1) {
            std::fs::write(folder.path().join("my-exercises").join(name), text).unwrap();
        }
        for variable in ["RUSTC", "LAB_CC"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
            command.args(["hint", "rows"]).current_dir(folder.path());
            let text = stdout(&command.env(variable, "nonesuch").output().unwrap());
            // A compiler of the other language is not missed.
            let is_missed = language == Language::Rust || variable == "LAB_CC";
            let is_named =
                text.contains("there is no program 'nonesuch'") && text.contains("the check itself failed");
            assert!(is_named == is_missed && text.contains(": passed") != is_missed, "{text}");
        }
    }
}
