use std::collections::BTreeSet;

use figures::quantity::Doubt;

use super::*;

fn changed(from: &str, to: &str) -> Result<Assignment, String> {
    let text = GUIDES[0].1;
    assert!(text.contains(from), "{from}");
    Assignment::parse(&text.replacen(from, to, 1))
}

#[test]
fn the_guides_assignments_ask_the_same_in_each_language() {
    let [english, other] = GUIDES.map(|(language, text)| {
        let read = Assignment::parse(text).unwrap();
        assert_eq!(read.language, language);
        read
    });
    assert_eq!(english, Assignment::guide());
    let bare = |mut read: Assignment| {
        for question in &mut read.questions {
            for text in [&mut question.label, &mut question.hint] {
                *text = (!text.is_empty()).to_string();
            }
            question.ask = question.ask.take().map(|_| String::new());
            question.why = question.why.take().map(|_| String::new());
        }
        for section in &mut read.sections {
            for text in [&mut section.title, &mut section.text] {
                *text = (!text.is_empty()).to_string();
            }
        }
        (read.students, read.sizes, read.sections, read.questions)
    };
    for (one, other) in english.questions.iter().zip(&other.questions) {
        assert_ne!(one.label, other.label, "{} is not translated", one.id);
    }
    assert_eq!(bare(english), bare(other));
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
        ("language = \"en\"", "language = \"<b>\"", "'<b>'"),
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
        ("language = \"en\"", "language = \"english\"", "not a language code"),
        ("language = \"en\"", "language = \"en-\"", "not a language code"),
        ("part = \"causes\"", "id = \"own\"\ntitle = \"x\"\ntext = \"x\"\ncolumns = [\"size\"]", "no run"),
        ("part = \"causes\"", "id = \"2\"\ntitle = \"x\"\ntext = \"x\"", "'2' is used twice, or by the page"),
        ("kind = \"ns\"", "kind = \"value\"", "unknown variant `value`"),
        ("kind = \"ns\"", "kind = \"ns\"\nrange = true", "range is for sizes and counts"),
        ("kind = \"ns\"", "kind = \"choice\"", "needs choices"),
        ("kind = \"ns\"", "kind = \"choice\"\nchoices = [\"a\", \"a\"]", "different texts"),
        ("kind = \"ns\"", "kind = \"ns\"\nchoices = [\"a\", \"b\"]", "no other kind"),
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
fn languages_and_sections_without_programs_are_taken() {
    for language in ["pt-BR", "de", "haw", "zh-Hant-TW"] {
        assert!(changed("language = \"en\"", &format!("language = \"{language}\"")).is_ok(), "{language}");
    }
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

/// The page's own texts: what templates and script pass to `t`, without hints.
fn of_the_page() -> BTreeSet<String> {
    let said = |text: &str| -> Vec<String> {
        let pieces: Vec<&str> = text.split("t(\"").collect();
        let calls = pieces.windows(2).filter(|pair| !pair[0].ends_with(|c: char| c.is_alphanumeric()));
        calls.filter_map(|pair| Some(pair[1].split_once('"')?.0.to_owned())).collect()
    };
    let whole = |(_, template): &(&str, &str)| said(template);
    // sentences that are made in Rust
    let sources =
        [include_str!("../causes.rs"), include_str!("../checks.rs"), include_str!("../contents.rs")];
    let code = sources.map(|text| text.split("#[cfg(test)]").next().unwrap_or_default()).concat();
    let calls = code.replace("let sentence = ", "say(");
    let calls = calls.split("say(").skip(1).filter_map(|call| call.trim_start().strip_prefix('"'));
    let made: Vec<String> = calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())).collect();
    assert!(made.len() > 20, "{made:?}");
    crate::render::TEMPLATES.iter().flat_map(whole).chain(made).collect()
}

/// Every text of the page has a Portuguese translation, and every translation is used.
#[test]
fn every_word_of_the_page_is_translated_once() {
    let translated = Assignment::parse(GUIDES[1].1).unwrap().words;
    let asked = of_the_page();
    assert!(asked.len() > 100, "{}", asked.len());
    for english in asked.iter().map(String::as_str).chain(chart::WORDS) {
        assert!(translated.contains_key(english), "{english}");
    }
    let elsewhere = [
        include_str!("../page.rs"),
        include_str!("../checked.rs"),
        include_str!("../render.rs"),
        include_str!("../pictures.rs"),
        include_str!("../sweep.rs"),
        include_str!("../causes.rs"),
        include_str!("../checks.rs"),
        include_str!("../../../records/src/product.rs"),
        include_str!("../own_sections.rs"),
        include_str!("../../../../lab/causes/src/kernels.rs"),
        include_str!("../template/specification.html"),
        include_str!("../../../../lab/src/run/environment.rs"),
    ]
    .concat();
    for (english, other) in &translated {
        let signs = english.ends_with("student");
        let figure = format!("\"{}\"", english.replace(' ', "_")); // of the guide's own sections
        assert!(
            signs
                || asked.contains(english)
                || chart::WORDS.contains(&english.as_str())
                || GUIDES[0].1.contains(&figure)
                || Doubt::ALL.iter().any(|doubt| doubt.sentence() == english)
                || elsewhere.contains(&format!("\"{english}\"")),
            "{english}"
        );
        assert_eq!(english.matches("{}").count(), other.matches("{}").count(), "{english}");
        assert_eq!(english.matches('`').count(), other.matches('`').count(), "{english}");
    }
}
