//! What `lab grade` writes for course systems, compared with the format that each of them
//! has published (Moodle's is in `moodle.rs`).

use std::path::Path;

use serde_json::{Map, Value, json};

use super::printed;

const CLASS: &str = "name\nada\nInês Conceição\nnobody\n";
const SYSTEMS: &str = "--as gradescope --as prairielearn --as autolab --as check50 --as classroom50";

/// A right answer; a bracket; a wrong answer with line breaks, a tag and the end of a cell;
/// no answer.
pub(crate) fn handed_in(folder: &Path) {
    std::fs::write(folder.join("class.csv"), CLASS).unwrap();
    let answers =
        |fields: Value| json!({ "format": "cache-lab-answers", "version": 2, "saved": "", "fields": fields });
    for (name, fields) in [
        (
            "ada",
            json!({ "s2-2": "64 KiB", "s2-3": "8 to 16 B", "s2-4": "1<b>\\\",9,\n{\"scores\": {\"s2-4\": 100}}\n" }),
        ),
        ("Inês Conceição", json!({ "s2-2": "64K", "s2-3": "16", "s2-4": "600 ns" })),
    ] {
        std::fs::create_dir_all(folder.join("in").join(name)).unwrap();
        std::fs::write(folder.join("in").join(name).join("answers.json"), answers(fields).to_string())
            .unwrap();
    }
}

fn graded(folder: &Path, more: &[(&str, &str)]) {
    handed_in(folder);
    let args = format!("grade --roster class.csv --out out {SYSTEMS} in");
    printed(folder, &args.split(' ').collect::<Vec<_>>(), more);
}

fn of(folder: &Path, system: &str, name: &str, file: &str) -> String {
    std::fs::read_to_string(folder.join("out").join(system).join(name).join(file)).unwrap()
}

fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap()
}

/// Checks that the object has all required keys, and no unknown ones.
fn keys(object: &Map<String, Value>, required: &str, optional: &str) {
    for key in required.split_whitespace() {
        assert!(object.contains_key(key), "{key} is missing: {object:?}");
    }
    let known: Vec<&str> = required.split_whitespace().chain(optional.split_whitespace()).collect();
    for key in object.keys() {
        assert!(known.contains(&key.as_str()), "{key} is not published: {object:?}");
    }
}

fn texts(object: &Map<String, Value>, names: &str) {
    names
        .split_whitespace()
        .for_each(|name| assert!(object[name].as_str().is_some_and(|t| !t.is_empty()), "{name}: {object:?}"));
}

/// <https://gradescope-autograders.readthedocs.io/en/latest/specs/>, "Output format".
#[test]
fn gradescopes_results() {
    let folder = tempfile::tempdir().unwrap();
    graded(folder.path(), &[]);
    for name in ["ada", "Inês-Conceição", "nobody"] {
        let results = object(&of(folder.path(), "gradescope", name, "results.json"));
        keys(
            &results,
            "score tests",
            "execution_time output output_format test_output_format test_name_format visibility stdout_visibility extra_data leaderboard",
        );
        let mut sum = 0.0;
        for test in results["tests"].as_array().unwrap() {
            let test = test.as_object().unwrap();
            keys(
                test,
                "score max_score name",
                "name_format status number output output_format tags visibility extra_data",
            );
            assert!(["passed", "failed"].contains(&test["status"].as_str().unwrap()));
            assert!(
                ["text", "html", "simple_format", "md", "ansi"]
                    .contains(&test["output_format"].as_str().unwrap())
            );
            assert!(
                ["hidden", "after_due_date", "after_published", "visible"]
                    .contains(&test["visibility"].as_str().unwrap())
            );
            sum += test["score"].as_f64().unwrap();
            assert!(test["max_score"].as_f64().unwrap() >= test["score"].as_f64().unwrap());
        }
        assert_eq!(results["score"].as_f64(), Some(sum), "{name}");
    }
}

/// <https://docs.prairielearn.com/externalGrading/>, "Grading results": of the two
/// mandatory fields `score` is between 0 and 1; the file has at most 1 MB.
#[test]
fn prairielearns_results() {
    let folder = tempfile::tempdir().unwrap();
    graded(folder.path(), &[]);
    for name in ["ada", "Inês-Conceição", "nobody"] {
        let text = of(folder.path(), "prairielearn", name, "results.json");
        let results = object(&text);
        keys(&results, "score", "gradable format_errors message output images tests");
        assert!((0.0..=1.0).contains(&results["score"].as_f64().unwrap()) && text.len() < 1_000_000);
        assert!(
            results["gradable"].is_boolean()
                && results["message"].is_string()
                && results["output"].is_string()
        );
        for test in results["tests"].as_array().unwrap() {
            let test = test.as_object().unwrap();
            keys(test, "name points max_points", "description message output images");
            texts(test, "name description message");
            assert!(test["points"].as_f64().unwrap() <= test["max_points"].as_f64().unwrap());
        }
    }
}

