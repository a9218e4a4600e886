use std::path::Path;

use figures::value::{Reading, Source};
use proptest::prelude::*;

use super::*;
use crate::record::Row;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Array size, stride, misses and nanoseconds per access.
const CELLS: [(u64, u64, f64, f64); 4] =
    [(8192, 1, 0.0625, 2.5), (8192, 2, 0.125, 2.75), (16384, 1, 1.0, 3.0), (16384, 4, 0.0, 1234.0625)];

/// The cells in a format, with a column separator and a decimal separator.
fn cm1(separator: &str, decimal: &str) -> String {
    let line = |(size, stride, misses, nanos): (u64, u64, f64, f64)| {
        let [misses, micros] = [misses, nanos / 1e3].map(|value| value.to_string().replace('.', decimal));
        ["cache_size", "stride", "avg_misses", "avg_time", "event", "source"]
            .into_iter()
            .zip([&size.to_string(), &stride.to_string(), &misses, &micros, "PAPI_L1_DCM", "model"])
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(separator)
    };
    CELLS.map(line).join("\n") + "\n"
}

fn named(separator: &str, decimal: &str) -> String {
    let header = "ns_per_access,event,size_bytes,stride_bytes,avg_misses,avg_misses_source,cycles";
    let line = |(size, stride, misses, nanos): (u64, u64, f64, f64)| {
        let [misses, nanos] = [misses, nanos].map(|value| value.to_string().replace('.', decimal));
        format!("{nanos}|PAPI_L1_DCM|{size}|{stride}|{misses}|model|").replace('|', separator)
    };
    format!("{}\n{}\n", header.replace(',', separator), CELLS.map(line).join("\n"))
}

fn spark(separator: &str, decimal: &str) -> String {
    let line = |(size, stride, _, nanos): (u64, u64, f64, f64)| {
        let seconds = nanos * 10.0 * (stride * (size / stride)) as f64 / 1e9;
        let seconds = seconds.to_string().replace('.', decimal);
        format!("{size}|{stride}|{seconds}|9|source=model|median of 3 (0.1 to 0.2)|repeats=10")
            .replace('|', separator)
    };
    format!(
        "[LOG] begun\n{}\n{}\n",
        "size|stride|elapsed(s)|cycles".replace('|', separator),
        CELLS.map(line).join("\n")
    )
}

#[test]
fn every_format_is_read_with_its_separators_and_line_ends() {
    type Format = fn(&str, &str) -> String;
    for (format, separators) in
        [(cm1 as Format, &["\t", " ", ";"][..]), (named, &[",", ";", "\t"]), (spark, &["\t", " ", ";"])]
    {
        for separator in separators {
            assert!(Saved::parse(&format(separator, ",")).is_err());
            let text = format(separator, ".");
            let saved = Saved::parse(&text).unwrap_or_else(|why| panic!("{why}:\n{text}"));
            assert_eq!((saved.cells.len(), saved.source), (4, Some(Source::Model)), "{text}");
            assert!(saved.notes.is_empty(), "{:?}", saved.notes);
            for (read, (size, stride, misses, nanos)) in saved.cells.iter().zip(CELLS) {
                let near =
                    |read: Option<f64>, right: f64| read.is_none_or(|r| (r - right).abs() <= 1e-9 * right);
                assert_eq!((read.size, read.stride), (size, stride));
                assert!(near(read.misses, misses) && near(read.nanos, nanos), "{read:?}\n{text}");
            }
            for other in [text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}")] {
                assert_eq!(Saved::parse(&other).as_ref(), Ok(&saved));
            }
            let wide: Vec<u8> =
                "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            assert_eq!(Saved::parse(&encoding::decode(&wide).unwrap()).as_ref(), Ok(&saved));
        }
    }
    let old =
        cm1("\t", ".").replace("cache_size", "CSIZE").replace("stride", "STRIDE").replace("avg_m", "avgM");
    assert_eq!(Saved::parse(&old.replace("avgMisses", "avgMISSES")).unwrap().cells.len(), 4);
}

#[test]
fn a_record_is_read_as_json_and_as_csv() {
    let mut record = Record::new("cm1", "host").set("event", "PAPI_L1_DCM");
    for (size, stride, misses, nanos) in CELLS {
        let row = Row::at([("size_bytes", size.into()), ("stride_bytes", stride.into())]);
        let row = row.with("avg_misses", Reading::new(misses, Source::Model));
        record.rows.push(row.with("ns_per_access", Reading::new(nanos, Source::Timing)));
    }
    let of = Saved::of(&record);
    assert_eq!((of.cells.len(), of.source), (4, Some(Source::Model)));
    assert_eq!(Saved::parse(&record.json()).as_ref(), Ok(&of));
    assert_eq!(Saved::parse(&record.csv()).unwrap().cells, of.cells);
}

