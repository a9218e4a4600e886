//! The worksheet that Moodle exports, filled in.

use super::conventions::handed_in;
use super::printed;

/// How a Moodle in some language writes a worksheet.
struct Moodle {
    worksheet: &'static str,
    options: &'static [&'static str],
    grade: &'static str,
    participant: &'static str,
    /// What sets decimals apart.
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

/// Read as Moodle reads it: `mod/assign/feedback/offline/importgradeslib.php` and
/// `locallib.php`. Columns by their headers; the participant's number behind the
/// word; a number with the language's decimal sign, within the assignment's range.
/// Nothing else in the worksheet may have changed.
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
        let [before, after] = [moodle.worksheet.trim_start_matches('\u{feff}'), &filled].map(rows);
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
            // Feedback is HTML there: what a student wrote is no tag. Nor does it end the
            // cell, as `\"` would: PHP's `fgetcsv` takes the backslash for an escape.
            assert!(!new[feedback].contains(['<', '>', '"']), "{new:?}");
            assert_eq!(new[feedback].contains("&lt;b&gt;"), new[1] == "ada", "{new:?}");
        }
    }
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}
