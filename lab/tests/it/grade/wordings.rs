//! The points of an answer in all its spellings, and which answers the instructor must
//! read.

use std::path::Path;

use super::{json, printed};

const RUBRIC: &str = r#"format = "cache-lab-rubric/1"
title = "Wordings"

[[item]]
id = "s311-c-size"
label = "L1: size"
kind = "bytes"
value = 16384
points = 2

[[item]]
id = "s311-c-ways"
label = "L1: ways"
kind = "count"
value = 2
points = 2
"#;

/// Points of an answer for the size, or for the ways; none where the instructor has to read
/// it.
const SIZES: &[(&str, &[&str])] = &[
    (
        "2",
        &[
            "L1: 16 KiB",
            "L1 = 16KiB",
            "16'384 B",
            "16 384 bytes",
            "2**14 B",
            "16 × 1024 bytes",
            "128 B * 64 * 2 = 16 KiB",
            "１６ KiB",
            "sixteen KiB",
            "16 Kio",
            "16 кБ",
            "16 kilobajtów",
            "In Fig. 3, 16 KiB",
            "Group 7: 16 KiB",
            "16´384 B",
            "16~KiB",
        ],
    ),
    ("1", &["16", "[16, 24) KiB", ">= 16 KiB and < 24 KiB", "16 -- 24 KiB", "между 16 и 24 КиБ"]),
    ("0", &["32 KiB", "1.6e4", "16 MiB", "[24, 32) KiB", "4 to 64 KiB", "L1", "1st", "(16, 24] KiB"]),
    (
        "",
        &[
            "8 or 16 KiB",
            "16 KiB 32 KiB",
            "16 KiB, 32 KiB",
            "at least 16 KiB",
            "16/32 KiB",
            "not 16 KiB",
            "(16–24) KiB",
            "16...24",
            "512 sets of 32 B",
            "8 KiB per way, 2 ways",
            "2^14-1",
            "2 to the 14th",
            "16 (sixteen) KiB",
            "16 KiB except the tags",
            "16.384 kB",
            "0.016 MiB",
            "16k words",
        ],
    ),
];
const WAYS: &[(&str, &[&str])] = &[
    ("2", &["2", "two-way", "L1: 2 ways", "128/64 = 2", "2 ways, 64 sets", "duas vias"]),
    ("1", &["1 to 2", "[2, 4) ways"]),
    ("0", &["direct mapped", "L2", "4-way"]),
    (
        "",
        &[
            "2 or 4",
            "8 sets of 2",
            "one or two",
            "fully associative",
            "1 < w < 4",
            "x2",
            "dual",
            "II",
            "②",
            "двухканальная",
            "dwudrożna",
        ],
    ),
];

fn cell(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn grade(folder: &Path, table: &str, more: &str) -> String {
    std::fs::write(folder.join("rubric.toml"), RUBRIC).unwrap();
    std::fs::write(folder.join("class.csv"), table).unwrap();
    let args = format!("grade --roster class.csv --name-column name --out out {more} class.csv");
    printed(folder, &args.split_whitespace().collect::<Vec<_>>(), &[])
}

#[test]
fn a_right_answer_is_right_in_every_wording() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = String::from("name,s311-c-size,s311-c-ways\n");
    let mut expected = Vec::new();
    for (column, all) in [(0, SIZES), (1, WAYS)] {
        for (points, texts) in all {
            for text in *texts {
                let both =
                    if column == 0 { [cell(text), String::new()] } else { [String::new(), cell(text)] };
                table += &format!("s{},{},{}\n", expected.len(), both[0], both[1]);
                expected.push((column, *points, *text));
            }
        }
    }
    grade(folder, &table, "--rubric rubric.toml --as check50");
    let text = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), expected.len());
    for (number, (row, (column, points, text))) in rows.iter().zip(expected).enumerate() {
        let item = ["s311-c-size", "s311-c-ways"][column];
        let of = |what: &str| {
            row.get(header.iter().position(|h| *h == format!("{item}_{what}")).unwrap()).unwrap()
        };
        assert_eq!(of("points"), points, "{text}: {}", of("reason"));
        // the student too sees that there are no points yet
        let unread = points.is_empty();
        assert_eq!(
            of("reason").starts_with("To be read by the instructor"),
            unread,
            "{text}: {}",
            of("reason")
        );
        assert_eq!(row.iter().nth(3).unwrap().contains("without points until then"), unread, "{text}");
        let check50 = json(folder.join(format!("out/check50/s{number}/check50.json")));
        assert_eq!(check50["results"][column]["passed"].is_null(), unread, "{text}: {check50}");
    }
}

