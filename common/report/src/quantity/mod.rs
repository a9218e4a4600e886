//! Quantities as students write them: `48 KiB`, `32 768 octets`, `2^15 B`, `8-way`,
//! `[32, 48) KiB`, `98,5 %`. `lab grade` and the report's page use the same grammar: the
//! page's script `quantity.js` follows these modules step by step. Both are tested with the
//! table `cases.tsv`, and both use the words in `words.json`.
//!
//! An answer is read in four steps.
//!
//! 1. **Plain text** (`text.rs`): small letters without accents; digits of any script; one
//!    sign for all dashes, blanks, multiplication signs and so on; no markup of HTML,
//!    Markdown or TeX; a superscript `¹⁴` after a number becomes `^14`.
//! 2. **Tokens** (`tokens.rs`): numbers, words, signs.
//!    - A blank, apostrophe, low line, comma or dot can separate thousands. A single comma or
//!      dot before exactly three digits separates thousands in bytes without a prefix and in
//!      counts, which are whole numbers. In other numbers it is decimal if the assignment's
//!      language writes decimals so; if not, both readings count (of bytes: the whole ones).
//!    - `0x4000`, `1.6e4`, `½`, `1½`, `sixteen`, `trinta e dois`.
//!    - A number next to letters, or after the name of a thing, belongs to that name and is
//!      not an answer: `L1`, `1st`, `i7-6700K`, `Fig. 3`, `level 1`, `3.1.2`. The number of
//!      a list (`1. …`) or of a setting (`stride 64`) counts only if there is no other.
//! 3. **Terms** (`terms.rs`):
//!
//!    ```text
//!    term     = factor { ("*" | "/") factor }
//!    factor   = [sign] number ["^" number] [unit]
//!    range    = term ("to" | "-" | "..") ["less than"] term
//!             | "between" term "and" term | term "±" term
//!             | ("[" | "(" | "]") term ("," | ";" | ".." | "-") term ("]" | ")" | "[") [unit]
//!    bound    = ("≥" | ">" | "≤" | "<" | "at least" | …) term | term ("<" | "≤" | …) word
//!    equation = side { "=" side }
//!    ```
//!
//!    The words are known in English, French, Portuguese, Polish and Russian, units too:
//!    `KiB`, `KB`, `Kio`, `Ko`, `КиБ`, `кБ`, `kilobytes`, `bajtów`, `octetos`. All prefixes are
//!    powers of 1024, as usual for caches. The unit of one end of a range is that of both.
//! 4. **The answer** (`answer.rs`): in an equation the last side, unless a number alone on
//!    another side contradicts it. A number with the unit that is asked for takes precedence
//!    over numbers of other things (`16 KiB, 2 ways`). Several forms of one number are one
//!    number (`16 KiB (16384 bytes)`). A lower and an upper bound are a range.
//!
//! A value or a bracket is read only if all words and signs of the answer are understood:
//! they belong to a number, or are among the `fillers` of `words.json`, which change
//! none. The instructor must read `16 KiB (16 foo)`, `dual`, `②`, `x2` and `2 to the 14th`.
//! After a number without a unit only the words of `behind` are allowed: `600 measured`, not
//! `600 clocks`.
//! The `things` of `words.json` are levels and quantities (`L2`, `line`, `misses`): they can be in
//! an answer only if they are in the question; level 1 also if the question has no level.
//!
//! The instructor must also read all other answers, which are [`Read::Unclear`]: several
//! numbers without a bracket (`8 or 16 KiB`, `16 KiB, 32 KiB`), one end of a range, a quotient
//! that may be two numbers (`16/32 KiB`) or a share (`3/4`), a number that is negated, only
//! numbers with another unit.

mod answer;
mod kind;
mod meaning;
mod terms;
mod text;
mod tokens;
pub(crate) mod words;

pub use kind::Kind;
pub use meaning::{Bracket, Doubt, Read, Value};

/// Longest answer that is read: a line, not an essay.
const LONGEST: usize = 1000;

/// The meaning of `text` where `kind` is asked for, on a page in `language`, by a question
/// `about` something: its label, or empty if any level or quantity may be named.
pub fn read(text: &str, kind: Kind, language: &str, about: &str) -> Read {
    let plain = text::plain(&text.chars().take(LONGEST).collect::<String>());
    let tokens = tokens::tokens(&plain, kind);
    let asked = terms::Asked::new(kind, language, &tokens::tokens(&text::plain(about), Kind::Number));
    match answer::read(&terms::elements(&tokens, &asked), &asked) {
        Read::Nothing => Read::Nothing,
        _ if text.chars().nth(LONGEST).is_some() => Read::Unclear(Doubt::Long),
        read => read,
    }
}

#[cfg(test)]
mod tests;
