//! A class's submissions, and the grades for each system.

mod bounds;
mod conventions;
mod evidence;
mod gradebook;
mod handin;
mod moodle;
mod owners;
mod wordings;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// `lab` with the environment of Classroom 50's runner, and `more`.
fn lab(folder: &Path, args: &[&str], more: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    for (name, value) in [
        ("CLASSROOM", "spring"),
        ("ASSIGNMENT", "caches"),
        ("OWNER", "ada"),
        ("USERNAME", "ada"),
        ("SUBMISSION_TAG", "submit/2026-03-01T10-00-00Z-0123abc"),
        ("COMMIT_URL", "https://example.org/commit"),
        ("RELEASE_URL", "https://example.org/release"),
    ] {
        command.env(name, value);
    }
    command.envs(more.iter().copied()).current_dir(folder).args(args).output().unwrap()
}

/// The output of `lab`, which must succeed.
fn printed(folder: &Path, args: &[&str], more: &[(&str, &str)]) -> String {
    let output = lab(folder, args, more);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn succeeds(folder: &Path, args: &str) -> String {
    printed(folder, &args.split(' ').collect::<Vec<_>>(), &[])
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

const NAMES: [&str; 9] = [
    "ada",
    "Inês Conceição",
    "Анна Иванова",
    "李小龙",
    "हिन्दी वर्मा",
    "<script>",
    "=cmd()",
    "nobody",
    "copycat",
];

/// A class with its machines, and a folder for its submissions.
fn class(folder: &Path) -> Value {
    std::fs::write(folder.join("class.csv"), format!("name\n{}\n", NAMES.join("\n"))).unwrap();
    std::fs::write(folder.join("secret.txt"), "spring of twenty-six").unwrap();
    succeeds(folder, "mystery --key-file secret.txt --roster class.csv");
    json(folder.join("machines-key.json"))
}

fn machine<'k>(key: &'k Value, name: &str) -> &'k Value {
    key["machines"].as_array().unwrap().iter().find(|m| m["name"] == name).unwrap()
}

/// Answers as the page saves them; `size` formats the sizes.
fn answers(machine: &Value, saved: &str, size: impl Fn(u64) -> String) -> Value {
    let figure = |level: usize, name: &str| machine["levels"][level][name].as_u64().unwrap();
    json!({ "format": "cache-lab-answers", "version": 2, "saved": saved, "fields": {
        "s311-c-size": size(figure(0, "size_bytes")),
        "s311-c-line": format!("{} B", figure(0, "line_bytes")),
        "s311-c-ways": format!("{}-way", figure(0, "ways")),
        "s312-c-size": size(figure(1, "size_bytes")),
        "s312-c-line": figure(1, "line_bytes").to_string(),
        "s312-c-ways": figure(1, "ways").to_string(),
        "s2-2": "64 KiB", "s2-3": "16 bytes", "s2-4": "0.6 µs",
    }})
}

