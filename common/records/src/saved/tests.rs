use std::path::Path;

use figures::value::Source;
use proptest::prelude::*;

use super::*;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn one(size: u64, stride: u64, misses: f64, micros: f64) -> SavedCell {
    SavedCell { size, stride, misses: Some(misses), nanos: Some(micros * 1e3) }
}

#[test]
fn three_generations_of_cm1_are_read_in_the_same_way() {
    let old = "CSIZE=8192 \tSTRIDE=1 \tavgMISSES=0.5 \tavgTIME=0.25\n";
    let new = "cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.25\n";
    let ours = "cache_size=8192\tstride=1\tavg_misses=0.5\tavg_time=0.25\tavg_cycles=3.1\tevent=PAPI_L1_DCM\tsource=timing\n";
    for text in [old, new, ours] {
        assert_eq!(Saved::parse(text).unwrap().cells, [one(8192, 1, 0.5, 0.25)], "{text}");
    }
    let ours = Saved::parse(ours).unwrap();
    assert_eq!((ours.event.as_deref(), ours.source), (Some("PAPI_L1_DCM"), Some(Source::Timing)));
}

#[test]
fn recorded_files_are_read_whole() {
    for (name, cells) in [("cm1-l1-1.out", 58), ("cm1-l2-2.out", 153), ("spark-1.out", 187)] {
        let saved = Saved::parse(&data(&format!("i5-7500/{name}"))).unwrap();
        assert_eq!(saved.cells.len(), cells, "{name}");
    }
    let spark = Saved::parse(&data("i5-7500/spark-1.out")).unwrap();
    let first = spark.cells[0];
    assert!((first.nanos.unwrap() - 0.002792e9 / 409600.0).abs() < 1e-9, "{first:?}");
}

#[test]
fn times_of_few_digits_are_reported_and_those_rounded_away_left_out() {
    let table = |rows: &str| Saved::parse(&format!("size\tstride\telapsed(s)\tcycles\n{rows}"));
    let some = table("4096\t1\t0.000003\t9000\n65536\t1\t0.000048\t144000\n65536\t2\t0.000000\t9\n").unwrap();
    assert_eq!(some.cells.len(), 2);
    assert!(some.damage.is_empty() && some.notes.iter().any(|n| n.contains("2 rows have too few digits")));
    let none = table("4096\t1\t0.000001\t9000\n").unwrap_err().to_string();
    assert!(none.contains("--repeats") && none.contains("csv"), "{none}");
    assert_eq!(table("4096\t1\t3e-7\t9000\n4096\t2\t3\t9\n").unwrap().cells.len(), 2);
}

#[test]
fn a_wide_table_has_a_column_per_size() {
    let saved = Saved::parse(&data("sparcstation_fig1.csv")).unwrap();
    assert_eq!(saved.sizes().len(), 11);
    let cell = saved.row(128 << 10).find(|c| c.stride == 16).unwrap();
    assert_eq!((cell.nanos, cell.misses), (Some(960.0), None));
    assert!(saved.row(4 << 10).all(|c| c.stride <= 2048), "empty cells are no cells");
}

#[test]
fn named_columns_may_be_in_any_order() {
    let csv = "stride_bytes,size_bytes,ns_per_access\n1,8192,2.5\n2,8192,\n4,8192,nan\n";
    let saved = Saved::parse(csv).unwrap();
    assert_eq!(saved.cells, [SavedCell { size: 8192, stride: 1, misses: None, nanos: Some(2.5) }]);
    assert_eq!(saved.notes.len(), 1, "{:?}", saved.notes);
}

#[test]
fn json_rows_are_read() {
    let json = r#"{"program":"cm1","rows":[
        {"cache_size":8192,"stride":1,"avg_misses":{"amount":0.5,"source":"model"},"avg_time":0.25},
        {"cache_size":8192,"stride":2,"avg_misses":{"reason":"not counted"}}]}"#;
    let saved = Saved::parse(json).unwrap();
    assert_eq!(saved.cells, [one(8192, 1, 0.5, 0.25)]);
    assert_eq!(saved.source, Some(Source::Model));
}

