//! The curves of cm1 and spark: modelled for any machine, timed on this one.

use cache::Modelled;
use chart::{Axis, Chart, View};
use figures::units::Bytes;
use figures::value::{Reading, Source};
use geometry::cell_order;
use machine::{Machine, MachineError};
use memory::Arena;
use records::record::{Record, Row};
use records::saved::{Saved, SavedCell};
use records::sweep::{Cell, cells, doubling};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::tab::{Tab, WORD};

/// Passes per stride, as cm1 makes them.
const REPEATS: u64 = 200;
/// Blocks of this many bytes are accessed word by word: two lines of most machines.
const BLOCK: usize = 128;
/// Milliseconds after which a part of a timed sweep is returned.
const PART: f64 = 400.0;

/// Why a request has no answer.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    /// A sentence.
    error: String,
    /// The line of a machine's description, counted from 1, and a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<(usize, String)>,
}

impl From<String> for Refusal {
    fn from(error: String) -> Refusal {
        Refusal { error, place: None }
    }
}

impl From<MachineError> for Refusal {
    fn from(why: MachineError) -> Refusal {
        let error = why.to_string();
        let place = match why {
            MachineError::Described { line, reason, .. } => Some((line, reason)),
            _ => None,
        };
        Refusal { error, place }
    }
}

/// The machine described by a text from the page.
pub(crate) fn machine(toml: &str) -> Result<Machine, Refusal> {
    Ok(Machine::parse(toml, "the description")?)
}

/// A machine as from [`machine`], unless it is sealed: the answer would reveal its sets.
pub(crate) fn open(toml: &str) -> Result<Machine, Refusal> {
    let machine = machine(toml)?;
    if machine.sealed() {
        return Err("this description is sealed: open it on the page “The mystery”".to_owned().into());
    }
    Ok(machine)
}

/// A modelled sweep, and what to draw of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Sweep {
    toml: String,
    show: Show,
    min: Bytes,
    max: Bytes,
    /// A saved sweep to draw over the curves.
    measured: Option<String>,
    /// The picture.
    #[serde(default)]
    picture: Picture,
}

/// Width and height of a picture in pixels; the chart's own without them.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Picture(Option<(f64, f64)>);

impl Picture {
    /// `chart` in this size, as SVG.
    pub(crate) fn svg(self, chart: Chart) -> Result<String, String> {
        Ok(chart.viewed(&View { size: self.0, ..View::default() })?.svg())
    }
}

/// The figure on the vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Show {
    /// Misses per access of a level: cm1.
    Misses { level: u8 },
    /// Nanoseconds per dependent access: spark.
    Time,
}

impl Sweep {
    /// The chart, and its figures.
    pub(crate) fn answer(&self) -> Result<Value, Refusal> {
        let machine = machine(&self.toml)?;
        let record = self.record(&machine)?;
        let measured = self.measured.as_deref().map(Saved::parse).transpose().map_err(|e| e.to_string())?;
        let chart = self.chart(&record);
        let chart = match measured {
            Some(saved) => self.overlaid(chart, &saved),
            None => chart,
        };
        // A sealed machine's curves are shown without the kit's reading of them.
        let answer = (!machine.sealed()).then(|| geometry::read(&Saved::of(&record)).json());
        Ok(json!({ "svg": self.picture.svg(chart)?, "record": record, "answer": answer }))
    }

    /// The record that cm1 or spark would write.
    fn record(&self, machine: &Machine) -> Result<Record, String> {
        let sizes = doubling(self.min, self.max)?;
        let cells = cells(&sizes, &[])?;
        let largest = sizes.last().map_or(0, |size| size.get());
        let arena = Arena::with_capacity(largest).map_err(|error| error.to_string())?;
        let array = arena.array::<u8>("x", largest).map_err(|error| error.to_string())?;
        let mut record = match self.show {
            Show::Misses { level } => {
                Record::new("cm1", machine.summary()).set("event", format!("PAPI_L{level}_DCM"))
            }
            Show::Time => Record::new("spark", machine.summary()),
        };
        record = record.set("repeats", REPEATS);
        for cell in cells {
            let model = Modelled::of_arrays_alone(machine, &arena, &[]).map_err(|error| error.to_string())?;
            let mut model = model.without_numbers();
            let passes = REPEATS * cell.stride as u64 + 1;
            cm1::walk(&mut model, array.part(0, cell.size), cell.stride, passes);
            let accesses = (passes * cell.accesses_per_pass()) as f64;
            let counts = model.counts();
            let row = row(cell);
            record.rows.push(match self.show {
                Show::Misses { level } => {
                    let level = counts.level(level).ok_or_else(|| {
                        format!("{} has no level {level}: choose another level", machine.name)
                    })?;
                    row.with("avg_misses", modelled(level.misses.total() as f64 / accesses))
                }
                Show::Time => row.with("ns_per_access", modelled(counts.time(machine)?.average_load.nanos())),
            });
        }
        Ok(record)
    }

