//! Sweeps as programs, spreadsheets and people of several countries write them: every
//! reader with every decimal separator and column separator, and the text of each refusal.

#![allow(clippy::unwrap_used)]

use records::saved::{Saved, SavedCell};

/// Array size, stride, misses and nanoseconds per access.
const CELLS: [(u64, u64, f64, f64); 5] = [
    (8192, 1, 0.0625, 2.5),
    (8192, 2, 0.125, 2.75),
    (16384, 1, 1.0, 3.0),
    (16384, 2, 0.015_625, 12.5),
    (16384, 4, 0.0, 1234.0625),
];

/// A number with the file's decimal separator; in quotes if the columns have the same
/// separator.
fn number(value: f64, decimal: char, separator: &str) -> String {
    let text = value.to_string().replace('.', &decimal.to_string());
    if separator.contains(decimal) && text.contains(decimal) { format!("\"{text}\"") } else { text }
}

fn table(header: &[&str], separator: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows = rows.map(|row| row.join(separator) + "\n").collect::<String>();
    header.join(separator) + "\n" + &rows
}

/// A way to write the cells, with a column separator and a decimal separator.
type Format = fn(&str, char) -> String;

fn named_columns(separator: &str, decimal: char) -> String {
    let rows = CELLS.iter().map(|(size, stride, misses, nanos)| {
        let [misses, nanos] = [*misses, *nanos].map(|value| number(value, decimal, separator));
        vec![size.to_string(), stride.to_string(), misses, nanos]
    });
    table(&["size_bytes", "stride_bytes", "avg_misses", "ns_per_access"], separator, rows)
}

fn units_in_the_header(separator: &str, decimal: char) -> String {
    let rows = CELLS.iter().map(|(size, stride, misses, nanos)| {
        let [misses, micros] = [100.0 * misses, nanos / 1e3].map(|value| number(value, decimal, separator));
        vec![stride.to_string(), micros, (size >> 10).to_string(), misses]
    });
    table(&["Stride (B)", "Time per access [µs]", "Array size (KiB)", "Miss rate (%)"], separator, rows)
}

fn sparks_table(separator: &str, decimal: char) -> String {
    let rows = CELLS.iter().map(|(size, stride, _, nanos)| {
        let accesses = 100.0 * *stride as f64 * (size / stride) as f64;
        let elapsed = number(nanos * accesses / 1e9, decimal, separator);
        vec![size.to_string(), stride.to_string(), elapsed, "9".to_owned(), "repeats=100".to_owned()]
    });
    table(&["size", "stride", "elapsed(s)", "cycles"], separator, rows)
}

fn a_column_per_size(separator: &str, decimal: char) -> String {
    let rows = [1, 2, 4].into_iter().map(|stride| {
        let cell = |size| CELLS.iter().find(|cell| (cell.0, cell.1) == (size, stride));
        let entry = |size| cell(size).map_or_else(String::new, |cell| number(cell.3, decimal, separator));
        vec![stride.to_string(), entry(8192), entry(16384)]
    });
    table(&["stride_bytes", "8k", "16k"], separator, rows)
}

fn cm1s_lines(separator: &str, decimal: char) -> String {
    let line = |(size, stride, misses, nanos): &(u64, u64, f64, f64)| {
        let [misses, micros] = [*misses, nanos / 1e3].map(|value| number(value, decimal, "\t"));
        let fields = [
            format!("cache_size={size}"),
            format!("stride={stride}"),
            format!("avg_misses={misses}"),
            format!("avg_time={micros}"),
            "event=PAPI_L1_DCM".to_owned(),
        ];
        fields.join(separator) + "\n"
    };
    CELLS.iter().map(line).collect()
}

fn text_in_json(_: &str, decimal: char) -> String {
    let row = |(size, stride, misses, nanos): &(u64, u64, f64, f64)| {
        let [misses, nanos] = [*misses, *nanos].map(|value| number(value, decimal, "\t"));
        format!(
            r#"{{"size_bytes":"{size}","stride_bytes":"{stride}","avg_misses":"{misses}","ns_per_access":"{nanos}"}}"#
        )
    };
    format!("[{}]", CELLS.iter().map(row).collect::<Vec<_>>().join(","))
}

