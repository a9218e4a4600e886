//! Renders the page as HTML: the templates, and the functions that they may use.

use std::sync::Arc;

use figures::quantity::Kind;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, Serde, Value};
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde::Serialize;

use crate::answers::{Answer, READER, Typed};
use crate::assignment::{Assignment, Field, FieldKind, Question};
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
    let mut environment = environment(contents.template.as_deref())?;
    let assignment = Arc::new(contents.assignment.clone());
    add_words(&mut environment, &assignment);
    add_questions(&mut environment, &assignment, contents.findings.here);
    add_fields(&mut environment, contents);
    environment.get_template(WHOLE)?.render(Serde(page(contents)))
}

/// The kit's templates, with `own` instead of the main one.
///
/// # Errors
///
/// If `own` is not a valid template.
pub(crate) fn environment(own: Option<&str>) -> Result<Environment<'_>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, template) in TEMPLATES {
        environment.add_template(name, template)?;
    }
    if let Some(own) = own {
        environment.add_template(WHOLE, own)?;
    }
    environment.add_filter("marked", |text: &str| Value::from_safe_string(marked(text)));
    Ok(environment)
}

/// `t(english, …)`: the page's own text in the assignment's language, with each `{}`
/// replaced.
fn add_words(environment: &mut Environment<'_>, assignment: &Arc<Assignment>) {
    let (assignment, spoken) = (Arc::clone(assignment), Arc::clone(assignment));
    let language = assignment.language.clone();
    environment.add_function("t", move |english: &str, parts: Rest<Value>| {
        let told = marked(assignment.word(english));
        let told = parts.iter().fold(told, |told, part| told.replacen("{}", &escaped(&part.to_string()), 1));
        Value::from_safe_string(told)
    });
    // Programs print English: their output is marked as English on a page in another
    // language.
    let english = if language.starts_with("en") { "" } else { " lang=\"en\"" };
    environment.add_global("english", Value::from_safe_string(english.to_owned()));
    let words = Arc::clone(&spoken);
    environment.add_filter("number", move |text: &str| in_language(text, words.word(".")));
    environment.add_global("forms", Value::from(FORMS.map(|(form, text)| vec![form, text]).to_vec()));
    environment.add_filter("drawn", |svg: &str| Value::from_safe_string(svg.to_owned()));
}

/// A question for the page.
#[derive(Serialize)]
struct Asked {
    ask: String,
    hint: String,
    hint_here: String,
    lines: u8,
    kind: FieldKind,
    why: bool,
}

fn add_questions(environment: &mut Environment<'_>, assignment: &Arc<Assignment>, here: bool) {
    let asked = move |question: &Question| Asked {
        ask: question.ask().to_owned(),
        hint: question.hint.clone(),
        hint_here: if here { question.hint_here.clone() } else { String::new() },
        lines: question.lines,
        kind: question.kind,
        why: question.why.is_some(),
    };
    let of = Arc::clone(assignment);
    environment
        .add_function("question", move |id: &str| of.question(id).map(|q| Value::from(Serde(asked(q)))));
    let (of, guide) = (Arc::clone(assignment), Assignment::guide());
    environment.add_function("further", move |section: &str| {
        of.further(&guide, section).iter().map(|question| question.id.clone()).collect::<Vec<_>>()
    });
}

/// A field for the page.
#[derive(Serialize)]
struct ShownField {
    #[serde(flatten)]
    field: Field,
    /// The names of its units; `None` for a text.
    units: Option<Vec<&'static str>>,
}

/// What the template needs of a field: its kind, and its earlier answer.
fn add_fields(environment: &mut Environment<'_>, contents: &Report<'_>) {
    let fields = contents.assignment.fields();
    let answers = contents.typed.fields.clone();
    environment.add_function("field", move |id: &str| {
        fields.iter().find(|field| field.id == id).map(|field| {
            let units = |kind: Kind| kind.units().iter().map(|unit| unit.name).collect();
            Value::from(Serde(ShownField { units: field.kind.quantity().map(units), field: field.clone() }))
        })
    });
    environment.add_function("typed", move |id: &str| {
        let typed = match answers.get(id) {
            Some(Answer::Value(typed)) => typed.clone(),
            Some(Answer::Text(text)) => Typed { value: text.clone(), ..Typed::default() },
            None => Typed::default(),
        };
        Value::from(Serde(typed))
    });
}

/// A number with the decimal sign of the page's language.
fn in_language(text: &str, sign: &str) -> String {
    let digit = |place: Option<char>| place.is_some_and(|c| c.is_ascii_digit());
    let mut told = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let between =
            digit(text[..at].chars().next_back()) && digit(text[at + c.len_utf8()..].chars().next());
        if c == '.' && between {
            told += sign;
        } else {
            told.push(c);
        }
    }
    told
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

fn escaped(text: &str) -> String {
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
