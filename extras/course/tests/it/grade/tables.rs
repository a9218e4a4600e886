//! Tables are joined by their headers.

use super::{Case, graded, write};

const CASES: &str = r##"
## points and worksheet by the roster column of the same header
r.csv: id,nº\nx1,2\nx2,3\nx3,1\n
in/x1/answers.json: {"format":"cache-lab-answers","version":2,"saved":"","fields":{}}
in/x2/: RIGHT
in/x3/: PART
o/texts.csv: item,nº,text,points,comment\ns2-3,1,,1,\ns2-3,2,,0,\ns2-3,3,,"0,5",\n
w.csv: Identifier,nº,Grade,Maximum Grade\nP 1,1,,20.00\nP 2,2,,20.00\nP 3,3,,20.00\n
$ --name-column id --worksheet w.csv --output o in
= x1 0, x2 2.5, x3 2
>> o/moodle.csv: P 1,1,2.00,20.00\nP 2,2,0.00,20.00\nP 3,3,2.50,20.00\n

## columns of the kit's own table are not those of the roster
r.csv: user,points,text\nana,1,Right.\nbea,3,x\n
in/ana/: RIGHT
in/bea/: PART
o/texts.csv: item,user,Text,equal,Points,of,comment\ns2-2,ana,64KiB,,"0,5",1,Why?\n
$ --name-column user --output o in
= ana 2.5, bea 1

## a student without a submission keeps the worksheet's cells
in/ana/: RIGHT
w.csv: Identifier,number,Grade,Maximum Grade,Feedback comments\nParticipant 1,1001,,20.00,\nParticipant 2,2002,17.00,20.00,by hand\n
$ --name-column user --worksheet w.csv --output o in
= ana 3, bea 0
>> o/moodle.csv: Participant 2,2002,17.00,20.00,by hand\n
>> o/moodle.csv: 1001,3.00,20.00,

## an answer for a person is named, and no 0 before it is read
in/ana/: RIGHT
in/bea/: "s2-2":"64"
w.csv: Identifier,number,Grade,Maximum Grade,Feedback comments\nParticipant 1,1001,,20.00,\nParticipant 2,2002,17.00,20.00,by hand\n
$ --name-column user --worksheet w.csv --output o in
> texts and values without points: 1; write points into texts.csv. They are of: 1: bea
> moodle.csv: not filled: 1: 'bea' (line 3): answers are to be read first
>> o/moodle.csv: 2002,17.00,20.00,by hand

## a grade that changes is listed
in/ana/: RIGHT
in/bea/: PART
w.csv: Identifier,number,Grade,Maximum Grade,Feedback comments\nParticipant 1,1001,,20.00,\nParticipant 2,2002,17.00,20.00,by hand\n
$ --name-column user --worksheet w.csv --output o in
> moodle.csv: grades that change: 1: bea (17.00 to 1.00)
> moodle.csv: other feedback is replaced: 1: bea

## rows that cannot be filled are named and unchanged
r.csv: user\nana\nbea\ncarl\ndan\n
in/ana/: RIGHT
in/bea/: RIGHT
in/carl/: RIGHT
w.csv: user,Grade,Maximum Grade,Grade can be changed,Feedback comments\nana,3.00,20.00,No,by hand\nbea,Good,20.00,Yes,\ncarl,,-,Yes,\n
$ --worksheet w.csv --output o in
> moodle.csv: not filled: 3: 'ana' (line 2): its grade is locked
> 'bea' (line 3): its grade 'Good' is not a number
> 'carl' (line 4): its largest grade is '-'
> moodle.csv has no row of: 1: dan
>> o/moodle.csv: ana,3.00,20.00,No,by hand\nbea,Good,20.00,Yes,\ncarl,,-,Yes,\n

## no answer is graded yet: no 0 in the worksheet
in/ana/: "spec-comment":"So."
w.csv: Identifier,number,Grade,Maximum Grade,Feedback comments\nParticipant 1,1001,,20.00,\nParticipant 2,2002,17.00,20.00,by hand\n
small.toml: [[section]]\npart = "specification"\n[[question]]\nid = "spec-comment"\nlabel = "a"\n
$ --name-column user --assignment small.toml --worksheet w.csv --output o in
> not filled: 1: 'ana' (line 2): no answer of this student is graded yet
> 0\t0\tana\tAnswers to read: 1.\n
>> o/moodle.csv: Participant 1,1001,,20.00,\n

## a worksheet in Portuguese
in/ana/: RIGHT
in/bea/: RIGHT
w.csv: \u{feff}Identificador;user;Nota;Nota máxima\r\nP 1;ana;5,5;20\r\n
small.toml: [[section]]\npart = "exercise"\n[[question]]\nid = "s2-2"\nlabel = "a"\n
$ --name-column user --worksheet w.csv --assignment small.toml --output o in
> moodle.csv has no row of: 1: bea
>> o/moodle.csv: P 1;ana;"20,00";20\n

