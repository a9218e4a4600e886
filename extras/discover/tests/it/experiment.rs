//! What is to be found out: by experiment, and from a saved sweep.

use crate::kit::{lab, run, stderr};

const RECORDED: &str = include_str!("../../../../common/tests/data/i5-7500/cm1-l1-1.out");

#[test]
fn a_sweep_is_read_and_one_that_cannot_say_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cm1.out"), RECORDED).unwrap();
    let infer = |file: &str, code: i32| -> serde_json::Value {
        let read = lab(folder.path(), &format!("infer {file} --format json"));
        assert_eq!(read.status.code(), Some(code), "{}", stderr(&read));
        serde_json::from_slice(&read.stdout).unwrap()
    };
    let found = infer("cm1.out", 0);
    // Doubling sizes show neither 32 KiB nor 8 ways.
    for (figure, value) in
        [("size", 32768), ("size_below", 65536), ("line", 64), ("ways_least", 8), ("ways_most", 15)]
    {
        assert_eq!(found[figure], value, "{figure}: {found}");
    }
    assert_eq!((&found["verdict"], found["ways"].is_null()), (&"ok".into(), true));
    let few: String = RECORDED.split_inclusive('\n').take(12).collect();
    std::fs::write(folder.path().join("few.out"), few).unwrap();
    let found = infer("few.out", 1);
    assert!(found["verdict"] == "refused" && found["reason"].as_str().unwrap().len() > 20, "{found}");
}

#[test]
fn a_described_machine_is_discovered() {
    let folder = tempfile::tempdir().unwrap();
    let found = run(folder.path(), "discover", "--machine i5-7500 --format json --chart found.svg");
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
    assert!(folder.path().join("found.svg").exists());
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    let [first, second] = [&found["levels"][0], &found["levels"][1]];
    assert_eq!((&first["size"], &first["line"], &first["ways"]), (&32768.into(), &64.into(), &8.into()));
    // Its pages are scattered, so the sets of L2 may stay unknown; what is said is right.
    let [low, high] = ["size_low", "size_high"].map(|key| second[key].as_u64().unwrap());
    assert!(low <= 262_144 && 262_144 <= high, "{low} to {high}");
    assert_eq!(second["size"].is_null(), low < high, "an interval has no single size");
    match second["ways"].as_u64() {
        Some(ways) => assert_eq!(ways, 4),
        None => assert!(second["ways_reason"].as_str().unwrap().contains("pages")),
    }
    let refused = run(folder.path(), "discover", "--machine none");
    assert!(refused.status.code() == Some(1) && stderr(&refused).contains("none"));
}