#[test]
fn a_cut_file_loses_its_last_line_and_says_so() {
    let text = data("i5-7500/cm1-l1-1.out");
    let whole = Saved::parse(&text).unwrap();
    for cut in 1..60 {
        let saved = Saved::parse(&text[..text.len() - cut]).unwrap();
        let same = saved.cells.iter().zip(&whole.cells).all(|(a, b)| a.misses == b.misses);
        assert!(same, "{cut}: {:?}", saved.cells.last());
    }
    let cut = Saved::parse(&text[..text.len() - 25]).unwrap();
    assert_eq!(cut.cells.len(), 57);
    assert!(cut.notes[0].contains("cut off"), "{:?}", cut.notes);
}

#[test]
fn damage_is_noted_or_refused_with_the_line() {
    let row = |m: &str| format!("cache_size=8192\tstride=1\tavg_misses={m}\tavg_time=0.1\n");
    let good = "cache_size=8192\tstride=2\tavg_misses=0.5\tavg_time=0.1\n";
    let notes = |text: String| Saved::parse(&text).unwrap().notes;
    for value in ["nan", "inf", "-1", "", "oops"] {
        assert!(notes(row(value) + good)[0].contains("line 1"), "{value}");
    }
    assert!(notes(row("0.5") + &row("0.5"))[0].contains("more than once"));
    assert!(notes(row("0.5") + &row("25") + good).iter().any(|n| n.contains("lines 1 and 2")));
    assert!(notes("a heading\n".to_owned() + good)[0].contains("line 1"));
    let cut = Saved::parse("size,stride,avg_misses\n8192,1,0.5\n8192,2\n8192,4,0.5\n").unwrap();
    assert!(cut.damage.len() == 1 && cut.damage[0].contains("line 3"), "{cut:?}");
    let zero = good.to_owned() + "cache_size=0\tstride=1\tavg_misses=1\n" + good;
    assert!(Saved::parse(&zero).unwrap_err().to_string().contains("line 2"));
    let huge = format!("cache_size=99999999999999\tstride=1\tavg_misses=1\n{good}");
    assert!(Saved::parse(&huge).unwrap_err().to_string().contains("line 1"));
    for text in ["", "\n\n", "hello\n", "{}", "[]", "[1]", "{\"rows\":[{}]}", "{\"rows\":"] {
        assert!(Saved::parse(text).is_err(), "{text}");
    }
}

#[test]
fn the_fields_behind_sparks_columns_are_read_and_strange_ones_refused() {
    let table = |behind: &str| format!("size\tstride\telapsed(s)\tcycles\n8192\t64\t0.0016384\t7{behind}\n");
    let read = |behind: &str| Saved::parse(&table(behind));
    for (behind, nanos, source) in [
        ("", 2.0, None),
        ("\tsource=timing", 2.0, Some(Source::Timing)),
        ("\tsource=model\tmedian of 3 (0.001 to 0.002)", 2.0, Some(Source::Model)),
        ("\tsource=timing\trepeats=10", 20.0, Some(Source::Timing)),
        ("\tsource=timing\tmedian of 3 (0.001 to 0.002)\trepeats=1000", 0.2, Some(Source::Timing)),
    ] {
        for text in [table(behind), table(behind).replace('\t', " ")] {
            let saved = Saved::parse(&text).unwrap();
            assert!((saved.cells[0].nanos.unwrap() / nanos - 1.0).abs() < 1e-9, "{text}: {saved:?}");
            assert_eq!(saved.source, source, "{text}");
            assert_eq!(saved.notes.is_empty(), text.contains("repeats="), "{saved:?}");
        }
    }
    for behind in ["\t9", "\tsource=timing\tmore", "\trepeats=0", "\trepeats=many"] {
        assert!(read(behind).unwrap_err().to_string().contains("for 4 columns"), "{behind}");
    }
}

