//! One answer, as typed; and what it means, by the one strict reader of [`figures::quantity`]:
//!
//! - nothing was answered: [`Meaning::Nothing`];
//! - a value, a range, "fully associative", "not visible": that;
//! - all else: [`Meaning::ToBeRead`], with the reason. A person reads it; it is never 0.

use std::fmt;

use figures::quantity::{self, Doubt, Kind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of a field for text or names.
    Text(String),
    /// Of a field for a value.
    Value(Typed),
}

/// A value as typed: `{"form": "range", "value": "32", "to": "64", "unit": "KiB"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typed {
    /// One value, a range, or no number.
    #[serde(default)]
    pub form: Form,
    /// The number, or the lower end of the range.
    #[serde(default)]
    pub value: String,
    /// The upper end of the range.
    #[serde(default)]
    pub to: String,
    /// The unit of both, by its [name](quantity::Unit::name).
    #[serde(default)]
    pub unit: String,
}

/// What the student says about a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// It is one value.
    #[default]
    One,
    /// It is at least one value and below another.
    Range,
    /// The cache is fully associative.
    FullyAssociative,
    /// The data do not show it.
    NotVisible,
}

/// What an answer means, in the base unit of its [`Kind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    /// The field is empty.
    Nothing,
    /// One value.
    Value(f64),
    /// At least `low` and below `below`.
    Range {
        /// The lower end, included.
        low: f64,
        /// The upper end, excluded.
        below: f64,
    },
    /// The cache is fully associative.
    FullyAssociative,
    /// The data do not show it.
    NotVisible,
    /// A person must read it.
    ToBeRead(Doubt),
}

impl Answer {
    /// What it means in a field of this kind. A text, such as a cell of a form's table, must
    /// be exactly a number with its unit, or a number where the kind has no choice of units.
    pub fn read(&self, kind: Kind) -> Meaning {
        let meaning = match self {
            _ if self.is_empty() => return Meaning::Nothing,
            Answer::Text(text) => quantity::quantity(text, "", kind).map(Meaning::Value),
            Answer::Value(typed) => typed.read(kind),
        };
        meaning.unwrap_or_else(Meaning::ToBeRead)
    }

    /// What a file has for a field. All that a page does not write is a text with the JSON,
    /// for a person to read.
    pub(crate) fn of(value: Value) -> Answer {
        match value {
            Value::Null => Answer::from(""),
            value => {
                serde_json::from_value(value.clone()).unwrap_or_else(|_| Answer::Text(value.to_string()))
            }
        }
    }

    /// Whether the field is empty.
    pub fn is_empty(&self) -> bool {
        match self {
            Answer::Text(text) => text.trim().is_empty(),
            Answer::Value(Typed { form: Form::One | Form::Range, value, to, unit }) => {
                [value, to, unit].iter().all(|part| part.trim().is_empty())
            }
            Answer::Value(_) => false,
        }
    }

    pub(crate) fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Answer::Text(text) => vec![text],
            Answer::Value(Typed { value, to, unit, .. }) => vec![value, to, unit],
        }
    }
}

impl Typed {
    fn read(&self, kind: Kind) -> Result<Meaning, Doubt> {
        let number = |text: &str| quantity::quantity(text, self.unit.trim(), kind);
        match self.form {
            Form::FullyAssociative => Ok(Meaning::FullyAssociative),
            Form::NotVisible => Ok(Meaning::NotVisible),
            Form::One => number(&self.value).map(Meaning::Value),
            Form::Range => match (number(&self.value), number(&self.to)) {
                (Ok(low), Ok(below)) if low < below => Ok(Meaning::Range { low, below }),
                (Ok(_), Ok(_)) => Err(Doubt::EmptyRange),
                (Ok(_), Err(Doubt::NoNumber)) | (Err(Doubt::NoNumber), Ok(_)) => Err(Doubt::OneEnd),
                (Err(doubt), _) | (_, Err(doubt)) => Err(doubt),
            },
        }
    }
}

/// As shown to people: `48 KiB`, `at least 32 and below 64 KiB`.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Text(text) => f.write_str(text),
            Answer::Value(typed) => {
                let shown = match typed.form {
                    Form::One => format!("{} {}", typed.value, typed.unit),
                    Form::Range => format!("at least {} and below {} {}", typed.value, typed.to, typed.unit),
                    Form::FullyAssociative => "fully associative".to_owned(),
                    Form::NotVisible => "not visible".to_owned(),
                };
                f.write_str(if self.is_empty() { "" } else { shown.trim() })
            }
        }
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Answer {
        Answer::Text(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_means_what_its_form_says_or_is_left_to_a_person() {
        use Form::{One, Range};
        use Meaning::{FullyAssociative, NotVisible, Nothing, ToBeRead, Value};
        let is_between = |low, below| Meaning::Range { low, below };
        for ((form, value, to, unit), kind, meaning, shown) in [
            ((One, "48", "", "KiB"), Kind::Bytes, Value(49152.0), "48 KiB"),
            ((One, "12", "16", ""), Kind::Count, Value(12.0), "12"),
            ((One, "48", "", ""), Kind::Bytes, ToBeRead(Doubt::NoUnit), "48"),
            ((One, " ", "", ""), Kind::Bytes, Nothing, ""),
            ((One, "", "", "KiB"), Kind::Bytes, ToBeRead(Doubt::NoNumber), "KiB"),
            ((Range, "1", "2", "KiB"), Kind::Bytes, is_between(1024.0, 2048.0), "at least 1 and below 2 KiB"),
            ((Range, "2", "1", "B"), Kind::Bytes, ToBeRead(Doubt::EmptyRange), "at least 2 and below 1 B"),
            ((Range, "8", "", ""), Kind::Count, ToBeRead(Doubt::OneEnd), "at least 8 and below"),
            ((Range, "", "", ""), Kind::Count, Nothing, ""),
            ((Form::FullyAssociative, "8", "", ""), Kind::Count, FullyAssociative, "fully associative"),
            ((Form::NotVisible, "", "", ""), Kind::Bytes, NotVisible, "not visible"),
        ] {
            let [value, to, unit] = [value, to, unit].map(str::to_owned);
            let answer = Answer::Value(Typed { form, value, to, unit });
            assert_eq!((answer.read(kind), answer.to_string().as_str()), (meaning, shown), "{answer:?}");
            assert_eq!(answer.is_empty(), meaning == Nothing, "{answer:?}");
        }
        for (text, meaning) in
            [(" 48 KiB ", Value(49152.0)), ("16 or 32 KiB", ToBeRead(Doubt::NotOneNumber)), ("", Nothing)]
        {
            assert_eq!(Answer::from(text).read(Kind::Bytes), meaning);
        }
    }
}
