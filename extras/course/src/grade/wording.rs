//! Words of texts, and which of them are the assignment's own.

use std::collections::BTreeSet;

/// The words of a text without signs, blanks and case.
pub(super) fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Three words in a row of the assignment's texts, which students repeat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked(BTreeSet<String>);

impl Asked {
    pub(super) fn of(texts: &[&str]) -> Asked {
        let all = texts.iter().map(|text| plain(text));
        Asked(all.flat_map(|text| threes(&text).map(|(_, three)| three).collect::<Vec<_>>()).collect())
    }

    /// The characters of a plain text that are not the assignment's.
    pub(super) fn own(&self, text: &str) -> usize {
        let mut own: Vec<usize> = text.split(' ').map(|word| word.chars().count() + 1).collect();
        for (at, _) in threes(text).filter(|(_, three)| self.0.contains(three)) {
            own[at..at + 3].fill(0);
        }
        own.into_iter().sum()
    }
}

/// Each three words in a row of a plain text, and the place of the first.
fn threes(text: &str) -> impl Iterator<Item = (usize, String)> {
    let words: Vec<&str> = text.split(' ').collect();
    (0..words.len().saturating_sub(2)).map(move |at| (at, words[at..at + 3].join(" ")))
}
