//! mm1 as a student runs it.

use std::process::{Command, Output};

fn mm1(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mm1")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let out = mm1(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The figure after the first `label`.
fn figure(text: &str, label: &str) -> f64 {
    let line =
        text.lines().find(|line| line.contains(label)).unwrap_or_else(|| panic!("no '{label}' in\n{text}"));
    line.split_once(": ").unwrap().1.split('\t').next().unwrap().parse().unwrap()
}

#[test]
fn prints_the_kits_lines_in_the_kits_order() {
    let text = stdout(&["--size", "64", "--counters", "model", "--machine", "i5-7500"]);
    let starts = [
        "After resetting counter 'PAPI_L1_DCM' [x10^6]: 0.000000",
        "After resetting counter 'PAPI_LD_INS' [x10^6]: 0.000000",
        "After resetting counter 'PAPI_SR_INS' [x10^6]: 0.000000",
        "After stopping counter 'PAPI_L1_DCM'  [x10^6]: 0.",
        "After stopping counter 'PAPI_LD_INS'  [x10^6]: 0.786432\tsource=model",
        "After stopping counter 'PAPI_SR_INS'  [x10^6]: 0.262144\tsource=model",
        "Wall clock cycles [x10^6]: ",
        "Wall clock time [seconds]: ",
        "Matrix checksum: 5308416",
    ];
    assert_eq!(text.lines().count(), starts.len());
    for (line, start) in text.lines().zip(starts) {
        assert!(line.starts_with(start), "'{line}' does not start with '{start}'");
    }
}

#[test]
fn the_checksum_is_the_closed_form_and_wraps_like_c() {
    for (size, checksum) in [("8", "10368"), ("512", "2717908992")] {
        let text = stdout(&["--size", size, "--counters", "none"]);
        assert!(text.ends_with(&format!("Matrix checksum: {checksum}\n")), "{text}");
        assert!(text.contains("not counted (--counters none)"));
        if size == "8" {
            continue;
        }
        // The processor time after the wall-clock time.
        let time = text.lines().find(|line| line.starts_with("Wall clock time")).unwrap();
        let cpu = time.split_once("\tcpu_s=").unwrap().1.parse::<f64>().unwrap();
        assert!(cpu >= 0.0 && cpu < 1.1 * figure(&text, "Wall clock time") + 0.01, "{time}");
    }
}

/// Real machines with a 32 KiB, 8-way L1 count 134.85 to 135.40 million.
#[test]
fn the_model_misses_as_often_as_real_machines() {
    let text = stdout(&["--counters", "model", "--machine", "i5-7500", "--by-array"]);
    let misses = figure(&text, "stopping counter 'PAPI_L1_DCM'");
    let line = text.lines().find_map(|line| line.strip_prefix("L1 misses by array:\t")).unwrap();
    let of_arrays: Vec<(&str, f64)> = line
        .split('\t')
        .filter_map(|part| part.split_once(' '))
        .map(|(name, misses)| (name, misses.parse().unwrap()))
        .collect();
    let [("mul1", _), ("mul2", column), ("res", _)] = of_arrays[..] else { panic!("{line}") };
    let sum: f64 = of_arrays.iter().map(|(_, misses)| misses).sum();
    assert!((sum / 1e6 - misses).abs() < 1e-6 && column > 0.99 * sum, "{line}");
    assert!((misses / 135.2 - 1.0).abs() < 0.01, "{misses}");
    assert_eq!(figure(&text, "stopping counter 'PAPI_LD_INS'"), 402.653184);
    assert_eq!(figure(&text, "stopping counter 'PAPI_SR_INS'"), 134.217728);
}

#[test]
fn a_size_may_be_given_with_its_name_or_without_and_a_slip_is_put_right() {
    let checksum =
        |args: &[&str]| stdout(&[args, &["--counters", "none"]].concat()).lines().last().unwrap().to_owned();
    for args in [&["64"][..], &["--size", "64"], &["-n", "64"]] {
        assert_eq!(checksum(args), "Matrix checksum: 5308416", "{args:?}");
    }
    let message = String::from_utf8(mm1(&["--sizes", "64"]).stderr).unwrap();
    assert!(message.contains("'--size'"), "{message}");
    assert_eq!(mm1(&["64", "--size", "64"]).status.code(), Some(2), "one of the two");
}

#[test]
fn wrong_use_is_refused_in_one_line_with_exit_code_2() {
    let wrong: &[(&[&str], &str)] = &[
        (&["--size", "0"], "'0'"),
        (&["--size", "7X"], "'7X'"),
        (&["--size", "99999"], "'99999'"),
        (&["--events", "PAPI_L1_DMC"], "PAPI_L1_DMC"),
        (&["--machine", "no-such-machine"], "no-such-machine"),
        (&["--machine", "i5-7500", "--counters", "hardware"], "i5-7500"),
        (&["--runs", "0"], "'0'"),
    ];
    for (args, named) in wrong {
        let out = mm1(args);
        let message = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(named), "{args:?}: {message}");
        assert!(out.stdout.is_empty(), "{args:?}");
    }
}
