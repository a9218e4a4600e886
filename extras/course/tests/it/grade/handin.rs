//! `lab handin`: what it packs and refuses, and that the grader reads its archive.

use super::{RIGHT, answers, hold};

/// What a page asks for.
const ASKED: &str = r#"{"fields":[{"id":"s2-2","label":"Size?","kind":"bytes"},{"id":"s2-3","label":"Line?","kind":"bytes"},{"id":"s2-4","label":"Penalty?","kind":"ns"}],"matrix":512,"records":[]}"#;
const RECORD: &str = r#"{"schema":"cache-lab-kit/record/2","program":"mm1","version":"0.1.0","settings":{},"machine":"a machine","notes":[],"rows":[{"place":{"size":512},"figures":[]}]}"#;
const SIGNED: &str = r#""student-1-number":"1001","student-1-name":"Ann""#;

/// `PAGE fields` is a page with these answers, `SAVED day fields` such an answers.json of March.
fn content(line: &str) -> String {
    let line = line.replace("RIGHT", RIGHT).replace("SIGNED", SIGNED).replace("RECORD", RECORD);
    if let Some((place, fields)) = line.split_once(": PAGE ") {
        let element =
            |id, json: &str| format!("<script type=\"application/json\" id=\"{id}\">{json}</script>");
        return format!("{place}: {}{}", element("answers", &answers(fields)), element("asked", ASKED));
    }
    match line.split_once(": SAVED ") {
        Some((place, rest)) => {
            format!("{place}: {}", answers(&rest[3..]).replace("03-01", &format!("03-{}", &rest[..2])))
        }
        None => line,
    }
}

const CASES: &str = r#"
## one archive has everything, replaces an earlier one, and is graded under any name
report/report.html: PAGE "s2-2":{"value":"1","unit":"KiB"}
report/records/mm1.json: RECORD
report/records/mm1.csv: a,b\n
report/pictures/x.svg: <svg/>
more/mm1.json: {"schema":"cache-lab-kit/record/2","program":"mm1","version":"0.1.0","settings":{},"machine":"another","notes":[],"rows":[{"place":{"size":512},"figures":[]}]}
more/copy.json: RECORD
saved.json: SAVED 02 RIGHT,SIGNED
$ handin report more/mm1.json more/copy.json --answers saved.json
> report.zip: 3 of 3 fields filled in, the page, 2 records. Hand in this file.
>> report.zip: records/1-mm1.json
$ handin report --answers saved.json
$ handin report --answers saved.json --output in/ana/work = 1
in/ana/.x: 
$ handin report --answers saved.json --output in/ana/work.pdf
$ handin report --answers saved.json --output in/bea
$ --name-column user in
= ana 3, bea 3
> \tbea\tNote: answers signed by another student: ana.\n

## the answers saved last are packed, whatever the browser calls them
report/answers.json: SAVED 01 "s2-2":"1 KiB",SIGNED
report/answers (1).json: SAVED 03 "s2-2":"64 KiB",SIGNED
report/answers-2.json: SAVED 02 "s2-2":"2 KiB",SIGNED
report/answers-of-bea.json: SAVED 09 "s2-2":"8 KiB",SIGNED
in/.x: 
$ handin report --incomplete --output in/ana.zip
$ --name-column user in
= ana 1