#[test]
fn a_stride_that_does_not_divide_the_array_makes_fewer_accesses() {
    let text = "size\tstride\telapsed(s)\tcycles\n40960\t16384\t1.0\t7\n40960\t1\t1.0\t7\n";
    let cells = Saved::parse(text).unwrap().cells;
    assert_eq!(cells[0].nanos, Some(1e9 / (100.0 * 40960.0)));
    assert_eq!(cells[1].nanos, Some(1e9 / (100.0 * 2.0 * 16384.0)));
}

#[test]
fn a_reason_may_hold_the_mark_between_columns() {
    let reason = "\"not counted (no counters, \"\"none\"\" at all)\"";
    for mark in [",", ";", "\t"] {
        let header =
            ["size_bytes", "stride_bytes", "avg_misses", "avg_misses_source", "ns_per_access"].join(mark);
        let row = |stride: &str, misses: &str, from: &str| ["8192", stride, misses, from, "2.5"].join(mark);
        let text = format!("{header}\n{}\n\n{}\n", row("1", "", reason), row("2", "0.5", "model"));
        let saved = Saved::parse(&text).unwrap();
        let cell = |stride, misses| SavedCell { size: 8192, stride, misses, nanos: Some(2.5) };
        assert_eq!(saved.cells, [cell(1, None), cell(2, Some(0.5))], "{text}");
        assert_eq!((saved.source, saved.notes), (Some(Source::Model), vec![]), "{text}");
        let open = text.replacen("all)\"", "all)", 1);
        let refusal = Saved::parse(&open).unwrap_err().to_string();
        assert!(refusal.contains("line 2") && refusal.contains("quotation"), "{refusal}");
    }
}

#[test]
fn a_last_row_that_is_none_is_noted_as_damage() {
    let text = "size_bytes,stride_bytes,ns_per_access\n8192,1,2.5\n8192,x,2.5\n";
    let saved = Saved::parse(text).unwrap();
    assert_eq!((saved.cells.len(), saved.damage.len()), (1, 1));
    assert!(saved.damage[0].contains("line 3"), "{:?}", saved.damage);
}

#[test]
fn of_several_sources_the_weakest_holds_and_is_reported() {
    let row = |stride: u64, source: &str| {
        format!("cache_size=8192\tstride={stride}\tavg_misses=0.5\tavg_time=0.1\tsource={source}\n")
    };
    for order in [["hardware", "model"], ["model", "hardware"]] {
        let text: String = (0..).zip(order).map(|(power, source)| row(1 << power, source)).collect();
        let saved = Saved::parse(&text).unwrap();
        assert_eq!(saved.source, Some(Source::Model), "{order:?}");
        assert!(saved.notes[0].contains("hardware and model"), "{:?}", saved.notes);
    }
}

#[test]
fn the_output_of_other_programs_is_refused_by_name() {
    for (text, name) in [
        ("After resetting counter 'PAPI_L1_DCM' [x10^6]: 0.000000\n", "mm1, mm2 or mm3"),
        ("size,checksum,PAPI_L1_DCM\n512,1,2\n", "mm1, mm2 or mm3"),
        ("Time: 7.527800e-05 source=timing\nCheck: 6.481138e+11 \n", "ge"),
        ("{\n  \"program\": \"mm2\", \"rows\": [{\"size\": 512, \"figures\": []}]}", "a record of mm2,"),
        ("{\"program\":\"\u{1b}[2J\",\"rows\":[{}]}", "a record of \u{fffd}[2J,"),
        ("name = \"x\"\n[[cache]]\nlevel = 1\n", "a machine's description"),
    ] {
        let refusal = Saved::parse(text).unwrap_err().to_string();
        assert!(refusal.contains(name) && refusal.contains("no sweep"), "{refusal}");
    }
}

