use super::*;

fn changed(from: &str, to: &str) -> Result<Assignment, String> {
    let text = GUIDE;
    assert!(text.contains(from), "{from}");
    Assignment::parse(&text.replacen(from, to, 1))
}

#[test]
fn the_guides_fields_are_those_of_the_first_report() {
    let fields = Assignment::guide().fields();
    assert_eq!(fields.len(), 64);
    assert_eq!((&*fields[3].id, &*fields[3].label), ("student-2-name", "Name of the second student"));
    assert_eq!((&*fields[7].id, fields[7].kind), ("s2-1-why", FieldKind::Text));
}

#[test]
fn what_cannot_be_asked_is_reported_with_its_name() {
    for (from, to, says) in [
        ("cache-lab-assignment/1", "x", "lab assignment"),
        ("students = 3", "students = 9", "1 to 6"),
        ("part = \"causes\"", "part = \"causes\"\ntitle = \"x\"", "nothing else"),
        ("part = \"causes\"", "part = \"caches\"", "twice"),
        ("part = \"causes\"", "id = \"own\"\ntitle = \"x\"\nrun = [\"/bin/sh x\"]", "in the folder of lab"),
        ("id = \"s2-2\"", "id = \"s2-1\"", "'s2-1' is used twice"),
        ("id = \"s2-2\"", "id = \"Two\"", "'Two' is not an id"),
        ("section = \"3.1.2\"", "section = \"9\"", "of section '9'"),
        ("points = 1", "points = -1", "points is -1.0"),
        ("points = 1", "points = nan", "points is NaN"),
        ("points = 1", "points = \"one\"", "`points = \"one\"`: invalid type: string \"one\", expected f64"),
        (
            "students = 3",
            "students = \"three\"",
            "`students = \"three\"`: invalid type: string \"three\", expected u8",
        ),
        ("title = \"System", "title = \"System\n", "key with no value"),
        ("part = \"causes\"", "id = \"own\"\ntitle = \"x\"\ntext = \"x\"\ncolumns = [\"size\"]", "no run"),
        ("part = \"causes\"", "id = \"2\"\ntitle = \"x\"\ntext = \"x\"", "'2' is used twice, or by the page"),
        ("kind = \"ns\"", "kind = \"value\"", "unknown variant `value`"),
        ("kind = \"ns\"", "kind = \"ns\"\nrange = true", "range is for sizes and counts"),
        ("expect = \"l1.size\"", "expect = \"l1.sise\"", "'l1.sise' is not a figure"),
        ("expect = \"l1.size\"", "expect = \"l1.ways\"", "expects l1.ways; write kind = \"count\""),
        ("[sizes]", "[sizes]\nmatrix = 4", "8 to 4096"),
        ("[sizes]", "[sizes]\nlarge = 1", "unknown field"),
    ] {
        let error = changed(from, to).unwrap_err();
        assert!(error.contains(says) && !error.contains('\n'), "{to}: {error}");
    }
}

#[test]
fn sections_without_programs_are_taken() {
    let text = "id = \"own\"\ntitle = \"x\"\ntext = \"Read the lecture first.\"";
    assert!(changed("part = \"causes\"", text).is_ok());
}

#[test]
fn an_empty_file_says_where_to_start() {
    assert!(Assignment::parse("# none yet\n").unwrap_err().contains("`lab assignment` prints"));
}

#[test]
fn points_are_of_what_is_on_the_page() {
    let all: f64 = Assignment::guide().points().iter().map(|(_, points)| points).sum();
    assert_eq!(all, 26.0);
    let fewer = changed("[[section]]\npart = \"products\"\n", "").unwrap();
    assert!(fewer.points().iter().all(|(field, _)| !field.section.starts_with("3.2")));
}
