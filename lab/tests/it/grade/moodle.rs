//! The worksheet exported by Moodle, filled in.

use super::conventions::handed_in;
use super::owners::{RIGHT, WRONG, answers};
use super::{lab, printed};

/// How Moodle writes a worksheet in one language.
struct Moodle {
    worksheet: &'static str,
    options: &'static [&'static str],
    grade: &'static str,
    participant: &'static str,
    /// The decimal separator.
    sign: char,
    feedback: &'static str,
}

const MOODLES: [Moodle; 2] = [
    Moodle {
        worksheet: "\u{feff}Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\
                    \"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\n\
                    \"Participant 4711\",ada,a@example.org,\"Submitted for grading\",,20.00,Yes,\"Sunday, 1 March 2026, 10:00 AM\",-,\n\
                    \"Participant 4712\",\"Inês Conceição\",i@example.org,\"Submitted for grading\",3.00,20.00,Yes,-,\"Sunday, 1 March 2026\",\"well, done\"\n\
                    \"Participant 4713\",\"Somebody else\",s@example.org,\"No submission\",,20.00,Yes,-,-,\n",
        options: &[],
        grade: "Grade",
        participant: "Participant ",
        sign: '.',
        feedback: "Feedback comments",
    },
    Moodle {
        worksheet: "Identificador,\"Nome completo\",Estado,Nota,\"Nota máxima\",\"A nota pode ser alterada\",\"Última modificação (nota)\",\"Comentários de feedback\"\n\
                    \"Participante 4711\",ada,Submetido,,\"20,00\",Sim,-,\n\
                    \"Participante 4712\",\"Inês Conceição\",Submetido,\"3,00\",\"20,00\",Sim,-,\n\
                    \"Participante 4713\",\"Outra pessoa\",-,,\"20,00\",Sim,-,\n",
        options: &["--grade-column", "Nota", "--feedback-column", "Comentários de feedback"],
        grade: "Nota",
        participant: "Participante ",
        sign: ',',
        feedback: "Comentários de feedback",
    },
];

/// Reads as Moodle does: `mod/assign/feedback/offline/importgradeslib.php` and
/// `locallib.php`. Columns by their headers; the participant's number after the word; a
/// number with the language's decimal separator, within the assignment's range. Nothing
/// else in the worksheet may have changed.
#[test]
fn moodles_worksheet() {
    for moodle in MOODLES {
        let folder = tempfile::tempdir().unwrap();
        handed_in(folder.path());
        std::fs::write(folder.path().join("sheet.csv"), moodle.worksheet).unwrap();
        let args = "grade --roster class.csv --out out --worksheet sheet.csv in"
            .split(' ')
            .chain(moodle.options.iter().copied());
        printed(folder.path(), &args.collect::<Vec<_>>(), &[]);
        let filled = std::fs::read_to_string(folder.path().join("out/moodle.csv")).unwrap();
        let [before, after] = [moodle.worksheet, &filled].map(rows);
        let column = |name: &str| before[0].iter().position(|header| header == name).unwrap();
        let (grade, feedback) = (column(moodle.grade), column(moodle.feedback));
        assert_eq!((&before[0], before.len()), (&after[0], after.len()));
        for (points, (old, new)) in
            [Some(1.5), Some(3.0), None].into_iter().zip(before.iter().zip(&after).skip(1))
        {
            assert!(
                new[0].strip_prefix(moodle.participant).is_some_and(|number| number.parse::<u32>().is_ok())
            );
            let kept = (0..old.len()).filter(|at| points.is_none() || ![grade, feedback].contains(at));
            kept.for_each(|at| assert_eq!(old[at], new[at]));
            let Some(points) = points else { continue };
            let number: f64 = new[grade].replace(moodle.sign, ".").parse().unwrap();
            assert!(
                number == points
                    && (0.0..=20.0).contains(&number)
                    && !new[grade].contains(['.', ','].into_iter().find(|c| *c != moodle.sign).unwrap())
            );
            assert!(new[feedback].contains("Figure 1: cache size: 1"), "{new:?}");
            // Feedback is HTML there: a student's text must not become a tag. It must not
            // end the cell either, as `\"` would: PHP's `fgetcsv` reads the backslash as an
            // escape.
            assert!(!new[feedback].contains(['<', '>', '"']), "{new:?}");
            assert_eq!(new[feedback].contains("&lt;b&gt;"), new[1] == "ada", "{new:?}");
        }
    }
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// A worksheet for ana (3 of 20 points), bea (0) and mallory (no grade: two of his folders).
struct Sheet {
    what: &'static str,
    before: &'static str,
    args: &'static str,
    /// The worksheet without its feedback, `None` where it is refused.
    after: Option<&'static str>,
    says: &'static [&'static str],
}

