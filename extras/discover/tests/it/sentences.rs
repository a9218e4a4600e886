//! What `lab plot`, `lab compare` and `discover infer` say about wrong files: each message names
//! the file and is true.

use std::fs;

use crate::kit::{lab, stderr};

/// A file, the command, its exit code, and words of the message.
const SAID: [(&str, &str, i32, &[&str]); 6] = [
    (
        "size,stride,misses\n8192,64,10\n16384,64,12\n32768,64,2000\n",
        "plot f.csv -o p.svg",
        1,
        &["f.csv: line 1 has no column called avg_misses", "'size,stride,misses'"],
    ),
    (
        "cache_size=8192 stride=1 avg_misses=1e6\ncache_size=8192 stride=2 avg_misses=1\n",
        "plot f.csv -o p.svg",
        1,
        &["line 1: 1000000 misses", "--tolerate"],
    ),
    (
        "cache_size=8192 stride=1 avg_misses=-nan avg_time=inf\n",
        "infer f.csv",
        1,
        &["f.csv: none of its rows has a figure", "line 1: '-nan' is not a number"],
    ),
    (
        "size;stride;avg_misses\n8192;1;0,5\n8192;2;0.25\n",
        "infer f.csv",
        1,
        &["f.csv: line 3 has '0.25' and line 2 '0,5'"],
    ),
    (
        "size,stride,avg_misses,event\n8192,1,3.5,PAPI_TOT_INS\n8192,2,3.5,PAPI_TOT_INS\n",
        "infer f.csv",
        1,
        &["counts of PAPI_TOT_INS, which are not cache misses"],
    ),
    ("hello\n", "infer f.csv", 1, &["f.csv: line 1 is neither a row of cm1", "cache_size=8192"]),
];

#[test]
fn each_message_is_true_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    for (text, args, code, words) in SAID {
        fs::write(folder.path().join("f.csv"), text).unwrap();
        let output = lab(folder.path(), args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{text}{args}: {said}");
        for word in words {
            assert!(said.contains(word), "{text}{args}: {word}: {said}");
        }
    }
}

/// Totals and other events are not drawn as misses per access.
#[test]
fn the_axis_is_named_after_what_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (event, label) in [
        ("PAPI_L1_DCM", "misses per access"),
        ("PAPI_TOT_CYC", "PAPI_TOT_CYC per access"),
        ("PAPI_L1_DCA", "PAPI_L1_DCA per access"),
        ("instructions", "instructions per access"),
    ] {
        let text = format!("size,stride,avg_misses,event\n8192,1,0.5,{event}\n8192,2,0.7,{event}\n");
        fs::write(folder.path().join("f.csv"), text).unwrap();
        assert!(lab(folder.path(), "plot f.csv -o p.svg").status.success());
        let picture = fs::read_to_string(folder.path().join("p.svg")).unwrap();
        assert!(picture.contains(label), "{event}");
        assert_eq!(picture.contains("misses per access"), label == "misses per access", "{event}");
    }
}