fn hand_in(folder: &Path, place: &str, content: &str) {
    let path = folder.join("handed-in").join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// Sets when a file was handed in.
fn handed_in_at(folder: &Path, place: &str, seconds: u64) {
    let file = std::fs::File::options().append(true).open(folder.join("handed-in").join(place)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
}

fn in_kib(bytes: u64) -> String {
    format!("{} KiB", bytes as f64 / 1024.0)
}

/// Eleven points for the machine's caches and three for Figure 1; the others need records.
const RIGHT: f64 = 14.0;

fn hand_all_in(folder: &Path, key: &Value) {
    let of = |name| machine(key, name);
    hand_in(folder, "ada/answers.json", &answers(of("ada"), "2026-03-01T10:00:00Z", in_kib).to_string());
    // Moodle's names of folders, and a saved page
    let page = answers(of("Inês Conceição"), "2026-03-01T10:00:00Z", |bytes| format!("{bytes} bytes"));
    let page = format!("<html><script type=\"application/json\" id=\"answers\">{page}</script></html>");
    hand_in(folder, "Inês Conceição_4711_assignsubmission_file/report.html", &page);
    // found by the name in the answers
    let mut signed = answers(of("Анна Иванова"), "2026-03-01T10:00:00Z", in_kib);
    signed["fields"]["student-2-name"] = "Анна Иванова".into();
    hand_in(folder, "submission_17/answers.json", &signed.to_string());
    // twice: the second one counts
    let wrong = answers(of("ada"), "2026-03-01T09:00:00Z", in_kib);
    hand_in(folder, "李小龙.json", &wrong.to_string());
    handed_in_at(folder, "李小龙.json", 1000);
    hand_in(
        folder,
        "李小龙/answers.json",
        &answers(of("李小龙"), "2026-03-01T10:00:00Z", in_kib).to_string(),
    );
    // without units
    let bare =
        answers(of("हिन्दी वर्मा"), "", |bytes| (bytes as f64 / 1024.0).to_string());
    hand_in(folder, "हिन्दी-वर्मा/answers.json", &bare.to_string());
    hand_in(
        folder,
        "-script-/answers.json",
        r#"{"format": "cache-lab-answers", "version": 2, "fields": {"s311-c-size": "<script>alert(1)</script>"}}"#,
    );
    hand_in(
        folder,
        "cmd/answers.json",
        r#"{"format": "cache-lab-answers", "version": 2, "fields": {"s311-c-size": "=cmd()"}}"#,
    );
    // another student's answers, and records of that student's machine
    hand_in(folder, "copycat/answers.json", &answers(of("ada"), "", in_kib).to_string());
    let record = folder.join("handed-in/copycat/cm1.json");
    sealed_record(folder, "machines/ada.toml", &record);
    hand_in(
        folder,
        "stranger/answers.json",
        r#"{"format": "cache-lab-answers", "version": 2, "fields": {}}"#,
    );
}

/// A record of a product on the machine in `file`, as `lab run` stores it.
fn sealed_record(folder: &Path, file: &str, to: &Path) {
    succeeds(folder, &format!("run --quick --hasten 1000 --size 16 --machine {file} --out report"));
    std::fs::copy(folder.join("report/records/mm1.json"), to).unwrap();
}

#[test]
fn each_student_gets_points_and_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = class(folder);
    hand_all_in(folder, &key);
    let told = succeeds(folder, "grade --roster class.csv --key machines-key.json --out grades handed-in");
    let line = |name: &str| told.lines().find(|line| line.split('\t').nth(2) == Some(name)).unwrap();
    let points = |name: &str| line(name).split('\t').next().unwrap().parse::<f64>().unwrap();
    for name in ["ada", "Inês Conceição", "Анна Иванова", "李小龙"] {
        assert_eq!(points(name), RIGHT, "{}", line(name));
    }
    assert!(
        line("李小龙").contains("2 submissions; the one handed in last counts (by the time of its files)")
    );
    assert_eq!(points("हिन्दी वर्मा"), RIGHT - 2.0, "half of both sizes: {}", line("हिन्दी वर्मा"));
    assert_eq!((points("<script>"), points("=cmd()"), points("nobody")), (0.0, 0.0, 0.0));
    assert!(line("nobody").contains("Nothing was handed in"));
    assert!(line("copycat").contains("machine of ada") && points("copycat") < RIGHT, "{}", line("copycat"));
    let csv = std::fs::read_to_string(folder.join("grades/grades.csv")).unwrap();
    assert!(csv.contains("\n'=cmd(),") && !csv.contains(",=cmd()"), "{csv}");
}

#[test]
fn a_group_is_graded_by_the_machine_of_who_handed_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = class(folder);
    let of_ada = answers(machine(&key, "ada"), "2026-03-01T10:00:00Z", in_kib);
    hand_in(folder, "ada/answers.json", &of_ada.to_string());
    std::fs::write(folder.join("groups.csv"), "ada,copycat\n").unwrap();
    let points = |more: &str| {
        let table =
            succeeds(folder, &format!("grade --roster class.csv --key machines-key.json{more} handed-in"));
        let of = |name: &str| {
            let row = table.lines().find(|line| line.split('\t').nth(2) == Some(name)).unwrap();
            row.split('\t').next().unwrap().to_owned()
        };
        [of("ada"), of("copycat")]
    };
    assert_eq!(points(""), ["14", "0"]);
    assert_eq!(points(" --groups groups.csv"), ["14", "14"]);
    // partners who name each other
    let mut signed = of_ada;
    signed["fields"]["student-2-name"] = "copycat".into();
    hand_in(folder, "ada/answers.json", &signed.to_string());
    hand_in(
        folder,
        "copycat/answers.json",
        r#"{"format": "cache-lab-answers", "version": 2, "fields": {"student-2-name": "ada"}}"#,
    );
    assert_eq!(points(""), ["14", "14"]);
}

