//! What an answer says.

/// What an answer says.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// There is no number in it.
    Nothing,
    /// One number.
    Value(Value),
    /// Two numbers, and the answer between them.
    Bracket(Bracket),
    /// Numbers that can be taken in several ways.
    Unclear(Doubt),
}

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// In the unit of its kind; two, where a comma or dot may be before decimals or
    /// before thousands.
    pub readings: Vec<f64>,
    /// Whether it has a unit.
    pub unit: bool,
    /// Whether numbers of other things are next to it: `2 ways, 8 KiB`.
    pub besides: bool,
}

/// A range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the lower end is outside.
    pub low_open: bool,
    /// Whether the upper end is outside.
    pub high_open: bool,
    /// Whether it has a unit.
    pub unit: bool,
}

/// Why somebody has to read an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Several numbers that are no bracket.
    Several,
    /// One end of a bracket.
    OneEnd,
    /// "Not" before a number.
    Negated,
    /// Only numbers of something else.
    OtherUnit,
    /// Numbers in no known notation.
    Notation,
    /// A fraction, or two numbers.
    Quotient,
    /// A number that has to be worked out from words.
    InWords,
    /// A level of caches, or a quantity, that is not asked for.
    Elsewhere,
    /// Words or signs that the grammar does not know.
    Unknown,
    /// Too long to be one number.
    Long,
}

impl Doubt {
    /// The reason in words: a clause.
    pub fn reason(self) -> &'static str {
        match self {
            Doubt::Several => "it has several numbers and no range",
            Doubt::OneEnd => "it gives one end of a range",
            Doubt::Negated => "it says what the number is not",
            Doubt::OtherUnit => "its numbers have another unit than the one that is asked for",
            Doubt::Notation => "its number can be read in more than one way",
            Doubt::Quotient => "it may be a fraction or two numbers",
            Doubt::InWords => "it gives in words what must be a number",
            Doubt::Elsewhere => "it names a level or a quantity that is not asked for",
            Doubt::Unknown => "it has words or signs that the program does not know",
            Doubt::Long => "it is too long to be one number",
        }
    }
}
