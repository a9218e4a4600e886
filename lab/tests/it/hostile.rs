//! Hostile texts in every input, through every output.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::kit::program;
use common::record::{Record, Row};

/// Control characters, terminal escapes, marks that change the direction of writing,
/// markup, formulas, and very long texts.
fn hostile() -> Vec<String> {
    let short = [
        "\u{1b}[2J\u{1b}]0;owned\u{7}",
        "a\u{202e}gnp.exe",
        "\u{2066}a\u{2069}\u{200f}b",
        "a\u{0}b",
        "line\r\nfeed\u{85}\u{2028}x",
        "\u{9b}31m",
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "]]>&amp;<!--",
        "' OR \"1\"=\"1",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "@SUM(1)",
        "-2",
        "a,b;c\td",
        "\u{fdd0}\u{ffff}",
        "e\u{301}\u{301}\u{301}",
        "हिन्दी שָׁלוֹם 😀",
        "%s%n{}{0}",
        "../../etc/passwd",
    ];
    short.map(str::to_owned).into_iter().chain(["x".repeat(70_000), "\u{202e}<b>".repeat(3000)]).collect()
}

/// Whether a terminal would do more than show the character.
fn acts(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !"\n\t".contains(c)) || matches!(c, '\u{2028}' | '\u{2029}')
}

fn run(folder: &Path, name: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program(name));
    command.current_dir(folder).args(args).env("RUST_BACKTRACE", "0").output().unwrap()
}

/// Checks what people see: no active characters, no endless lines, no panics.
fn shown(what: &str, output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.chars().any(acts), "{what:.60}: {:.300}", text.escape_debug().to_string());
        assert!(text.lines().all(|line| line.chars().count() < 2500), "{what:.60}: {:.100}", text);
        assert!(!text.contains("panicked"), "{what:.60}: {text:.300}");
    }
    assert!(matches!(output.status.code(), Some(0..=2)), "{what:.60}: {}", output.status);
}

#[test]
fn arguments_are_repeated_harmlessly() {
    let folder = tempfile::tempdir().unwrap();
    // Each way to read an argument, once.
    let places: [(&str, &[&str]); 7] = [
        ("spark", &["--max"]),
        ("cm1", &["--event"]),
        ("mm1", &["--size", "8", "--events"]),
        ("mm2", &["--machine"]),
        ("ge", &[]),
        ("avail", &["-e"]),
        ("lab", &["plot"]),
    ];
    for text in hostile().iter().filter(|text| !text.contains('\0')) {
        for (name, args) in places {
            let args: Vec<&str> = args.iter().copied().chain([&**text]).collect();
            shown(&format!("{name} {args:?}"), &run(folder.path(), name, &args));
        }
    }
}

#[test]
fn a_saved_file_says_nothing_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in hostile().iter().enumerate() {
        let row =
            format!("cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\tevent={text}\tsource=model\n");
        let mut record = Record::new("cm1", text.clone()).set("event", text.clone());
        record.rows.push(Row::at([
            ("size_bytes", 8192.into()),
            ("stride_bytes", 8.into()),
            ("event", text.clone().into()),
        ]));
        let files = [
            ("kit.out", row.clone() + text),
            ("row.out", row),
            ("text.out", text.clone()),
            ("record.json", record.json()),
        ];
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
            let chart = format!("{number}-{name}.svg");
            shown(text, &run(folder.path(), "lab", &["plot", name, "-o", &chart]));
        }
    }
    for picture in fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "svg"))
    {
        let svg = fs::read_to_string(picture.path()).unwrap();
        assert!(svg.trim_end().ends_with("</svg>") && svg.len() < 200_000);
        assert!(!svg.contains("<script") && !svg.contains("<img") && !svg.chars().any(acts));
    }
}

/// A machine with this name and description, in the folder.
fn called(folder: &Path, name: &str, about: &str) {
    let [name, about] = [name, about].map(|text| serde_json::Value::from(text).to_string());
    let description = format!(
        "name = {name}\ndescription = {about}\n[[cache]]\nlevel = 1\nsize = \"4K\"\nline = 64\nways = 2\n"
    );
    fs::write(folder.join("m.toml"), description).unwrap();
}

#[test]
fn a_machine_may_be_called_anything_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    // A whole report takes seconds: one has all texts that could break a page.
    let mut of_a_page = String::new();
    for text in &hostile() {
        called(folder.path(), text, text);
        for format in ["kit", "csv", "json"] {
            let args = ["--machine", "m.toml", "--max", "8K", "--repeats", "1", "--format", format];
            shown(text, &run(folder.path(), "cm1", &args));
        }
        let printed = run(folder.path(), "lab", &["machines", "./m.toml"]);
        shown(text, &printed);
        if printed.status.success() {
            fs::write(folder.path().join("copy.toml"), &printed.stdout).unwrap();
            assert!(run(folder.path(), "lab", &["machines", "./copy.toml"]).status.success(), "{text:.40}");
            of_a_page += if text.len() < 100 { text } else { "" };
        }
    }
    assert!(["<script>", "<img", "]]>", "=cmd", "\"1\"=\"1"].iter().all(|part| of_a_page.contains(part)));
    called(folder.path(), "</script><script>alert(1)</script><img src=x onerror=alert(1)>", &of_a_page);
    let args = ["run", "--quick", "--hasten", "1000", "--size", "8", "--machine", "m.toml"];
    let output = run(folder.path(), "lab", &args);
    assert!(output.status.success());
    shown(&of_a_page, &output);
    let page = fs::read_to_string(folder.path().join("report/report.html")).unwrap();
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x") && !page.chars().any(acts));
}
