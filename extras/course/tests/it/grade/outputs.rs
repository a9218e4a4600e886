//! The files of a graded class: what is in them, and what an earlier run left.

use super::hold;

const CASES: &str = r##"
## points by hand are used for the same text, no cell is a formula, and no text is markup
r.csv: name\nann\nbea\n=cmd()\n
in/ann/: "s2-2":"64 KiB","s2-3":"16 B","s2-4":"600 ns","spec-comment":"The levels <script>agree</script>."
in/bea/: "s2-2":"64 KiB","s2-4":"＝1+1","spec-comment":"x;=1+1;"
in/=cmd()/: RIGHT
$ in
= ann 3, bea 1, =cmd() 3
>> o/grades.csv: \n'=cmd(),
>> o/grades.csv: ,"x;=1+1;",
>> o/grades.csv: ,'＝1+1,
>> o/texts.csv: item,name,text,equal,points,of,comment\ns2-4,bea,'＝1+1,,,1,\nspec-comment,ann,The levels <script>agree</script>.,,,1,\nspec-comment,bea,"x;=1+1;",,,1,\n
>> o/texts.html: <blockquote>The levels &lt;script&gt;agree&lt;/script&gt;.</blockquote>
>> o/texts.html: <h3>bea</h3>\n<blockquote>＝1+1</blockquote>
w.csv: name,Grade,Maximum Grade,Feedback comments\nann,,21,\n
o/texts.csv: item,name,text,equal,points,of,comment\nspec-comment,ann,The levels <script>agree</script>.,,"0,5",1,Which levels?\n
$ --worksheet w.csv in
= ann 3.5, bea 1
> texts and values without points: 2; write points into texts.csv. They are of: 1: bea
> the files of the last run are in o/earlier/1
>> o/earlier/1/texts.csv: ,"0,5",1,Which levels?\n
>> o/texts.csv: \ns2-4,bea,'＝1+1,,,1,\nspec-comment,ann,The levels <script>agree</script>.,,0.5,1,Which levels?\nspec-comment,bea,"x;=1+1;",,,1,\n
>> o/moodle.csv: 0.5 Points given by the instructor. Which levels?
o/texts.csv: item,name,text,points,comment\ns2-3,ann,,0,\nspec-comment,ann,,0.5,\nspec-comment,bea,,0.25,\nspec-comment,'=cmd(),,1,\n
$ in
= ann 2.5, bea 1.25, =cmd() 4
>> o/texts.csv: \ns2-3,ann,16 B,,0,1,\n
in/ann/: "s2-2":"64 KiB","spec-comment":"Another one."
$ in
= ann 1
> points for another text are not used; give them again: 2: ann (s2-3), ann (spec-comment)

## equal texts are next to each other and marked
r.csv: name\nann\nbea\nfay\n
in/ann/: "spec-comment":"Yes, it is so!"
in/bea/: "spec-comment":"No."
in/fay/: "spec-comment":"yes it IS so"
$ in
>> o/texts.csv: \nspec-comment,bea,No.,,,1,\nspec-comment,ann,"Yes, it is so!",2,,1,\nspec-comment,fay,yes it IS so,2,,1,\n

## no file of an earlier run is lost or left among the new ones
in/ana/: RIGHT
in/bea/: PART
o/texts.html: my notes
o/items.csv: mine
w.csv: user,Grade,Maximum Grade\nana,,20\nbea,,20\n
$ --name-column user --worksheet w.csv in
> the files of the last run are in o/earlier/1
>> o/earlier/1/texts.html: my notes
o/moodle.csv: corrected by hand
$ --name-column user in
>> o/earlier/2/moodle.csv: corrected by hand
>> o/items.csv: mine
>> o/moodle.csv: no file
"##;

#[test]
fn what_was_written_is_used_or_stored() {
    hold(CASES);
}
