//! The words and signs of the grammar: data, shared with the page's script.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::Kind;

/// The file with the words.
pub(crate) const JSON: &str = include_str!("words.json");

pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    // A test shows that the file can be read.
    let mut words: Words = serde_json::from_str(JSON).unwrap_or_default();
    words.fold();
    words
});

/// The content of `words.json`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Words {
    /// The digit 0 of each script.
    pub(super) zeros: String,
    pub(super) superscripts: String,
    pub(super) subscripts: String,
    /// Letters with accents, by the letter without.
    letters: BTreeMap<char, String>,
    pub(super) fractions: BTreeMap<char, String>,
    /// Signs that are ignored.
    pub(super) quiet: String,
    /// Signs, by their replacement.
    signs: BTreeMap<char, String>,
    /// Texts and their replacements.
    pub(super) replaced: Vec<(String, String)>,
    /// Languages with a decimal point; the others have a comma.
    pub(super) point: Vec<String>,
    units: Units,
    pub(super) ordinals: Vec<String>,
    /// Letters that are a name together with the digits after them: `mm1`.
    pub(super) products: Vec<String>,
    /// Words whose number is a name: `figure 3`.
    pub(super) names: Vec<String>,
    /// Words without influence on a number: `it`, `measured`.
    fillers: Vec<String>,
    /// Those of them that may follow a number without a unit: `600 measured`.
    behind: Vec<String>,
    /// Levels and quantities, by name: a number of another one than the question's is not
    /// an answer.
    things: BTreeMap<String, Vec<String>>,
    /// Words whose number is not the answer if there is another: `stride 64`.
    pub(super) settings: Vec<String>,
    pub(super) numbers: BTreeMap<String, f64>,
    /// Number words that may be another word.
    pub(super) articles: Vec<String>,
    /// Languages in which "no" means "in the".
    pub(super) no_is_in: Vec<String>,
    phrases: BTreeMap<Mark, Vec<String>>,
    /// The same, split into words, the longest first.
    #[serde(skip)]
    marks: HashMap<String, Vec<(Vec<String>, Mark)>>,
    /// The tables of units as words, by kind.
    #[serde(skip)]
    scales: Vec<(Kind, Table)>,
    #[serde(skip)]
    prefixes: Table,
}

/// Units as words, and their factors.
type Table = Vec<(Vec<String>, f64)>;

/// Units, by their factors.
#[derive(Debug, Default, Deserialize)]
struct Units {
    bytes: BTreeMap<String, Vec<String>>,
    prefixes: BTreeMap<String, Vec<String>>,
    /// Abbreviations of bytes that need a prefix.
    behind_prefix: Vec<String>,
    ns: BTreeMap<String, Vec<String>>,
    percent: BTreeMap<String, Vec<String>>,
    count: BTreeMap<String, Vec<String>>,
    number: BTreeMap<String, Vec<String>>,
    /// Units of other things, which no question asks for.
    other: Vec<String>,
    /// Those of them that have a size in bytes.
    holders: Vec<String>,
}

/// The effect of a phrase on the numbers next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mark {
    Between,
    And,
    To,
    Or,
    Least,
    More,
    Most,
    Less,
    /// `or more`.
    Beyond,
    About,
    /// `from`: the lower end of a range.
    Starting,
    Not,
    /// `no idea`.
    Unanswered,
    Power,
    Times,
    Minus,
    /// `direct mapped`.
    OneWay,
    /// `half of`, `per way`: the right number must be computed from the given one.
    Computed,
    /// Units of a number of ways.
    PerSet,
    /// `fully associative`.
    AllWays,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    None,
    /// A unit that is asked for, with its factor.
    Asked(f64),
    Other,
    /// A word that is not a unit, and may not follow a number.
    Foreign,
}

