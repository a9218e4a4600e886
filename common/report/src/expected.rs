//! The figures that answers are compared with: their names in an assignment, and their right values.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use figures::quantity::Kind;
use figures::text::shorten;
use figures::value::Reading;
use records::record::Record;
use serde::{Deserialize, Serialize};

use crate::checked::{Check, Slip};
use crate::product::{Gain, Product};

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

/// The checks of the figures that are known. One without a check cannot be shown by the records: their times
/// are modelled ones of the memory alone.
pub type Expected = BTreeMap<Figure, Option<Check>>;

/// What the records of the products show; a figure that was not measured is missing.
pub fn expected<'r>(record: impl Fn(MatrixProgram) -> Option<&'r Record>) -> Expected {
    let product = |program: &MatrixProgram| Some((*program, Product::of(program.name(), record(*program)?)));
    let products: Vec<_> = MatrixProgram::ALL.iter().filter_map(product).collect();
    of_products(&Vec::from_iter(products.iter().map(|(program, product)| (*program, product))))
}

pub(crate) fn of_products(products: &[(MatrixProgram, &Product)]) -> Expected {
    let percent = |rate: &Reading| rate.amount().map(|rate| 100.0 * rate);
    let mut all = Expected::new();
    for (at, (program, product)) in products.iter().enumerate() {
        if let Some(rate) = percent(&product.hit_rate) {
            let check = Check::hit_rate(rate).or(percent(&product.of_loads), Slip::LoadsOnly);
            all.insert(Figure::HitRate(*program), Some(check));
        }
        if let Some(size) = product.size {
            let bytes = 2.0 * (size as f64).powi(2);
            all.insert(Figure::MatrixBytes, Some(Check::of(Kind::Bytes, bytes, 0.0)));
        }
        for (older, old) in &products[..at] {
            let figure = |what| Figure::Gain(*program, *older, what);
            if let Some((new, old)) = percent(&product.hit_rate).zip(percent(&old.hit_rate)) {
                all.insert(figure(OfGain::HitRate), Some(Check::difference(new, old)));
            }
            let gain = Gain::of(product, old);
            let is_modelled = product.is_modelled() || old.is_modelled();
            for (what, gain) in [(OfGain::Clocks, gain.clocks), (OfGain::Time, gain.time)] {
                let check = gain.amount().filter(|_| !is_modelled).map(Check::gain);
                if is_modelled || check.is_some() {
                    all.insert(figure(what), check);
                }
            }
        }
    }
    all
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
