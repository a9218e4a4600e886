//! Honest files in unusual archives are read; hostile ones are reported, and cost neither
//! time nor memory.

use std::io::Write;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::lab;
use super::owners::{RIGHT, answers};

/// An archive of these files.
fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An archive whose only file needs a password: the flag is set in both headers.
fn encrypted(content: &[u8]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("answers.json", options).unwrap();
    writer.write_all(content).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    for (sign, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = bytes.windows(4).position(|window| window == sign).unwrap();
        bytes[at + flags] |= 1;
    }
    bytes
}

/// What one student hands in, the expected points, and words of the expected message.
type Case = (&'static str, Vec<(&'static str, Vec<u8>)>, &'static str, &'static [&'static str]);

fn cases() -> Vec<Case> {
    let right = answers(RIGHT, &[], "2026-03-01T10:00:00Z").into_bytes();
    let page = |json: &[u8]| {
        [b"<html><script type=\"application/json\" id=\"answers\">".as_slice(), json, b"</script></html>"]
            .concat()
    };
    let of = |name: &'static str, content: &[u8]| vec![(name, content.to_vec())];
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(String::from_utf8_lossy(&right).encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let commas = [b"field,answer\n".to_vec(), vec![b','; 5 << 20]].concat();
    let many: Vec<(&str, Vec<u8>)> = (0..70)
        .map(|n| (&*format!("a/{n:03}.json").leak(), b"{}".to_vec()))
        .chain(of("z/answers.json", &right))
        .collect();
    vec![
        ("a zip of the page", of("report.zip", &zipped(&[("report/report.html", &page(&right))])), "3", &[]),
        (
            "a zip with records and pictures",
            of("r.zip", &zipped(&[("a/b/c/answers.json", &right), ("pictures/x.svg", b"")])),
            "3",
            &[],
        ),
        ("deep folders", of("home/ann/lab/kit/report/x/answers.json", &right), "3", &[]),
        ("behind many other files", many, "3", &["There are 71 files to read; the first 64 were"]),
        ("a name that a browser made", of("answers (1).json", &right), "3", &[]),
        ("a hidden ending", of("answers.json.txt", &right), "3", &[]),
        ("capitals", of("ANSWERS.JSON", &right), "3", &[]),
        ("UTF-16", of("answers.json", &utf16), "3", &[]),
        ("a byte order mark", of("answers.json", &[b"\xef\xbb\xbf".as_slice(), &right].concat()), "3", &[]),
        ("sep=", of("answers.csv", b"sep=;\r\nfield;answer\r\ns2-2;64 KiB\r\ns2-3;16 B\r\n"), "2", &[]),
        ("Latin-1", of("answers.csv", b"field;answer\ns2-4;0,6 \xb5s\n"), "1", &[]),
        (
            "numbers",
            of(
                "answers.json",
                br#"{"format":"cache-lab-answers","version":2,"fields":{"s2-2":65536,"s2-3":16}}"#,
            ),
            "2",
            &[],
        ),
        (
            "an archive within an archive",
            of("a.zip", &zipped(&[("b.zip", &zipped(&[("answers.json", &right)]))])),
            "0",
            &["b.zip was not read: it is an archive within a.zip"],
        ),
        ("a password", of("a.zip", &encrypted(&right)), "0", &["answers.json was not read: it is encrypted"]),
        (
            "a path out of the archive",
            of("a.zip", &zipped(&[("../../answers.json", &right)])),
            "0",
            &["answers.json was not read: its path leads out of the archive"],
        ),
        (
            "half an archive",
            of("a.zip", &zipped(&[("answers.json", &right)])[..60]),
            "0",
            &["a.zip was not read: it is not a whole zip archive"],
        ),
        (
            "another archive",
            of("a.tar.gz", b"x"),
            "0",
            &["a.tar.gz was not read: archives of this kind are not supported; hand in a .zip"],
        ),
        ("a document", of("answers.docx", b"x"), "0", &["Not read: answers.docx"]),
        (
            "a bomb",
            of("a.zip", &zipped(&[("a.html", &vec![b' '; 20 << 20]), ("answers.json", &right)])),
            "3",
            &["a.html was not read: it is larger than 16 MiB"],
        ),
        (
            "many bombs",
            of("a.zip", &{
                let page = vec![b' '; 15 << 20];
                let names: Vec<String> = (0..6).map(|n| format!("{n}.html")).collect();
                let files: Vec<(&str, &[u8])> =
                    names.iter().map(|name| (name.as_str(), page.as_slice())).collect();
                zipped(&files)
            }),
            "0",
            &["was not read: the submission is larger than 64 MiB"],
        ),
        (
            "a table of commas",
            of("answers.csv", &commas),
            "0",
            &["answers.csv was not read: it is larger than 4 MiB"],
        ),
        ("brackets", of("answers.json", "[".repeat(1 << 20).as_bytes()), "0", &["answers.json was not read"]),
        (
            "one part twice",
            of(
                "answers.json",
                br#"{"format":"cache-lab-answers","version":2,"fields":{"s2-2":"64 KiB"},"fields":{}}"#,
            ),
            "0",
            &["it has one part twice"],
        ),
        (
            "a long answer",
            of(
                "answers.json",
                answers(&[("s2-2", "64 KiB"), ("spec-comment", &"é".repeat(20_000))], &[], "").as_bytes(),
            ),
            "1",
            &["'spec-comment' is longer than 16 KiB and was cut"],
        ),
    ]
}

#[test]
fn files_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cases = cases();
    let names: Vec<String> = (0..cases.len()).map(|number| format!("student {number}")).collect();
    std::fs::write(folder.join("class.csv"), format!("name\n{}\n", names.join("\n"))).unwrap();
    for ((_, files, ..), name) in cases.iter().zip(&names) {
        for (place, content) in files {
            let path = folder.join("in").join(name).join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
    }
    let done = lab(folder, &["grade", "--roster", "class.csv", "--out", "out", "in"], &[]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let table = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
    let mut table = csv::Reader::from_reader(table.as_bytes());
    for ((what, _, points, says), row) in cases.iter().zip(table.records()) {
        let row = row.unwrap();
        assert_eq!(&row[1], *points, "{what}: {}", &row[3]);
        says.iter().for_each(|says| assert!(row[3].contains(says), "{what}: {}", &row[3]));
        assert!(!says.is_empty() || row[3].is_empty(), "{what}: {}", &row[3]);
    }
}

/// Pipes, links and empty folders in a submission are reported and not followed.
#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("class.csv"), "name\nvictim\nlinks\npipe\n").unwrap();
    for name in ["victim", "links", "pipe"] {
        std::fs::create_dir_all(folder.join("in").join(name)).unwrap();
    }
    std::fs::write(folder.join("in/victim/answers.json"), answers(RIGHT, &[], "")).unwrap();
    std::os::unix::fs::symlink("../victim/answers.json", folder.join("in/links/answers.json")).unwrap();
    std::os::unix::fs::symlink("../victim", folder.join("in/links/report")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(folder.join("in/pipe/answers.json")).status().unwrap();
    assert!(made.success());
    let done = lab(folder, &["grade", "--roster", "class.csv", "in"], &[]);
    let out = String::from_utf8_lossy(&done.stdout);
    for line in [
        "3\t20\tvictim",
        "0\t20\tlinks\tanswers.json was not read: it is a link",
        "0\t20\tpipe\tanswers.json was not read: it is not a file",
    ] {
        assert!(out.contains(line), "{out}");
    }
}
