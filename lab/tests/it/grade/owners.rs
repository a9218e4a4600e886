//! Points go to the right student: names of folders, partners, groups, times.

use std::path::Path;

use serde_json::{Map, Value};

use super::lab;

/// Answers worth three points.
pub(crate) const RIGHT: &[(&str, &str)] = &[("s2-2", "64 KiB"), ("s2-3", "16 B"), ("s2-4", "600 ns")];
/// Answers worth no points.
pub(crate) const WRONG: &[(&str, &str)] = &[("s2-2", "1 KiB")];

/// `answers.json`, with the time that the student's clock gives.
pub(crate) fn answers(fields: &[(&str, &str)], more: &[(&str, &str)], saved: &str) -> String {
    let fields: Map<String, Value> =
        fields.iter().chain(more).map(|(id, text)| ((*id).to_owned(), (*text).into())).collect();
    serde_json::json!({ "format": "cache-lab-answers", "version": 2, "saved": saved, "fields": fields })
        .to_string()
}

/// Fields of answers, and the text typed into them.
type Fields = &'static [(&'static str, &'static str)];

/// A class and its submissions.
struct Case {
    what: &'static str,
    roster: &'static str,
    /// Path, which answers are right, who signs it, the student's time of saving.
    files: &'static [(&'static str, bool, Fields, &'static str)],
    /// Other files.
    tables: &'static [(&'static str, &'static str)],
    args: &'static str,
    /// Points of each student, `-` for none.
    points: &'static [(&'static str, &'static str)],
    /// Words of the expected messages.
    says: &'static [&'static str],
}

const EARLY: &str = "2026-03-01T10:00:00Z";
const PLAIN: Case = Case {
    what: "",
    roster: "user,number,name,email\nana,0042,Ana Silva,ana@x.pt\nann,42,Ann Lee,ann@x.pt\nann_marie,7,Ann Marie,a_m_1@x.pt\n",
    files: &[],
    tables: &[],
    args: "--name-column user",
    points: &[],
    says: &[],
};

