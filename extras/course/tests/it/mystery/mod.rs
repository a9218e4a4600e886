//! Machines for a class: made from a roster, handed out, measured, and never revealed.

#[cfg(target_os = "linux")]
mod packing;

use std::collections::BTreeSet;
use std::path::Path;

use common::saved::Saved;
use serde_json::Value;

use super::grade::write;
use crate::kit::{lab, printed, run, stderr};

fn read(folder: &Path, place: &str) -> String {
    std::fs::read_to_string(folder.join(place)).unwrap()
}

/// The machines of the key in the file.
fn machines(folder: &Path) -> Vec<Value> {
    let key: Value = serde_json::from_str(&read(folder, "machines-key.json")).unwrap();
    key["machines"].as_array().unwrap().clone()
}

/// A class with names in five scripts, two of them hostile.
const ROSTER: &str = "Number;Full name\n1;Inês Conceição\n2;Анна Иванова\n3;李小龙\n4;हिन्दी वर्मा\n5;שָׁלוֹם כהן\n\
                      6;<script>alert(1)</script>\n7;=cmd()\n8;../../etc/passwd\n";
const MAKE: &str = "mystery --roster class.csv --name-column number";

#[test]
fn a_class_gets_machines_of_its_own_and_late_joiners_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "class.csv", ROSTER);
    write(folder, "named.csv", &ROSTER.replace("Full name", "name"));
    printed(folder, "mystery --roster named.csv --output of-names --name-column name");
    for file in
        ["Inês-Conceição.toml", "李小龙.toml", "script-alert-1---script.toml", "cmd.toml", "etc-passwd.toml"]
    {
        assert!(folder.join("of-names").join(file).exists(), "{file}");
    }
    printed(folder, MAKE);
    let (of_three, before) = (read(folder, "machines/3.toml"), machines(folder));
    let different: BTreeSet<String> = before.iter().map(|m| m["levels"].to_string()).collect();
    assert_eq!((before.len(), different.len()), (8, 8));
    printed(folder, &format!("{MAKE} --output others"));
    assert_ne!(read(folder, "others/3.toml"), of_three, "another class has other machines");
    // a file that was lost is made again
    std::fs::remove_file(folder.join("machines/3.toml")).unwrap();
    write(folder, "class.csv", &(ROSTER.to_owned() + "9;Late\n10;Later\n"));
    printed(folder, MAKE);
    let after = machines(folder);
    assert_eq!((&after[..8], after.len()), (&before[..], 10));
    assert!(read(folder, "machines/3.toml") == of_three && folder.join("machines/10.toml").exists());
    // who is not in the roster now is still in the key
    write(folder, "class.csv", ROSTER);
    printed(folder, MAKE);
    assert_eq!(machines(folder), after);
}

#[test]
fn options_that_would_lose_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (place, text) in [
        ("class.csv", ROSTER),
        ("other/ada.toml", "mine"),
        ("bad-key.json", "{}"),
        ("twice.csv", "name\nana\nAna\n"),
        ("gap.csv", "name,group\nana,1\n,2\n"),
        ("names.csv", "user\nada\n"),
        ("long.csv", &format!("name\n{}\n", "a".repeat(201))),
        ("double.csv", "user\nada\nada\n"),
    ] {
        write(folder, place, text);
    }
    printed(folder, MAKE);
    for (args, code, says) in [
        ("mystery --roster names.csv --output other", 1, "move it away"),
        ("mystery --roster names.csv --output bad", 2, "bad-key.json is not a key"),
        ("mystery --roster long.csv --output long", 2, "is longer than 200 bytes"),
        ("mystery", 2, "--roster"),
        ("mystery --roster class.csv", 2, "'Full name'"),
        ("mystery --roster class.csv --name-column grade", 2, "'grade'"),
        ("mystery --roster twice.csv", 2, "'Ana'"),
        ("mystery --roster gap.csv --name-column name", 2, "gap.csv: line 3"),
        ("mystery --roster names.csv", 2, "are of the column 'Number'"),
        ("mystery --roster double.csv", 2, "'ada'"),
        // what a student's command says of a machine before it is measured
        ("machines machines/3.toml", 1, "its description is sealed; give the file itself"),
    ] {
        let output = lab(folder, args);
        let (given, sentence) = (output.status.code(), stderr(&output));
        assert!(given == Some(code) && sentence.contains(says), "{args}: {sentence}");
        assert!(output.stdout.is_empty(), "{args}: a saved copy would be none");
    }
}

/// The key is readable by its owner only; the machines by everybody. The output says what the
/// seal protects against.
#[test]
#[cfg(unix)]
fn the_key_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &str| std::fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
    write(folder.path(), "class.csv", "user\nada\n");
    printed(folder.path(), "mystery --roster class.csv");
    // the permissions of an older file are replaced
    std::fs::set_permissions(folder.path().join("machines-key.json"), std::fs::Permissions::from_mode(0o644))
        .unwrap();
    let said = printed(folder.path(), "mystery --roster class.csv");
    assert!(
        said.contains("do not hand out machines-key.json\n") && said.contains("a program that opens them")
    );
    assert_eq!(mode("machines-key.json"), 0o600);
    assert!(mode("machines/ada.toml") & 0o400 != 0 && mode("machines/ada.toml") != 0o600);
}

/// The procedure of the page for instructors, with the kit's own reading of the curves, on some
/// of the machines.
#[test]
fn the_documented_procedure_identifies_what_was_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "class.csv", "user\nada\ngrace\nalan\n");
    printed(folder, "mystery --roster class.csv");
    for machine in machines(folder) {
        let file = machine["file"].as_str().unwrap();
        for (level, options) in ["--max 256K", "--event PAPI_L2_DCM --max 4M"].into_iter().enumerate() {
            let args = format!("--machine machines/{file} {options} --until-decided --record r.json");
            assert!(run(folder, "cm1", &args).status.success(), "{args}");
            let found = geometry::read(&Saved::parse(&read(folder, "r.json")).unwrap()).verdict.unwrap();
            let drawn =
                ["size_bytes", "line_bytes"].map(|field| machine["levels"][level][field].as_u64().unwrap());
            assert_eq!([found.most.0, found.line.as_ref().unwrap().0], drawn, "{file}: {found:?}");
        }
    }
    write(folder, "r.json", &read(folder, "r.json").replacen("0.0", "0.1", 1));
    let output = lab(folder, "plot r.json");
    let refusal = stderr(&output);
    assert!(output.status.code() == Some(1) && refusal.contains("changed after it was made"), "{refusal}");
}
