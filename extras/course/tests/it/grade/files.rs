//! Honest files in unusual archives are read; hostile ones are reported, and cost neither
//! time nor memory; links and pipes are not followed.

use super::{RIGHT, answers, cell, graded, zipped};

/// The archive with `value` in the headers of its first file: `at` in the local one, and two
/// bytes later in the central one.
fn patched(mut bytes: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    for (sign, at) in [(b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)] {
        let begin = bytes.windows(4).position(|window| window == sign).unwrap();
        bytes[begin + at] = value;
    }
    bytes
}

/// What a student hands in: the name of the file and its content, and what the notes say;
/// nothing if it is worth three points, and a bomb next to right answers takes nothing away.
type Case = (&'static str, Vec<u8>, &'static str);

fn cases() -> Vec<Case> {
    let right = answers(RIGHT).into_bytes();
    let zip = |path: &str| zipped(&[(path, &right)]);
    let within = |inner: &[u8]| zipped(&[("inner.zip", inner)]);
    let page =
        [b"<script type=\"application/json\" id=\"answers\">".as_slice(), &right, b"</script>"].concat();
    let utf16 =
        String::from_utf8_lossy(&right).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let blank = vec![b' '; 20 << 20];
    let bombs: Vec<String> = (0..6).map(|number| format!("{number}.html")).collect();
    let bombs: Vec<(&str, &[u8])> = bombs.iter().map(|name| (name.as_str(), &blank[..15 << 20])).collect();
    let names = Vec::from_iter((0..30).map(|number| format!("answers {number}.json")));
    let old = br#"{"format":"cache-lab-answers","version":1,"fields":{"s2-2":"64 KiB"}}"#;
    let broken = zipped(&Vec::from_iter(names.iter().map(|name| (name.as_str(), b"[".as_slice()))));
    vec![
        ("report.html", b"<html></html>".to_vec(), "report.html holds no answers; was the page saved"),
        ("a.zip", broken, "10 more was not read: they are more than a list can name"),
        ("report.zip", zipped(&[("report/report.html", &page)]), ""),
        ("ANSWERS (1).json.txt", right.clone(), ""),
        ("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/a.json", right.clone(), ""),
        ("answers.json", [&[0xff, 0xfe], &utf16[..]].concat(), ""),
        ("a.zip", zip("../../answers.json"), ""),
        ("a.zip", within(&zip("answers.json")), ""),
        ("work.bin", zip("answers.json"), ""),
        ("target/report/answers.json", right.clone(), ""),
        ("a.zip", patched(zip("answers.json"), 6, 1), "Password required to decrypt file"),
        ("a.zip", zip("answers.json")[..60].to_vec(), "a.zip was not read: invalid Zip archive"),
        ("a.tar.gz", b"x".to_vec(), "Not read: a.tar.gz; .json, .html and .zip are."),
        ("a.zip", within(&within(&zip("a.json"))), "inner.zip was not read: it is an archive in"),
        ("a.zip", patched(zip("answers.json"), 8, 14), "a usual .zip without a password can be read"),
        (".pdf", b"%PDF".to_vec(), ".pdf; .json, .html and .zip are."),
        ("answers.json", old.to_vec(), "these answers are cache-lab-answers version 1"),
        ("report.html", page[..page.len() - 30].to_vec(), "report.html was not read: these are"),
        ("a.zip", zipped(&[("a.html", &blank), ("answers.json", &right)]), "it is larger than 16 MiB"),
        ("a.zip", zipped(&bombs), "was not read: the submission is larger than 64 MiB"),
        ("answers.json", "[".repeat(1 << 20).into_bytes(), "answers.json was not read"),
    ]
}

#[test]
fn files_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cases = cases();
    let mut names: Vec<String> = (0..cases.len()).map(|number| format!("student {number}")).collect();
    names.push("links".to_owned());
    std::fs::write(folder.join("class.csv"), format!("name\n{}\n", names.join("\n"))).unwrap();
    for ((place, content, _), name) in cases.iter().zip(&names) {
        // an ending alone is that of a file next to the folders
        let separator = if place.starts_with('.') { "" } else { "/" };
        let path = folder.join("in").join(format!("{name}{separator}{place}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    if cfg!(unix) {
        let line = "mkdir in/links; cd in/links; ln -s '../student 0' report; mkfifo answers.json";
        let made = std::process::Command::new("sh").current_dir(folder).args(["-euc", line]).status();
        assert!(made.unwrap().success());
    }
    let (code, _, err) = graded(folder, "--roster class.csv --output o in");
    assert_eq!(code, Some(0), "{err}");
    let mut lost = 0;
    for ((place, _, says), name) in cases.iter().zip(&names) {
        let of = |column| cell(folder, "o/grades.csv", name, column);
        let is_read = says.is_empty() || says.contains("16 MiB");
        lost += usize::from(!is_read);
        let (points, notes) = (of("points"), of("notes"));
        assert_eq!(points, if is_read { "3" } else { "-" }, "{place}: {notes}");
        assert!(notes.contains(says) && says.is_empty() == notes.is_empty(), "{place}: {notes}");
    }
    if cfg!(unix) {
        lost += 1;
        let notes = cell(folder, "o/grades.csv", "links", "notes");
        let parts = ["No grade: what was", "answers.json was not read: it is a link", "report was not read"];
        assert!(parts.iter().all(|part| notes.contains(part)), "{notes}");
    }
    let says = format!("no grade: {lost}: ");
    assert!(err.contains(&says), "{says}: {err}");
}
