//! The sentences of an argument.

/// A sentence, and what would help. How to do that is for the program to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// What would help, if anything would.
    pub hint: Option<Hint>,
}

/// What would give data that decide more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Count misses, or measure them by time.
    OtherEvent,
    /// Time accesses that wait for each other.
    TimeDependent,
    /// Repeat the sweep more often.
    MoreRuns,
    /// Sweep larger arrays.
    LargerArrays,
    /// Sweep smaller arrays.
    SmallerArrays,
    /// Sweep sizes between too.
    SizesBetween,
    /// Measure the cells of [`Geometry::decide`](super::answer::Geometry::decide) too.
    Cells,
    /// Nothing in a sweep: a level may hold no lines of the level above.
    Exclusive,
    /// Measure in larger pages: these data depend on where small pages are in physical memory.
    OtherPages,
}

impl Sentence {
    /// A sentence with what would help.
    pub(crate) fn with(text: impl Into<String>, hint: Hint) -> Sentence {
        Sentence { text: text.into(), hint: Some(hint) }
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Sentence {
        Sentence { text, hint: None }
    }
}
