//! `lab trace` as a student runs it.

use std::fs;

use crate::kit::{lab, printed, stderr};

/// The example in the handout of the cache lab of "Computer Systems: A Programmer's
/// Perspective", with what its reference simulator prints.
const TRACE: &str = " L 10,1\n M 20,1\n L 22,1\n S 18,1\n L 110,1\n L 210,1\n M 12,1\n";
const VERBOSE: &str = "L 10,1 miss\nM 20,1 miss hit\nL 22,1 hit\nS 18,1 hit\nL 110,1 miss eviction\n\
    L 210,1 miss eviction\nM 12,1 miss eviction hit\n";

#[test]
fn a_trace_counts_as_the_cache_labs_simulator_does() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("yi.trace"), TRACE).unwrap();
    let text = printed(folder.path(), "trace -v -s 4 -E 1 -b 4 yi.trace");
    assert!(text.starts_with(VERBOSE) && text.ends_with("\nhits:4 misses:5 evictions:3\n"), "{text}");

    let plain = "trace yi.trace --machine i5-7500";
    let record = printed(folder.path(), &format!("{plain} --format json --record r.json"));
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let figure = |part: &str, name: &str| {
        let rows = record["rows"].as_array().unwrap().iter();
        let mut figures = rows
            .filter(|row| row["place"]["part"] == part)
            .flat_map(|row| row["figures"].as_array().unwrap());
        figures.find(|figure| figure["name"] == name).unwrap()["amount"].clone()
    };
    for (part, name, amount) in [
        ("accesses", "loads", 6.0),
        ("accesses", "stores", 3.0),
        ("L1", "hits", 6.0),
        ("L1", "misses", 3.0),
        ("L1", "compulsory_misses", 3.0),
        ("L2", "misses", 3.0),
        ("TLB1", "misses", 1.0),
    ] {
        assert_eq!(figure(part, name), amount, "{part} {name}");
    }
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(TRACE.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("wide.trace"), wide).unwrap();
    assert_eq!(printed(folder.path(), &plain.replace("yi", "wide")), printed(folder.path(), plain));
}

/// Two of four loads miss both levels: 1 ns, and for half of them 3 ns and 16 ns more.
#[test]
fn the_average_load_is_the_textbooks_sum() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.trace"), "r 0 8\nr 0 8\nr 64 8\nr 0 8\nw 128 8\n").unwrap();
    let cache = |level: u8, size: &str, ns: u8| {
        format!("[[cache]]\nlevel = {level}\nsize = \"{size}\"\nline = 64\nways = 2\nlatency = \"{ns} ns\"\n")
    };
    let machine = |memory: &str| format!("name = \"m\"\n{memory}{}{}", cache(1, "1K", 1), cache(2, "4K", 4));
    fs::write(folder.path().join("m.toml"), machine("memory.latency = \"20 ns\"\n")).unwrap();
    let text = printed(folder.path(), "trace a.trace --machine m.toml");
    assert!(text.contains("\naverage load: 10.50 ns = 1.000 + 0.5000 * (3.000 + 1.000 * 16.00) ("), "{text}");
    fs::write(folder.path().join("m.toml"), machine("")).unwrap();
    assert!(!printed(folder.path(), "trace a.trace --machine m.toml").contains("average"));
}

#[test]
fn what_is_wrong_is_named_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("yi.trace", TRACE), ("empty", "# nothing\n")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("cut.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    fs::write(folder.path().join("fetches"), "I  0400,3\n").unwrap();
    for (args, code, says) in [
        ("none", 1, "cannot read none: there is no such file; check its name"),
        (".", 1, "cannot read .: it is a folder"),
        ("empty", 1, "empty, the trace is empty"),
        ("cut.gz", 1, "cut.gz is not text; if it is packed, unpack it first"),
        ("fetches", 1, "only instruction fetches"),
        ("yi.trace -s 20 -E 65536 -b 12", 2, "can be modelled"),
        ("yi.trace --record - --format csv", 2, "standard output"),
        ("yi.trace -v --record -", 2, "--verbose prints text"),
        ("yi.trace -s 4 -E 1 -b 4 --machine zen3", 2, "--machine"),
        ("yi.trace -v --format csv", 2, "--verbose prints text"),
    ] {
        let output = lab(folder.path(), &format!("trace {args}"));
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args}: {text}");
        assert!(text.contains(says), "{args}: {text}");
        assert!(output.stdout.is_empty(), "{args}");
    }
}
