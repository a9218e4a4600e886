//! Points given by hand, feedback to students, and the overview of the class.

use std::path::Path;

use super::owners::{RIGHT, WRONG, answers};
use super::{json, lab};

const COMMENT: &str = "The levels agree with the specification, but the last one is shared by two cores.";

fn write(folder: &Path, place: &str, text: &str) {
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn class(folder: &Path) {
    write(folder, "class.csv", "name\nann\nbea\n=cmd()\n");
    let of = |name: &str, fields, more: &[(&str, &str)]| {
        write(folder, &format!("in/{name}/answers.json"), &answers(fields, more, "2026-03-01T10:00:00Z"));
    };
    of("ann", RIGHT, &[("spec-comment", COMMENT)]);
    of("bea", WRONG, &[("spec-comment", "<script>alert(1)</script>\nIt & they.")]);
    of("cmd", RIGHT, &[]);
}

/// The exit status, and all output.
fn graded(folder: &Path, args: &str) -> (Option<i32>, String) {
    let args = format!("grade --roster class.csv {args} in");
    let done = lab(folder, &args.split_whitespace().collect::<Vec<_>>(), &[]);
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.code(), told)
}

fn cell(folder: &Path, student: &str, column: &str) -> String {
    let text = std::fs::read_to_string(folder.join("out/grades.csv")).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let at = table.headers().unwrap().iter().position(|header| header == column).unwrap();
    table.records().map(Result::unwrap).find(|row| &row[0] == student).unwrap()[at].to_owned()
}

/// Fills points for an item into the written table, as an instructor does.
fn give(folder: &Path, item: &str, points: &[(&str, &str)]) {
    let path = folder.join("out/grades.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let header = table.headers().unwrap().clone();
    let at = header.iter().position(|header| header == format!("{item}_points")).unwrap();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&header).unwrap();
    for row in table.records().map(Result::unwrap) {
        let given = points.iter().find(|(student, _)| *student == &row[0]).map(|(_, points)| *points);
        let cells = row.iter().enumerate().map(|(place, cell)| given.filter(|_| place == at).unwrap_or(cell));
        out.write_record(cells).unwrap();
    }
    std::fs::write(path, out.into_inner().unwrap()).unwrap();
}

#[test]
fn points_given_by_hand_survive_grading_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    assert_eq!(graded(folder, "--out out").0, Some(0));
    assert_eq!(
        (cell(folder, "ann", "points"), cell(folder, "ann", "spec-comment_points")),
        ("3".into(), String::new())
    );
    give(folder, "spec-comment", &[("ann", "0,5")]);
    let (code, told) = graded(folder, "--out out --as gradescope");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("3.5\t21\tann\t\n"), "{told}");
    assert!(
        told.contains("spec-comment: not read yet, and so without points: 1 of 3 students: bea"),
        "{told}"
    );
    let results = json(folder.join("out/gradescope/ann/results.json"));
    assert_eq!((&results["score"], results["tests"].as_array().unwrap().len()), (&3.5.into(), 16));
    // An answer that nobody has read has an empty cell, so no points are read back.
    assert_eq!(
        [cell(folder, "ann", "spec-comment_points"), cell(folder, "bea", "spec-comment_points")],
        ["0.5", ""]
    );
    let before = std::fs::read(folder.join("out/grades.csv")).unwrap();
    assert_eq!(graded(folder, "--out out").0, Some(0));
    assert_eq!(std::fs::read(folder.join("out/grades.csv")).unwrap(), before, "the same bytes again");
    // If the answer changes, its points stay, with a note. A file of points takes
    // precedence over the table.
    write(folder, "in/ann/answers.json", &answers(RIGHT, &[("spec-comment", "Another one.")], ""));
    write(folder, "points.csv", "name;spec-comment\n'=cmd();1\nBEA;0,25\nzoe;1\n");
    let (code, told) = graded(folder, "--out out --points points.csv");
    assert_eq!(code, Some(0), "{told}");
    for says in [
        "3.5\t21\tann\tspec-comment has another answer than when its points were given; the 0.5 points are used",
        "spec-comment: the answer is another than when points were given by hand: read it again: 1 of 3 students: ann",
        "0.25\t21\tbea",
        "4\t21\t=cmd()",
        "'zoe', who is not one student",
    ] {
        assert!(told.contains(says), "{says}: {told}");
    }
    // A student without a grade in one run has the same points afterwards.
    write(folder, "class.csv", "name,username\nann,\nbea,\n=cmd(),\n");
    let clash = folder.join("in/ann_1_assignsubmission_file_");
    let other = folder.join("in/ann_2_assignsubmission_file_");
    std::fs::rename(folder.join("in/ann"), &clash).unwrap();
    std::fs::create_dir(&other).unwrap();
    let named = "--out out --name-column name";
    assert!(graded(folder, named).1.contains("no grade for 'ann'"));
    std::fs::remove_dir(&other).unwrap();
    let (_, told) = graded(folder, named);
    assert!(told.contains("3.5\t21\tann\t\n"), "{told}");
    // The points of a student who left the class are not lost either.
    write(folder, "class.csv", "name\nbea\n");
    assert_eq!(graded(folder, "--out out").0, Some(0));
    assert_eq!(graded(folder, "--out out").0, Some(0));
    let earlier = std::fs::read_dir(folder.join("out")).unwrap().map(|entry| entry.unwrap().path());
    let mut earlier = earlier.filter(|path| path.to_string_lossy().contains("grades-earlier"));
    assert!(earlier.any(|path| std::fs::read_to_string(path).unwrap().contains("\nann,3.5")));
}

