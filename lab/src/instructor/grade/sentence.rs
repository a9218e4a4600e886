//! Feedback to a student: a sentence in English, for the instructor, and the same in the
//! assignment's language.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// A sentence with the values that are inserted into it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sentence {
    /// In English; each `{}` is a part.
    pub(crate) template: &'static str,
    parts: Vec<String>,
}

/// `say!("'{}' is not right.", answer)`.
macro_rules! say {
    ($template:literal $(, $part:expr)* $(,)?) => {
        $crate::instructor::grade::sentence::Sentence::new($template, vec![$(($part).to_string()),*])
    };
}
pub(super) use say;

impl Sentence {
    pub(super) fn new(template: &'static str, parts: Vec<String>) -> Sentence {
        Sentence { template, parts }
    }

    /// The sentence in another language, by its `words`; what they lack stays in English.
    /// Parts that are clauses of the program are translated too.
    pub(super) fn translated(&self, words: &BTreeMap<String, String>) -> Sentence {
        let of = |text: &str| words.get(text).cloned();
        let template = of(self.template).unwrap_or_else(|| self.template.to_owned());
        let parts: Vec<String> =
            self.parts.iter().map(|part| of(part).unwrap_or_else(|| part.clone())).collect();
        say!("{}", filled(&template, &parts))
    }

    /// The sentence without its part `what`, such as a student's answer.
    pub(super) fn without(&self, what: &str) -> String {
        let part = |part: &String| if part == what { "…".to_owned() } else { part.clone() };
        filled(self.template, &self.parts.iter().map(part).collect::<Vec<_>>())
    }
}

impl Display for Sentence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&filled(self.template, &self.parts))
    }
}

fn filled(template: &str, parts: &[String]) -> String {
    let mut parts = parts.iter();
    let mut pieces = template.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text += parts.next().map_or("", String::as_str);
        text += piece;
    }
    text
}

/// Sentences one after the other.
pub(super) fn joined(sentences: &[Sentence], between: &str) -> String {
    sentences.iter().map(Sentence::to_string).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_a_student_wrote_is_no_template() {
        let words = BTreeMap::from([("'{}': {}.", "«{}»: {}."), ("it is so", "é assim")])
            .into_iter()
            .map(|(english, other)| (english.to_owned(), other.to_owned()))
            .collect();
        let sentence = say!("'{}': {}.", "{} '{}': {}.", "it is so");
        assert_eq!(sentence.to_string(), "'{} '{}': {}.': it is so.");
        assert_eq!(sentence.translated(&words).to_string(), "«{} '{}': {}.»: é assim.");
        assert_eq!(sentence.without("{} '{}': {}."), "'…': it is so.");
    }

    /// Every sentence has a Portuguese translation, and every translation is used.
    #[test]
    fn every_sentence_is_translated_once() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/instructor/grade");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        let here = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
        let mut all: String =
            here.filter(|path| !path.ends_with("sentence.rs")).map(|path| read(&path)).collect();
        let said: Vec<String> = all
            .split("say!(")
            .skip(1)
            .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"').map(|(said, _)| said))
            .filter(|said| said.contains(char::is_alphabetic) || said.contains('\''))
            .map(str::to_owned)
            .collect();
        assert!(said.len() > 40, "{}", said.len());
        let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("../common/report/src");
        for file in ["quantity/meaning.rs", "product.rs"] {
            all += &read(&report.join(file));
        }
        let (_, guide) = report::GUIDES[1];
        let words = report::Assignment::parse(guide).unwrap().feedback;
        for english in &said {
            assert!(words.contains_key(english), "{english}");
        }
        for (english, other) in &words {
            assert!(all.contains(&format!("\"{english}\"")), "{english}");
            assert_eq!(english.matches("{}").count(), other.matches("{}").count(), "{english}");
        }
    }
}
