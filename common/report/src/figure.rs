//! The figures that answers are compared with, by their names in an assignment.

use std::fmt;
use std::str::FromStr;

use figures::quantity::Kind;
use figures::text::shorten;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answers::name;

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

/// What is asked about a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfLevel {
    /// Bytes.
    Size,
    /// Bytes of a line.
    Line,
    /// Ways.
    Ways,
    /// Sets.
    Sets,
    /// Latency of a hit, in ns.
    HitNs,
    /// What a miss adds to it, in ns, if the next level has the line.
    PenaltyNs,
}

/// A matrix product of the sheet. Each is compared with those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixProgram {
    /// The textbook's.
    Mm1,
    /// With one operand transposed beforehand.
    Mm2,
    /// mm2 with its transposition measured too.
    #[serde(rename = "mm2t")]
    Mm2Transposing,
    /// The blocked one.
    Mm3,
}

/// What one product gains over another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfGain {
    /// The difference of the hit rates, in percentage points.
    HitRate,
    /// Old cycles by new cycles.
    Clocks,
    /// Old time by new time.
    Time,
}

impl MatrixProgram {
    /// All of them.
    pub const ALL: [MatrixProgram; 4] =
        [MatrixProgram::Mm1, MatrixProgram::Mm2, MatrixProgram::Mm2Transposing, MatrixProgram::Mm3];

    /// The program that makes it.
    pub fn program(self) -> &'static str {
        match self {
            MatrixProgram::Mm1 => "mm1",
            MatrixProgram::Mm2 | MatrixProgram::Mm2Transposing => "mm2",
            MatrixProgram::Mm3 => "mm3",
        }
    }
}

impl Figure {
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
            Figure::Level(level, what) => write!(f, "l{level}.{}", name(what)),
            Figure::Memory => f.write_str("memory.ns"),
            Figure::LineElements => f.write_str("line.elements"),
            Figure::MatrixBytes => f.write_str("matrix.bytes"),
            Figure::HitRate(product) => write!(f, "{}.hit_rate", name(product)),
            Figure::Gain(new, old, what) => write!(f, "{}/{}.{}", name(new), name(old), name(what)),
        }
    }
}

/// The variant that is called so in JSON.
fn called<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

impl FromStr for Figure {
    type Err = String;

    fn from_str(text: &str) -> Result<Figure, String> {
        let read = || {
            let (of, what) = text.split_once('.')?;
            Some(match (of.split_once('/'), of, what) {
                (Some((new, old)), ..) => Figure::Gain(called(new)?, called(old)?, called(what)?),
                (_, "memory", "ns") => Figure::Memory,
                (_, "line", "elements") => Figure::LineElements,
                (_, "matrix", "bytes") => Figure::MatrixBytes,
                (_, _, "hit_rate") => Figure::HitRate(called(of)?),
                _ => Figure::Level(of.strip_prefix('l')?.parse().ok()?, called(what)?),
            })
        };
        let is_there = |figure: &Figure| match figure {
            Figure::Level(level, _) => (1..=3).contains(level),
            Figure::Gain(new, old, _) => old < new,
            _ => true,
        };
        read().filter(is_there).ok_or_else(|| {
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
        let written = "l1.size l2.line l3.ways l1.sets l1.hit_ns l2.penalty_ns memory.ns line.elements matrix.bytes \
                       mm1.hit_rate mm2t.hit_rate mm2/mm1.clocks mm3/mm2t.time mm3/mm1.hit_rate";
        let read = written.split_whitespace().map(|text| text.parse::<Figure>().unwrap().to_string());
        assert_eq!(Vec::from_iter(read).join(" "), written);
        for wrong in ["", "l9.size", "mm1.ways", "mm1/mm2.clocks", "mm2/mm1", "L1.size"] {
            assert!(wrong.parse::<Figure>().unwrap_err().contains("is not a figure"), "{wrong}");
        }
    }
}
