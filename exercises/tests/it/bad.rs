//! Files that loop, crash, fork, eat memory, forge results or do not compile: each is named, and
//! costs its own points alone.

use exercises::task::Language;

use crate::kit::{has_c, run, says, scores, solutions, stdout};

/// The body of a function, the reason, and words of the finding.
type Bad = (&'static str, &'static str, &'static str);

const RUST: &[Bad] = &[
    (
        "let mut s = 0.0; loop { s += mem.load(x.at(0, 0)); if s < 0.0 { return s; } }",
        "accesses",
        "100 times those of a solution",
    ),
    ("loop { std::hint::black_box(0); }", "time", "did not end within"),
    ("let mut all = Vec::new(); loop { all.push(vec![1u8; 1 << 20]); }", "memory", "MiB of memory"),
    ("let _ = std::process::Command::new(\"true\").status(); 0.0", "processes", "started a process"),
    ("std::thread::spawn(|| ()).join().unwrap(); 0.0", "processes", "a thread"),
    ("std::process::exit(0)", "ended", "it must return"),
    ("mem.load(x.at(x.rows(), 0))", "crash", "no element (37, 0) in a matrix of 37 rows"),
    ("fn f(n: u64) -> u64 { std::hint::black_box(f(n + 1)) + n } f(0) as f64", "crash", "calls too deep"),
    ("println!(\"rows passed 1 of 1 points\\n{{\\\"passed\\\": true}}\"); 0.0", "result", "the sum is 0"),
    (
        "use std::io::Write; use std::os::fd::AsFd; let f = std::io::stdin().as_fd().try_clone_to_owned().unwrap(); std::fs::File::from(f).write_all(&[9; 64]).unwrap(); 0.0",
        "ended",
        "belongs to the check",
    ),
    ("let s: f64 = \"no number\"; s", "compile", "does not compile"),
    ("unsafe { std::hint::unreachable_unchecked() }", "compile", "does not compile"),
];

const C: &[Bad] = &[
    ("for (;;) *(volatile double *)x;", "accesses", "100 times those of a solution"),
    ("for (volatile int i = 0;;) i++;", "time", "did not end within"),
    (
        "for (;;) { volatile char *p = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1; }",
        "memory",
        "MiB of memory",
    ),
    ("if (fork() == 0) for (;;) fork(); return 0;", "processes", "started a process"),
    ("kill(getppid(), 9); return 0;", "processes", "tried to reach another one"),
    ("exit(0);", "ended", "it must return"),
    ("close(0); for (volatile int i = 0;;) i++;", "time", "did not end within"),
    ("*(volatile int *)0 = 1; return 0;", "crash", "an address without memory"),
    ("return x[rows][0];", "crash", "`x[37][0]`, and there are 37 rows of 11"),
    ("puts(\"{\\\"passed\\\": true}\"); return 0;", "result", "the sum is 0"),
    ("return no_such_variable;", "compile", "does not compile"),
    ("__asm__(\"\"); return 0;", "compile", "'__asm__': such accesses are not counted"),
];

/// Checks a file of `rows` with this body next to a right one of `pad`.
fn named(language: Language, before: &str, bodies: &[Bad]) {
    let file = |name: &str| format!("{name}.{}", language.ending());
    let right = solutions(language).into_iter().find(|(name, _)| *name == file("pad")).unwrap();
    for (body, reason, words) in bodies {
        let scores = scores(&[(file("rows"), format!("{before} {{ {body} }}\n")), right.clone()]);
        // Some reasons are known to Linux alone.
        if cfg!(target_os = "linux") || !matches!(*reason, "processes" | "memory") {
            assert_eq!(scores[0]["reason"], *reason, "{body}: {}", scores[0]);
            assert!(says(&scores[0]).contains(words), "{body}: {}", scores[0]);
        }
        assert_eq!((&scores[0]["points"], &scores[7]["points"]), (&0.into(), &1.into()), "{scores:#?}");
    }
}

#[test]
fn bad_files_in_rust_are_named() {
    named(Language::Rust, "use crate::memory::*;\npub fn sum(mem: &mut Memory, x: Matrix) -> f64", RUST);
}

#[test]
fn bad_files_in_c_are_named() {
    if has_c() {
        let includes = "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
        named(
            Language::C,
            &format!("{includes}double sum(size_t rows, size_t cols, double x[rows][cols])"),
            C,
        );
    }
}

/// The student sees the compiler's own words.
#[test]
fn a_file_that_does_not_compile_shows_the_compilers_message() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pad.rs"), "pub fn pitch(columns: usize) -> usize { colums }").unwrap();
    let text = stdout(&run(folder.path(), "check pad --sources ."));
    for words in ["it does not compile:", "cannot find value `colums`", "pad.rs:1:"] {
        assert!(text.contains(words), "{text}");
    }
}
