//! The programs as a student runs them.

use std::path::Path;
use std::process::Command;

fn run(program: &str, arguments: &[&str]) -> (i32, String, String) {
    // Cargo builds all programs of the crate into one folder.
    let path = Path::new(env!("CARGO_BIN_EXE_ge")).with_file_name(program);
    let output = Command::new(path).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn all_seven_print_the_homeworks_lines() {
    for variant in &ge::VARIANTS[..7] {
        if variant.available().is_err() {
            continue;
        }
        let (code, out, _) = run(variant.name, &["100"]);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!((code, lines.len()), (0, 2), "{out}");
        assert!(lines[0].starts_with("Time: ") && lines[0].ends_with("source=timing"), "{out}");
        assert_eq!(lines[1], "Check: 3.025814e+12 ");
    }
}

#[test]
fn flops_and_their_rate_are_printed_with_the_formula() {
    let (code, out, _) = run("ge3", &["100", "1", "--runs", "3"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("Real_time: 0.0"), "{out}");
    assert!(out.contains(" flpops: 661650 MFLOPS: ") && out.contains("flpops=analytic"), "{out}");
    assert!(out.contains("median of 3"), "{out}");
    assert!(out.ends_with("Check: 3.025814e+12 \n"), "{out}");
}

#[test]
fn instructions_and_cycles_come_with_their_sources_or_a_reason() {
    let (code, out, _) = run("ge3", &["10", "2"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("\nThe total instructions executed are "), "{out}");
    assert!(out.contains("cycles: source="), "{out}");
    let (_, out, _) = run("ge3", &["10", "2", "--counters", "none"]);
    assert!(out.contains("executed are not counted (--counters none), total cycles not counted"), "{out}");
}

#[test]
fn small_sizes_are_right_and_none_and_large_ones_refused() {
    for (size, check) in [("1", "1.804289e+09"), ("2", "5.258166e+09")] {
        let (code, out, _) = run("ge1", &[size]);
        assert_eq!(code, 0);
        assert_eq!(out.lines().last(), Some(format!("Check: {check} ").as_str()));
    }
    let (code, out, error) = run("ge1", &["0"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("0 is not in 1"), "{error}");
    let (code, out, error) = run("ge1", &["9000000"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("choose a smaller"), "{error}");
}

#[test]
fn the_misprint_can_be_seen() {
    let (code, out, _) = run("ge", &["printed", "300"]);
    assert_eq!(code, 0);
    assert!(out.ends_with("Check: 1.011145e+43 \n"), "{out}");
}

#[test]
fn any_rung_can_be_run_by_name_and_listed() {
    let (code, out, _) = run("ge", &["--list"]);
    assert_eq!((code, out.lines().count()), (0, ge::VARIANTS.len()));
    let (code, out, _) = run("ge", &["ge5", "17", "--format", "json"]);
    assert_eq!(code, 0);
    assert!(out.contains("\"check\": 13027"), "{out}");
    assert_eq!(run("ge", &["ge99", "17"]).0, 2);
    assert_eq!(run("ge1", &["17", "3"]).0, 2);
    assert_eq!(run("ge1", &["17", "--chart", "x.svg"]).0, 2);
}

#[test]
fn a_rung_this_processor_lacks_is_named() {
    let Some(missing) = ge::VARIANTS.iter().find(|variant| variant.available().is_err()) else {
        return skip::skip("this processor runs all rungs");
    };
    let (code, out, error) = run("ge", &[missing.name, "10"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains(missing.needs()), "{error}");
}