/// Each format with its possible separators; `|` only if a line names it.
const FORMATS: [(&[&str], Format); 6] = [
    (&[",", ";", "\t", "|"], named_columns),
    (&[",", ";", "\t", "|"], units_in_the_header),
    (&["\t", " ", ";"], sparks_table),
    (&[",", ";", "\t", "|"], a_column_per_size),
    (&["\t", " ", ";", ", "], cm1s_lines),
    (&[","], text_in_json),
];

/// Checks that the reader gets what was written, with the precision of the format.
fn same(text: &str) {
    let saved = Saved::parse(text).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    assert_eq!(saved.cells.len(), CELLS.len(), "{saved:?}\n{text}");
    for (SavedCell { size, stride, misses, nanos }, cell) in saved.cells.iter().zip(CELLS) {
        assert_eq!((*size, *stride), (cell.0, cell.1), "{saved:?}\n{text}");
        let near =
            |read: Option<f64>, right: f64| read.is_none_or(|read| (read - right).abs() <= 1e-9 * right);
        assert!(near(*misses, cell.2) && near(*nanos, cell.3), "{saved:?}\n{text}");
        assert!(misses.is_some() || nanos.is_some());
    }
    assert!(saved.damage.is_empty(), "{:?}\n{text}", saved.damage);
}

#[test]
fn every_format_is_read_with_every_decimal_sign_and_separator() {
    for (separators, format) in FORMATS {
        for separator in separators {
            for decimal in ['.', ','] {
                let text = format(separator, decimal);
                if *separator != "|" {
                    same(&text);
                }
                if !text.starts_with(['c', '[']) && *separator != " " {
                    same(&format!("sep={separator}\n{text}"));
                    same(&format!("\"SEP={separator}\"\n{text}"));
                }
            }
        }
    }
}