#[test]
fn a_cut_file_is_refused_with_its_last_line() {
    let text = data("i5-7500/cm1-l1-1.out");
    let whole = Saved::parse(&text).unwrap();
    for cut in 1..60 {
        match Saved::parse(&text[..text.len() - cut]) {
            Ok(saved) => {
                assert!(saved.cells.iter().zip(&whole.cells).all(|(a, b)| a.misses == b.misses), "{cut}")
            }
            Err(why) => assert!(why.contains("line 58"), "{cut}: {why}"),
        }
    }
    assert!(Saved::parse(&text[..text.len() - 25]).unwrap_err().contains("line 58 is cut off"));
}

#[test]
fn unusable_figures_are_refused_with_their_line_and_gaps_are_read() {
    let good = "cache_size=8192\tstride=2\tavg_misses=0.5\tavg_time=0.1\n";
    for (value, why) in [
        ("nan", "is not a number"),
        ("inf", "is infinite"),
        ("-1", "is negative"),
        ("oops", "is not a number"),
        ("0.01%", "is a percentage"),
        ("1.234,5", "has a comma"),
        ("24000000000", "are impossible"),
    ] {
        let refusal =
            Saved::parse(&format!("{good}cache_size=8192\tstride=1\tavg_misses={value}\n")).unwrap_err();
        assert!(refusal.starts_with("line 2: ") && refusal.contains(why), "{refusal}");
    }
    let gap =
        format!("cache_size=8192 stride=1 avg_misses=not counted (no counters = none) source=none\n{good}");
    let gap = Saved::parse(&gap).unwrap();
    assert_eq!(gap.cells.iter().map(|cell| cell.misses).collect::<Vec<_>>(), [None, Some(0.5)]);
    let event = "cache_size=8192\tstride=1\tavg_misses=300\tevent=PAPI_TOT_CYC\n";
    assert_eq!(Saved::parse(event).unwrap().cells[0].misses, Some(300.0));
    let table = |rows: &str| Saved::parse(&format!("size\tstride\telapsed(s)\tcycles\n{rows}"));
    let some = table("4096\t1\t0.000003\t9000\n65536\t1\t0.000048\t144000\n65536\t2\t0.000000\t9\n").unwrap();
    assert!(
        some.cells.len() == 3 && some.notes[0].contains("2 rows have too few digits"),
        "{:?}",
        some.notes
    );
    assert!(table("4096\t1\t0.000001\t9000\n").unwrap_err().contains("--repeats"));
    let stride = table("40960\t16384\t1.0\t7\n").unwrap();
    assert_eq!(stride.cells[0].nanos, Some(1e9 / (100.0 * 2.0 * 16384.0)), "the last part is not accessed");
}

/// Refused texts, and words of the message: where, what was found, what is expected.
const REFUSED: [(&str, &[&str]); 21] = [
    ("", &["no row", "cm1 or spark"]),
    ("# a comment\n[LOG] begun\n", &["no row"]),
    ("After resetting counter 'PAPI_L1_DCM' [x10^6]: 0.000000\n", &["line 1 is neither"]),
    ("name = \"x\"\n[[cache]]\nlevel = 1\n", &["line 1 is neither"]),
    ("Stride (B),Array size (B),avg_misses\n1,8192,0.5\n", &["line 1", "size_bytes", "'Stride (B)"]),
    ("sep=;\nsize_bytes;stride_bytes;avg_misses\n", &["line 1 is neither", "'sep=;'"]),
    ("8192 1 0.002 2000\n", &["line 1 is neither", "header"]),
    ("size,stride,misses\n8192,64,10\n", &["line 1 has no column called avg_misses", "per access"]),
    ("size;stride;ns_per_access\n8192;64;1,234\n", &["line 2: '1,234' has a comma", "with a point"]),
    ("size,stride,avg_misses\n8192,1,0,5\n", &["line 2 has 4 entries for 3 columns"]),
    ("size,stride,avg_misses\n8192,1,\"0,5\"\n", &["line 2: '0,5' has a comma"]),
    ("size,stride,avg_misses\n8192,1,\"0.5\n8192,2,0.5\n", &["line 2 opens a quotation"]),
    ("size,stride,avg_misses\n8192,x,0.5\n", &["line 2 has 'x' as its stride", "whole number"]),
    ("size\tstride\telapsed(s)\tcycles\n8192\t1\t0.1\t2\tmore\n", &["line 2 has 5 entries for 4 columns"]),
    ("cache_size=8K stride=1 avg_misses=0.5\n", &["line 1 has '8K' as its array size"]),
    ("cache_size=8192 stride=0 avg_misses=0.5\n", &["line 1", "stride of 0"]),
    ("cache_size=8192 stride=1 avg_misses=1\nwarning: busy\n", &["line 2 is not a row of cm1"]),
    (
        "cache_size=8192 stride=1 avg_misses=1 event=A\ncache_size=8192 stride=2 avg_misses=1 event=B\n",
        &["line 2 counts B", "before it A"],
    ),
    ("[{\"size\":8192}]", &["it is not a record"]),
    ("{\"program\": \"cm1\"", &["it is not a record (EOF while parsing", "--record"]),
    (
        "{\"program\": \"mm2\\u001b[2J\", \"version\": \"\", \"settings\": {}, \"machine\": \"\", \"notes\": [], \"rows\": []}",
        &["a record of mm2\u{fffd}[2J", "no sweep"],
    ),
];

