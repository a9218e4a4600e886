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

/// Replaces the cell of the row of an item and a student in texts.csv, as an instructor does.
fn give(folder: &Path, (item, student): (&str, &str), column: &str, value: &str) {
    let path = folder.join("o/texts.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let header = table.headers().unwrap().clone();
    let at = header.iter().position(|header| header == column).unwrap();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&header).unwrap();
    for row in table.records().map(Result::unwrap) {
        let is_it = &row[0] == item && &row[1] == student;
        out.write_record(
            row.iter().enumerate().map(|(place, cell)| if is_it && place == at { value } else { cell }),
        )
        .unwrap();
    }
    fs::write(path, out.into_inner().unwrap()).unwrap();
}

#[test]
fn points_given_by_hand_are_used_for_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    grade(folder, "");
    let of = |student: &str, column: &str| cell(folder, "o/grades.csv", student, column);
    let texts = || fs::read_to_string(folder.join("o/texts.csv")).unwrap();
    assert_eq!([of("ann", "points"), of("ann", "spec-comment_points")], ["3", ""]);
    assert_eq!(
        texts(),
        "item,name,text,equal,points,of,comment\ns2-4,bea,＝1+1,,,1,\n\
         spec-comment,ann,The levels <script>agree</script>.,,,1,\nspec-comment,bea,\"x;=1+1;\",,,1,\n"
            .replace(",＝1", ",'＝1")
    );
    give(folder, ("spec-comment", "ann"), "points", "0,5");
    give(folder, ("spec-comment", "ann"), "comment", "Which levels?");
    let edited = fs::read(folder.join("o/texts.csv")).unwrap();
    let says = grade(folder, "");
    for line in [
        "3.5\t21\tann\t\n",
        "texts and values without points: 2; write points into texts.csv. They are of: 1: bea",
        "other points than in the earlier grades.csv: 1: ann (3 to 3.5)",
        "the files of the last run are in o/earlier/1",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
    assert_eq!(fs::read(folder.join("o/earlier/1/texts.csv")).unwrap(), edited);
    assert_eq!([of("ann", "spec-comment_points"), of("bea", "spec-comment_points")], ["0.5", ""]);
    let before = fs::read(folder.join("o/texts.csv")).unwrap();
    write(folder, "w.csv", "name,Grade,Maximum Grade,Feedback comments\nann,,21,\n");
    grade(folder, "--worksheet w.csv");
    assert_eq!(fs::read(folder.join("o/texts.csv")).unwrap(), before, "the same bytes again");
    let feedback = cell(folder, "o/moodle.csv", "ann", "Feedback comments");
    assert!(feedback.contains("0.5 Points given by the instructor. Which levels?"), "{feedback}");
    // a row for a computed answer is a decision, too
    let more = texts() + "s2-3,ann,,,0,1,\nspec-comment,'=cmd(),,,1,,\n";
    write(folder, "o/texts.csv", &more);
    give(folder, ("spec-comment", "bea"), "points", "0.25");
    let says = grade(folder, "");
    for line in [
        "2.5\t21\tann\t",
        "1.25\t21\tbea\t",
        "4\t21\t=cmd()\t",
        "other points than in the earlier grades.csv: 3: ann (3.5 to 2.5), bea (1 to 1.25), =cmd() (3 to 4)",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
    assert!(texts().contains("\ns2-3,ann,16 B,,0,1,\n"), "{}", texts());
    // points for another text are not used
    write(folder, "in/ann/", &answers(&format!("{PART},\"spec-comment\":\"Another one.\"")));
    let says = grade(folder, "");
    for line in [
        "points for another text are not used; give them again: 2: ann (s2-3), ann (spec-comment)",
        "1\t21\tann\t",
    ] {
        assert!(says.contains(line), "{line}: {says}");
    }
    // and an edited grades.csv is not used, and named
    let grades = fs::read_to_string(folder.join("o/grades.csv")).unwrap();
    let edited = grades.replacen(",1,Right.", ",0,Right.", 1).replacen("\nbea,1.25", "\nbea,-", 1);
    write(folder, "o/grades.csv", &edited);
    let says = grade(folder, "");
    assert!(says.contains("other points than in the earlier grades.csv: 1: ann (s2-2: 0 to 1)\n"), "{says}");
}

#[test]
fn equal_texts_are_next_to_each_other_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "r.csv", "name\nann\nbea\nfay\n");
    for (name, text) in [("ann", "Yes, it is so!"), ("bea", "No."), ("fay", "yes it IS so")] {
        write(folder, &format!("in/{name}/"), &answers(&format!("\"spec-comment\":\"{text}\"")));
    }
    grade(folder, "");
    let texts = fs::read_to_string(folder.join("o/texts.csv")).unwrap();
    let rows = "spec-comment,bea,No.,,,1,\nspec-comment,ann,\"Yes, it is so!\",2,,1,\nspec-comment,fay,yes it IS so,2,,1,\n";
    assert!(texts.ends_with(rows), "{texts}");
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