/// Refused texts, and words of the message: where, what was found, what is expected.
const REFUSED: [(&str, &[&str]); 24] = [
    // two decimal separators
    (
        "size;stride;avg_misses\n8192;1;0,5\n8192;2;0.25\n",
        &["line 2 has '0,5'", "line 3 '0.25'", "all with a comma"],
    ),
    (
        "cache_size=8192 stride=1 avg_misses=0.5\ncache_size=8192 stride=2 avg_misses=0,25\n",
        &["line 1 has '0.5'", "line 2 '0,25'"],
    ),
    ("cache_size=8192 stride=1 avg_misses=0,5 avg_time=0.25\n", &["line 1", "'0,5'", "'0.25'"]),
    ("size,stride,avg_misses\n8192,1,\"0,5\"\n8192,2,0.25\n", &["line 2 has '0,5'", "line 3 '0.25'"]),
    ("size\tstride\telapsed(s)\tcycles\n4096\t1\t0,5\t1\n4096\t2\t0.5\t1\n", &["line 2", "line 3"]),
    (
        r#"[{"size":8192,"stride":1,"avg_misses":"0,5"},{"size":8192,"stride":2,"avg_misses":"0.5"}]"#,
        &["'0,5'", "'0.5'"],
    ),
    // separators of thousands
    ("size,stride,ns_per_access\n8192,64,\"1,234\"\n", &["line 2 has '1,234'", "1234 or 1.234"]),
    ("size;stride;ns_per_access\n8192;64;1.234,5\n", &["line 2: '1.234,5' has both a point and a comma"]),
    (
        "size,stride,ns_per_access\n\"8,192\",64,1.5\n8192,64,1.5\n",
        &["line 2 has '8,192' as its array size", "8192 or 8K"],
    ),
    // not a number
    ("cache_size=8192 stride=1 avg_misses=-nan avg_time=inf\n", &["(line 1: '-nan' is not a number"]),
    ("size,stride,avg_misses\n8192,1,#DIV/0!\n8192,2,NaN\n", &["line 2: '#DIV/0!' is not a number"]),
    ("size,stride,ns_per_access\n8192,1,inf\n", &["line 2: 'inf' is infinite"]),
    ("size,stride,ns_per_access\n8192,1,-1\n", &["line 2: '-1' is negative"]),
    // sizes
    (
        "size,stride,avg_misses\n8192,1,0.5\n8192,x,0.5\n8192,4,0.5\n",
        &["line 3 has 'x' as its stride", "'8192,x,0.5'"],
    ),
    ("cache_size=8,5 stride=1 avg_misses=0,5\n", &["line 1 has '8,5' as its array size", "8192 or 8K"]),
    ("Array size (lines),stride,avg_misses\n128,1,0.5\n", &["line 1", "'Array size (lines)'", "B, KiB, MiB"]),
    ("size,stride,time per access (cycles)\n8192,1,4\n", &["line 1", "(cycles)", "ns, us, ms, s"]),
    (
        "\n# a sweep\nsize,stride,PAPI_L1_DCM\n8192,1,5\n",
        &["line 3", "none of a figure", "avg_misses", "PAPI_L1_DCM"],
    ),
    // events
    (
        "size,stride,avg_misses,event\n8192,1,0.5,A\n8192,2,0.5,A\n8192,1,0.5,B\n",
        &["line 4 counts B", "before it A"],
    ),
    (
        r#"[{"size":8192,"stride":1,"avg_misses":1,"event":"A"},{"size":8192,"stride":2,"avg_misses":1,"event":"B"}]"#,
        &["row 2 counts B"],
    ),
    // totals
    ("size,stride,misses\n8192,64,10\n16384,64,12\n", &["'misses'", "10 in line 2", "divide", "avg_misses"]),
    ("size;stride;L1_misses\n8192;64;0\n16384;64;2000\n", &["'L1_misses'", "2000 in line 3"]),
    (
        "size,stride,avg_misses\n8192,64,24000000000\n",
        &["line 2: 24000000000 misses per access are impossible"],
    ),
    (r#"[{"size":8192,"avg_misses":1}]"#, &["row 1 has no array size and stride", "\"stride_bytes\": 64"]),
];

#[test]
fn a_refusal_says_where_what_was_found_and_what_is_expected() {
    for (text, words) in REFUSED {
        let why = match Saved::parse(text) {
            Ok(saved) => panic!("{text}: {saved:?}"),
            Err(why) => why.to_string(),
        };
        for word in words {
            assert!(why.contains(word), "{word}: {why}\n{text}");
        }
    }
}

/// Texts that look like one of those and are not.
#[test]
fn what_can_be_read_is_read() {
    for (text, misses) in [
        ("size,stride,misses\n8192,64,0.25\n16384,64,1.5\n", [0.25, 1.5]),
        ("size,stride,misses\n8192,64,0\n16384,64,1\n", [0.0, 1.0]),
        ("size,stride,avg_misses\n8192,64,5.4\n16384,64,3%\n", [5.4, 0.03]),
        (
            "size,stride,avg_misses,event\n8192,64,300,PAPI_TOT_CYC\n16384,64,4000,PAPI_TOT_CYC\n",
            [300.0, 4000.0],
        ),
        ("size,stride,avg_misses\n8192,64,\"0,5\"\n16384,64,\"1,234\"\n", [0.5, 1.234]),
        ("SIZE;Stride;Avg_Misses\n8K;64;7,5E-02\n0,015625M;64;1\n", [0.075, 1.0]),
        ("cache_size=8192,stride=64,avg_misses=0.5\ncache_size=16384,stride=64,avg_misses=1\n", [0.5, 1.0]),
        (
            "cache_size=8192; stride=64; avg_misses=50%\ncache_size=16384; stride=64; avg_misses=100%\n",
            [0.5, 1.0],
        ),
    ] {
        let saved = Saved::parse(text).unwrap_or_else(|why| panic!("{text}{why}"));
        let read: Vec<f64> = saved.cells.iter().filter_map(|cell| cell.misses).collect();
        assert_eq!(read, misses, "{text}");
    }
}
