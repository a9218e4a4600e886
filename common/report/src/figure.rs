//! The figures that answers are compared with, by their names in an assignment.

use std::fmt;
use std::str::FromStr;

use figures::quantity::Kind;
use figures::text::shorten;
use serde::{Deserialize, Serialize};

/// A figure that an answer is compared with. As text: `l1.size`, `mm1.hit_rate`, `mm2/mm1.clocks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Figure {
    /// Of a cache of the student's machine, by its level: `l1.size`.
    Level(u8, OfLevel),
    /// The latency of that machine's memory: `memory.ns`.
    Memory,
    /// Elements of a matrix in a line of L1: `line.elements`.
    LineElements,
    /// The bytes of a matrix: `matrix.bytes`.
    MatrixBytes,
    /// The L1 hit rate of a product: `mm1.hit_rate`.
    HitRate(MatrixProgram),
    /// What a product gains over an earlier one: `mm2/mm1.clocks`.
    Gain(MatrixProgram, MatrixProgram, OfGain),
}

/// Defines an enum of variants without data, each with its name in a figure.
macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Its name in a figure.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }
        }
    };
}

named! {
    /// What is asked about a cache.
    OfLevel {
        /// Bytes.
        Size = "size",
        /// Bytes of a line.
        Line = "line",
        /// Ways.
        Ways = "ways",
        /// Sets.
        Sets = "sets",
        /// Latency of a hit, in ns.
        HitNs = "hit_ns",
        /// What a miss adds to it, in ns, if the next level has the line.
        PenaltyNs = "penalty_ns",
    }
}

named! {
    /// A matrix product of the sheet.
    MatrixProgram {
        /// The textbook's.
        Mm1 = "mm1",
        /// With one operand transposed beforehand.
        Mm2 = "mm2",
        /// mm2 with its transposition measured too.
        Mm2Transposing = "mm2t",
        /// The blocked one.
        Mm3 = "mm3",
    }
}

named! {
    /// What one product gains over another.
    OfGain {
        /// The difference of the hit rates, in percentage points.
        HitRate = "hit_rate",
        /// Old cycles by new cycles.
        Clocks = "clocks",
        /// Old time by new time.
        Time = "time",
    }
}

impl MatrixProgram {
    /// The program that makes it.
    pub fn program(self) -> &'static str {
        if self == MatrixProgram::Mm2Transposing { "mm2" } else { self.name() }
    }
}

impl Figure {
    /// All figures.
    fn all() -> Vec<Figure> {
        let mut all = vec![Figure::Memory, Figure::LineElements, Figure::MatrixBytes];
        all.extend(
            (1..=3).flat_map(|level| OfLevel::ALL.iter().map(move |what| Figure::Level(level, *what))),
        );
        for (at, new) in MatrixProgram::ALL.iter().enumerate() {
            all.push(Figure::HitRate(*new));
            for old in &MatrixProgram::ALL[..at] {
                all.extend(OfGain::ALL.iter().map(|what| Figure::Gain(*new, *old, *what)));
            }
        }
        all
    }

    /// The kind of its values.
    pub fn kind(self) -> Kind {
        match self {
            Figure::MatrixBytes | Figure::Level(_, OfLevel::Size | OfLevel::Line) => Kind::Bytes,
            Figure::LineElements | Figure::Level(_, OfLevel::Ways | OfLevel::Sets) => Kind::Count,
            Figure::Memory | Figure::Level(_, OfLevel::HitNs | OfLevel::PenaltyNs) => Kind::Ns,
            Figure::HitRate(_) => Kind::Percent,
            Figure::Gain(.., OfGain::HitRate) => Kind::Points,
            Figure::Gain(.., OfGain::Clocks | OfGain::Time) => Kind::Number,
        }
    }

    /// Whether it is one of the student's machine, not of the student's records.
    pub fn is_of_machine(self) -> bool {
        matches!(self, Figure::Level(..) | Figure::Memory | Figure::LineElements)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Level(level, what) => write!(f, "l{level}.{}", what.name()),
            Figure::Memory => f.write_str("memory.ns"),
            Figure::LineElements => f.write_str("line.elements"),
            Figure::MatrixBytes => f.write_str("matrix.bytes"),
            Figure::HitRate(product) => write!(f, "{}.hit_rate", product.name()),
            Figure::Gain(new, old, what) => write!(f, "{}/{}.{}", new.name(), old.name(), what.name()),
        }
    }
}

impl FromStr for Figure {
    type Err = String;

    fn from_str(text: &str) -> Result<Figure, String> {
        let found = Figure::all().into_iter().find(|figure| figure.to_string() == text);
        found.ok_or_else(|| {
            let shown = shorten(text, 40);
            format!("'{shown}' is not a figure; write one such as l1.size, mm1.hit_rate or mm2/mm1.clocks")
        })
    }
}

impl TryFrom<String> for Figure {
    type Error = String;

    fn try_from(text: String) -> Result<Figure, String> {
        text.parse()
    }
}

impl From<Figure> for String {
    fn from(figure: Figure) -> String {
        figure.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_read_as_it_is_written() {
        let all = Figure::all();
        for figure in &all {
            assert_eq!(figure.to_string().parse(), Ok(*figure));
        }
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
        for wrong in ["", "l9.size", "mm1.ways", "mm1/mm2.clocks", "mm2/mm1", "L1.size"] {
            assert!(wrong.parse::<Figure>().unwrap_err().contains("is not a figure"), "{wrong}");
        }
    }
}
