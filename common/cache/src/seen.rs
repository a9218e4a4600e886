//! The lines, or pages, that were accessed before.

#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// A bit for each.
    words: Vec<u64>,
    count: u64,
}

impl Seen {
    /// Whether this is the first access to line, or page, `number`.
    #[inline]
    pub(crate) fn is_new(&mut self, number: u64) -> bool {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += u64::from(is_new);
        is_new
    }

    /// How many were accessed.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}