## missing parts are reported before the hand-in
empty/report.html: PAGE SIGNED,"s2-2":" "
bare/answers.json: SAVED 01 RIGHT,SIGNED
bare/records/x.json: {}
numberless/answers.json: SAVED 01 RIGHT,"student-1-name":"A"
other.zip: ZIP notes/versions.json
broken/answers.json: {
page/report.html: PAGE "s2-2":"64 KiB",SIGNED,"s9":"x"
cut/report.html: <script type="application/json" id="answers">{"format":"cache-lab-ans
cut/answers.json: SAVED 01 RIGHT,SIGNED
bald/report.html: <html>
bald/answers.json: SAVED 01 RIGHT,SIGNED
names.json: SAVED 01 SIGNED
$ handin = 1
> 'report' is not a folder; run `lab run` first
$ handin empty = 1
> there are no answers in 'empty'; press Save answers in the page
$ handin broken = 1
> broken/answers.json cannot be read: these are not the answers of a report
$ handin bare --output other.zip = 2
> other.zip exists and was not written by lab handin
$ handin bare nowhere.json = 1
> cannot read nowhere.json
$ handin bare = 1
> do not hand this in: 1 of 1 record does not count; there is no report.html in 'bare'
> x.json does not count
$ handin bare --incomplete
> It does not count fully: 1 of 1 record does not count
$ handin numberless = 1
> the number of the first student is missing
$ handin page
> page.zip: 1 of 3 fields filled in, the page, 0 records. Hand in this file.
> 1 answer to questions that the page does not ask: s9
$ handin cut = 1
> the answers in cut/report.html cannot be read
>> cut.zip: no file
$ handin bald = 1
> it has no place for answers
>> bald.zip: no file
$ handin empty --answers names.json = 1
> no question is answered in names.json
>> empty.zip: no file

## what does not count is named, and an archive of an earlier time is not left where a new one is expected
report/report.html: <script type="application/json" id="answers">{"format":"cache-lab-answers","version":2,"saved":"2026-03-01T10:00:00Z","fields":{"flops-1":"slow","s2-2":{"value":"approx. 64","unit":"KiB"},"s2-3":{"value":"16","unit":"B"},SIGNED}}</script><script type="application/json" id="asked">{"fields":[{"id":"ge-1","label":"Steps?","kind":null,"optional":"ge"},{"id":"flops-1","label":"Rate?","kind":null,"optional":"flops"},{"id":"s2-1","label":"Capacity?","kind":"bytes"},{"id":"s2-2","label":"Size?","kind":"bytes"},{"id":"s2-3","label":"Line?","kind":"bytes"}],"matrix":512,"records":["mm1","ge-1"]}</script>
report/records/mm1.json: {"schema":"cache-lab-kit/record/2","program":"mm1","version":"0.1.0","settings":{},"machine":"a machine","notes":[],"rows":[{"place":{"size":256},"figures":[]}]}
$ handin report = 1
> do not hand this in: 1 of 1 record does not count; 1 record of the assignment is missing: records/ge-1.json; 1 answer cannot be read as a value
>> report.zip: no file
$ handin report --incomplete
> mm1.json does not count: its matrices have 256 rows, not the 512
> without --quick and --size
> 'approx. 64
> This is not one number
> last saved at 2026-03-01 10:00 UTC
> report.zip: 1 of 3 fields filled in, 1 of 1 of section 'flops', the page, 1 record. It does not count fully: 1 of 1
$ handin report = 1
> is now report.earlier-1.zip
>> report.zip: no file
>> report.earlier-1.zip: versions.json

## later answers in other folders are named with the command that uses them, but not another student's
home/Downloads/answers (2).json: SAVED 05 RIGHT,SIGNED
bare/report.html: PAGE SIGNED
$ handin bare = 1
> Downloads/answers (2).json has later answers; to use them: lab handin bare --answers
bare/answers.json: SAVED 04 RIGHT,SIGNED
$ handin bare
> has later answers; to use them: lab handin bare
home/Downloads/answers (2).json: SAVED 05 RIGHT,"student-1-number":"1002"
$ handin bare
! later answers

## answers of two students are never mixed
report/report.html: PAGE RIGHT,SIGNED
before.json: SAVED 01 RIGHT,"student-1-number":"1002"
$ handin report --answers before.json = 1
> are of different students
>> report.zip: no file
"#;

#[test]
fn what_is_handed_in_is_whole_or_what_it_lacks_is_named() {
    hold(&CASES.lines().map(content).collect::<Vec<_>>().join("\n"));
}
