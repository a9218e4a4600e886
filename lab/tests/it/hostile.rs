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
        "\u{2066}a\u{2069}\u{200f}b",
        "a\u{0}b",
        "line\r\nfeed\u{85}\u{2028}x",
        "\u{9b}31m",
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "]]>&amp;<!--",
        "' OR \"1\"=\"1",
        "=cmd|' /C calc'!A0",
        "a,b;c\td",
        "\u{fdd0}\u{ffff}",
        "हिन्दी שָׁלוֹם 😀",
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

/// Each way to read an argument, once.
const ARGUMENTS: [(&str, &[&str]); 7] = [
    ("spark", &["--max"]),
    ("cm1", &["--event"]),
    ("mm1", &["--size", "8", "--events"]),
    ("mm2", &["--machine"]),
    ("ge", &[]),
    ("avail", &["-e"]),
    ("lab", &["plot"]),
];

/// A sweep with the text as its event, as printed, damaged and recorded; and a machine with the text as its name.
fn files(text: &str) -> [(&'static str, String); 5] {
    let row =
        format!("cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.1\tevent={text}\tsource=model\n");
    let mut record = Record::new("cm1", text).set("event", text);
    record.rows.push(Row::at([
        ("size_bytes", 8192.into()),
        ("stride_bytes", 8.into()),
        ("event", text.into()),
    ]));
    [
        ("kit.out", row.clone() + text),
        ("row.out", row),
        ("text.out", text.to_owned()),
        ("record.json", record.json()),
        ("m.toml", machine(text, text)),
    ]
}

/// A machine with this name and description.
fn machine(name: &str, about: &str) -> String {
    let [name, about] = [name, about].map(|text| serde_json::Value::from(text).to_string());
    let cache = "[[cache]]\nlevel = 1\nsize = \"4K\"\nline = 64\nways = 2\n";
    format!("name = {name}\ndescription = {about}\n{cache}")
}

#[test]
fn hostile_texts_do_nothing_in_any_output() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A whole report takes seconds: one has all texts that could break a page.
    let mut of_a_page = String::new();
    for text in &hostile() {
        for (name, args) in ARGUMENTS.iter().filter(|_| !text.contains('\0')) {
            let args = Vec::from_iter(args.iter().copied().chain([&**text]));
            shown(&format!("{name} {args:?}"), &run(folder, name, &args));
        }
        for (name, content) in files(text) {
            fs::write(folder.join(name), content).unwrap();
            shown(text, &run(folder, "lab", &["plot", name, "-o", "c.svg"]));
            let svg = fs::read_to_string(folder.join("c.svg")).unwrap_or_default();
            assert!(
                svg.len() < 200_000 && (svg.is_empty() || svg.trim_end().ends_with("</svg>")),
                "{text:.40}"
            );
            assert!(
                !svg.contains("<script") && !svg.contains("<img") && !svg.chars().any(acts),
                "{text:.40}"
            );
        }
        for format in ["kit", "csv", "json"] {
            let args = ["--machine", "m.toml", "--max", "8K", "--repeats", "1", "--format", format];
            shown(text, &run(folder, "cm1", &args));
        }
        let printed = run(folder, "lab", &["machines", "./m.toml"]);
        shown(text, &printed);
        if printed.status.success() {
            fs::write(folder.join("copy.toml"), &printed.stdout).unwrap();
            assert!(run(folder, "lab", &["machines", "./copy.toml"]).status.success(), "{text:.40}");
            of_a_page += if text.len() < 100 { text } else { "" };
        }
    }
    assert!(["<script>", "<img", "]]>", "=cmd", "\"1\"=\"1"].iter().all(|part| of_a_page.contains(part)));
    let name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    fs::write(folder.join("m.toml"), machine(name, &of_a_page)).unwrap();
    let output =
        run(folder, "lab", &["run", "--quick", "--hasten", "1000", "--size", "8", "--machine", "m.toml"]);
    assert!(output.status.success());
    shown(&of_a_page, &output);
    let page = fs::read_to_string(folder.join("report/report.html")).unwrap();
    assert!(!page.contains("<script>alert") && !page.contains("<img src=x") && !page.chars().any(acts));
}