#[test]
fn points_are_for_the_answer_that_they_were_given_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let of_ann = |line| write(folder, "in/ann/answers.json", &answers(&[("s2-3", line)], &[], ""));
    let points = |points: &str| give(folder, "s2-3", &[("ann", points)]);
    let graded = || {
        let (code, told) = graded(folder, "--out out");
        assert_eq!(code, Some(0), "{told}");
        (cell(folder, "ann", "s2-3_points"), told)
    };
    // two sizes: the instructor has to read the answer, and gives 0 points
    of_ann("8 or 16 B");
    graded();
    points("0");
    assert_eq!(graded().0, "0");
    // then the student hands in another answer
    of_ann("16 B");
    let (now, told) = graded();
    assert_eq!(now, "1");
    assert!(told.contains("s2-3: the answer is another than when points were given by hand"), "{told}");
    // a changed cell of computed points is not used, with a note
    points("0");
    let (now, told) = graded();
    assert_eq!(now, "1");
    assert!(told.contains("s2-3: the points in the earlier table are not those of this run"), "{told}");
    assert!(told.contains("1 of 3 students: ann"), "{told}");
    // a table without a column of students is refused, whatever its numbers
    write(folder, "class.csv", "id\n1\n2\n");
    write(folder, "points.csv", "name,s2-3\nAnn Lee,1\n");
    let done = lab(folder, &["grade", "--roster", "class.csv", "--points", "points.csv", "in"], &[]);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(told.contains("it has no column with students of the class"), "{told}");
}

#[test]
fn impossible_points_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    for (points, says) in [
        (
            "name,spec-comment\nann,2\n",
            "row 2, 'ann': '2' is not a number of points from 0 to 1 for spec-comment",
        ),
        ("name,spec-comment\nann,-0.5\n", "from 0 to 1"),
        ("name,spec-comment\nann,NaN\n", "from 0 to 1"),
        ("name,spec-comment\nann,much\n", "'much' is not a number"),
        ("name,spec-comment\nann,1\nANN,0\n", "'ANN' is in rows 2 and 3"),
        ("name,comment\nann,1\n", "no column of points; call one as an item:"),
    ] {
        write(folder, "points.csv", points);
        let (code, told) = graded(folder, "--points points.csv");
        assert!(code == Some(2) && told.contains(says), "{points}: {code:?} {told}");
    }
    write(folder, "out/grades.csv", "student,spec-comment_points\nann,7\n");
    let (code, told) = graded(folder, "--out out");
    assert!(code == Some(2) && told.contains("would be replaced, and points may be in it"), "{told}");
}

#[test]
fn students_see_as_much_as_they_should_know() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    write(folder, "in/bea/answers.json", &answers(&[("s2-2", "64"), ("s2-3", "128"), ("s2-4", "")], &[], ""));
    let args = "--out out --as autolab --as gradescope --as prairielearn --as check50 --terse";
    assert_eq!(graded(folder, args).0, Some(0));
    for (system, file) in [
        ("autolab", "autolab.txt"),
        ("gradescope", "results.json"),
        ("prairielearn", "results.json"),
        ("check50", "check50.json"),
    ] {
        let text = std::fs::read_to_string(folder.join("out").join(system).join("bea").join(file)).unwrap();
        assert!(
            text.contains("Not right.") && text.contains("Right in part.") && text.contains("No answer."),
            "{text}"
        );
        assert!(!text.contains("bits") && !text.contains("KiB") && !text.contains("'64'"), "{text}");
    }
    assert!(cell(folder, "bea", "s2-3_reason").contains("bits"), "the instructor sees the whole reason");
}