const CASES: &[Case] = &[
    Case {
        what: "a name is never cut but at a system's own ending",
        files: &[("in/ann_marie", true, &[], EARLY), ("in/ann_", true, &[], ""), ("in/ana_1", true, &[], "")],
        points: &[("ann", "0"), ("ann_marie", "3"), ("ana", "0")],
        says: &["'ann_' is of no student", "'ana_1' is of no student"],
        ..PLAIN
    },
    Case {
        what: "Moodle's folders, by full name, with teams, without what file names lose",
        files: &[
            ("in/Ana Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Team-1-Ann Lee_12_assignsubmission_file", true, &[], EARLY),
            ("in/Team-1-ann marie_13_assignsubmission_onlinetext", true, &[], EARLY),
        ],
        points: &[("ana", "3"), ("ann", "3"), ("ann_marie", "3")],
        ..PLAIN
    },
    Case {
        what: "a double first name is no team: its end may be somebody else's name",
        roster: "user,name\nluc,Luc Martin\nbea,Bea\n",
        files: &[
            ("in/Jean-Luc Martin_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Team A-Jean-Luc Martin_12_assignsubmission_file_", true, &[], EARLY),
        ],
        points: &[("luc", "-"), ("bea", "0")],
        says: &["no grade for 'luc'"],
        ..PLAIN
    },
    Case {
        what: "a double first name takes nothing from whom it ends in",
        roster: "user,name\nluc,Luc Martin\nbea,Bea\n",
        files: &[
            ("in/Jean-Luc Martin_11_assignsubmission_file_", false, &[], "2026-03-09T10:00:00Z"),
            ("in/Luc Martin_12_assignsubmission_file_", true, &[], EARLY),
            ("in/bea-Bea_13_assignsubmission_file_", true, &[], EARLY),
        ],
        points: &[("luc", "3"), ("bea", "3")],
        ..PLAIN
    },
    Case {
        what: "a team of one, and the worksheet's number of a double first name",
        roster: "user,name\nluc,Luc Martin\nbea,Bea\n",
        files: &[
            ("in/Team-Luc Martin_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Team-Bea_12_assignsubmission_file_", true, &[], EARLY),
        ],
        tables: &[(
            "sheet.csv",
            "Identifier,Full name,Grade,Maximum Grade\nParticipant 11,Luc Martin,,3\nParticipant 12,Bea,,3\n",
        )],
        args: "--name-column user --worksheet sheet.csv --out out",
        points: &[("luc", "3"), ("bea", "3")],
        ..PLAIN
    },
    Case {
        what: "Moodle writes full names: one may be the user name of somebody else",
        roster: "user,name\nann,Ann Lee\nannlee,Ann\nlee,Kim Lee\n",
        files: &[
            ("in/Ann_1_assignsubmission_file_", false, &[], "2026-03-09T10:00:00Z"),
            ("in/Ann Lee_2_assignsubmission_file_", true, &[], EARLY),
            ("in/Kim Lee_3_assignsubmission_file_", true, &[], EARLY),
        ],
        points: &[("ann", "3"), ("annlee", "-"), ("lee", "3")],
        says: &["no grade for 'annlee'"],
        ..PLAIN
    },
    Case {
        what: "an account with a student's name or number and another address takes nothing",
        files: &[
            ("in/submission_1", true, &[], EARLY),
            ("in/submission_2", false, &[], EARLY),
            ("in/submission_3", false, &[], EARLY),
            ("in/submission_4", true, &[], EARLY),
            ("in/submission_5", true, &[], EARLY),
        ],
        tables: &[(
            "in/submission_metadata.yml",
            "---\nsubmission_1:\n  :submitters:\n  - :name: Ana Silva\n    :sid: '0042'\n    :email: ana@x.pt\n  :created_at: 2026-03-01 10:00:00 Z\n\
             submission_2:\n  :submitters:\n  - :name: Ana Silva\n    :sid: \n    :email: evil@x.pt\n  :created_at: 2026-03-01 11:00:00 Z\n\
             submission_3:\n  :submitters:\n  - :name: M\n    :sid: '0042'\n    :email: evil@x.pt\n  :created_at: 2026-03-01 12:00:00 Z\n\
             submission_4:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '42'\n    :email: private@x.pt\n  :created_at: 2026-03-01 11:00:00 Z\n\
             submission_5:\n  :submitters:\n  - :name: Ann Marie\n    :sid: \n    :email: other@x.pt\n  :created_at: 2026-03-01 11:00:00 Z\n",
        )],
        points: &[("ana", "3"), ("ann", "3"), ("ann_marie", "-")],
        says: &["'submission_5' may be of this student or of another"],
        ..PLAIN
    },
    Case {
        what: "the same in rows of a form",
        tables: &[(
            "in.csv",
            "Email,Name,s2-2,s2-3,time\nana@x.pt,Ana Silva,64 KiB,16 B,2026-03-01T10:00Z\n\
             evil@x.pt,Ana Silva,1 KiB,,2026-03-01T11:00Z\nann@x.pt,Ann Lee,64 KiB,,2026-03-01T11:00Z\n",
        )],
        args: "--name-column user in.csv",
        files: &[("in/nobody", true, &[], EARLY)],
        points: &[("ana", "2"), ("ann", "1"), ("ann_marie", "0")],
        ..PLAIN
    },
    Case {
        what: "Canvas's files: number and name must be one student's",
        roster: "Student,ID,SIS User ID\n\"Silva, Ana\",345,a1\n\"Lee, Ann\",346,a2\nAnn Marie,347,a3\n",
        files: &[
            ("in/silvaana_345_67890_answers.json", true, &[], EARLY),
            ("in/leeann_LATE_346_67891_answers-1.json", true, &[], EARLY),
            ("in/silvaana_347_67892_answers.json", true, &[], EARLY),
        ],
        args: "--name-column ID",
        points: &[("345", "3"), ("346", "3"), ("347", "0")],
        says: &["'silvaana_347_67892_answers' is of no student"],
        ..PLAIN
    },
    Case {
        what: "times as forms write them: the last row is not the last in the table",
        tables: &[(
            "in.csv",
            "Timestamp,user,s2-2,s2-3\n11/20/2026 10:00:00,ana,64 KiB,16 B\n11/20/2026 09:00:00,ana,1 KiB,1 B\n\
             11/20/2026 09:30:00,ann,64 KiB,\n",
        )],
        args: "--name-column user in.csv",
        files: &[("in/nobody", true, &[], EARLY)],
        points: &[("ana", "2"), ("ann", "1")],
        says: &["by the time in the export"],
        ..PLAIN
    },
    Case {
        what: "a display name that ends in somebody else's",
        roster: "user,name\nana,Ana-Sofia Silva\nann,Ann Lee\nann_marie,Ann Marie\n",
        files: &[
            ("in/Ann Lee-Ana-Sofia Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Ann Marie_12_assignsubmission_file_", true, &[], EARLY),
        ],
        points: &[("ana", "-"), ("ann", "-"), ("ann_marie", "3")],
        says: &["may be of this student or of another"],
        ..PLAIN
    },
    Case {
        what: "two participants of one name",
        files: &[
            ("in/Ana Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Ana Silva_12_assignsubmission_file_", false, &[], EARLY),
        ],
        points: &[("ana", "-"), ("ann", "0")],
        says: &["no grade for 'ana': Two participants in Moodle have this name"],
        ..PLAIN
    },
    Case {
        what: "two students of one full name",
        roster: "user,name\nana1,Ana Silva\nana2,Ana Silva\nbea,Bea\n",
        files: &[
            ("in/Ana Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Ana Silva_12_assignsubmission_file_", false, &[], EARLY),
            ("in/Bea_13_assignsubmission_file_", true, &[], EARLY),
        ],
        points: &[("ana1", "-"), ("ana2", "-"), ("bea", "3")],
        says: &["no grade for 'ana1'", "no grade for 'ana2'"],
        ..PLAIN
    },
    Case {
        what: "the worksheet's participant numbers distinguish them",
        roster: "user,name\nana1,Ana Silva\nana2,Ana Silva\nbea,Bea\n",
        files: &[
            ("in/Ana Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Ana Silva_12_assignsubmission_file_", false, &[], EARLY),
        ],
        tables: &[(
            "sheet.csv",
            "Identifier,Full name,Username,Grade,Maximum Grade\nParticipant 12,Ana Silva,ana1,,3\nParticipant 11,Ana Silva,ana2,,3\n",
        )],
        args: "--name-column user --worksheet sheet.csv --worksheet-column Username --out out",
        points: &[("ana1", "0"), ("ana2", "3"), ("bea", "0")],
        ..PLAIN
    },
    Case {
        what: "the worksheet of another assignment has other numbers",
        files: &[
            ("in/Ana Silva_11_assignsubmission_file_", true, &[], EARLY),
            ("in/Ann Lee_12_assignsubmission_file_", false, &[], EARLY),
            ("in/Ann Marie_13_assignsubmission_file_", true, &[], EARLY),
        ],
        tables: &[(
            "sheet.csv",
            "Identifier,Username,Grade,Maximum Grade\nParticipant 12,ana,,3\nParticipant 11,ann,,3\nParticipant 13,ann_marie,,3\n",
        )],
        args: "--name-column user --worksheet sheet.csv --out out",
        points: &[("ana", "-"), ("ann", "-"), ("ann_marie", "3")],
        says: &[
            "'Ana Silva_11_assignsubmission_file_' and 'Ann Lee_12_assignsubmission_file_' may be of this student",
        ],
        ..PLAIN
    },
    Case {
        what: "Autolab's names: underscores and digits in addresses, the highest version",
        files: &[
            ("in/a_m_1@x.pt_9_handin", false, &[], "2026-03-09T10:00:00Z"),
            ("in/a_m_1@x.pt_10_handin", true, &[], EARLY),
            ("in/ana@x.pt_1_hand_in", true, &[], ""),
        ],
        points: &[("ana", "3"), ("ann", "0"), ("ann_marie", "3")],
        says: &["by its version"],
        ..PLAIN
    },
    Case {
        what: "Gradescope's metadata: two submitters, and one who is not of the class",
        files: &[
            ("in/submission_1", true, &[("student-1-name", "ann_marie")], EARLY),
            ("in/submission_2", true, &[("student-1-name", "ann_marie")], EARLY),
        ],
        tables: &[(
            "in/submission_metadata.yml",
            "---\nsubmission_1:\n  :submitters:\n  - :name: Ana Silva\n    :sid: '0042'\n    :email: ana@x.pt\n  \
             - :name: Nobody\n    :sid: '42'\n    :email: \n  :created_at: 2026-03-01 10:00:00 Z\n\
             submission_2:\n  :submitters:\n  - :name: Somebody\n    :sid: '0'\n    :email: s@x.pt\n",
        )],
        points: &[("ana", "3"), ("ann", "3"), ("ann_marie", "0")],
        says: &["'submission_2' is of 'Somebody', who is not in the roster"],
        ..PLAIN
    },
    Case {
        what: "numbers with leading zeros are other numbers",
        files: &[("in/42", true, &[], EARLY), ("in/042", true, &[], "")],
        points: &[("ana", "0"), ("ann", "3")],
        says: &["'042' is of no student"],
        ..PLAIN
    },
    Case {
        what: "signing for somebody takes nothing from them, whatever the clock says",
        files: &[
            ("in/ana", true, &[], EARLY),
            (
                "in/ann",
                false,
                &[("student-2-number", "ana"), ("student-1-name", "ana")],
                "9999-11-20T10:00:00Z",
            ),
        ],
        points: &[("ana", "3"), ("ann", "0"), ("ann_marie", "0")],
        ..PLAIN
    },
    Case {
        what: "a partner who did not sign, or handed in nothing, gets nothing",
        files: &[("in/ana", true, &[("student-1-name", "ana"), ("student-2-name", "ann")], EARLY)],
        points: &[("ana", "3"), ("ann", "0")],
        says: &["ana names this student as a partner"],
        ..PLAIN
    },
    Case {
        what: "partners who name each other share; oneself is no partner; a chain is none",
        roster: "user\nana\nann\nann_marie\nbob\n",
        files: &[
            ("in/ana", true, &[("student-2-name", "ann")], EARLY),
            ("in/bob", true, &[("student-2-name", "bob")], EARLY),
        ],
        tables: &[
            (
                "in/ann/answers.json",
                r#"{"format":"cache-lab-answers","version":2,"fields":{"student-2-name":"ANA","student-3-name":"bob"}}"#,
            ),
            (
                "in/ann_marie/answers.json",
                r#"{"format":"cache-lab-answers","version":2,"fields":{"student-2-name":"ann","student-3-name":"ann_marie"}}"#,
            ),
        ],
        points: &[("ana", "3"), ("ann", "3"), ("ann_marie", "0"), ("bob", "3")],
        ..PLAIN
    },
    Case {
        what: "groups from a file; one's own comes first",
        files: &[("in/ana", true, &[], EARLY), ("in/ann", false, &[], EARLY)],
        tables: &[("groups.csv", "group,student\n1,ana\n1,Ann Marie\n1,ann\n")],
        args: "--name-column user --groups groups.csv",
        points: &[("ana", "3"), ("ann", "0")],
        ..PLAIN
    },
    Case {
        what: "a folder of nobody is of its first signer, and not of the others",
        files: &[
            ("in/submission_17", true, &[("student-1-number", "0042"), ("student-2-name", "ann")], EARLY),
            ("in/submission_18", true, &[("student-1-name", "Jo"), ("student-2-name", "ann")], EARLY),
        ],
        points: &[("ana", "3"), ("ann", "0")],
        says: &["'submission_18' is signed by 'Jo', who is not in the roster"],
        ..PLAIN
    },
    Case {
        what: "a number and a name of two students; two folders signed by one",
        files: &[
            ("in/x1", true, &[("student-1-number", "0042"), ("student-1-name", "Ann Lee")], EARLY),
            ("in/x2", true, &[("student-1-name", "ann_marie")], EARLY),
            ("in/x3", false, &[("student-1-name", "ann_marie")], EARLY),
        ],
        tables: &[],
        points: &[("ana", "-"), ("ann", "-"), ("ann_marie", "-")],
        says: &[
            "'x1' is signed by 'Ann Lee 0042', which does not name one student",
            "'x2' and 'x3' are signed by this student",
        ],
        ..PLAIN
    },
    Case {
        what: "case and Unicode form do not matter, and the exact name comes first",
        roster: "name\nInês\nvictim\nStraße\n",
        files: &[
            ("in/INE\u{302}S", true, &[], EARLY),
            ("in/victim", true, &[], EARLY),
            ("in/Victim", false, &[], "2026-03-02T10:00:00Z"),
            ("in/victim.", false, &[], "2026-03-02T10:00:00Z"),
            ("in/straße", true, &[], EARLY),
        ],
        args: "",
        points: &[("Inês", "3"), ("victim", "3"), ("Straße", "3")],
        says: &["Also found, and not counted: 'Victim'", "'victim.' is of no student"],
        ..PLAIN
    },
    Case {
        what: "rows of a form: the columns with names agree, or nobody gets the row",
        tables: &[(
            "in.csv",
            "Timestamp,Username,Who are you?,student-2-name,s2-2\n1/3/2026 10:00,ana,Ana Silva,ann,64 KiB\n1/3/2026 10:01,ann,Ann Marie,ana,64 KiB\n\
             1/3/2026 10:02,ann,Ann Lee,ana,1 KiB\n1/3/2026 10:03,x,Ann Marie,ana,64 KiB\n1/3/2026 10:04,ana,Ana Silva,,1 KiB\n",
        )],
        args: "--name-column user in.csv",
        files: &[("in/nobody", true, &[], EARLY)],
        points: &[("ana", "0"), ("ann", "0"), ("ann_marie", "1")],
        says: &["2 submissions; the one handed in last counts (by their order)"],
        ..PLAIN
    },
    Case {
        what: "Moodle's files without folders, and two parts of one submission",
        tables: &[
            (
                "in/Ana Silva_11_assignsubmission_file_answers.json",
                r#"{"format":"cache-lab-answers","version":2,"fields":{"s2-2":"64 KiB"}}"#,
            ),
            ("in/Ana Silva_11_assignsubmission_file_more.csv", "field,answer\ns2-3,16 B\n"),
            ("in/Ann Lee_12_assignsubmission_onlinetext/onlinetext.html", "<p>See the file.</p>"),
            ("in/Ann Lee_12_assignsubmission_file/answers.csv", "field,answer\ns2-3,16 B\n"),
        ],
        points: &[("ana", "2"), ("ann", "1")],
        ..PLAIN
    },
    Case {
        what: "times come from the system that collected them",
        roster: "user\nana\nbea\n",
        files: &[
            ("in/ana", true, &[], EARLY),
            ("in/ana.json", false, &[], "2026-03-09T10:00:00Z"),
            ("in/bea", true, &[], EARLY),
        ],
        tables: &[(
            "times.csv",
            "name,attempt,time\nana,1,2026-03-05T10:00Z\nbea,1,2026-03-01T00:00Z\nbop,1,2026-03-01T00:00Z\n",
        )],
        args: "--times times.csv --due 2026-03-04T10:00Z --late-per-day 10",
        points: &[("bea", "3")],
        says: &[
            "2 submissions",
            "Late by 1 day, which leaves 90 % of the points.",
            "1 of the names in --times are of no student and no submission, as 'bop'",
        ],
    },
    Case {
        what: "of two with one time, a clock that cannot be right does not win",
        roster: "user\nana\n",
        files: &[("in/ana", true, &[], EARLY), ("more/ana", false, &[], "9999-01-01T00:00:00Z")],
        tables: &[("times.csv", "name,time\nana,2026-03-05T10:00Z\n")],
        args: "more --times times.csv",
        points: &[("ana", "3")],
        ..PLAIN
    },
];

