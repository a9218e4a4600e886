//! Renders the page as HTML: the templates, and the functions that they may use.

use std::collections::BTreeMap;

use figures::quantity::Kind;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde_json::json;

use crate::answers::READER;
use crate::assignment::{Assignment, Question};
use crate::contents::Report;
use crate::page::page;
use crate::typed::{Answer, Typed};

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
    add_filters(&mut environment);
    add_questions(&mut environment, contents);
    environment.get_template(WHOLE)?.render(Serde(page(contents)))
}

/// Filters for texts.
fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("marked", |text: &str| Value::from_safe_string(marked(text)));
    environment.add_function("drawn", |views: Vec<String>| {
        let div = |(class, svg): (&str, String)| format!("<div class=\"{class}\">{svg}</div>");
        Value::from_safe_string(["wide", "narrow"].into_iter().zip(views).map(div).collect())
    });
}

/// `question(id)` and `field(id)`, which has the names of its units (`none` for a text) and the
/// earlier answer; `further(section)`: the questions that have no place in the guide's sheet.
fn add_questions(environment: &mut Environment<'_>, contents: &Report<'_>) {
    let assignment = &contents.assignment;
    let field = |field: Question| {
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
}
