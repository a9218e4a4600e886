//! `lab exercise` as a student runs it.

use std::path::Path;
use std::process::Output;

fn lab(args: &str) -> Output {
    crate::kit::lab(Path::new("."), args)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_list_names_each_task_and_the_file_to_edit() {
    let output = lab("exercise");
    let text = stdout(&output);
    assert!(output.status.success());
    for task in exercises::TASKS {
        assert!(text.lines().any(|line| line.starts_with(task.name) && line.contains(task.file)), "{text}");
    }
    let next = String::from_utf8_lossy(&output.stderr).into_owned();
    let open = exercises::TASKS.iter().find(|task| text.contains(&format!("{:<10} open", task.name)));
    assert!(
        open.map_or(next == "all done\n", |task| next.starts_with(&format!("next: read {}", task.file))),
        "{next}"
    );
}

#[test]
fn a_task_that_is_open_says_what_was_found_and_gives_a_hint() {
    let output = lab("exercise stencil");
    let text = stdout(&output);
    if text.starts_with("stencil: done") {
        assert_eq!(output.status.code(), Some(0)); // somebody has written it
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert!(text.starts_with("stencil: open\n  found: ") && text.contains("\n  hint: "), "{text}");
    }
    assert!(output.stderr.is_empty(), "the check's own words are enough");
    let unknown = lab("exercise stencyl");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("'stencil'"));
}

#[test]
fn the_scores_are_data_and_agree_with_the_list() {
    let output = lab("exercise --format json");
    assert!(output.status.success());
    let scores: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let text = stdout(&lab("exercise"));
    let (mut points, mut most) = (0, 0);
    for (task, score) in exercises::TASKS.iter().zip(scores["tasks"].as_array().unwrap()) {
        assert_eq!(score["name"], task.name);
        let passed = score["passed"].as_bool().unwrap();
        assert_eq!(passed, text.contains(&format!("{:<10} done", task.name)), "{text}");
        assert_eq!(score["points"], if passed { task.points } else { 0 });
        assert_eq!((score["counts"].is_array(), score["hint"].is_string()), (passed, !passed));
        points += score["points"].as_u64().unwrap();
        most += u64::from(task.points);
    }
    assert_eq!((&scores["points"], &scores["max_points"]), (&points.into(), &most.into()));
    assert_eq!(stdout(&lab("exercise --format json")), stdout(&output), "deterministic");
}
