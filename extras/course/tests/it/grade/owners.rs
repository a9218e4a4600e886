//! Points go to the student whom a system or an exact name states, or the submission is
//! named and nobody gets them.

use super::hold;

const CASES: &str = r##"
## exact names of folders and files, of any ending
r.csv: user\nann\nann_marie\njohn.doe\nzoë\n
in/ann/: RIGHT
in/ann_marie.json: PART
in/john.doe.json.txt: RIGHT
in/ZOE\u0308/: PART
= ann 3, ann_marie 1, john.doe 3, zoë 1

## endings of Moodle and Canvas; several files are one submission
r.csv: user,name,mail\nana,Ana Silva,ana@x.pt\nbea,Bea Sá,b_1@x.pt\ncarl,Carl,carl@x.pt\n
in/Ana Silva_4711_assignsubmission_file_/: RIGHT
in/b_1@x.pt/: PART
in/carl_345_67890_report.html: <html></html>
in/carl_LATE_345_67891_answers.json: RIGHT
$ --name-column user --name-column name --name-column mail in
= ana 3, bea 1, carl 3

## what only looks like a system's name is a whole name
r.csv: user\nann_assignsubmission_file\nsilvaana_345_67890\nsubmission_1x\njohn@x.pt_3\n@_1_x\n
in/ann_assignsubmission_file/: RIGHT
in/silvaana_345_67890/: RIGHT
in/submission_1x/: RIGHT
in/john@x.pt_3/: RIGHT
in/@_1_x.json.txt: RIGHT
$ in
= ann_assignsubmission_file 3, silvaana_345_67890 3, submission_1x 3, john@x.pt_3 3, @_1_x 3

## a name that is cut, longer, or of a team is nobody's
in/ana/: RIGHT
in/bea_/: RIGHT
in/be/: RIGHT
in/Team-Bea Sá_12_assignsubmission_file_/: RIGHT
$ --name-column user --name-column name --output o in = 1
= ana 3, bea -
> submissions without an owner: 3
> 'be' is the name of no student, 'bea_' is the name of no student\n
>> o/map.csv: submission,signed,student\nTeam-Bea Sá_12_assignsubmission_file_,,\nbe,,\nbea_,,\n

## a value of two students, in two columns, is nobody's
r.csv: user,number\nana,1001\n1001,2002\n
in/1001/: RIGHT
in/2002/: WRONG
$ --name-column user in = 1
= ana -, 1001 -
> '1001' may be the name of ana, 1001, '2002' is the name of no student\n

## case is ignored only where it means one student
r.csv: user\nişil\nışıl\nipek\nweiß\n
in/IŞIL/: RIGHT
in/İPEK/: RIGHT
in/WEISS/: RIGHT
in/ışıl/: PART
$ in = 1
= işil -, ışıl 1, ipek 3, weiß 3
> 'IŞIL' may be the name of işil, ışıl

## a signature is shown and decides nothing
in/timvic_345_67890_answers.json: RIGHT
in/lorymal_346_67891_answers.json: "student-1-number":"ana"
in/bea/: RIGHT
$ --name-column user in = 1
= ana -, bea 3
>> o/map.csv: \nlorymal_346_67891_answers.json,ana,\ntimvic_345_67890_answers.json,,\n

## Moodle's number goes before names: namesakes, and who has another name now
r.csv: Identifier,Full name,mail,Grade,Maximum Grade\nParticipant 4711,Ana Silva,a1@x,,20.00\nParticipant 4712,Ana Silva,a2@x,,20.00\nParticipant 4713,Bea Sá,b@x,,20.00\n
in/Ana Silva_4711_assignsubmission_file_/: RIGHT
in/Ana Silva_4712_assignsubmission_file_/: WRONG
in/Ana Silva_4713_assignsubmission_file_/: PART
$ --name-column mail --worksheet r.csv --output o in
= a1@x 3, a2@x 0, b@x 1
>> o/moodle.csv: Participant 4713,Bea Sá,b@x,1.00,20.00\n

## Moodle's number, from the worksheet of another roster
r.csv: user,mail\nana,a1@x\nana2,a2@x\n
in/Ana Silva_4711_assignsubmission_file_/: RIGHT
in/Ana Silva_4712_assignsubmission_file_/: PART
w.csv: Identifier,Full name,mail,Grade\nParticipant 4711,Ana Silva,a1@x,\nParticipant 4712,Ana Silva,a2@x,\n
$ --name-column user --worksheet w.csv --output o in
= ana 3, ana2 1

## Canvas: the number is the gradebook's ID; its columns are filled by the points possible
r.csv: Student,ID,SIS User ID,SIS Login ID,Section,Lab1(77),Final Score\n    Points Possible,,,,,10,\n"Silva, Ana",11,x1,ana,A,,90\n"Silva, Ana",12,x2,ana2,A,,80\n"Sá, Bea",13,x3,bea,A,7,70\n
in/silvaana_11_555_answers.json: RIGHT
in/silvaana_LATE_12_556_answers.json: PART
small.toml: [[section]]\npart = "exercise"\n[[question]]\nid = "s2-2"\nsection = "2"\nlabel = "a"\nkind = "bytes"\npoints = 1\n
o/texts.csv: item,ID,text,points,comment\ns2-2,12,,"0,5",\n
$ --assignment small.toml --name-column ID --worksheet r.csv --grade-column Lab1(77) --output o in
= 11 1, 12 0.5, 13 0
>> o/texts.csv: item,ID,text,equal,points,of,comment\ns2-2,12,64 KiB,,0.5,1,\n
>> o/canvas.csv: "Silva, Ana",12,x2,ana2,A,5.00\n
>> o/canvas.csv: Student,ID,SIS User ID,SIS Login ID,Section,Lab1(77)\n
>> o/canvas.csv: "Silva, Ana",11,x1,ana,A,10.00\n
>> o/canvas.csv: "Sá, Bea",13,x3,bea,A,7\n

