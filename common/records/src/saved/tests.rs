use std::path::Path;

use proptest::prelude::*;

use super::*;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn one(size: u64, stride: u64, misses: f64, micros: f64) -> Cell {
    Cell { size, stride, misses: Some(misses), nanos: Some(micros * 1e3) }
}

#[test]
fn three_generations_of_cm1_read_alike() {
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
fn a_wide_table_has_a_column_per_size() {
    let saved = Saved::parse(&data("sparcstation_fig1.csv")).unwrap();
    assert_eq!(saved.sizes().len(), 11);
    let cell = saved.row(128 << 10).find(|c| c.stride == 16).unwrap();
    assert_eq!((cell.nanos, cell.misses), (Some(960.0), None));
    assert!(saved.row(4 << 10).all(|c| c.stride <= 2048), "empty cells are no cells");
}

#[test]
fn named_columns_may_stand_in_any_order() {
    let csv = "stride_bytes,size_bytes,ns_per_access\n1,8192,2.5\n2,8192,\n4,8192,nan\n";
    let saved = Saved::parse(csv).unwrap();
    assert_eq!(saved.cells, [Cell { size: 8192, stride: 1, misses: None, nanos: Some(2.5) }]);
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
    let zero = good.to_owned() + "cache_size=0\tstride=1\tavg_misses=1\n" + good;
    assert!(Saved::parse(&zero).unwrap_err().to_string().contains("line 2"));
    let huge = format!("cache_size=99999999999999\tstride=1\tavg_misses=1\n{good}");
    assert!(Saved::parse(&huge).unwrap_err().to_string().contains("line 1"));
    for text in ["", "\n\n", "hello\n", "{}", "[]", "[1]", "{\"rows\":[{}]}", "{\"rows\":"] {
        assert!(Saved::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_table_without_its_header_is_still_sparks() {
    let saved = Saved::parse("8192 1 0.002 2000\n8192 2 0.002 2000\n").unwrap();
    assert_eq!(saved.cells.len(), 2);
    assert!(saved.notes[0].contains("no header"));
    let wrong = "size stride elapsed(s) cycles\n8192 1 0.1 2\n8192 x 0.1 2\n8192 2 0.1 2\n";
    assert!(Saved::parse(wrong).unwrap_err().to_string().contains("line 3"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fail_otherwise_than_by_a_sentence(text in "\\PC{0,200}") {
        let _ = Saved::parse(&text);
    }

    #[test]
    fn no_damage_to_a_file_makes_it_panic(at in 0usize..3000, put in "[\\x00-\\x7f]{0,4}", take in 0usize..9) {
        let mut text = data("i5-7500/cm1-l1-1.out");
        text.replace_range(at..at + take, &put);
        let _ = Saved::parse(&text);
    }
}