#[test]
fn input_above_a_limit_is_refused_with_the_limit() {
    let head = "size_bytes,stride_bytes,ns_per_access\n";
    let row = |i: usize| format!("{},1,2.5\n", 8192 + i);
    let many: String = (0..=limits::ROWS).map(row).collect();
    let list = vec!["{}"; limits::ROWS + 1].join(",");
    let wide = format!("{head}8192,1{}\n", ",".repeat(limits::COLUMNS));
    let large = format!("[{{\"size\":1,\"stride\":1,\"note\":\"{}\"}}]", " ".repeat(limits::ROW_BYTES));
    for (text, limit) in [
        (head.to_owned() + &many, "200000 rows"),
        (format!("[{list}]"), "200000 rows"),
        (format!("{{\"rows\":[{list}]}}"), "200000 rows"),
        (wide, "4096 entries"),
        (large, "65536 bytes"),
        (head.to_owned() + "8G,64,2.5\n8192,1,2.5\n", "4 GiB"),
        (" ".repeat(limits::BYTES as usize + 1), "16 MiB"),
    ] {
        let refusal = Saved::parse(&text).unwrap_err().to_string();
        assert!(refusal.contains(limit), "{refusal}");
    }
    assert!(Saved::parse(&(head.to_owned() + &many[..many.len() - row(limits::ROWS).len()])).is_ok());
}

#[test]
fn a_file_of_many_events_is_read_in_one_pass_and_quoted_shortly() {
    let row = |i: usize| format!("cache_size=8192\tstride={}\tavg_misses=0.5\tevent=E{i}\n", 1 + i % 4096);
    let text: String = (0..80_000).map(row).collect();
    let refusal = Saved::parse(&text).unwrap_err().to_string();
    assert!(refusal.contains("line 2 counts E1, E10, E100 and 79996"), "{refusal}");
    let times = Saved::parse(&(0..3).map(row).collect::<String>().replace("avg_misses", "avg_time")).unwrap();
    assert!(times.notes.iter().any(|note| note.contains("times are read as one curve")), "{:?}", times.notes);
    let long = format!("size stride elapsed(s)\n8192 \u{1b}[2J{} 1\n8192 1 1\n", "x".repeat(100_000));
    let refusal = Saved::parse(&long).unwrap_err().to_string();
    assert!(refusal.len() < 240 && !refusal.contains('\u{1b}'), "{refusal}");
}

#[test]
fn a_table_without_its_header_is_still_sparks() {
    let saved = Saved::parse("8192 1 0.002 2000\n8192 2 0.002 2000\n").unwrap();
    assert_eq!(saved.cells.len(), 2);
    assert!(saved.notes[0].contains("no header"));
    let wrong = "size stride elapsed(s) cycles\n8192 1 0.1 2\n8192 x 0.1 2\n8192 2 0.1 2\n";
    assert!(Saved::parse(wrong).unwrap_err().to_string().contains("line 3"));
}

/// Parts of every format, so that random texts get deep into the readers.
const PIECES: [&str; 32] = [
    "size",
    "stride",
    "elapsed(s)",
    "cycles",
    "stride_bytes,4k,8k",
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
    "[LOG]",
    "#",
    "[",
    "]",
    "{\"rows\":",
    "{\"size\":1,\"stride\":1}",
    "é\u{1b}\u{202e}",
];

proptest! {
    #[test]
    fn every_error_of_the_reader_is_a_sentence(text in "\\PC{0,200}") {
        let _ = Saved::parse(&text);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Saved::parse(&String::from_utf8_lossy(&bytes));
    }

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

    #[test]
    fn no_damage_to_a_file_makes_it_panic(at in 0usize..3000, put in "[\\x00-\\x7f]{0,4}", take in 0usize..9) {
        let mut text = data("i5-7500/cm1-l1-1.out");
        text.replace_range(at..at + take, &put);
        let _ = Saved::parse(&text);
    }
}
