//! Recognises the columns of a table by their names: `size_bytes`, `Array size (KiB)`,
//! `Time [ns]`.

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Column {
    Size,
    Stride,
    Misses,
    /// Misses per access or per cell: the name does not say which.
    Count,
    /// Time per access, in nanoseconds.
    Nanos,
    /// Seconds for the whole cell: `repeats` * stride passes over the array.
    Elapsed,
    Event,
    /// Source of the row's figures.
    Source,
    MissesSource,
    TimeSource,
    /// Nanoseconds per access at this array size.
    NanosAt(u64),
    Other,
}

/// A column, and the factor for its entries; `None` if its unit is not known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    pub(super) column: Column,
    pub(super) scale: Option<f64>,
}

/// Names of columns, in letters only and without the unit, and the factor for entries
/// without a unit; names without a factor need a unit.
const NAMES: [(Column, Option<f64>, &[&str]); 11] = [
    (
        Column::Size,
        Some(1.0),
        &["size", "cachesize", "arraysize", "array", "csize", "workingset", "workingsetsize"],
    ),
    (Column::Stride, Some(1.0), &["stride", "step"]),
    (
        Column::Misses,
        Some(1.0),
        &["avgmisses", "averagemisses", "missesperaccess", "misses/access", "missrate", "missratio"],
    ),
    (Column::Count, Some(1.0), &["misses", "totalmisses", "cachemisses", "l1misses", "l2misses", "l3misses"]),
    // cm1 prints microseconds
    (Column::Nanos, Some(1e3), &["avgtime", "averagetime"]),
    (
        Column::Nanos,
        None,
        &["", "time", "timeperaccess", "time/access", "accesstime", "latency", "peraccess"],
    ),
    (Column::Elapsed, Some(1.0), &["elapsed", "elapsedtime", "totaltime", "seconds"]),
    (Column::Event, Some(1.0), &["event"]),
    (Column::Source, Some(1.0), &["source"]),
    (Column::MissesSource, Some(1.0), &["avgmissessource", "missessource"]),
    (Column::TimeSource, Some(1.0), &["nsperaccesssource", "avgtimeussource"]),
];

/// Units in a name's last word or in brackets: sizes in bytes, misses in misses per access,
/// times in seconds.
const SIZES: [(&str, f64); 11] = [
    ("b", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("k", 1024.0),
    ("kb", 1024.0),
    ("kib", 1024.0),
    ("m", 1_048_576.0),
    ("mb", 1_048_576.0),
    ("mib", 1_048_576.0),
    ("gb", 1_073_741_824.0),
    ("gib", 1_073_741_824.0),
];
const SHARES: [(&str, f64); 3] = [("%", 0.01), ("percent", 0.01), ("peraccess", 1.0)];
/// In nanoseconds, so that factors are exact: a record and its CSV then have equal numbers.
const TIMES: [(&str, f64); 10] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("sec", 1e9),
    ("seconds", 1e9),
    ("nanoseconds", 1.0),
    ("microseconds", 1e3),
];

/// The column called `name`.
pub(super) fn head(name: &str) -> Head {
    let name = name.trim().to_lowercase();
    let (outside, bracketed) =
        match name.strip_suffix([')', ']']).and_then(|name| name.rsplit_once(['(', '['])) {
            Some((outside, unit)) => (outside, Some(unit.trim().replace(' ', ""))),
            None => (name.as_str(), None),
        };
    let words: Vec<&str> = outside.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect();
    if let Some(unit) = bracketed {
        return called(&words.concat()).map_or(OTHER, |(column, _)| with_unit(column, &unit));
    }
    if let Some((column, scale @ Some(_))) = called(&words.concat()) {
        return Head { column, scale };
    }
    // `ns_per_access` and `us_per_access`; `size_kib`
    let (first, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let (last, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (*last, before));
    for (base, unit) in [(rest.concat(), first), (before.concat(), last)] {
        if let Some((column, _)) = called(&base)
            && let head @ Head { scale: Some(_), .. } = with_unit(column, unit)
        {
            return head;
        }
    }
    OTHER
}

const OTHER: Head = Head { column: Column::Other, scale: Some(1.0) };

fn called(base: &str) -> Option<(Column, Option<f64>)> {
    let found = NAMES.iter().find(|(_, _, names)| names.contains(&base));
    found.map(|(column, scale, _)| (*column, *scale))
}

fn with_unit(column: Column, unit: &str) -> Head {
    // The units, and the column's unit expressed in the same.
    let (units, own): (&[(&str, f64)], f64) = match column {
        Column::Size | Column::Stride => (&SIZES, 1.0),
        Column::Misses => (&SHARES, 1.0),
        Column::Nanos => (&TIMES, 1.0),
        Column::Elapsed => (&TIMES, 1e9),
        // a rate, despite its name
        Column::Count if SHARES.iter().any(|(known, _)| *known == unit) => {
            return with_unit(Column::Misses, unit);
        }
        _ => return OTHER,
    };
    let scale = units.iter().find(|(known, _)| *known == unit).map(|(_, scale)| scale / own);
    Head { column, scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_known_by_name_and_unit() {
        for (name, column, scale) in [
            ("size_bytes", Column::Size, 1.0),
            ("Array size (B)", Column::Size, 1.0),
            ("array_size [KiB]", Column::Size, 1024.0),
            ("size_kib", Column::Size, 1024.0),
            ("Stride (bytes)", Column::Stride, 1.0),
            ("stride", Column::Stride, 1.0),
            ("avg_misses", Column::Misses, 1.0),
            ("Miss rate (%)", Column::Misses, 0.01),
            ("Misses per access", Column::Misses, 1.0),
            ("misses (%)", Column::Misses, 0.01),
            ("misses", Column::Count, 1.0),
            ("L1_misses", Column::Count, 1.0),
            ("ns_per_access", Column::Nanos, 1.0),
            ("us_per_access", Column::Nanos, 1e3),
            ("ns", Column::Nanos, 1.0),
            ("avg_time", Column::Nanos, 1e3),
            ("avg_time_us", Column::Nanos, 1e3),
            ("avg_time (ns)", Column::Nanos, 1.0),
            ("Time per access [µs]", Column::Nanos, 1e3),
            ("time_ns", Column::Nanos, 1.0),
            ("elapsed(s)", Column::Elapsed, 1.0),
            ("elapsed_ms", Column::Elapsed, 1e-3),
            ("elapsed_seconds", Column::Elapsed, 1.0),
            ("avg_misses_source", Column::MissesSource, 1.0),
            ("ns_per_access_source", Column::TimeSource, 1.0),
            ("time", Column::Other, 1.0),
            ("cycles", Column::Other, 1.0),
            ("PAPI_L1_DCM", Column::Other, 1.0),
        ] {
            let found = head(name);
            let exact = found.scale == Some(scale);
            assert!(found.column == column && exact, "{name}: {found:?}");
        }
        for name in ["Array size (lines)", "stride [elements]", "time per access (cycles)"] {
            assert_eq!(head(name).scale, None, "{name}");
        }
    }
}
