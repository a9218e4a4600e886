//! mm2 as a student runs it.

use std::collections::BTreeMap;
use std::process::Command;

/// Misses, loads and stores (millions) and the checksum on the model of the
/// i5-7500.
fn modelled(args: &[&str]) -> ([f64; 3], String) {
    let out = Command::new(env!("CARGO_BIN_EXE_mm2"))
        .args(["--machine", "i5-7500", "--counters", "model", "--format", "csv"])
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let [names, values] = [0, 1].map(|i| text.lines().nth(i).unwrap().split(','));
    let row: BTreeMap<_, _> = names.zip(values).collect();
    let counts = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"];
    (counts.map(|name| row[name].parse::<f64>().unwrap() * 1e-6), row["checksum"].to_owned())
}

fn close(found: f64, real: f64) -> bool {
    (found / real - 1.0).abs() < 0.005
}

/// Real machines with a 32 KiB, 8-way L1 count 4.212 to 4.222 million misses.
#[test]
fn misses_once_a_line_as_real_machines_do() {
    let ([misses, loads, stores], checksum) = modelled(&[]);
    assert!(close(misses, 4.2155), "{misses}");
    assert!(close(loads, 402.653) && close(stores, 134.218));
    assert_eq!(checksum, "2717908992");
}

/// Real machines count 4.481 and 4.485 million.
#[test]
fn the_transposition_adds_its_own_accesses_and_misses() {
    let ([misses, loads, stores], checksum) = modelled(&["--time-transpose"]);
    assert!(close(misses, 4.4811), "{misses}");
    assert_eq!((loads, stores), (402.915328, 134.479872), "n * n of each more");
    assert_eq!(checksum, "2717908992");
}
