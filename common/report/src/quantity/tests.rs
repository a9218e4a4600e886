use super::*;

/// Language, kind, how it is read, text, and what the question is about; the page's script is tested against the same.
const CASES: &str = include_str!("cases.tsv");

/// `16384`, `16 bare`, `[16384, 24576)`, `16384 or 16.384`, `several`, `nothing`.
fn shown(read: &Read) -> String {
    match read {
        Read::Nothing => "nothing".to_owned(),
        Read::Value(value) => {
            let readings: Vec<String> = value.readings.iter().map(f64::to_string).collect();
            readings.join(" or ") + if value.unit { "" } else { " bare" }
        }
        Read::Bracket(Bracket { low, high, low_open, high_open, .. }) => {
            format!(
                "{}{low}, {high}{}",
                if *low_open { '(' } else { '[' },
                if *high_open { ')' } else { ']' }
            )
        }
        Read::Unclear(doubt) => format!("{doubt:?}").to_lowercase(),
    }
}

/// In the file, `\u00a0` and `
/// ` are escaped as in JSON.
fn unescaped(text: &str) -> String {
    serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).unwrap()
}

#[test]
fn the_table_of_cases_is_read_as_it_says() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (language, kind, reads, text, about) = match line.split('\t').collect::<Vec<_>>()[..] {
            [language, kind, reads, text] => (language, kind, reads, text, ""),
            [language, kind, reads, text, about] => (language, kind, reads, text, about),
            _ => panic!("{line}"),
        };
        let kind = serde_json::from_str(&format!("\"{kind}\"")).unwrap();
        let read = shown(&read(&unescaped(text), kind, language, about));
        if read != reads {
            wrong.push(format!("{language} {kind:?} '{text}': {read}, not {reads}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 300, "{count}");
}

#[test]
fn any_text_is_read_without_a_panic() {
    let pieces = [
        "16", " ", "KiB", "-", "(", ")", "[", "]", ",", ".", "^", "=", "½", "¹", "٣", "e", "0x", "to", "or",
        "±", "<", "≥", "1e999", "\u{1}", "**", "*", "/", "x", "L1", "%", "one", "\n", "<b>", "between",
        "fig", "'", "999",
    ];
    let mut seed = 1u64;
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += pieces[(seed >> 33) as usize % pieces.len()];
        }
        for kind in [Kind::Bytes, Kind::Count, Kind::Ns, Kind::Percent, Kind::Number] {
            if let Read::Value(value) = read(&text, kind, "en", "") {
                assert!(!value.readings.is_empty() && value.readings.iter().all(|v| v.is_finite()), "{text}");
            }
        }
    }
    for deep in ["(", "[", "1(", "((1", "-", "^", "="].map(|piece| piece.repeat(5000)) {
        read(&deep, Kind::Bytes, "en", "L1");
    }
    assert_eq!(read(&"16 KiB ".repeat(500), Kind::Bytes, "en", ""), Read::Unclear(Doubt::Long));
}
