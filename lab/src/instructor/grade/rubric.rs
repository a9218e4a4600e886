//! What an answer is worth: points and expectations as data.

use std::path::Path;

use common::failure::Failure;
use common::input;
use serde::Deserialize;

use super::quantity::Kind;
use crate::instructor::tables;

/// The rubric of the guide's sheet.
pub(super) const GUIDE: &str = include_str!("rubric.toml");

/// All items, in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rubric {
    /// Says that this is a rubric, and its version.
    format: String,
    /// What is graded.
    pub(crate) title: String,
    /// What records made on another machine, or changed, do.
    #[serde(default)]
    pub(crate) records: Records,
    /// One for each answer that is worth something.
    #[serde(rename = "item")]
    pub(crate) items: Vec<Item>,
}

/// What is asked of a submission's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Records {
    /// What is wrong with them is noted.
    #[default]
    Noted,
    /// Without records of the student's own machine there are no points.
    Own,
}

/// One answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    /// The field of the report.
    pub(crate) id: String,
    /// What is asked, in a few words.
    pub(crate) label: String,
    /// What the right answer is worth.
    pub(crate) points: f64,
    /// How numbers are meant.
    #[serde(default = "number")]
    pub(crate) kind: Kind,
    /// The figure to be found: `l1.size` of the machine, `mm1.hit_rate` of the records.
    pub(crate) expect: Option<String>,
    /// Or the value itself,
    pub(crate) value: Option<f64>,
    /// or the largest and the smallest right one.
    pub(crate) range: Option<[f64; 2]>,
    /// How far off is still right: a share of the value.
    #[serde(default)]
    pub(crate) tolerance: f64,
    /// The share of the points for a bracket that holds the value, and for a right
    /// number with a wrong unit.
    #[serde(default = "half")]
    pub(crate) partial: f64,
    /// Whether somebody is to read the answer: no points are given here.
    #[serde(default)]
    pub(crate) by_hand: bool,
}

fn number() -> Kind {
    Kind::Number
}

fn half() -> f64 {
    0.5
}

impl Rubric {
    /// The rubric in `path`, or that of the guide's sheet.
    ///
    /// # Errors
    ///
    /// If it cannot be read or asks for nothing.
    pub(crate) fn read(path: Option<&Path>) -> Result<Rubric, Failure> {
        let (name, text) = match path {
            Some(path) => (input::name(path), tables::text(path)?),
            None => ("the guide's rubric".to_owned(), GUIDE.to_owned()),
        };
        Rubric::parse(&text).map_err(|why| Failure::usage(format!("{name}: {why}")))
    }

    fn parse(text: &str) -> Result<Rubric, String> {
        let rubric: Rubric = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            format!("line {line}: {}", error.message())
        })?;
        if rubric.format != "cache-lab-rubric/1" {
            return Err("its format is not \"cache-lab-rubric/1\"".to_owned());
        }
        for item in &rubric.items {
            let ways = [item.expect.is_some(), item.value.is_some(), item.range.is_some(), item.by_hand];
            if ways.iter().filter(|given| **given).count() != 1 {
                return Err(format!("'{}' needs one of expect, value, range and by_hand", item.id));
            }
            let shares = [item.tolerance, item.partial];
            if !(0.0..=1e6).contains(&item.points) || shares.iter().any(|share| !(0.0..=1.0).contains(share))
            {
                return Err(format!("'{}': points are not negative, shares go from 0 to 1", item.id));
            }
        }
        if rubric.items.is_empty() {
            return Err("it has no [[item]]".to_owned());
        }
        Ok(rubric)
    }

    /// Points that can be had without anybody reading texts.
    pub(crate) fn most(&self) -> f64 {
        self.items.iter().filter(|item| !item.by_hand).map(|item| item.points).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_rubric_is_one() {
        let rubric = Rubric::parse(GUIDE).unwrap();
        assert_eq!(rubric.most(), 20.0);
        for wrong in
            ["", "format = \"x\"\ntitle = \"\"\nitem = []", &GUIDE.replacen("expect =", "expct =", 1)]
        {
            assert!(Rubric::parse(wrong).is_err(), "{wrong}");
        }
    }
}