/// Points for answers that had to be read are filled into grades.csv, and stay when the
/// class is graded again.
#[test]
fn points_for_an_unclear_answer_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let class = "name,s311-c-size\nada,8 or 16 KiB\nbob,16 KiB\n";
    let line =
        |printed: &str, name: &str| printed.lines().find(|line| line.contains(name)).unwrap().to_owned();
    let printed = grade(folder, class, "--rubric rubric.toml");
    assert!(line(&printed, "ada").starts_with("0\t4\tada\tTo be read by the instructor"), "{printed}");
    let texts = std::fs::read_to_string(folder.join("out/texts.html")).unwrap();
    assert!(texts.contains("8 or 16 KiB") && !texts.contains("bob"), "{texts}");
    let grades = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(grades.as_bytes());
    let at = reader.headers().unwrap().iter().position(|h| h == "s311-c-size_points").unwrap();
    let mut filled = csv::Writer::from_writer(Vec::new());
    filled.write_record(reader.headers().unwrap()).unwrap();
    for row in reader.records() {
        let row = row.unwrap();
        // computed points are not taken for points given by hand
        let cells = row.iter().enumerate().map(|(place, cell)| if place == at { "0.5" } else { cell });
        filled.write_record(cells).unwrap();
    }
    std::fs::write(folder.join("out/grades.csv"), filled.into_inner().unwrap()).unwrap();
    for _ in 0..2 {
        let printed = grade(folder, class, "--rubric rubric.toml");
        assert!(line(&printed, "ada").starts_with("0.5\t4\tada") && !line(&printed, "ada").contains("read"));
        assert!(line(&printed, "bob").starts_with("2\t4\tbob"), "{printed}");
    }
}

/// The time on a described machine is that of its memory alone, so neither the page nor the
/// grader computes a speed-up from it.
#[test]
fn what_modelled_times_cannot_say_is_left_out_of_the_sum() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("in/ada")).unwrap();
    let answers =
        r#"{"format": "cache-lab-answers", "version": 2, "saved": "", "fields": {"s322-d-clocks": "2"}}"#;
    std::fs::write(folder.join("in/ada/answers.json"), answers).unwrap();
    let record = |program: &str, source: &str, cycles: u64, cpu: f64| {
        let text = format!(
            r#"{{"program": "{program}", "version": "0.1.0", "settings": {{}}, "machine": "m", "notes": [], "rows": [{{"size": 64, "checksum": 1,
            "figures": [{{"name": "wall_cycles", "amount": {cycles}, "source": "{source}"}}, {{"name": "cpu_s", "amount": {cpu}, "source": "{source}"}}]}}]}}"#
        );
        std::fs::write(folder.join(format!("in/ada/{program}.json")), text).unwrap();
    };
    std::fs::write(folder.join("class.csv"), "name\nada\n").unwrap();
    for (source, line) in [("model", "0\t19\tada"), ("timing", "1\t20\tada")] {
        record("mm1", source, 200, 1.0);
        record("mm2", source, 100, 0.5);
        let printed = printed(folder, &["grade", "--roster", "class.csv", "--out", "out", "in"], &[]);
        assert!(printed.contains(line), "{source}: {printed}");
        let grades = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
        assert_eq!(grades.contains("Left out of the sum: modelled time"), source == "model", "{grades}");
    }
}

/// Feedback to a student is in the assignment's language; the instructor's table is in
/// English.
#[test]
fn feedback_is_in_the_language_of_the_assignment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../common/report/src/assignment/guide.pt.toml");
    std::fs::copy(guide, folder.join("guide.pt.toml")).unwrap();
    let class = "name,s311-c-size,s311-c-ways\nada,32 KiB,\nbob,8 ou 16 KiB,dois\ncid,,\n";
    let more = "--rubric rubric.toml --assignment guide.pt.toml --as gradescope";
    grade(folder, class, more);
    let of = |name: &str| json(folder.join(format!("out/gradescope/{name}/results.json"))).to_string();
    assert!(of("ada").contains("«32 KiB» não está certo.") && of("ada").contains("Sem resposta."));
    assert!(of("bob").contains("Será lido pelo docente: «8 ou 16 KiB»: tem vários números"));
    assert!(of("bob").contains("Certo."));
    let grades = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
    assert!(grades.contains("'32 KiB' is not right.") && !grades.contains("Certo"), "{grades}");
    // given by hand in the earlier table
    let filled =
        grades.replacen(",,To be read by the instructor: '8", ",1,To be read by the instructor: '8", 1);
    assert_ne!(filled, grades);
    std::fs::write(folder.join("out/grades.csv"), filled).unwrap();
    grade(folder, class, more);
    assert!(of("bob").contains("Pontos dados pelo docente."), "{}", of("bob"));
}
