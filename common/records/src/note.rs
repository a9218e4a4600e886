//! Notes on a record that one must know to trust it: data for programs, sentences for
//! people.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

/// One note; `Display` is its sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Another source counts some of them, or none does.
    StandIn {
        /// Which source counts which events.
        what: String,
        /// Why hardware does not, if it was tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<String>,
    },
    /// What the counts mean.
    Counts(String),
    /// What a sweep decides and what is open, without figures.
    Verdict(String),
    /// Anything else.
    Other(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::StandIn { what, since: Some(since) } => write!(f, "{what}, since {since}"),
            Note::StandIn { what: text, .. }
            | Note::Counts(text)
            | Note::Verdict(text)
            | Note::Other(text) => f.write_str(text),
        }
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Note {
        Note::Other(text.into())
    }
}

/// The notes of a record. JSON has them as sentences, `notes`, and those that are more than a
/// sentence as data, `note_kinds`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct Notes(Vec<Note>);

impl Deref for Notes {
    type Target = Vec<Note>;

    fn deref(&self) -> &Vec<Note> {
        &self.0
    }
}

impl DerefMut for Notes {
    fn deref_mut(&mut self) -> &mut Vec<Note> {
        &mut self.0
    }
}

#[derive(Serialize, Deserialize)]
struct Written {
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    note_kinds: Vec<Option<Note>>,
}

impl From<Notes> for Written {
    fn from(Notes(notes): Notes) -> Written {
        let known = |note: &Note| Some(note.clone()).filter(|note| !matches!(note, Note::Other(_)));
        let mut note_kinds: Vec<Option<Note>> = notes.iter().map(known).collect();
        if note_kinds.iter().all(Option::is_none) {
            note_kinds.clear();
        }
        Written { notes: notes.iter().map(Note::to_string).collect(), note_kinds }
    }
}

impl From<Written> for Notes {
    fn from(Written { notes, note_kinds }: Written) -> Notes {
        let kinds = note_kinds.into_iter().chain(std::iter::repeat(None));
        // The sentences take precedence over the data.
        let note = |(text, kind): (String, Option<Note>)| match kind {
            Some(kind) if kind.to_string() == text => kind,
            _ => Note::Other(text),
        };
        Notes(notes.into_iter().zip(kinds).map(note).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_as_they_were_and_sentences_take_precedence() {
        let since = Some("it is a virtual machine".to_owned());
        let notes = Notes(vec![
            Note::StandIn { what: "the model counts".to_owned(), since },
            Note::Counts("they repeat".to_owned()),
            "busy".into(),
        ]);
        let text = serde_json::to_string(&notes).unwrap();
        assert!(text.contains("\"the model counts, since it is a virtual machine\""), "{text}");
        assert_eq!(serde_json::from_str::<Notes>(&text).unwrap(), notes);
        let changed = text.replacen("they repeat", "they do not repeat", 1);
        assert_eq!(serde_json::from_str::<Notes>(&changed).unwrap()[1], "they do not repeat".into());
        assert!(!serde_json::to_string(&Notes(vec!["busy".into()])).unwrap().contains("kinds"));
    }
}
