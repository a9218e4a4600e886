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

    /// The note with at most `most` names.
    fn text(&self, most: usize) -> String {
        let Note { what, names } = self;
        match names.len() {
            0 => what.clone(),
            number if number <= most => format!("{what}: {number}: {}", names.join(", ")),
            number => format!("{what}: {number}: {}, …", names[..most].join(", ")),
        }
    }

    /// The note with all names.
    pub(super) fn all(&self) -> String {
        self.text(usize::MAX)
    }

    /// The note for the screen, and whether names are left out.
    pub(super) fn on_screen(&self) -> (String, bool) {
        (self.text(ON_SCREEN), self.names.len() > ON_SCREEN)
    }
}

impl From<String> for Note {
    fn from(what: String) -> Note {
        Note { what, names: Vec::new() }
    }
}
