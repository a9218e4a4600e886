//! Bringing the rows in order: duplicates, impossible cells, open cells.

use std::collections::BTreeMap;

use super::{Cell, Found, Row, SavedError, bad_line};
use figures::stats;

/// Two figures of one cell that differ by more than this factor are not two
/// runs of one experiment.
const SAME: f64 = 1.5;

/// Misses per access below which a difference is noise, whatever its factor.
const NOISE: f64 = 0.05;

/// Largest array that is believed, in bytes.
const LARGEST: u64 = 1 << 40;

/// The cells in order, each once.
pub(super) fn merge(found: &mut Found) -> Result<Vec<Cell>, SavedError> {
    let mut places: BTreeMap<(u64, u64), Vec<&Row>> = BTreeMap::new();
    for row in &found.rows {
        let Cell { size, stride, .. } = row.cell;
        if size > LARGEST {
            let text = format!("array size {size}, stride {stride}");
            return Err(bad_line(row.line, &text, "has an array larger than 1 TiB"));
        }
        if stride > size {
            found.notes.push(format!("line {} has a stride beyond its array; it is left out", row.line));
            continue;
        }
        places.entry((size, stride)).or_default().push(row);
    }
    let mut cells = Vec::new();
    let mut repeated = 0;
    for ((size, stride), rows) in places {
        repeated += usize::from(rows.len() > 1);
        let pick = |value: fn(&Cell) -> Option<f64>, noise: f64, notes: &mut Vec<String>| {
            let values: Vec<f64> = rows.iter().filter_map(|r| value(&r.cell)).collect();
            let (low, high) = (stats::quantile(&values, 0.0)?, stats::quantile(&values, 1.0)?);
            if high > low * SAME && high - low > noise {
                notes.push(format!(
                    "array size {size}, stride {stride} is there {} times with figures from {low} to {high} \
                     (lines {} and {}); that cell is left open",
                    values.len(),
                    rows[0].line,
                    rows[rows.len() - 1].line
                ));
                return None;
            }
            stats::median(&values)
        };
        let misses = pick(|c| c.misses, NOISE, &mut found.notes);
        let nanos = pick(|c| c.nanos, 0.0, &mut found.notes);
        if misses.is_some() || nanos.is_some() {
            cells.push(Cell { size, stride, misses, nanos });
        }
    }
    if repeated > 0 {
        found.notes.push(format!("{repeated} cells are in the file more than once; their median is taken"));
    }
    if cells.is_empty() {
        return Err(SavedError::Empty);
    }
    Ok(cells)
}
