//! Honest files in unusual archives are read; hostile ones are reported, and cost neither
//! time nor memory.

use std::io::Write;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{PART, RIGHT, answers, cell, graded};

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

/// The archive with another number of its method of compression.
fn method(mut bytes: Vec<u8>, number: u8) -> Vec<u8> {
    for (sign, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let begin = bytes.windows(4).position(|window| window == sign).unwrap();
        bytes[begin + at] = number;
    }
    bytes
}

/// What one student hands in, the expected points, and words of the expected message.
type Case = (&'static str, Vec<(&'static str, Vec<u8>)>, &'static str, &'static [&'static str]);

fn cases() -> Vec<Case> {
    let right = answers(RIGHT).into_bytes();
    let page = |json: &[u8]| {
        [b"<html><script type=\"application/json\" id=\"answers\">".as_slice(), json, b"</script></html>"]
            .concat()
    };
    let of = |name: &'static str, content: &[u8]| vec![(name, content.to_vec())];
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(String::from_utf8_lossy(&right).encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
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
        ("behind many other files", many, "3", &[]),
        ("a name that a browser made", of("answers (1).json", &right), "3", &[]),
        ("a hidden ending", of("answers.json.txt", &right), "3", &[]),
        ("capitals", of("ANSWERS.JSON", &right), "3", &[]),
        ("UTF-16", of("answers.json", &utf16), "3", &[]),
        ("a byte order mark", of("answers.json", &[b"\xef\xbb\xbf".as_slice(), &right].concat()), "3", &[]),
        ("a password", of("a.zip", &encrypted(&right)), "-", &["answers.json was not read: it is encrypted"]),
        (
            "a path out of the archive",
            of("a.zip", &zipped(&[("../../answers.json", &right)])),
            "-",
            &["answers.json was not read: its path leads out of the archive"],
        ),
        (
            "half an archive",
            of("a.zip", &zipped(&[("answers.json", &right)])[..60]),
            "-",
            &["a.zip was not read: it is not a whole zip archive"],
        ),
        (
            "another archive",
            of("a.tar.gz", b"x"),
            "-",
            &["a.tar.gz was not read: archives of this kind are not supported; hand in a .zip"],
        ),
        (
            "a zip in a zip",
            of("a.zip", &zipped(&[("b.zip", &zipped(&[("answers.json", &right)]))])),
            "3",
            &[],
        ),
        (
            "a zip in a zip in a zip",
            of("a.zip", &zipped(&[("b.zip", &zipped(&[("c.zip", &zipped(&[("answers.json", &right)]))]))])),
            "-",
            &["c.zip was not read: it is an archive in an archive in an archive"],
        ),
        ("an archive of any name", of("work.bin", &zipped(&[("answers.json", &right)])), "3", &[]),
        (
            "an archive that is called a page",
            of("report.html", &zipped(&[("answers.json", &right)])),
            "3",
            &[],
        ),
        (
            "another compression",
            of("a.zip", &method(zipped(&[("answers.json", &right)]), 14)),
            "-",
            &["answers.json was not read: it is compressed in a way that is not read"],
        ),
        ("a document", of("answers.docx", b"x"), "-", &["Not read: answers.docx"]),
        ("a loose file", of(".pdf", b"%PDF"), "-", &[".pdf; .json, .html and .zip are."]),
        (
            "answers of another version",
            of("answers.json", br#"{"format":"cache-lab-answers","version":1,"fields":{"s2-2":"64 KiB"}}"#),
            "-",
            &["answers.json was not read: these answers are cache-lab-answers version 1"],
        ),
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
            "-",
            &["was not read: the submission is larger than 64 MiB"],
        ),
        ("brackets", of("answers.json", "[".repeat(1 << 20).as_bytes()), "-", &["answers.json was not read"]),
        (
            "a long answer",
            of(
                "answers.json",
                answers(&format!("{PART},\"spec-comment\":\"{}\"", "é".repeat(70_000))).as_bytes(),
            ),
            "-",
            &["The answers were not read: they are longer than 128 KiB."],
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
            // an ending alone is that of a file next to the folders
            let separator = if place.starts_with('.') { "" } else { "/" };
            let path = folder.join("in").join(format!("{name}{separator}{place}"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
    }
    let (code, _, err) = graded(folder, "--roster class.csv --output out in");
    assert_eq!(code, Some(0), "{err}");
    for ((what, _, points, says), name) in cases.iter().zip(&names) {
        let of = |column| cell(folder, "out/grades.csv", name, column);
        assert_eq!(of("points"), *points, "{what}: {}", of("notes"));
        says.iter().for_each(|says| assert!(of("notes").contains(says), "{what}: {}", of("notes")));
        assert!(!says.is_empty() || of("notes").is_empty(), "{what}: {}", of("notes"));
    }
    let lost = cases.iter().filter(|(.., points, _)| *points == "-").count();
    let says = format!("nothing that can be read was handed in (the notes say why): {lost} of");
    assert!(err.contains(&says), "{says}: {err}");
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
    std::fs::write(folder.join("in/victim/answers.json"), answers(RIGHT)).unwrap();
    std::os::unix::fs::symlink("../victim/answers.json", folder.join("in/links/answers.json")).unwrap();
    std::os::unix::fs::symlink("../victim", folder.join("in/links/report")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(folder.join("in/pipe/answers.json")).status().unwrap();
    assert!(made.success());
    let (_, out, _) = graded(folder, "--roster class.csv --allow-missing in");
    for line in [
        "3\t20\tvictim",
        "-\t20\tlinks\tNo grade: what was handed in cannot be read; read it and give points. answers.json was not read: it is a link",
        "-\t20\tpipe\tNo grade: what was handed in cannot be read; read it and give points. answers.json was not read: it is not a file",
    ] {
        assert!(out.contains(line), "{out}");
    }
}
