//! Tables are joined by their headers.

use super::hold;

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

## the worksheet is filled where a grade is sure; all else is named and unchanged
r.csv: user\nana\nbea\ncarl\ndan\neve\nfay\ngil\n
in/ana/: RIGHT
in/bea/: PART
in/dan/: "s2-2":"64"
in/eve/: RIGHT
in/fay/: RIGHT
in/gil/: RIGHT
w.csv: user,Grade,Maximum Grade,Feedback comments\nana,,20.00,\nbea,17.00,20.00,by hand\ncarl,17.00,20.00,by hand\ndan,17.00,20.00,by hand\neve,Good,20.00,\nfay,,-,\n
$ --worksheet w.csv --output o in
= ana 3, bea 1, carl 0
> texts and values without points: 1; write points into texts.csv. They are of: 1: dan
> moodle.csv: grades or feedback that change: 1: bea (17.00 to 1.00)
> moodle.csv has no row of: 1: gil
> moodle.csv: not filled: 3: 'dan' (line 5): answers are to be read first
> 'eve' (line 6): its grade 'Good' is not a number
> 'fay' (line 7): its largest grade is '-'
>> o/moodle.csv: ana,3.00,20.00,
>> o/moodle.csv: carl,17.00,20.00,by hand\ndan,17.00,20.00,by hand\neve,Good,20.00,\nfay,,-,\n

## a locked grade stays, and points without a largest grade are named
r.csv: user\nana\nbea\n
in/ana/: RIGHT
in/bea/: RIGHT
w.csv: user,Grade,Grade can be changed\nana,10,No\nbea,,Yes\n
$ --worksheet w.csv --output o in
> moodle.csv: not filled: 1: 'ana' (line 2): its grade is locked
> moodle.csv: has no largest grade
>> o/moodle.csv: ana,10,No\nbea,3.00,Yes\n

## no answer is graded yet: no 0 in the worksheet
in/ana/: "spec-comment":"So."
w.csv: Identifier,number,Grade,Maximum Grade,Feedback comments\nParticipant 1,1001,,20.00,\nParticipant 2,2002,17.00,20.00,by hand\n
small.toml: [[section]]\npart = "specification"\n[[question]]\nid = "spec-comment"\nsection = "specification"\nlabel = "a"\npoints = 1\n
$ --name-column user --assignment small.toml --worksheet w.csv --output o in
> not filled: 1: 'ana' (line 2): no answer of this student is graded yet
> 0\t0\tana\tAnswers to read: 1.\n
>> o/moodle.csv: Participant 1,1001,,20.00,\n

## a worksheet in Portuguese
in/ana/: RIGHT
in/bea/: RIGHT
w.csv: \ufeffIdentificador;user;Nota;Nota máxima\r\nP 1;ana;5,5;20\r\n
small.toml: [[section]]\npart = "exercise"\n[[question]]\nid = "s2-2"\nsection = "2"\nlabel = "a"\nkind = "bytes"\npoints = 1\n
$ --name-column user --worksheet w.csv --assignment small.toml --output o in
> moodle.csv has no row of: 1: bea
>> o/moodle.csv: P 1;ana;"20,00";20\n

## a form's table: ids in any case, cells with units
r.csv: user,mail\nana,ana@x\nbea,bea@x\n
f.csv: Email Address,s2-2,S2-3,Remarks\nANA@x,64 KiB,16 B,-\nbea@x,about 64 KiB,16 B,-\nzoe@x,64 KiB,,\n
$ --name-column user f.csv = 1
= ana 2, bea 1
> columns that have the id of no question: 1: 'Remarks'
> 'zoe@x' is not in the roster

## answers are worth what they say, and the reason never has the right value
r.csv: user\nright\nwrong\nwords\nbare\nrange\nother\nwide\nhidden\nways\nfull\nrate\n
right.toml: s311-c-size = 32768\ns311-c-ways = 8\n
in/right/: "s311-c-size":"32768 B","s2-4":"600 ns"
in/wrong/: "s311-c-size":"48 KiB"
in/words/: "s311-c-size":"about 32 KiB"
in/bare/: "s311-c-size":"32"
in/range/: "s311-c-size":{"form":"range","value":"32","to":"64","unit":"KiB"}
in/other/: "s311-c-size":{"form":"range","value":"16","to":"32","unit":"KiB"}
in/wide/: "s311-c-size":{"form":"range","value":"8","to":"256","unit":"KiB"}
in/hidden/: "s311-c-size":{"form":"not-visible"}
in/ways/: "s311-c-ways":{"form":"range","value":"8","to":"16"}
in/full/: "s311-c-ways":{"form":"fully-associative"}
in/rate/: "s321-c-hit-rate":{"form":"range","value":"50","to":"100","unit":"%"}
$ --rubric right.toml in
= right 3, wrong 0, words 0, bare 0, range 0.5, other 0, wide 0, hidden 0, ways 0.5, full 0, rate 0
>> o/grades.csv: ,0,'48 KiB' is not right.,48 KiB,32768,
>> o/grades.csv: ,,"To be read by the instructor: 'about 32 KiB'.
>> o/grades.csv: ,,"To be read by the instructor: '32'.
>> o/grades.csv: ,0.5,The range 'at least 32 and below 64 KiB' is right. Measure more
>> o/grades.csv: ,0,The range 'at least 16 and below 32 KiB' does not contain
>> o/grades.csv: ,0,"The range 'at least 8 and below 256 KiB' is wider than a factor of two
>> o/grades.csv: ,0,'not visible' is not right: the measurements show it.
>> o/grades.csv: ,,To be read by the instructor.,fully associative,8,
>> o/grades.csv: ,,To be read by the instructor: nothing shows what is right for mm1.hit_rate.,