#[test]
fn points_go_to_the_right_students() {
    for case in CASES {
        let folder = tempfile::tempdir().unwrap();
        let write = |place: &str, text: &str| {
            let path = folder.path().join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            // All at one time, so that no case is decided by the time of writing.
            let file = std::fs::File::options().append(true).open(path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
        };
        write("class.csv", case.roster);
        for (place, right, signed, saved) in case.files {
            let place =
                if place.ends_with(".json") { (*place).to_owned() } else { format!("{place}/answers.json") };
            write(&place, &answers(if *right { RIGHT } else { WRONG }, signed, saved));
        }
        case.tables.iter().for_each(|(place, text)| write(place, text));
        let args = format!("grade --roster class.csv in {}", case.args);
        check(folder.path(), &args, case);
    }
}

fn check(folder: &Path, args: &str, case: &Case) {
    let done = lab(folder, &args.split_whitespace().collect::<Vec<_>>(), &[]);
    let [out, told] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(done.status.success(), "{}: {told}", case.what);
    for (name, points) in case.points {
        let row = out.lines().find(|line| line.split('\t').nth(2) == Some(name)).unwrap();
        assert_eq!(row.split('\t').next(), Some(*points), "{}: {row}\n{told}", case.what);
    }
    for says in case.says {
        assert!(out.contains(says) || told.contains(says), "{}: '{says}' is not in\n{out}{told}", case.what);
    }
}

/// A problem of the whole class is one sentence, and not a success.
#[test]
fn a_whole_class_without_grades_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |place: &str, text: &str| {
        let path = folder.join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("class.csv", "user,email\nada,a@x\nbea,b@x\n");
    write("users.csv", "user\nada\nbea\n");
    write("mails.csv", "email\na@x\nb@x\n");
    write("words.txt", "spring of twenty-six");
    for class in ["users", "mails"] {
        let args = format!("mystery --key-file words.txt --roster {class}.csv --out {class}");
        assert!(lab(folder, &args.split(' ').collect::<Vec<_>>(), &[]).status.success());
    }
    for name in ["ada", "bea"] {
        write(&format!("in/{name}/answers.json"), &answers(RIGHT, &[], EARLY));
        write(&format!("other/{name}/answers.json"), &answers(&[("q1", "x")], &[], EARLY));
        write(&format!("records/{name}/answers.json"), &answers(RIGHT, &[], EARLY));
    }
    write("overlap.csv", "ada,bea\nbea,ada\n");
    write("times.csv", "name,time\nada,yesterday\n");
    let users = "grade --roster class.csv --name-column user";
    for (args, code, says) in [
        (format!("{users} in/ada in/bea"), 1, "give the folder that holds the students' folders"),
        (format!("{users} ."), 1, "give the folder that holds the students' folders, as './in'"),
        (format!("{users} other"), 1, "for another assignment"),
        (
            "grade --roster users.csv --key mails-key.json in".to_owned(),
            2,
            "the key has no machine of any student",
        ),
        (format!("{users} --key mails-key.json in"), 0, "points"),
        (format!("{users} --out in/grades in"), 2, "name another folder"),
        (format!("{users} --groups overlap.csv in"), 2, "is in two groups"),
        (format!("{users} --times times.csv in"), 2, "row 2 ('ada')"),
        (format!("{users} --alias-column mail in"), 2, "no column 'mail'"),
        (format!("{users} in"), 0, "points"),
    ] {
        let done = lab(folder, &args.split(' ').collect::<Vec<_>>(), &[]);
        let told =
            String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        assert!(done.status.code() == Some(code) && told.contains(says), "{args}: {:?} {told}", done.status);
    }
}

/// A student who joins late gets no grade that is known to be wrong.
#[test]
fn a_student_who_is_not_in_the_key_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("words.txt"), "spring of twenty-six").unwrap();
    assert!(lab(folder, &["mystery", "--key-file", "words.txt", "ANN"], &[]).status.success());
    std::fs::write(folder.join("class.csv"), "user\nann\nlate\n").unwrap();
    for name in ["ann", "late"] {
        std::fs::create_dir_all(folder.join("in").join(name)).unwrap();
        std::fs::write(folder.join("in").join(name).join("answers.json"), answers(RIGHT, &[], "")).unwrap();
    }
    let args = "grade --roster class.csv --key machines-key.json in";
    let case = Case {
        points: &[("ann", "3"), ("late", "-")],
        says: &[
            "the key has no machine of 1 of 2 students: late",
            "No grade: The key has no machine of this student.",
        ],
        ..PLAIN
    };
    check(folder, args, &case);
}