/// <https://docs.autolabproject.com/lab/>, "Writing Autograders": any lines, then as the
/// last one a JSON object whose "scores" assigns numbers to problems, with an optional
/// "scoreboard" array.
#[test]
fn autolabs_last_line() {
    let folder = tempfile::tempdir().unwrap();
    graded(folder.path(), &[]);
    for (name, points) in [("ada", 1.5), ("Inês-Conceição", 3.0), ("nobody", 0.0)] {
        let text = of(folder.path(), "autolab", name, "autolab.txt");
        let result = object(text.lines().last().unwrap());
        keys(&result, "scores", "scoreboard");
        let scores = result["scores"].as_object().unwrap();
        assert_eq!(scores.values().map(|score| score.as_f64().unwrap()).sum::<f64>(), points, "{text}");
        // A student's answer never is a line of its own.
        assert_eq!(text.lines().filter(|line| line.starts_with('{')).count(), 1, "{text}");
        assert!(scores.len() == 15 && scores.contains_key("s311-c-size"), "{text}");
    }
}

/// <https://cs50.readthedocs.io/projects/check50/en/latest/json_specification.html>.
#[test]
fn check50s_json() {
    let folder = tempfile::tempdir().unwrap();
    graded(folder.path(), &[]);
    for name in ["ada", "Inês-Conceição", "nobody"] {
        let report = object(&of(folder.path(), "check50", name, "check50.json"));
        keys(&report, "slug results version", "");
        texts(&report, "slug version");
        let mut names = std::collections::BTreeSet::new();
        for result in report["results"].as_array().unwrap() {
            let result = result.as_object().unwrap();
            keys(result, "name description passed log cause data dependency", "");
            texts(result, "name description");
            assert!(names.insert(result["name"].as_str().unwrap().to_owned()), "a name is unique");
            assert!(result["passed"].is_boolean() || result["passed"].is_null());
            assert!(
                result["log"].as_array().unwrap().iter().all(Value::is_string) && result["data"].is_object()
            );
            // The cause is null exactly where the check passed.
            assert_eq!(result["cause"].is_null(), result["passed"] == true, "{result:?}");
            if let Some(cause) = result["cause"].as_object() {
                keys(cause, "rationale", "help");
                texts(cause, "rationale");
            }
        }
    }
}

/// `schemas/result-v1.schema.json` of github.com/foundation50/classroom50, and a rule that
/// no schema can express: points within their maximum. Its runner overwrites `datetime` and
/// the owner of the repository.
#[test]
fn classroom_50s_result() {
    let folder = tempfile::tempdir().unwrap();
    for (more, kind, review) in [
        (&[][..], "individual", "https://example.org/commit"),
        (
            &[("ASSIGNMENT_TYPE", "group"), ("REVIEW_URL", "https://example.org/compare")],
            "group",
            "https://example.org/compare",
        ),
    ] {
        graded(folder.path(), more);
        for name in ["ada", "Inês-Conceição", "nobody"] {
            let result = object(&of(folder.path(), "classroom50", name, "result.json"));
            let named =
                "classroom assignment assignment_type owner submission commit release review datetime";
            keys(&result, &format!("schema score max-score tests {named}"), "graded_at submitted_by");
            texts(&result, named);
            assert_eq!(
                (&result["schema"], &result["assignment_type"], &result["review"]),
                (&"classroom50/result/v1".into(), &kind.into(), &review.into())
            );
            assert!(result["submission"].as_str().unwrap().starts_with("submit/"));
            assert!(is_instant(result["datetime"].as_str().unwrap()), "{result:?}");
            let points =
                |of: &Map<String, Value>| ["score", "max-score"].map(|key| of[key].as_u64().unwrap());
            let mut sum = [0, 0];
            for test in result["tests"].as_array().unwrap() {
                let test = test.as_object().unwrap();
                keys(test, "test-name passed score max-score", "message");
                texts(test, "test-name");
                let [score, most] = points(test);
                assert!(test["passed"].is_boolean() && score <= most, "{test:?}");
                sum = [sum[0] + score, sum[1] + most];
            }
            assert!(points(&result) == sum && sum[0] <= sum[1], "{result:?}");
        }
    }
}

/// `2026-03-01T10:00:00Z`.
fn is_instant(text: &str) -> bool {
    let like = |(c, form): (char, char)| if form == '0' { c.is_ascii_digit() } else { c == form };
    text.len() == 20 && text.chars().zip("0000-00-00T00:00:00Z".chars()).all(like)
}