## a table that may mean somebody else, or is not one, is refused
r.csv: user,number,name\nana,1001,Ana\nbea,2002,Ana\n
in/ana/: RIGHT
in/bea/: RIGHT
t.csv: number,Grade,user\n1001,,bea\n
$ --name-column user --worksheet t.csv in = 2
> t.csv: line 2: 'bea' means ana and bea; correct that row
t.csv: user,Nota final\nana,\n
$ --name-column user --worksheet t.csv in = 2
> it has no column 'Grade' or 'Nota' ('user', 'Nota final')
t.csv: user,Grade\nana,\nbea,\nana,\n
$ --name-column user --worksheet t.csv in = 2
> t.csv: line 4: 'ana' has two rows; leave one
t.csv: Identifier,Full name,Grade,Online text\nP 1,Vic,,my number: 1001\nP 3,Mal,,1001\n
$ --name-column user --worksheet t.csv in = 2
> none of its columns ('Identifier', 'Full name', 'Grade', 'Online text') has the header of a roster column
t.csv: a = 1\n
$ --name-column user --rubric t.csv in = 2
> 'a' is no number with points in the assignment
t.csv: spec-comment = 1\n
$ --name-column user --rubric t.csv in = 2
> 'spec-comment' is no number with points
t.csv: s2-2 = [700, 550]\n
$ --name-column user --rubric t.csv in = 2
> 's2-2' has the range [700, 550], which contains no number
t.csv: s2-2 = "64 KiB"\n
$ --name-column user --rubric t.csv in = 2
> t.csv: line 1
$ --name-column user --group-column Team in = 2
> r.csv: it has no column 'Team' ('user', 'number', 'name')
>> o/grades.csv: no file

## points that may be another student's, or for another item, are refused, and stay where they are
in/ana/: RIGHT
in/bea/: RIGHT
o/texts.csv: item,text,points,comment\ns2-3,,1,\n
$ --name-column user in = 2
> o/texts.csv: none of its columns ('item', 'text', 'points', 'comment') has
o/texts.csv: item,user,points\ns2-3,ana,1\n
$ --name-column user in = 2
> o/texts.csv: it has no column 'text'
o/texts.csv: item,user,number,text,points,comment\ns2-3,ana,2002,,1,\n
$ --name-column user in = 2
> o/texts.csv: line 2: 'ana' means no student or several
o/texts.csv: item,user,text,points,comment\ns2-3,ana,,2,\n
$ --name-column user in = 2
> o/texts.csv: line 2: '2' is not a number of points from 0 to 1 for s2-3
o/texts.csv: item,user,text,points,comment\ns2-3,ana,,+1O,\n
$ --name-column user in = 2
> o/texts.csv: line 2: '+1O' is not a number of points
o/texts.csv: item,user,text,points,comment\ns2-3,ana,,1,\ns2-3,ANA,,0,\n
$ --name-column user in = 2
> o/texts.csv: line 3: line 2 is of the same student and item
o/texts.csv: item,user,text,points,comment\nown,ana,,1,\n
$ --name-column user in = 2
> o/texts.csv: line 2: 'own' is no item with points
o/texts.csv: item,user,text,points,comment\ns2-3,zoe,,1,\n
$ --name-column user in = 2
> o/texts.csv: line 2: 'zoe' means no student or several
o/texts.csv: item,number,text,points,comment\ns2-3,1.001E+03,,1,\n
$ --name-column user in = 2
> o/texts.csv: line 2: '1.001E+03' means no student or several, by the columns that the roster has too; if a spreadsheet has changed the number
>> o/texts.csv: \ns2-3,1.001E+03,,1,\n
"##;

#[test]
fn tables_are_joined_by_their_headers_or_refused() {
    hold(CASES);
}