const HEAD: &str = "Identifier,Full name,ID number,City,Grade,Maximum Grade,Grade can be changed";
const SHEETS: &[Sheet] = &[
    Sheet {
        what: "cells that students type name nobody",
        before: "HEAD\nParticipant 3,Mallory,mallory,ana,,100.00,Yes\nParticipant 1,Ana,ana,bea,,100.00,Yes\nParticipant 2,bea,bea,x,,100.00,Yes\n",
        args: "",
        after: Some(
            "HEAD\nParticipant 3,Mallory,mallory,ana,,100.00,Yes\nParticipant 1,Ana,ana,bea,15.00,100.00,Yes\nParticipant 2,bea,bea,x,0.00,100.00,Yes\n",
        ),
        says: &[],
    },
    Sheet {
        what: "one row, where any column may name somebody",
        before: "HEAD\nParticipant 3,Mallory,mallory,ana,,100.00,Yes\n",
        args: "",
        after: None,
        says: &[
            "'Full name' and 'City' both hold the roster and do not agree; choose with --worksheet-column",
        ],
    },
    Sheet {
        what: "the column is named",
        before: "HEAD\nParticipant 3,Mallory,mallory,ana,,100.00,Yes\nParticipant 1,x,ANA,x,,100.00,Yes\n",
        args: "--worksheet-column id\u{a0}number",
        after: None,
        says: &["it has no column 'id\u{a0}number'"],
    },
    Sheet {
        what: "byte order mark, CRLF, quoted line feeds, commas as decimal signs, one row of a tutor's group",
        before: "\u{feff}Identificador;\"Nome completo\";Nota;\"Nota máxima\";\"A nota pode ser alterada\";\"Online\ntext\"\r\n\r\nParticipante 1;ana;;\"100,00\";Sim;\"a;\"\"b\r\nc\"\r\n",
        args: "",
        after: Some(
            "\u{feff}Identificador;\"Nome completo\";Nota;\"Nota máxima\";\"A nota pode ser alterada\";\"Online\ntext\"\r\n\r\nParticipante 1;ana;15,00;\"100,00\";Sim;\"a;\"\"b\r\nc\"\r\n",
        ),
        says: &["no row of 1 of 3 students: bea"],
    },
    Sheet {
        what: "a student in two rows, a row given twice, rows for nobody",
        before: "HEAD\nParticipant 1,x,ana,,,20.00,Yes\nParticipant 2,x,bea,,,20.00,Yes\nParticipant 2,x,bea,,,20.00,Yes\nParticipant 4,x,nobody,,7.00,20.00,Yes\n",
        args: "",
        after: Some(
            "HEAD\nParticipant 1,x,ana,,3.00,20.00,Yes\nParticipant 2,x,bea,,,20.00,Yes\nParticipant 2,x,bea,,,20.00,Yes\nParticipant 4,x,nobody,,7.00,20.00,Yes\n",
        ),
        says: &["'bea' is in several rows (lines 3, 4)"],
    },
    Sheet {
        what: "a row that is short, and one that is long",
        before: "HEAD\nParticipant 1,x,ana\nParticipant 2,x,bea,,,20.00,Yes,more\nParticipant 3,x,mallory,,,20.00,Yes\n",
        args: "",
        after: None,
        says: &["'ana' (line 2): the row ends before the grade (3 of 7 cells)"],
    },
    Sheet {
        what: "a grade that is locked, and one of a scale",
        before: "HEAD\nParticipant 1,x,ana,,,20.00,No\nParticipant 2,x,bea,,,-,Yes\n",
        args: "",
        after: None,
        says: &["'ana' (line 2): its grade is locked"],
    },
    Sheet {
        what: "rows of different worth, one of them of a scale",
        before: "HEAD\nParticipant 1,x,ana,,,40.00,Yes\nParticipant 2,x,bea,,,-,Yes\n",
        args: "",
        after: Some("HEAD\nParticipant 1,x,ana,,6.00,40.00,Yes\nParticipant 2,x,bea,,,-,Yes\n"),
        says: &["'bea' (line 3): its largest grade is '-', as of a scale"],
    },
    Sheet {
        what: "no column of the largest grade",
        before: "user,Grade\nana,\nbea,5\n",
        args: "",
        after: Some("user,Grade\nana,3.00\nbea,0.00\n"),
        says: &["no column of the largest grade; points of 20 are written as they are"],
    },
    Sheet {
        what: "grades of a scale, and locks without a column of the largest grade",
        before: "user,Grade,Scale,Grade can be changed\nana,Good,\"Poor, Good\",Yes\nbea,,\"Poor, Good\",Yes\n",
        args: "",
        after: None,
        says: &["'ana' (line 2): it is graded by a scale ('Good'), not by points"],
    },
    Sheet {
        what: "a lock without a column of the largest grade",
        before: "user,Grade,Grade can be changed\nana,,No\nbea,,Yes\n",
        args: "",
        after: Some("user,Grade,Grade can be changed\nana,,No\nbea,0.00,Yes\n"),
        says: &["'ana' (line 2): its grade is locked"],
    },
    Sheet {
        what: "one column for grade and feedback",
        before: "user,Grade\nana,\nbea,\n",
        args: "--grade-column Grade --feedback-column Grade",
        after: None,
        says: &["one column cannot be for two of name, grade and feedback"],
    },
    Sheet {
        what: "two columns that may be meant",
        before: "user,Grade,Grade\nana,,\nbea,,\n",
        args: "",
        after: None,
        says: &["several columns may be for grades"],
    },
    Sheet {
        what: "two columns of the name that was given",
        before: "user,Mark,mark\nana,,\nbea,,\n",
        args: "--grade-column mark",
        after: None,
        says: &["it has two columns 'mark'"],
    },
    Sheet {
        what: "nobody of the class",
        before: "user,Grade\nx,\ny,\n",
        args: "",
        after: None,
        says: &[
            "no column holds most of the roster; name the one that identifies students with --worksheet-column",
        ],
    },
];

