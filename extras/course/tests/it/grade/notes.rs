//! A zero has a cause that its row or the class's notes name; what is odd about the class is
//! said, with names and counts.

use super::hold;

const CASES: &str = r##"
## one point for what cannot be read is no zero for the rest
in/ana/answers.pdf: %PDF
in/bea/: RIGHT
o/texts.csv: item,user,text,points,comment\ns2-2,ana,,1,\n
w.csv: user,Grade,Maximum Grade\nana,,20\n
$ --name-column user --worksheet w.csv --output o in
= ana -, bea 3
> only a person can read it, and these have no points yet: s2-3, s2-4
>> o/moodle.csv: ana,,20\n
>> o/grades.csv: \nana,-,

## fields of another assignment are named with their students
in/ana/: "s2-2":{"value":"64","unit":"KiB"},"steps-most":"ge1 to ge3"
in/bea/: RIGHT
= ana 1, bea 3
> answers to questions that are not asked; give the right --assignment: 1: ana\n
> Answers to questions that are not asked: steps-most.

## a right value in another unit, or a wrong key: nobody is right
r.csv: user,number\nana,1\nbea,2\ncarl,3\ndan,4\neve,5\nfay,6\n
in/ana/: PART
in/bea/: PART
in/carl/: PART
in/dan/: PART
in/eve/: PART
kib.toml: s2-2 = 64\n
$ --name-column user --rubric kib.toml --output o in
= ana 0, fay 0
> nobody is right; check the rubric and the key: 1: s2-2\n
> without a submission: 1: fay
>> o/notes.txt: nobody is right

## equal free texts, but not of one group, and not the question's own words
r.csv: user,group\nana,A\nbea,A\ncarl,\ndan,\neve,\nfay,B\ngil,B\n
in/fay/: "s2-2-why":"Its steps end where the second level holds all of the array."
in/gil/: "s2-2-why":"its steps end where the second level holds all of the array"
in/ana/: "s2-2":{"value":"64","unit":"KiB"},"s2-2-why":"The curve leaves its  first level there, so it is full."
in/bea/: "s2-3":{"value":"8","unit":"B"},"s2-2-why":"the curve leaves its first level there so it is full!"
in/carl/: "s2-2":{"value":"64","unit":"KiB"},"s2-2-why":"The curve leaves its  first level there, so it is full."
in/dan/: "s2-2-why":"The largest array whose curve stays low is 64 KiB."
in/eve/: "s2-2-why":"The largest array whose curve stays low is 64 KiB."
$ --name-column user --group-column group in
> equal texts of 40 characters or more: 1: ana = bea = carl (s2-2-why)\n
> \tcarl\tNote: equal texts of 40 characters or more: ana = bea = carl (s2-2-why).\n

## one odd value makes one field odd, and no terminal obeys an answer
in/ana/: "s2-2":{"value":64,"unit":"KiB"},"s2-3":{"value":"16","unit":"B"},"s2-4":null
in/bea/: "s2-2":"\\u001b[2J64 KiB","s2-3":{"value":"16","unit":"B"}
$ --name-column user --output o in
= ana 1, bea 1
> texts and values without points: 2; write points into texts.csv. They are of: 2: ana, bea
>> o/grades.csv: �[2J64 KiB
>> o/grades.csv: ""value"":64

## files of systems are no submissions
in/index.html: <html></html>
in/thumbs.db: x
in/Lab 1_ana_attempt_7_answers.json: RIGHT
in/12 - Bea Sá - 9.json: RIGHT
$ --name-column user --output o in = 1
> submissions without an owner: 2
>> o/map.csv: signed,student\n12 - Bea Sá - 9.json,,\nLab 1_ana_attempt_7_answers.json,,\n

## what is read by a person, or not used at all, is said in the row and of the class
r.csv: user,group\nana\u00a0sá,\nbea,A\ncarl,A\n
in/ana  sá/: "s2-2":true,"s2-3":{"a":1}
in/bea/: RIGHT
in/carl.pdf: %PDF
$ --name-column user --group-column group --output o in
= ana sá 0, carl 3
> 0\t20\tana sá\tAnswers to read: 2.\n
> submissions that do not count, because another one does: 1: 'carl.pdf'\n
>> o/grades.csv: ana sá,0,20,ana  sá,Answers to read: 2.,

## names that a table or a terminal would change are found again in the map
r.csv: user\nana\nbea\ncarl\ndan\n
in/x "y" /: RIGHT
in/ z\u001b[2J/: RIGHT
in/=q/: RIGHT
in/'=q/: RIGHT
$ in = 1
>> o/map.csv: \n''=q,,\n'=q,,\n"x ""y""",,\n
>> o/map.csv: \nz�[2J,,\n
o/map.csv: submission,student\n'=q,ana\n"x ""y""",bea\nz�[2J,carl\n''=q,dan\n
$ in
= ana 3, bea 3, carl 3, dan 3
>> o/grades.csv: " z�[2J",
"##;

#[test]
fn what_came_in_is_used_or_named() {
    hold(CASES);
}

/// The screen has ten names and says where all are; `notes.txt` and each row have all.
#[test]
fn no_name_is_left_out_of_the_notes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut roster = "user,number\n".to_owned();
    for pair in 10..25 {
        let text = format!("pair {pair} wrote that the array must be larger than the first level of it");
        let answers = format!(r#""student-1-number":"{pair}","s2-2":"64 KiB","s312-a-changes":"{text}""#);
        for (name, number) in [(format!("p{pair}a"), pair), (format!("p{pair}b"), pair + 100)] {
            super::write(folder, &format!("in/{name}/"), &super::answers(&answers));
            roster += &format!("{name},{number}\n");
        }
    }
    super::write(folder, "r.csv", &roster);
    let (_, notes, err) = super::graded(folder, "--roster r.csv --name-column user --output o in");
    assert!(err.contains("p19b (p19a), … (all are in notes.txt)") && !err.contains("p24b"), "{err}");
    assert!(notes.contains("answers signed by another student: 15: p10b (p10a), "), "{notes}");
    for pair in 10..25 {
        assert!(notes.contains(&format!("p{pair}a = p{pair}b (s312-a-changes)")), "{pair}: {notes}");
        let row = super::cell(folder, "o/grades.csv", &format!("p{pair}b"), "notes");
        assert!(row.contains(&format!("another student: p{pair}a")) && row.contains("equal texts"), "{row}");
    }
}

/// Records have the id of their measurement: the same from two students is a copy.
#[test]
fn copied_records_are_named_and_honest_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    super::write(folder, "r.csv", "user\nana\nbea\nmal\n");
    for name in ["ana", "bea"] {
        super::write(folder, &format!("in/{name}/"), "RIGHT");
        crate::kit::run(
            folder,
            "cm1",
            &format!("--max 8K --repeats 1 --machine lecture --record in/{name}/cm1.json"),
        );
    }
    super::write(folder, "in/mal/", "PART");
    std::fs::copy(folder.join("in/ana/cm1.json"), folder.join("in/mal/other.json")).unwrap();
    let (code, notes, err) = super::graded(folder, "--roster r.csv --output o in");
    assert_eq!(code, Some(0), "{err}");
    assert!(notes.contains("records of one measurement: 1: ana = mal (cm1)\n"), "{notes}");
    assert!(!notes.contains("bea ="), "{notes}");
}