impl Words {
    /// Converts all words to plain text.
    fn fold(&mut self) {
        let units = &mut self.units;
        let tables = [
            &mut units.bytes,
            &mut units.prefixes,
            &mut units.ns,
            &mut units.percent,
            &mut units.count,
            &mut units.number,
        ];
        let lists = [
            &mut units.behind_prefix,
            &mut units.other,
            &mut units.holders,
            &mut self.ordinals,
            &mut self.products,
            &mut self.names,
            &mut self.fillers,
            &mut self.behind,
            &mut self.settings,
            &mut self.articles,
        ];
        let letters = &self.letters;
        let plain = |word: &str| word.chars().map(|c| letter(letters, c)).collect::<String>();
        let of_tables = tables.into_iter().flat_map(BTreeMap::values_mut);
        let things = self.things.values_mut();
        for word in of_tables.chain(lists).chain(things).flatten() {
            *word = plain(word);
        }
        self.numbers = self.numbers.iter().map(|(word, value)| (plain(word), *value)).collect();
        let split = |phrase: &String| {
            let words = plain(phrase);
            words.split([' ', '\'']).map(str::to_owned).collect::<Vec<_>>()
        };
        for (mark, phrases) in &self.phrases {
            for phrase in phrases.iter().map(split) {
                self.marks.entry(phrase[0].clone()).or_default().push((phrase, *mark));
            }
        }
        for phrases in self.marks.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        let table = |units: &BTreeMap<String, Vec<String>>| -> Table {
            let worth = units.iter().filter_map(|(scale, of)| Some((scale.parse::<f64>().ok()?, of)));
            worth
                .flat_map(|(scale, of)| {
                    of.iter().map(move |unit| (unit.split(' ').map(str::to_owned).collect(), scale))
                })
                .collect()
        };
        let units = &self.units;
        self.scales = vec![
            (Kind::Bytes, table(&units.bytes)),
            (Kind::Ns, table(&units.ns)),
            (Kind::Percent, table(&units.percent)),
            (Kind::Count, table(&units.count)),
            (Kind::Number, table(&units.number)),
        ];
        self.prefixes = table(&units.prefixes);
    }

    /// A letter without its accent; a sign by its replacement.
    pub(super) fn character(&self, c: char) -> char {
        if c.is_ascii() {
            return c;
        }
        let sign = self.signs.iter().find(|(_, those)| those.contains(c));
        sign.map_or_else(|| letter(&self.letters, c), |(sign, _)| *sign)
    }

    /// The phrase at the start of `words`, and its number of words.
    pub(super) fn mark(&self, words: &[&str]) -> Option<(Mark, usize)> {
        let found = self.marks.get(*words.first()?)?.iter().find(|(phrase, _)| {
            phrase.len() <= words.len() && phrase.iter().zip(words).all(|(known, word)| known == word)
        });
        found.map(|(phrase, mark)| (*mark, phrase.len()))
    }

    /// The unit at the start of `words`, and its number of words.
    pub(super) fn unit(&self, words: &[&str], kind: Kind) -> Option<(Unit, usize)> {
        // "16k words"
        let counted = |word: &&&str| is(&self.units.other, word) && !is(&self.units.holders, word);
        let bare = words.first().is_some_and(|word| self.prefix(word));
        if bare && words.get(1).as_ref().is_some_and(counted) {
            return Some((Unit::Other, 2));
        }
        let asked = self.scale(words, kind).map(|(scale, taken)| (Unit::Asked(scale), taken));
        asked.or_else(|| {
            // a single letter does not prove that something else is meant
            let word =
                words.first().filter(|word| word.chars().count() > 1 || ["b", "k", "%"].contains(word))?;
            let kinds = [Kind::Bytes, Kind::Ns, Kind::Percent, Kind::Count];
            let other = kinds.iter().find_map(|kind| self.scale(words, *kind)).map(|(_, taken)| taken);
            let taken = other.or_else(|| is(&self.units.other, word).then_some(1))?;
            Some((Unit::Other, taken))
        })
    }