## a form's table: ids in any case, cells with units
r.csv: user,mail\nana,ana@x\nbea,bea@x\n
f.csv: Email Address,s2-2,S2-3,Remarks\nANA@x,64 KiB,16 B,-\nbea@x,about 64 KiB,16 B,-\nzoe@x,64 KiB,,\n
$ --name-column user f.csv = 1
= ana 2, bea 1
> no question has the id of the columns 'Remarks'
> 'zoe@x' is not in the roster
"##;

/// Tables that are refused, and why: t.csv, but for the last ones the roster is r.csv itself.
/// The roster is that of [`Case`]; `nº` is none of its headers, and what students typed is
/// no name.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "--worksheet t.csv",
        "number,Grade,user\n1001,,bea\n",
        "'bea' means two students, ana and bea, by its columns 'user', 'number'; leave one column out",
    ),
    (
        "--worksheet t.csv",
        "user,Nota final\nana,\n",
        "it has no column 'Grade' or 'Nota' ('user', 'Nota final')",
    ),
    ("--worksheet t.csv", "user,Grade\nana,\nbea,\nana,\n", "'ana' is in lines 2 and 4"),
    (
        "--worksheet t.csv",
        "Identifier,Full name,Grade,Online text\nP 1,Vic,,my number: 1001\nP 3,Mal,,1001\n",
        "none of its columns ('Identifier', 'Full name', 'Grade', 'Online text') has the header of a roster column",
    ),
    ("--rubric t.csv", "a = 1\n", "'a' is no number with points in the assignment"),
    ("--group-column Team", "", "the roster has no column 'Team'; its columns are 'user', 'number', 'name'"),
];

/// The same for points in an earlier texts.csv.
const POINTS: &[(&str, &str)] = &[
    ("item,text,points,comment\ns2-3,,1,\n", "none of its columns ('item', 'text', 'points', 'comment') has"),
    ("item,user,points\ns2-3,ana,1\n", "it has no column 'text'"),
    (
        "item,user,number,text,points,comment\ns2-3,ana,2002,,1,\n",
        "line 2: 'ana' means two students, ana and bea, by its columns 'user', 'number'",
    ),
    (
        "item,user,text,points,comment\ns2-3,ana,,2,\n",
        "line 2: '2' is not a number of points from 0 to 1 for s2-3",
    ),
    ("item,user,text,points,comment\ns2-3,ana,,+1O,\n", "line 2: '+1O' is not a number of points"),
    (
        "item,user,text,points,comment\ns2-3,ana,,1,\ns2-3,ANA,,0,\n",
        "line 3: line 2 is of the same student and item",
    ),
    ("item,user,text,points,comment\nown,ana,,1,\n", "line 2: 'own' is no item with points"),
    ("item,user,text,points,comment\ns2-3,zoe,,1,\n", "line 2: 'zoe' is not in the roster"),
    (
        "item,number,text,points,comment\ns2-3,1.001E+03,,1,\n",
        "line 2: '1.001E+03' is not in the roster; if a spreadsheet has changed the number",
    ),
];

#[test]
fn a_table_that_may_mean_somebody_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "r.csv", "user,number,name\nana,1001,Ana\nbea,2002,Ana\n");
    write(folder, "in/ana/", "RIGHT");
    write(folder, "in/bea/", "RIGHT");
    for place in ["in", "in/grades", "in/../in/ana/o"] {
        let (code, _, err) =
            graded(folder, &format!("--roster r.csv --name-column user --output {place} in"));
        assert!(
            code == Some(2) && err.contains("would be written into the folder of submissions 'in'"),
            "{err}"
        );
    }
    for (options, table, says) in REFUSED {
        write(folder, "t.csv", table);
        let (code, out, err) =
            graded(folder, &format!("--roster r.csv --name-column user {options} --output o in"));
        assert!(code == Some(2) && err.contains(says), "{options} {table}: {out}{err}");
    }
    assert!(!folder.join("o").exists());
    for (table, says) in POINTS {
        write(folder, "o/texts.csv", table);
        let (code, out, err) = graded(folder, "--roster r.csv --name-column user --output o in");
        assert!(code == Some(2) && err.contains(&format!("o/texts.csv: {says}")), "{table}: {out}{err}");
        assert_eq!(std::fs::read_to_string(folder.join("o/texts.csv")).unwrap(), *table);
    }
}

#[test]
fn tables_are_joined_by_their_headers() {
    Case::all(CASES).iter().for_each(Case::holds_true);
}
