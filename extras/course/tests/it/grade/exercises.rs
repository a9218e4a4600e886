//! Exercises in submissions: found in any folder and archive, and nobody gets a false 0.

use std::fs;
use std::path::Path;

use exercises::task::{Language, TASKS};

use super::hold;

const CASES: &str = r#"
## files are found wherever students put them
r.csv: name\nana\nbea\ncarl\ndan\neve\nfay\ngil\nhal\nivo\njon\n
in/ana/my-exercises/pad.rs: PAD
in/ana/my-exercises/soa.rs: SOA// of ana\n
in/bea/my-exercises.zip: ZIP my-exercises/pad.rs PAD
in/bea/row.rs: // rows, by another name
in/carl.zip: ZIP target/work/pad.rs pub fn pitch() {}
in/dan/pad.rs: STARTER
in/eve/answers.pdf: %PDF
in/fay/answers.json: {}
in/gil/pad.rs: PAD
in/gil/old/pad.rs: // another
in/hal/Pad (1).rs.txt: PAD
in/hal/handed-out/pad.rs: STARTER
in/jon/pad.rs: PAD
in/jon/soa.zip: x
$ --exercises in
= ana 2, bea 1, carl 0, dan 0, eve -, fay -, gil 0, hal 1, ivo 0, jon 1
> equal files of exercises: 1: ana = bea = gil = hal = jon (pad.rs)\n
> no grade: 2: 'eve': what was handed in cannot be read
> without a submission: 1: ivo\n
> \teve\tNo grade: what was handed in cannot be read; read it and give points. Not read: answers.pdf; .rs, .c and .zip are.
>> o/grades.csv: ,1,"Passed, with 4
>> o/grades.csv: ,0,"Not passed:
>> o/grades.csv: ,0,The file is as it was handed out.,pad.rs,
>> o/grades.csv: ,,To be read by the instructor: there are two different files pad.rs.,pad.rs,
>> o/grades.csv: ,0,"None of these files was handed in: soa.rs, soa.c.",,
>> o/grades.csv: ,,To be read by the instructor: there are only files of other names: row.rs.,,
>> o/grades.csv: ,,To be read by the instructor: the check cannot be made: a file could not be read,,

## a submission with files of exercises alone is nothing to grade as a report, and no 0
in/ana/my-exercises/pad.rs: // mine
in/bea/: RIGHT
= ana -, bea 3
> Not read: pad.rs;
"#;

#[test]
fn files_are_found_wherever_students_put_them() {
    // what checks exercises, next to `course`
    let folder = Path::new(env!("CARGO_BIN_EXE_course")).parent().unwrap();
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--package", "papi", "--package", "lab"]);
    assert!(cargo.args(folder.ends_with("release").then_some("--release")).status().unwrap().success());
    let solutions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises/solutions");
    let starter = TASKS.iter().find(|task| task.name == "pad").unwrap().starter(Language::Rust);
    let solution = |name| fs::read_to_string(solutions.join(name)).unwrap();
    let texts = [("STARTER", starter), ("PAD", solution("pad.rs")), ("SOA", solution("soa.rs"))];
    hold(&texts.into_iter().fold(CASES.to_owned(), |cases, (word, text)| {
        cases.replace(word, &text.replace('\\', "\\\\").replace('\n', "\\n"))
    }));
}