## Canvas: the row of maxima has no ID; an ID may end in a letter
r.csv: Student,ID,Section\nPoints Possible,,\nana,2019A,1\nbea,2020,1\n
in/ana/: RIGHT
in/bea/: PART
$ --name-column Student in
= ana 3, bea 1

## a decision on no submission is named, and grades are no submission
in/ana/: RIGHT
o/map.csv: submission,student\nana.json,bea\n
$ --name-column user --output o in
> map.csv: names of no submission: 1: 'ana.json'
$ --name-column user --output in/o in = 2
> would be written into the folder of submissions

## a column ID is no number of a system but in its own table, and no part of a number is one
r.csv: name,ID\n"Silva, Ana",345\n"Sá, Bea",34\n
in/silvaana_345_9_a.json: RIGHT
in/sabea_4_9_a.json: RIGHT
w.csv: Student,ID,SIS Login ID,Section,Lab1(7)\n"Sá, Bea",34,bea,A,\n
$ --name-column name --worksheet w.csv --grade-column Lab1(7) in = 1
> submissions without an owner: 2

## Canvas: which of two assignments is not guessed
r.csv: Student,ID,Section,Lab1(77),Lab2(78)\n"Silva, Ana",11,A,,\n
in/silvaana_11_555_answers.json: RIGHT
$ --name-column ID --worksheet r.csv --output o in = 2
> name the column to fill with --grade-column ('Student', 'ID', 'Section', 'Lab1(77)', 'Lab2(78)')

## Gradescope: the number is that of its own table of grades; a group has one
r.csv: Name,Email,Submission ID\nAna,ana@x,1\nBea,bea@x,1\nCarl,carl@x,2\n
in/submission_1/: RIGHT
in/submission_2/: PART
in/submission_3/: PART
in/submission_metadata.yml: ---\nsubmission_1:\n
$ --name-column Email in = 1
= ana@x 3, bea@x 3, carl@x 1
> 'submission_3' is the name of no student

## groups: a column of the roster
r.csv: user,number,Team\nana,1,A\nbea,2,A\ncarl,3,\ndan,4,\neve,5,4\nfay,6,G1\n
in/ana/: RIGHT
in/carl/: PART
in/4/: WRONG
in/G1/: WRONG
$ --name-column user --group-column team in = 1
= ana 3, bea 3, carl 1, dan -, fay 0
> Handed in by a member of the group.
> '4' is the name of no student\n

## files with names like Canvas's are joined for one student only
in/lab_3_1001_a.json: RIGHT
in/lab_3_2002_b.json: WRONG
in/x_4_1_answers.json: PART
in/x_4_2_more.json: {}
o/map.csv: submission,student\nx_4_1_answers.json,bea\nx_4_2_more.json,bea\n
$ --name-column user --output o in = 1
= bea 1
>> o/map.csv: \nlab_3_1001_a.json,\nlab_3_2002_b.json,\n

## two submissions of one student, and rows: the map says which counts
f.csv: user,s2-2\nana,64 KiB\nana,1 KiB\nbea,64 KiB\nbea,1 KiB\n
o/map.csv: submission,student\nana (f.csv:3),-\n
$ --name-column user --output o f.csv
= ana 1, bea -
> no grade: 1: 'bea': there are 2 submissions ('bea (f.csv:4)', 'bea (f.csv:5)'); write '-'

## an empty folder, or one of empty folders: nobody has 0
in/ana/.hidden: 
in/bea/__MACOSX/x.json: {}
$ --name-column user --output o in = 1
> there are no submissions in 'in'
>> o/grades.csv: no file

## answers of two students in one submission are never mixed
in/ana/1.json: {"format":"cache-lab-answers","version":2,"saved":"3","fields":{"student-1-number":"1001","s2-3":{"value":"16","unit":"B"}}}
in/ana/2.json: {"format":"cache-lab-answers","version":2,"saved":"2","fields":{"student-1-number":"2002","s2-2":"64 KiB"}}
in/bea/: RIGHT
= ana -, bea 3
> no grade: 1: 'ana': it has the answers of two students

## the completed map decides, and what is written into it stays
r.csv: user,name\nana,Ana Silva\nbea,Bea Sá\n
in/Ana Silva_11_assignsubmission_file_/: RIGHT
in/blackboard 7/: PART
in/=old/: WRONG
$ --name-column user in = 1
>> o/map.csv: submission,signed,student\n'=old,,\nAna Silva_11_assignsubmission_file_,,\nblackboard 7,,\n
o/map.csv: submission,student\nAna Silva_11_assignsubmission_file_,Ana Silva\n
$ --name-column user in = 2
> 'Ana Silva' is not the name of one student
o/map.csv: \ufeffStudent;why;submission\n-;left;'=old\nana;;Ana Silva_11_assignsubmission_file_\nbea;;blackbord 7
$ --name-column user in = 1
> submissions without an owner: 1
>> o/map.csv: Student;why;submission\n-;left;'=old\nana;;Ana Silva_11_assignsubmission_file_\nbea;;blackbord 7\n;;blackboard 7\n
o/map.csv: submission,student\n'=old,-\nAna Silva_11_assignsubmission_file_,ana\nblackboard 7,BEA\n
$ --name-column user in
= ana 3, bea 1
"##;

#[test]
fn points_go_to_whom_they_are_due_or_to_nobody() {
    hold(CASES);
}