    /// Whether `word` has no influence on the numbers around it.
    pub(super) fn filler(&self, word: &str) -> bool {
        [&self.fillers, &self.names, &self.settings, &self.ordinals, &self.products, &self.units.other]
            .into_iter()
            .any(|list| is(list, word))
            || self.thing(word).is_some()
    }

    /// The level or quantity that `word` names.
    pub(super) fn thing(&self, word: &str) -> Option<&str> {
        self.things.iter().find(|(_, those)| is(those, word)).map(|(thing, _)| thing.as_str())
    }

    /// Whether `word` has levels or caches with a number: `level 2`.
    pub(super) fn holder(&self, word: &str) -> bool {
        is(&self.units.holders, word)
    }

    /// Whether `word` after a number means that it is of something else: `600 clocks`, `8
    /// M`.
    pub(super) fn foreign(&self, word: &str) -> bool {
        (single(word) || self.filler(word)) && !is(&self.behind, word) && !self.holder(word)
    }

    /// Whether `word` is only the prefix of a unit.
    pub(super) fn prefix(&self, word: &str) -> bool {
        self.prefixes.iter().any(|(known, _)| known[0] == word)
    }

    fn scale(&self, words: &[&str], kind: Kind) -> Option<(f64, usize)> {
        if kind == Kind::Bytes { self.bytes(words) } else { self.of_table(kind, words) }
    }

    /// The longest unit of a kind at the start of `words`.
    fn of_table(&self, kind: Kind, words: &[&str]) -> Option<(f64, usize)> {
        let (_, table) = self.scales.iter().find(|(known, _)| *known == kind)?;
        let fits = |unit: &[String]| {
            unit.len() <= words.len() && unit.iter().zip(words).all(|(known, word)| same(known, word))
        };
        let found = table.iter().filter(|(unit, _)| fits(unit));
        found.max_by_key(|(unit, _)| unit.len()).map(|(unit, scale)| (*scale, unit.len()))
    }

    /// A prefix and a base, in one word or two; one of them may be missing.
    fn bytes(&self, words: &[&str]) -> Option<(f64, usize)> {
        let (word, next) = (*words.first()?, words.get(1).copied());
        let base = |word: &str| self.of_table(Kind::Bytes, &[word]).map(|(scale, _)| scale);
        if let Some(scale) = base(word) {
            return Some((scale, 1));
        }
        self.prefixes.iter().find_map(|(prefix, scale)| {
            let rest = word.strip_prefix(prefix[0].as_str())?;
            if rest.is_empty() {
                let (base, taken) = next.and_then(base).map_or((1.0, 1), |base| (base, 2));
                return Some((scale * base, taken));
            }
            let bytes = self.units.behind_prefix.iter().any(|base| base == rest).then_some(1.0);
            Some((scale * base(rest).or(bytes)?, 1))
        })
    }
}

/// Whether `word` is one of `list`.
pub(super) fn is(list: &[String], word: &str) -> bool {
    list.iter().any(|known| same(known, word))
}

/// A word that ends in `*` means all words with that beginning.
fn same(known: &str, word: &str) -> bool {
    known.strip_suffix('*').map_or(known == word, |beginning| word.starts_with(beginning))
}

/// Whether `word` is a letter.
pub(super) fn single(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

fn letter(letters: &BTreeMap<char, String>, c: char) -> char {
    letters.iter().find(|(_, marked)| marked.contains(c)).map_or(c, |(letter, _)| *letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_read() {
        let words: Words = serde_json::from_str(JSON).unwrap();
        let numbers =
            words.units.bytes.keys().chain(words.units.prefixes.keys()).chain(words.units.ns.keys());
        assert!(numbers.clone().count() > 8 && numbers.clone().all(|scale| scale.parse::<f64>().is_ok()));
        assert!(words.zeros.chars().count() > 60 && words.numbers["sixteen"] == 16.0);
    }
}
