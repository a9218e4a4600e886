//! A sentence about the class, with the names that it is about.

/// Names of a note on the screen; `notes.txt` has all.
const ON_SCREEN: usize = 10;

/// A sentence, and whom or what it is about.
#[derive(Debug, Clone)]
pub(super) struct Note {
    what: String,
    names: Vec<String>,
}

impl Note {
    /// A note about these students or submissions; nothing if there are none.
    pub(super) fn about(what: impl Into<String>, names: impl IntoIterator<Item = String>) -> Option<Note> {
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| Note { what: what.into(), names })
    }

    /// The note with all names.
    pub(super) fn all(&self) -> String {
        format!("{}: {}: {}", self.what, self.names.len(), self.names.join(", "))
    }

    /// The note for the screen.
    pub(super) fn on_screen(&self) -> String {
        let Note { what, names } = self;
        match names.get(..ON_SCREEN).filter(|first| first.len() < names.len()) {
            Some(first) => format!("{what}: {}: {}, … (all are in notes.txt)", names.len(), first.join(", ")),
            None => self.all(),
        }
    }
}
