//! The files of a graded class: what is in them, and what an earlier run left.

use std::fs;
use std::path::Path;

use super::{PART, RIGHT, answers, cell, graded, write};

const COMMENT: &str = r#""spec-comment":"The levels <script>agree</script>.""#;

fn class(folder: &Path) {
    write(folder, "r.csv", "name\nann\nbea\n=cmd()\n");
    write(folder, "in/ann/", &answers(&format!("{RIGHT},{COMMENT}")));
    write(folder, "in/bea/", &answers(&format!("{PART},\"spec-comment\":\"x;=1+1;\",\"s2-4\":\"＝1+1\"")));
    write(folder, "in/=cmd()/", "RIGHT");
}

/// Grades the class; returns the messages.
fn grade(folder: &Path, more: &str) -> String {
    let (code, out, err) = graded(folder, &format!("--roster r.csv {more} --output o in"));
    assert_eq!(code, Some(0), "{out}{err}");
    out + &err
}

/// Replaces a cell of the written table, as an instructor does.
fn give(folder: &Path, student: &str, column: &str, points: &str) {
    let path = folder.join("o/grades.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let header = table.headers().unwrap().clone();
    let at = header.iter().position(|header| header == column).unwrap();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&header).unwrap();
    for row in table.records().map(Result::unwrap) {
        let cells = row
            .iter()
            .enumerate()
            .map(|(place, cell)| if place == at && &row[0] == student { points } else { cell });
        out.write_record(cells).unwrap();
    }
    fs::write(path, out.into_inner().unwrap()).unwrap();
}

#[test]
fn points_given_by_hand_are_used_for_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    grade(folder, "");
    let of = |student: &str, column: &str| cell(folder, "o/grades.csv", student, column);
    assert_eq!([of("ann", "points"), of("ann", "spec-comment_points")], ["3", ""]);
    give(folder, "ann", "spec-comment_points", "0,5");
    let edited = fs::read(folder.join("o/grades.csv")).unwrap();
    let says = grade(folder, "");
    for line in [
        "3.5\t21\tann\t\n",
        "spec-comment: not read yet, and so without points: 1 of 3 students: bea",
        "other points than in the earlier grades.csv: 1 of 3 students: ann (3 to 3.50)",
        "the files of the last run are in o/earlier/1",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
    assert_eq!(fs::read(folder.join("o/earlier/1/grades.csv")).unwrap(), edited);
    assert_eq!([of("ann", "spec-comment_points"), of("bea", "spec-comment_points")], ["0.5", ""]);
    let before = fs::read(folder.join("o/grades.csv")).unwrap();
    grade(folder, "");
    assert_eq!(fs::read(folder.join("o/grades.csv")).unwrap(), before, "the same bytes again");
    // a computed cell that was changed is a decision, too
    give(folder, "ann", "s2-3_points", "0");
    give(folder, "'=cmd()", "spec-comment_points", "1");
    give(folder, "bea", "spec-comment_points", "0.25");
    let path = folder.join("o/grades.csv");
    let more = fs::read_to_string(&path).unwrap().replace("\nbea,", "\nzoe,,,,,,1\nBEA,");
    fs::write(&path, more).unwrap();
    let says = grade(folder, "");
    for line in [
        "2.5\t21\tann\t",
        "1.25\t21\tbea\t",
        "4\t21\t=cmd()\t",
        "points for s2-2 are given to 'zoe', who is not in the roster",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
    assert_eq!([of("ann", "s2-3_points"), of("ann", "s2-3_computed")], ["0", "1"]);
    // points for another answer are not used
    write(folder, "in/ann/", &answers(&format!("{PART},\"spec-comment\":\"Another one.\"")));
    let says = grade(folder, "");
    for line in [
        "spec-comment: points given by hand are not used, because the answer is another now; give them again: 1 of 3 students: ann",
        "s2-3: points given by hand are not used",
        "1\t21\tann\t",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
}

#[test]
fn no_file_of_an_earlier_run_is_lost_or_left_among_the_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    write(folder, "o/texts.html", "my notes");
    write(folder, "o/items.csv", "mine");
    write(folder, "w.csv", "name,Grade,Maximum Grade\nann,,20\nbea,,20\n");
    let says = grade(folder, "--worksheet w.csv");
    assert!(says.contains("the files of the last run are in o/earlier/1"), "{says}");
    let read = |place: &str| fs::read_to_string(folder.join("o").join(place)).unwrap();
    assert_eq!(read("earlier/1/texts.html"), "my notes");
    let corrected = read("moodle.csv").replace("ann,3.00", "ann,19.00");
    write(folder, "o/moodle.csv", &corrected);
    write(folder, "r.csv", "name\nbea\n");
    fs::remove_dir_all(folder.join("in/ann")).unwrap();
    fs::remove_dir_all(folder.join("in/=cmd()")).unwrap();
    grade(folder, "");
    assert_eq!((read("earlier/2/moodle.csv"), read("items.csv")), (corrected, "mine".to_owned()));
    assert!(!folder.join("o/moodle.csv").exists());
}

#[test]
fn each_format_has_the_points_and_no_formula() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    grade(folder, "");
    let read = |name: &str| fs::read_to_string(folder.join("o").join(name)).unwrap();
    let csv = read("grades.csv");
    for cell in ["\n'=cmd(),", ",\"x;=1+1;\",", ",'＝1+1,"] {
        assert!(csv.contains(cell), "{cell}: {csv}");
    }
    let texts = read("texts.html");
    assert!(
        texts.contains("The levels &lt;script&gt;agree&lt;/script&gt;.") && !texts.contains("<script"),
        "{texts}"
    );
    assert!(texts.contains("<h3>bea</h3>\n<blockquote>＝1+1</blockquote>"), "{texts}");
}

/// Feedback is in the assignment's language; the instructor's tables are in English.
#[test]
fn feedback_is_in_the_language_of_the_assignment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    write(folder, "pt.toml", report::GUIDES[1].1);
    write(folder, "w.csv", "name,Grade,Maximum Grade,Feedback comments\nann,,20,\n");
    grade(folder, "--assignment pt.toml --worksheet w.csv");
    let feedback = cell(folder, "o/moodle.csv", "ann", "Feedback comments");
    assert!(feedback.contains(": 1 Certo."), "{feedback}");
    assert_eq!(cell(folder, "o/grades.csv", "ann", "s2-2_reason"), "Right.");
}