/// Rows are appended to a file by `>>`, some of them twice.
#[test]
fn of_a_cell_that_is_measured_again_the_last_row_is_used() {
    let row = |stride: u32, misses: f64| format!("cache_size=8192 stride={stride} avg_misses={misses}\n");
    let saved = Saved::parse(&(row(1, 0.5) + &row(2, 0.5) + &row(1, 0.25))).unwrap();
    assert_eq!(saved.cells.iter().map(|cell| cell.misses).collect::<Vec<_>>(), [Some(0.25), Some(0.5)]);
    assert!(saved.notes[0].contains("more than once, 1, the first 8 KiB at stride 1 B"), "{:?}", saved.notes);
}

#[test]
fn a_refusal_says_where_what_was_found_and_what_is_expected() {
    for (text, words) in REFUSED {
        let why = Saved::parse(text).expect_err(text).to_string();
        for word in words {
            assert!(why.contains(word), "{word}: {why}\n{text}");
        }
    }
    for (text, limit) in [
        ("cache_size=8589934592\tstride=1\tavg_misses=1\n".to_owned(), "4 GiB"),
        (" ".repeat(BYTES as usize + 1), "16 MiB"),
    ] {
        let refusal = Saved::parse(&text).unwrap_err().to_string();
        assert!(refusal.contains(limit) && refusal.len() < 240, "{refusal}");
    }
}

#[test]
fn of_several_sources_the_weakest_holds_and_is_reported() {
    let text = cm1("\t", ".").replacen("model", "hardware", 2);
    let saved = Saved::parse(&text).unwrap();
    assert_eq!(saved.source, Some(Source::Model));
    assert!(saved.notes[0].contains("hardware and model"), "{:?}", saved.notes);
}

/// Parts of every format, so that random texts get deep into the readers.
const PIECES: [&str; 26] = [
    "size",
    "stride",
    "elapsed(s)",
    "cycles",
    "size_bytes,stride_bytes,ns_per_access",
    "\t",
    ",",
    ";",
    " ",
    "\n",
    "\r\n",
    "\"",
    "8192",
    "64",
    "0.5",
    "-1",
    "nan",
    "1e308",
    "99999999999999999999",
    "cache_size=",
    "stride=",
    "avg_misses=",
    "source=model",
    "repeats=10",
    "{\"program\":\"cm1\",\"rows\":[",
    "é\u{1b}\u{202e}",
];

proptest! {
    #[test]
    fn no_mixture_of_formats_makes_it_panic_and_what_is_read_is_in_order(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)
    ) {
        match Saved::parse(&pieces.concat()) {
            Ok(saved) => {
                prop_assert!(saved.cells.windows(2).all(|two| (two[0].size, two[0].stride) < (two[1].size, two[1].stride)));
                prop_assert!(saved.cells.iter().all(|cell| (1..=cell.size).contains(&cell.stride)));
                prop_assert!(saved.cells.iter().all(|cell| cell.misses.or(cell.nanos).is_some_and(f64::is_finite)));
            }
            Err(refusal) => prop_assert!(refusal.to_string().chars().count() < 400, "{refusal}"),
        }
    }
}
