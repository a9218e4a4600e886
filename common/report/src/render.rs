//! Renders the page as HTML: the templates, and the functions that they may use.

use std::collections::BTreeMap;

use figures::quantity::Kind;
use figures::text::filled;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, Serde, Value};
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde_json::json;

use crate::answers::{Answer, READER, Typed};
use crate::assignment::{Assignment, Field};
use crate::contents::Report;
use crate::page::page;

/// The script with the class `Store`, with which a page stores typed answers.
pub const STORE: &str = include_str!("template/store.js");

/// What can be said about a size, a line or ways, and how the page asks it.
const FORMS: [(&str, &str); 4] = [
    ("one", "one value"),
    ("range", "at least … and below …"),
    ("fully-associative", "fully associative"),
    ("not-visible", "not visible"),
];

/// The main template; it includes the others.
const WHOLE: &str = "report.html";
/// The templates of the page's parts.
pub(crate) const TEMPLATES: &[(&str, &str)] = &[
    (WHOLE, include_str!("template/report.html")),
    ("macros.html", include_str!("template/macros.html")),
    ("style.css", include_str!("template/style.css")),
    ("store.js", STORE),
    ("reader.js", READER),
    ("pointer.js", chart::POINTER_SCRIPT),
    ("script.js", include_str!("template/script.js")),
    ("exercise.html", include_str!("template/exercise.html")),
    ("caches.html", include_str!("template/caches.html")),
    ("products.html", include_str!("template/products.html")),
    ("causes.html", include_str!("template/causes.html")),
    ("specification.html", include_str!("template/specification.html")),
    ("section.html", include_str!("template/section.html")),
    ("how.html", include_str!("template/how.html")),
    ("bar.html", include_str!("template/bar.html")),
];

/// Renders the page.
///
/// # Errors
///
/// If a template uses values that do not exist.
pub(crate) fn html(contents: &Report<'_>) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, template) in TEMPLATES {
        environment.add_template(name, template)?;
    }
    add_words(&mut environment, &contents.assignment);
    add_questions(&mut environment, contents);
    environment.get_template(WHOLE)?.render(Serde(page(contents)))
}

/// `t(english, …)`: the page's own text in the assignment's language, with each `{}`
/// replaced; and filters for texts.
fn add_words(environment: &mut Environment<'_>, assignment: &Assignment) {
    let words = assignment.words().clone();
    let sign = assignment.word(".").to_owned();
    environment.add_function("t", move |english: &str, parts: Rest<Value>| {
        let text = marked(words.get(english).map_or(english, String::as_str));
        let parts = Vec::from_iter(parts.iter().map(|part| escaped(&part.to_string())));
        Value::from_safe_string(filled(&text, &parts))
    });
    // Programs print English: their output is marked as English on a page in another
    // language.
    let english = if assignment.language.starts_with("en") { "" } else { " lang=\"en\"" };
    environment.add_global("english", Value::from_safe_string(english.to_owned()));
    environment.add_filter("number", move |text: &str| in_language(text, &sign));
    environment.add_filter("marked", |text: &str| Value::from_safe_string(marked(text)));
    environment.add_filter("drawn", |svg: &str| Value::from_safe_string(svg.to_owned()));
}

/// `question(id)` and `field(id)`, which has the names of its units (`none` for a text) and the
/// earlier answer; `further(section)`: the questions that have no place in the guide's sheet.
fn add_questions(environment: &mut Environment<'_>, contents: &Report<'_>) {
    let assignment = &contents.assignment;
    let field = |field: Field| {
        let typed = match contents.typed.fields.get(&field.id) {
            Some(Answer::Value(typed)) => typed.clone(),
            Some(Answer::Text(text)) => Typed { value: text.clone(), ..Typed::default() },
            None => Typed::default(),
        };
        let names = |kind: Kind| kind.units().iter().map(|unit| unit.name).collect::<Vec<_>>();
        let units = field.kind.quantity().map(names);
        (field.id.clone(), json!({ "field": field, "units": units, "typed": typed }))
    };
    let fields: BTreeMap<_, _> = assignment.fields().into_iter().map(field).collect();
    environment.add_function("field", move |id: &str| fields.get(id).map(|field| Value::from(Serde(field))));
    let questions = assignment.questions.clone();
    environment.add_function("question", move |id: &str| {
        questions.iter().find(|question| question.id == id).map(|question| Value::from(Serde(question)))
    });
    let (assignment, guide) = (assignment.clone(), Assignment::guide());
    environment.add_function("further", move |section: &str| {
        let further = assignment.further(&guide, section);
        further.into_iter().map(|question| question.id.clone()).collect::<Vec<_>>()
    });
    environment.add_global("forms", Value::from(FORMS.map(|(form, text)| vec![form, text]).to_vec()));
    environment.add_global("accesses", Value::from(crate::ACCESSES.to_vec()));
    environment.add_global("here", contents.findings.here);
}

/// A number with the decimal sign of the page's language.
fn in_language(text: &str, sign: &str) -> String {
    let digit = |place: Option<char>| place.is_some_and(|c| c.is_ascii_digit());
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let between =
            digit(text[..at].chars().next_back()) && digit(text[at + c.len_utf8()..].chars().next());
        if c == '.' && between {
            shown += sign;
        } else {
            shown.push(c);
        }
    }
    shown
}

/// HTML of a text in which `**` and backquotes are the only markup.
fn marked(text: &str) -> String {
    tagged(&tagged(&escaped(text), "**", "b"), "`", "code")
}

fn tagged(text: &str, mark: &str, tag: &str) -> String {
    let pieces: Vec<&str> = text.split(mark).collect();
    if pieces.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let piece = |(at, piece): (usize, &&str)| match at % 2 {
        0 => (*piece).to_owned(),
        _ => format!("<{tag}>{piece}</{tag}>"),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// `text` escaped for HTML, attributes included.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_marks_are_markup() {
        for (text, html) in [
            ("**2.** a `b` c", "<b>2.</b> a <code>b</code> c"),
            ("2 ** 3 ` 4", "2 ** 3 ` 4"),
            ("<script>\"&'", "&lt;script&gt;&quot;&amp;'"),
        ] {
            assert_eq!(marked(text), html);
        }
    }

    #[test]
    fn numbers_have_the_decimal_sign_of_the_language() {
        for (text, shown) in
            [("-12\u{202f}345.6", "-12\u{202f}345,6"), ("1.25 MiB", "1,25 MiB"), ("v. 2", "v. 2")]
        {
            assert_eq!(in_language(text, ","), shown);
        }
    }
}
