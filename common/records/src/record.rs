//! A program's results in a form that outlives it: rows of figures with their sources, and
//! what one must know to trust them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use figures::text::{clean, inert};
use figures::value::Reading;

use crate::note::Note;
use crate::values::checksum_of;

/// Values by name, in the order in which they were set.
pub type Fields = IndexMap<String, Json>;

/// One figure of a row; its unit is the end of its name (`ns_per_access`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name and unit.
    pub name: String,
    /// The value with its source, or the reason why there is none.
    #[serde(flatten)]
    pub reading: Reading,
}

/// One cell of a sweep, or the one result of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What identifies it among the rows, and in the same run made again: `size_bytes`,
    /// `stride_bytes`, `variant`.
    pub place: Fields,
    /// What else was set for it: `event`, `threads`.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub settings: Fields,
    /// What was computed, which is the same for the same place: `checksum`.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub results: Fields,
    /// What was measured or counted.
    pub figures: Vec<Figure>,
}

impl Row {
    /// A row without figures, at that place.
    pub fn at<const N: usize>(place: [(&str, Json); N]) -> Row {
        Row { place: place.map(|(name, value)| (name.to_owned(), value)).into(), ..Row::default() }
    }

    /// The row with one more setting.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<Json>) -> Row {
        self.settings.insert(name.to_owned(), value.into());
        self
    }

    /// The row with one more result.
    #[must_use]
    pub fn result(mut self, name: &str, value: impl Into<Json>) -> Row {
        self.results.insert(name.to_owned(), value.into());
        self
    }

    /// The row with one more figure.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, reading: impl Into<Reading>) -> Row {
        self.figures.push(Figure { name: name.into(), reading: reading.into() });
        self
    }

    /// The figure of that name.
    pub fn reading(&self, name: &str) -> Option<&Reading> {
        self.figures.iter().find(|f| f.name == name).map(|f| &f.reading)
    }

    /// The same; missing if the row has no such figure.
    pub fn figure(&self, name: &str) -> Reading {
        self.reading(name).cloned().unwrap_or_else(|| Reading::missing("not measured"))
    }

    /// The amount of the figure of that name.
    pub fn amount(&self, name: &str) -> Option<f64> {
        self.reading(name).and_then(Reading::amount)
    }

    /// What is not measured: place, settings, results.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Json)> {
        let all = self.place.iter().chain(&self.settings).chain(&self.results);
        all.map(|(name, value)| (name.as_str(), value))
    }

    /// The value of that name among those that are [given](Row::given).
    pub fn value(&self, name: &str) -> Option<&Json> {
        self.given().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The same, if it is a whole number.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(Json::as_u64)
    }

    /// The same, if it is a text; else an empty one.
    pub fn text(&self, name: &str) -> &str {
        self.value(name).and_then(Json::as_str).unwrap_or_default()
    }
}

/// A run of one program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The format and its version: see [`SCHEMA`].
    #[serde(default)]
    pub schema: String,
    /// Identifies this run; empty if it has no id.
    #[serde(default)]
    pub id: String,
    /// When it was made, UTC: `2026-02-03T14:05:06Z`; empty if the time is unknown.
    #[serde(default)]
    pub time: String,
    /// `spark`, `cm1`, `mm1` …
    pub program: String,
    /// The kit's version.
    pub version: String,
    /// The command line, without the program's name.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The settings that follow from it.
    pub settings: Fields,
    /// The machine that was measured or modelled, in one line.
    pub machine: String,
    /// The same field by field, in bytes, seconds and hertz; for a sealed machine only its
    /// name.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub machine_data: Json,
    /// The conditions of a measurement: kernel, governor, pages, load, quota of processors;
    /// empty if nothing was measured.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub environment: Fields,
    /// What may have disturbed the measurement, and which sources were replaced.
    pub notes: Vec<Note>,
    /// The results.
    pub rows: Vec<Row>,
    /// For the record of a sealed machine: checksums that show a value changed by hand.
    /// [`authentic`](crate::authentic) reads it back.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// The checksums that bind a record to a sealed machine, and show changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The checksum of the machine's file.
    pub machine: String,
    /// The checksum of every other value of the record; empty until it is written.
    pub record: String,
}

impl Seal {
    /// The seal of a record that is not written yet.
    pub fn of_machine(tag: &str) -> Seal {
        Seal { machine: tag.to_owned(), record: String::new() }
    }
}

/// `schema` of the records of this kit; `record.schema.json` describes it.
pub const SCHEMA: &str = "cache-lab-kit/record/2";

impl Record {
    /// A record without rows.
    pub fn new(program: &str, machine: impl Into<String>) -> Record {
        Record {
            schema: SCHEMA.to_owned(),
            id: String::new(),
            time: String::new(),
            program: program.to_owned(),
            version: crate::VERSION.to_owned(),
            arguments: Vec::new(),
            settings: Fields::default(),
            machine: machine.into(),
            machine_data: Json::Null,
            environment: Fields::default(),
            notes: Vec::new(),
            rows: Vec::new(),
            seal: None,
        }
    }