#[test]
fn one_grade_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let (code, told) = graded(folder, "--explain BEA");
    assert_eq!(code, Some(0), "{told}");
    for says in [
        "bea: 0 of 20 points\n",
        "from 'bea'",
        "s2-2\t0/1\tFigure 1: cache size: ",
        "answer: '1 KiB'; right: 65536",
    ] {
        assert!(told.contains(says), "{says}: {told}");
    }
    assert_eq!(graded(folder, "--explain nobody").0, Some(2));
}

#[test]
fn the_class_is_seen_at_a_glance() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let copied = COMMENT.to_uppercase().replace(' ', "  ");
    write(
        folder,
        "in/bea/answers.json",
        &answers(
            WRONG,
            &[("spec-comment", &copied), ("s311-c-size-why", "<script>alert(1)</script>\nIt & they.")],
            "",
        ),
    );
    let record = r#"{"schema":"cache-lab-kit/record/1","id":"0123456789abcdef","program":"mm1","version":"0.1.0","settings":{},
        "machine":"a machine","notes":[],"rows":[{"size":512,"figures":[]}]}"#;
    for name in ["ann", "cmd"] {
        write(folder, &format!("in/{name}/mm1.json"), record);
    }
    let absent: String = (0..8).map(|number| format!("absent {number}\n")).collect();
    write(folder, "many.csv", &format!("name\nann\nbea\n=cmd()\n{absent}"));
    let many = lab(folder, &["grade", "--roster", "many.csv", "in"], &[]);
    let many = String::from_utf8_lossy(&many.stdout).into_owned();
    assert!(many.contains("from   0.00:     9 ####") && many.contains("from   2.00:     2 ####"), "{many}");
    let (code, told) = graded(folder, "--out out");
    assert_eq!(code, Some(0), "{told}");
    for says in ["median 3.00, quartiles 1.50 and 3.00", "2 similarities between students"] {
        assert!(told.contains(says), "{says}: {told}");
    }
    let hints = std::fs::read_to_string(folder.join("out/likeness.csv")).unwrap();
    assert!(
        hints.contains("ann,'=cmd(),the same record\n")
            && hints.contains("ann,bea,the same text for spec-comment\n"),
        "{hints}"
    );
    let items = std::fs::read_to_string(folder.join("out/items.csv")).unwrap();
    assert!(items.contains("\ns2-2,Figure 1: cache size,1,0.667,2,0,1,0,"), "{items}");
    let page = std::fs::read_to_string(folder.join("out/texts.html")).unwrap();
    assert!(
        page.contains(COMMENT) && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\nIt &amp; they."),
        "{page}"
    );
    assert!(!page.contains("<script"), "{page}");
    // A student sees nothing about classmates.
    assert_eq!(graded(folder, "--out out --as gradescope").0, Some(0));
    let text = std::fs::read_to_string(folder.join("out/gradescope/ann/results.json")).unwrap();
    assert!(!text.contains("bea") && !text.contains("same text"), "{text}");
}

/// A program of the course's own writes records, and the rubric asks for their figures.
#[test]
fn figures_of_own_programs_are_graded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let assignment = String::from_utf8(lab(folder, &["assignment"], &[]).stdout).unwrap();
    let question = "\n[[question]]\nid = \"s2-mine\"\nsection = \"2\"\nlabel = \"How long?\"\npoints = 2\n";
    write(folder, "own.toml", &(assignment + question));
    let rubric = String::from_utf8(lab(folder, &["grade", "--print-rubric"], &[]).stdout).unwrap();
    let item = "\n[[item]]\nid = \"s2-mine\"\nlabel = \"How long?\"\nkind = \"ns\"\nexpect = \"record.mine.wall_ns\"\ntolerance = 0.1\n";
    write(folder, "rubric.toml", &(rubric + item));
    write(folder, "in/ann/answers.json", &answers(&[("s2-mine", "41 ns")], &[], ""));
    write(
        folder,
        "in/ann/mine.json",
        r#"{"schema":"cache-lab-kit/record/1","program":"mine","version":"1","settings":{},"machine":"m","notes":[],
           "rows":[{"size":8,"figures":[{"name":"wall_ns","amount":40.0,"source":"timing"}]}]}"#,
    );
    let (code, told) = graded(folder, "--assignment own.toml --rubric rubric.toml");
    assert!(code == Some(0) && told.contains("2\t22\tann"), "{told}");
}