    fn chart(&self, record: &Record) -> Chart {
        let (name, title, axis) = match self.show {
            Show::Misses { level } => {
                let title = format!("Misses of level {level} per access, by array size and stride");
                ("avg_misses", title, Axis::share("misses per access"))
            }
            Show::Time => {
                let title = "Time of a dependent access, by array size and stride".to_owned();
                ("ns_per_access", title, Axis::linear("ns per access"))
            }
        };
        let rows = record.rows.iter().filter_map(|row| {
            Some((row.whole("size_bytes")?, row.whole("stride_bytes")?, row.reading(name).cloned()))
        });
        chart::sweep(&title, axis, rows).caption(format!("{}; source: model", record.machine))
    }

    /// The curves of `chart` as lines, with the values of `saved` for the same arrays as hollow
    /// points.
    fn overlaid(&self, mut chart: Chart, saved: &Saved) -> Chart {
        let (mut measured, mut disturbed) = (0, 0);
        for series in &mut chart.series {
            let amount = |cell: &SavedCell| match self.show {
                Show::Misses { .. } => cell.misses,
                Show::Time => cell.nanos,
            };
            let own = saved.cells.iter().filter(|cell| Bytes(cell.size).to_string() == series.name);
            let cells: Vec<(f64, f64)> =
                own.filter_map(|cell| Some((cell.stride as f64, amount(cell)?))).collect();
            let spikes = geometry::spikes(&Vec::from_iter(cells.iter().map(|cell| cell.1)));
            (measured, disturbed) = (measured + cells.len() - spikes.len(), disturbed + spikes.len());
            series.is_line = true;
            series.hollow = (0..cells.len()).filter(|at| !spikes.contains(at)).map(|at| cells[at]).collect();
        }
        chart.caption += if measured > 0 {
            "; hollow points: measured"
        } else {
            "; the measured sweep has no such values of these arrays"
        };
        if disturbed > 0 {
            chart.caption += &format!(
                "; {disturbed} more were far above both adjacent points: other programs disturbed them"
            );
        }
        chart
    }
}

/// Size and stride of the cells whose times are far above both adjacent ones: other programs disturbed them.
pub(crate) fn disturbed(saved: &Saved) -> Vec<(u64, u64)> {
    let times = |size| Vec::from_iter(saved.row(size).filter_map(|cell| Some((cell.stride, cell.nanos?))));
    let of = |size| {
        let row = times(size);
        let spikes = geometry::spikes(&Vec::from_iter(row.iter().map(|cell| cell.1)));
        Vec::from_iter(spikes.into_iter().map(|at| (size, row[at].0)))
    };
    saved.sizes().into_iter().flat_map(of).collect()
}

/// A chart of a saved sweep's times for arrays of `sizes`, with gaps at disturbed cells.
pub(crate) fn timed(saved: &Saved, sizes: &[u64]) -> Chart {
    let disturbed = disturbed(saved);
    let cells = saved.cells.iter().filter(|cell| sizes.contains(&cell.size));
    let timed = |nanos| Reading::new(nanos, Source::Timing);
    let rows = cells.map(|cell| {
        let nanos = cell.nanos.filter(|_| !disturbed.contains(&(cell.size, cell.stride)));
        (cell.size, cell.stride, nanos.map(timed))
    });
    let title = "Time of a dependent access on this computer, by array size and stride";
    chart::sweep(title, Axis::linear("ns per access"), rows).caption("source: timing, in a browser tab")
}

/// The end of a level on the curve: its size, or its possible sizes.
#[derive(Debug, Deserialize)]
pub(crate) struct Place {
    low: f64,
    high: f64,
    label: String,
}

/// The curve that shows the caches: cost of an access against size of the working set.
pub(crate) fn curve(
    points: Vec<(f64, f64)>,
    found: &[Place],
    caption: String,
    picture: Picture,
) -> Result<Value, String> {
    let title = "Time of an access, by size of the working set";
    let chart = Chart::new(title, Axis::bytes("working set"), Axis::log("ns per access"))
        .curve(String::new(), points)
        .caption(caption);
    let mark = |chart: Chart, place: &Place| chart.mark(place.low, place.high, place.label.as_str());
    Ok(picture.svg(found.iter().fold(chart, mark))?.into())
}