    /// The record with one more setting.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Json>) -> Record {
        self.settings.insert(key.to_owned(), value.into());
        self
    }

    /// The record as indented JSON, sealed if the machine is.
    pub fn json(&self) -> String {
        let Some(seal) = &self.seal else { return self.written() };
        let bare = Record { seal: Some(Seal::of_machine(&seal.machine)), ..self.clone() };
        let record = serde_json::to_value(&bare).map(checksum_of).unwrap_or_default();
        Record { seal: Some(Seal { record, ..seal.clone() }), ..bare }.written()
    }

    /// The record as it is, with the seal that it has.
    pub(crate) fn written(&self) -> String {
        // Maps with string keys and finite or null numbers can always be serialised.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The rows as comma-separated values: place, settings and results, then for each figure its amount and
    /// its source; if any was measured more than once, its smallest and largest value too.
    /// A missing figure is an empty cell, with the reason in a column of its own.
    pub fn csv(&self) -> String {
        let mut header: Vec<String> = Vec::new();
        for row in &self.rows {
            let names = row.figures.iter().flat_map(|f| {
                let columns = match (f.reading.reason(), f.reading.spread()) {
                    (Some(_), _) => &["", "_source", "_reason"][..],
                    (None, Some(_)) => &["", "_source", "_min", "_max"],
                    (None, None) => &["", "_source"],
                };
                columns.iter().map(|column| format!("{}{column}", f.name))
            });
            for name in row.given().map(|(name, _)| name.to_owned()).chain(names) {
                if !header.contains(&name) {
                    header.push(name);
                }
            }
        }
        let mut text = line(header.iter().cloned());
        for row in &self.rows {
            text += &line(header.iter().map(|column| cell(row, column)));
        }
        text
    }
}

/// A line of comma-separated values (RFC 4180).
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    Vec::from_iter(cells.map(quoted)).join(",") + "\n"
}

fn cell(row: &Row, column: &str) -> String {
    if let Some(key) = row.value(column) {
        return key.as_str().map_or_else(|| key.to_string(), |text| inert(&clean(text)));
    }
    if let Some(reading) = row.reading(column) {
        return reading.amount().map(|a| a.to_string()).unwrap_or_default();
    }
    let of = |suffix| column.strip_suffix(suffix).and_then(|name| row.reading(name));
    if let Some(reason) = of("_reason").and_then(Reading::reason) {
        return reason.to_owned();
    }
    match (of("_source"), of("_min").and_then(Reading::spread), of("_max").and_then(Reading::spread)) {
        (Some(reading), ..) => reading.source().map_or_else(String::new, |source| source.to_string()),
        (None, Some(spread), _) => spread.min.to_string(),
        (None, None, Some(spread)) => spread.max.to_string(),
        (None, None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    fn example() -> Record {
        let mut record = Record::new("cm1", "a machine").set("min", 8192);
        record.rows.push(
            Row::at([("size_bytes", 8192.into())])
                .set("event", "PAPI_L1_DCM")
                .with("misses", Reading::new(0.5, Source::Model))
                .with("cycles", Reading::missing("no counter")),
        );
        record
    }

    #[test]
    fn csv_gives_every_figure_its_source_and_leaves_gaps_empty() {
        assert_eq!(
            example().csv(),
            "size_bytes,event,misses,misses_source,cycles,cycles_source,cycles_reason\n\
             8192,PAPI_L1_DCM,0.5,model,,,no counter\n"
        );
    }

    #[test]
    fn csv_retains_the_spread_of_repeated_runs() {
        let mut record = Record::new("mm1", "a machine");
        let runs = Reading::from_runs(&[0.3, 0.1, 0.2], Source::Timing);
        record.rows.push(Row::at([("size", 512.into())]).with("wall_s", runs));
        assert_eq!(record.csv(), "size,wall_s,wall_s_source,wall_s_min,wall_s_max\n512,0.2,timing,0.1,0.3\n");
    }

    #[test]
    fn texts_in_csv_are_no_formulas_and_stay_on_one_line() {
        let mut record = Record::new("cm1", "a machine");
        for text in ["=1+1", "+a", "-1", "@a", "a\u{202e}b\nc", "a,\"b\""] {
            record.rows.push(Row::at([("event", text.into()), ("size", (-1).into())]));
        }
        let lines = "event,size\n'=1+1,-1\n'+a,-1\n-1,-1\n'@a,-1\na\u{fffd}b c,-1\n\"a,\"\"b\"\"\",-1\n";
        assert_eq!(record.csv(), lines);
    }

    #[test]
    fn a_record_survives_json() {
        let mut record = example();
        record.notes.push("busy".into());
        assert_eq!(serde_json::from_str::<Record>(&record.json()).unwrap(), record);
    }
}