#[test]
fn each_row_is_filled_rightly_or_named() {
    for sheet in SHEETS {
        let folder = tempfile::tempdir().unwrap();
        let write = |place: &str, text: &str| {
            let path = folder.path().join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let full = |text: &str| text.replace("HEAD", HEAD);
        write("class.csv", "user\nmallory\nana\nbea\n");
        write("in/ana/answers.json", &answers(RIGHT, &[], ""));
        write("in/bea/answers.json", &answers(WRONG, &[], ""));
        for id in ["98", "99"] {
            write(&format!("in/mallory_{id}_assignsubmission_file/answers.json"), &answers(RIGHT, &[], id));
        }
        write("sheet.csv", &full(sheet.before));
        let args = format!("grade --roster class.csv --out out --worksheet sheet.csv in {}", sheet.args);
        let done = lab(folder.path(), &args.trim().split(' ').collect::<Vec<_>>(), &[]);
        let told = String::from_utf8_lossy(&done.stderr);
        let filled = std::fs::read_to_string(folder.path().join("out/moodle.csv")).ok();
        assert_eq!(filled, sheet.after.map(full), "{}: {told}", sheet.what);
        assert_eq!(done.status.success(), sheet.after.is_some(), "{}: {told}", sheet.what);
        sheet.says.iter().for_each(|says| assert!(told.contains(says), "{}: {told}", sheet.what));
    }
}
