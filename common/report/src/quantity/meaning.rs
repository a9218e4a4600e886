//! What an answer says.

/// The meaning of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// It has no number.
    Nothing,
    /// One number.
    Value(Value),
    /// Two numbers, and the answer between them.
    Bracket(Bracket),
    /// Ambiguous numbers.
    Unclear(Doubt),
}

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// In the unit of its kind; two values if a comma or dot may separate decimals or
    /// thousands.
    pub readings: Vec<f64>,
    /// Whether it has a unit.
    pub unit: bool,
    /// Whether there are numbers of other things too: `2 ways, 8 KiB`.
    pub besides: bool,
}

/// A range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the lower end is excluded.
    pub low_open: bool,
    /// Whether the upper end is excluded.
    pub high_open: bool,
    /// Whether it has a unit.
    pub unit: bool,
}

/// Why the instructor has to read an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Several numbers that are not a bracket.
    Several,
    /// One end of a bracket.
    OneEnd,
    /// "Not" before a number.
    Negated,
    /// Only numbers of other things.
    OtherUnit,
    /// Numbers in an unknown notation.
    Notation,
    /// A fraction, or two numbers.
    Quotient,
    /// A number that must be computed from words.
    InWords,
    /// A cache level, or a quantity, that is not asked for.
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
