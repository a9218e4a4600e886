//! Machines for a class: made from a roster, handed out, measured, and never revealed.

#[cfg(target_os = "linux")]
mod packing;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use common::saved::Saved;
use serde_json::Value;

use crate::kit::{self, lab};

fn output_of(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A class with names in five scripts, two of them hostile.
const ROSTER: &str = "Number;Full name\n1;Inês Conceição\n2;Анна Иванова\n3;李小龙\n4;हिन्दी वर्मा\n5;שָׁלוֹם כהן\n\
                      6;<script>alert(1)</script>\n7;=cmd()\n8;../../etc/passwd\n";

fn class(folder: &Path) {
    std::fs::write(folder.join("class.csv"), ROSTER).unwrap();
}

const MAKE: &str = "mystery --roster class.csv --name-column number";

#[test]
fn a_class_gets_machines_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    class(folder.path());
    let roster = ROSTER.replace("Full name", "name");
    std::fs::write(folder.path().join("class.csv"), roster).unwrap();
    kit::printed(folder.path(), &MAKE.replace("number", "name"));
    let files: BTreeSet<String> = std::fs::read_dir(folder.path().join("machines"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for file in
        ["Inês-Conceição.toml", "李小龙.toml", "script-alert-1---script.toml", "cmd.toml", "etc-passwd.toml"]
    {
        assert!(files.contains(file), "{file} in {files:?}");
    }
    let key: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("machines-key.json")).unwrap()).unwrap();
    let machines = key["machines"].as_array().unwrap();
    let different: BTreeSet<String> = machines.iter().map(|m| m["levels"].to_string()).collect();
    assert_eq!((machines.len(), different.len(), files.len()), (8, 8, 8));
}

#[test]
fn options_that_would_lose_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    class(folder.path());
    kit::printed(folder.path(), MAKE);
    // the same files are no loss
    kit::printed(folder.path(), MAKE);
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::write(folder.path().join("other/ada.toml"), "mine").unwrap();
    std::fs::write(folder.path().join("bad-key.json"), "{}").unwrap();
    std::fs::write(folder.path().join("twice.csv"), "name\nana\nAna\n").unwrap();
    std::fs::write(folder.path().join("gap.csv"), "name,group\nana,1\n,2\n").unwrap();
    for (args, code, says) in [
        ("mystery --output other ada", 1, "move it away"),
        ("mystery --output bad ada", 2, "bad-key.json is not a key"),
        ("mystery", 2, "NAME"),
        ("mystery --roster class.csv", 2, "'Full name'"),
        ("mystery --roster class.csv --name-column grade", 2, "'grade'"),
        ("mystery --roster twice.csv", 2, "'Ana'"),
        ("mystery --roster gap.csv --name-column name", 2, "gap.csv, line 3"),
        ("mystery ada ada", 2, "'ada'"),
    ] {
        let (given, sentence) = output_of(&lab(folder.path(), args));
        assert_eq!(given, Some(code), "{args}: {sentence}");
        assert!(sentence.contains(says), "{args}: {sentence}");
    }
}

#[test]
fn a_late_joiner_gets_a_machine_and_the_others_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    class(folder.path());
    let make = |args: &str| output_of(&lab(folder.path(), args));
    let read = |place: &str| std::fs::read_to_string(folder.path().join(place)).unwrap();
    let machines = || serde_json::from_str::<Value>(&read("machines-key.json")).unwrap()["machines"].clone();
    assert_eq!(make(MAKE).0, Some(0));
    let (machine, before) = (read("machines/3.toml"), machines());
    std::fs::write(folder.path().join("class.csv"), ROSTER.to_owned() + "9;Late\n10;Later\n").unwrap();
    // a file that was lost is made again
    std::fs::remove_file(folder.path().join("machines/3.toml")).unwrap();
    assert_eq!(make(MAKE), (Some(0), String::new()));
    let after = machines();
    assert_eq!(after.as_array().unwrap()[..8], before.as_array().unwrap()[..]);
    assert_eq!((read("machines/3.toml"), folder.path().join("machines/10.toml").exists()), (machine, true));
    assert!(read("machines-key.json").contains("\"column\": \"Number\""));
    // who is not in the roster now is still in the key
    std::fs::write(folder.path().join("class.csv"), ROSTER).unwrap();
    assert_eq!((make(MAKE).0, machines()), (Some(0), after.clone()));
    std::fs::write(folder.path().join("names.csv"), "user\nada\n").unwrap();
    let (code, why) = make("mystery --roster names.csv");
    assert!(code == Some(2) && why.contains("are of the column 'Number'"), "{why}");
    // another class has other machines
    assert_eq!(make(&format!("{MAKE} --output others")).0, Some(0));
    assert_ne!(read("others/3.toml"), read("machines/3.toml"));
    assert_eq!(machines(), after);
}

/// The key is readable by its owner only; the machines by everybody. The output says what the
/// seal protects against.
#[test]
#[cfg(unix)]
fn the_key_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &str| std::fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
    kit::printed(folder.path(), "mystery ada");
    // the permissions of an older file are replaced
    std::fs::set_permissions(folder.path().join("machines-key.json"), std::fs::Permissions::from_mode(0o644))
        .unwrap();
    let said = kit::printed(folder.path(), "mystery ada");
    assert!(
        said.contains("do not hand out machines-key.json\n") && said.contains("a program that opens them")
    );
    assert_eq!(mode("machines-key.json"), 0o600);
    assert!(mode("machines/ada.toml") & 0o400 != 0 && mode("machines/ada.toml") != 0o600);
}

/// What a student's commands say about a sealed machine before it is measured.
#[test]
fn only_measuring_reveals_a_sealed_machine() {
    let folder = tempfile::tempdir().unwrap();
    class(folder.path());
    kit::printed(folder.path(), "mystery ada");
    let machine = lab(folder.path(), "machines machines/ada.toml");
    let (code, refusal) = output_of(&machine);
    assert!(
        code == Some(1) && refusal.contains("its description is sealed; give the file itself"),
        "{refusal}"
    );
    assert!(machine.stdout.is_empty(), "a saved copy would be none");
}

/// The procedure of the page for instructors, with the kit's own reading of the curves, on some
/// of the machines.
#[test]
fn the_documented_procedure_identifies_what_was_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    kit::printed(folder, "mystery ada grace alan");
    let read = |place: &str| std::fs::read_to_string(folder.join(place)).unwrap();
    let key: Value = serde_json::from_str(&read("machines-key.json")).unwrap();
    for machine in key["machines"].as_array().unwrap() {
        let file = machine["file"].as_str().unwrap();
        for (level, options) in ["--max 256K", "--event PAPI_L2_DCM --max 4M"].into_iter().enumerate() {
            let args = format!("--machine machines/{file} {options} --until-decided --record r.json");
            assert!(kit::run(folder, "cm1", &args).status.success(), "{args}");
            let saved = Saved::parse(&read("r.json")).unwrap();
            let found = geometry::read(&saved).verdict.unwrap();
            let drawn =
                ["size_bytes", "line_bytes"].map(|field| machine["levels"][level][field].as_u64().unwrap());
            assert_eq!([found.most.0, found.line.as_ref().unwrap().0], drawn, "{file}: {found:?}");
        }
    }
    std::fs::write(folder.join("r.json"), read("r.json").replacen("0.0", "0.1", 1)).unwrap();
    let (code, refusal) = output_of(&lab(folder, "plot r.json"));
    assert!(code == Some(1) && refusal.contains("changed after it was made"), "{refusal}");
}