#[test]
fn one_student_of_a_folder_of_many_is_graded_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, size) in [("ann", "1 KiB"), ("bob", "64 KiB")] {
        let answers =
            json!({ "format": "cache-lab-answers", "version": 2, "fields": { "s2-2": size } }).to_string();
        hand_in(folder, &format!("{name}/answers.json"), &answers);
    }
    let row = |name: &str| {
        let table = succeeds(folder, &format!("grade --student {name} handed-in"));
        table.lines().find(|line| line.split('\t').nth(2) == Some(name)).unwrap().to_owned()
    };
    assert!(row("ann").starts_with("0\t") && row("bob").starts_with("1\t"), "{} {}", row("ann"), row("bob"));
    // a text with the student's name next to the answers does not make a class
    std::fs::remove_dir_all(folder.join("handed-in")).unwrap();
    let answers = r#"{"format": "cache-lab-answers", "version": 2, "fields": {"s2-2": "64 KiB"}}"#;
    hand_in(folder, "answers.json", answers);
    hand_in(folder, "ann.txt", "A text.");
    assert!(row("ann").starts_with("1\t"), "{}", row("ann"));
    hand_in(folder, "ann/old.json", "{}");
    assert!(row("ann").starts_with("1\t"), "{}", row("ann"));
}

#[test]
fn every_system_gets_the_same_points() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = class(folder);
    hand_all_in(folder, &key);
    let moodle = "Identifier,\"Full name\",Status,Grade,\"Maximum Grade\",\"Feedback comments\"\n\
                  Participant 1,ada,Submitted,,100.00,\nParticipant 2,=cmd(),Submitted,,100.00,\n";
    std::fs::write(folder.join("worksheet.csv"), moodle).unwrap();
    succeeds(
        folder,
        "grade --roster class.csv --key machines-key.json --out out --as gradescope --as prairielearn --as autolab \
         --as check50 --as classroom50 --worksheet worksheet.csv handed-in",
    );
    let of = |system: &str, file: &str| folder.join("out").join(system).join("ada").join(file);
    // The other requirements of each system are in conventions.rs.
    let gradescope = json(of("gradescope", "results.json"));
    assert_eq!((&gradescope["score"], gradescope["tests"].as_array().unwrap().len()), (&RIGHT.into(), 15));
    let test = &gradescope["tests"][3];
    assert_eq!(
        (&test["score"], &test["max_score"], &test["status"]),
        (&2.0.into(), &2.0.into(), &"passed".into())
    );
    let prairielearn = json(of("prairielearn", "results.json"));
    assert_eq!((&prairielearn["gradable"], &prairielearn["score"]), (&true.into(), &(RIGHT / 20.0).into()));
    let autolab = std::fs::read_to_string(of("autolab", "autolab.txt")).unwrap();
    let scores: Value = serde_json::from_str(autolab.lines().last().unwrap()).unwrap();
    assert_eq!(scores["scores"]["s311-c-size"], 2.0);
    let result = &json(of("check50", "check50.json"))["results"][3];
    assert_eq!(
        (&result["name"], &result["passed"], &result["cause"]),
        (&"s311-c-size".into(), &true.into(), &Value::Null)
    );
    let classroom = json(of("classroom50", "result.json"));
    assert_eq!((&classroom["score"], &classroom["max-score"]), (&1400.into(), &2000.into()));
    let filled = std::fs::read_to_string(folder.join("out/moodle.csv")).unwrap();
    assert!(
        filled.starts_with("Identifier,\"Full name\",Status,Grade,\"Maximum Grade\",\"Feedback comments\"\n"),
        "{filled}"
    );
    assert!(filled.contains("Participant 1,ada,Submitted,70.00,100.00,"), "{filled}");
    // no file is outside the folder of the system
    let names: Vec<_> =
        std::fs::read_dir(folder.join("out/gradescope")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.len() == NAMES.len() && names.contains(&"script".into()), "{names:?}");
}

#[test]
fn the_exit_status_is_about_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("class.csv"), "name\nada\n").unwrap();
    std::fs::create_dir(folder.join("empty")).unwrap();
    let status = |args: &str| lab(folder, &args.split(' ').collect::<Vec<_>>(), &[]).status.code();
    assert_eq!(status("grade --roster class.csv empty"), Some(0), "nobody handed in");
    assert_eq!(status("grade --roster class.csv nowhere"), Some(1));
    assert_eq!(status("grade --roster class.csv --rubric class.csv empty"), Some(2));
    assert_eq!(status("grade --key class.csv empty"), Some(2));
    assert_eq!(status("grade empty"), Some(2), "whom?");
    let rubric = succeeds(folder, "grade --print-rubric");
    std::fs::write(folder.join("own.toml"), rubric.replace("records = \"noted\"", "records = \"own\""))
        .unwrap();
    assert_eq!(status("grade --roster class.csv --rubric own.toml empty"), Some(0));
    std::fs::write(folder.join("table.csv"), "name,s2-2,s2-3\nada,64K,16\n").unwrap();
    let told = succeeds(folder, "grade --roster class.csv table.csv");
    assert!(told.contains("2\t20\tada"), "{told}");
}