/// Times the cells `wanted` of the sweep over `sizes`, for part of a second; returns the rows of those that were
/// timed, the record without rows, and how many cells there are.
pub(crate) fn time(tab: &mut Tab, sizes: &[Bytes], wanted: &[usize]) -> Result<Value, String> {
    let cells: Vec<Cell> = cells(sizes, &[])
        .map_err(|error| error.to_string())?
        .into_iter()
        .filter(|cell| cell.stride >= WORD && cell.size >= 2 * cell.stride)
        .collect();
    let began = tab.now();
    let mut rows = Vec::new();
    for &cell in wanted.iter().filter_map(|at| cells.get(*at)) {
        let order: Vec<u64> =
            cell_order(cell.size, cell.stride, BLOCK, WORD).into_iter().map(|offset| offset as u64).collect();
        let nanos = tab.time(&order);
        rows.push(row(cell).with("ns_per_access", Reading::new(nanos, Source::Timing)));
        if tab.now() - began > PART {
            break;
        }
    }
    Ok(json!({ "rows": rows, "cells": cells.len(), "record": header(tab) }))
}

/// The record without its rows, with a note on what a browser does not report.
fn header(tab: &Tab) -> Record {
    let mut record = Record::new("spark", "this computer, from a browser tab").set("counters", "timing");
    let notes = [
        format!(
            "timed with performance.now(), which moves in steps of {:.3} ms, over batches of {:.1} ms",
            tab.step, tab.batch
        ),
        format!(
            "each access depends on the last; blocks of {BLOCK} bytes are visited in random order, and so are the \
             words of a block; strides below {WORD} bytes are not timed"
        ),
        "a browser hides the processor's name and its pages, and cannot stay on one processor: unpinned"
            .to_owned(),
    ];
    record.notes.extend(notes.map(Into::into));
    record
}

fn row(cell: Cell) -> Row {
    Row::at([("size_bytes", cell.size.into()), ("stride_bytes", cell.stride.into())])
}

fn modelled(amount: f64) -> Reading {
    Reading::new(amount, Source::Model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::catalogue;

    /// Two times that other programs disturbed do not flatten a chart: it has gaps there.
    #[test]
    fn a_disturbed_time_is_named_and_not_drawn() {
        let row = |cell: Cell| {
            let nanos = match (cell.size >> 10, cell.stride) {
                (8, 512) => 42.0,
                (128, 32) => 80.0,
                (size, _) => {
                    if size > 48 {
                        4.5
                    } else {
                        1.4
                    }
                }
            };
            super::row(cell).with("ns_per_access", Reading::new(nanos, Source::Timing))
        };
        let cells = cells(&[8, 16, 128].map(Bytes::kib), &[]).unwrap();
        let mut record = Record::new("spark", "this computer").set("counters", "timing");
        record.rows = cells.into_iter().map(row).collect();
        let saved = Saved::of(&record);
        assert_eq!(disturbed(&saved), [(8 << 10, 512), (128 << 10, 32)]);
        let chart = timed(&saved, &[8 << 10, 16 << 10, 128 << 10]);
        let drawn =
            Vec::from_iter(chart.series.iter().flat_map(|series| &series.points).map(|point| point.1));
        assert_eq!(drawn.iter().filter(|nanos| nanos.is_nan()).count(), 2);
        assert!(drawn.iter().all(|nanos| nanos.is_nan() || *nanos < 5.0), "{drawn:?}");
    }

    #[test]
    fn measured_points_are_at_the_curve_of_their_array_and_disturbed_ones_are_counted() {
        let toml = catalogue()[0].text.to_owned();
        let mut sweep = Sweep {
            toml,
            show: Show::Time,
            min: Bytes::kib(8),
            max: Bytes::kib(16),
            measured: None,
            picture: Picture(None),
        };
        let record = sweep.answer().unwrap()["record"].clone();
        let mut disturbed = record.clone();
        disturbed["rows"][5]["figures"][0]["amount"] = json!(700.0);
        let chart = sweep.chart(&sweep.record(&machine(&sweep.toml).unwrap()).unwrap());
        for (record, wrong) in [(&record, 0), (&disturbed, 1)] {
            let laid = sweep.overlaid(chart.clone(), &Saved::parse(&record.to_string()).unwrap());
            let [(modelled, measured), (_, other)] =
                [0, 1].map(|at| (&laid.series[at].points, &laid.series[at].hollow));
            assert_eq!((measured.len() + wrong, other), (modelled.len(), &laid.series[1].points));
            assert!(measured.iter().all(|point| modelled.contains(point)));
            assert_eq!(laid.caption.contains("1 more were far above"), wrong > 0);
        }
        (sweep.show, sweep.measured) = (Show::Misses { level: 1 }, Some(record.to_string()));
        let svg = sweep.answer().unwrap()["svg"].to_string();
        assert!(svg.contains("the measured sweep has no such values of these arrays"), "{svg}");
    }
}
