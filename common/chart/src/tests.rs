use std::collections::BTreeMap;

use figures::value::{Reading, Source};
use proptest::prelude::*;

use super::*;

/// The curves of a 32 KiB cache with 64-byte lines: arrays of 8 KiB and twice, four times ...
fn misses(sizes: u32) -> Chart {
    let cell = |size: u64, stride: u64| {
        let fits = size <= 32 << 10 || size / stride <= 8;
        if fits { 0.0 } else { (stride as f64 / 64.0).min(1.0) }
    };
    let rows = (0..sizes).map(|at| 8192u64 << at).flat_map(|size| {
        (0..).map(|at| 1u64 << at).take_while(move |stride| *stride < size).map(move |stride| (size, stride))
    });
    let rows =
        rows.map(|(size, stride)| (size, stride, Some(Reading::new(cell(size, stride), Source::Model))));
    sweep("Misses", Axis::linear("misses per access").upto(1.0), rows)
        .caption("Source: model of a 32 KiB cache.")
}

/// One curve of times over strides.
fn times(points: &[(f64, f64)]) -> Chart {
    Chart::new("t", Axis::bytes("stride"), Axis::linear("ns")).curve("", points.to_vec())
}

/// Whether a text element has this text.
fn says(svg: &str, text: &str) -> bool {
    svg.contains(&format!("\n{text}\n"))
}

fn number(svg: &str, element: &str) -> usize {
    svg.matches(element).count()
}

/// Charts of 1, 2, 11 and 60 curves, in panels, with a gap, zeros on a logarithmic axis,
/// errors, hollow points, intervals, one point, lines: texts that they have, texts that they
/// do not have, and their discs. A marker has two.
#[test]
fn charts_show_all_that_they_are_given() {
    let [log, panels] = [View { log_y: true, ..View::default() }, View { panels: true, ..View::default() }];
    let sixty = (0..60u32)
        .fold(Chart::new("t", Axis::log2("n"), Axis::linear("y")).ordered(), |chart, at| {
            chart.curve(format!("curve {at}"), [(1.0, 0.0), (64.0, f64::from(at))])
        });
    let row = [(8.0, 1.0), (16.0, 2.0), (32.0, f64::NAN), (64.0, 4.0), (128.0, 4.0)];
    let places = times(&row).hollow([(8.0, 9.0)]).mark(16.0, "L1").band(20.0, 70.0, "L2");
    let axes = ["misses per access", "stride in bytes (K = 1024), logarithmic", "64", "1K", "0.1", "0.9"];
    let zeros = "Hollow at the lower edge: 0, which a logarithmic axis does not have.";
    let cases: [(Chart, &[&str], &[&str], usize); 12] = [
        (misses(1), &axes, &["8 KiB", zeros], 26),
        (misses(2), &["8 KiB", "16 KiB", "Misses"], &["no data"], 54),
        (misses(11), &["8 KiB", "128 KiB", "8 MiB"], &["no data"], 396),
        (misses(11).viewed(&panels).unwrap(), &["8 KiB", "128 KiB", "8 MiB"], &["0.9"], 396),
        (sixty, &["curve 0", "curve 59", "curve 57"], &["curve 58"], 0),
        (times(&row), &["8", "4"], &["5", "no data"], 8),
        (times(&[(8.0, 0.0), (16.0, 2.0)]).viewed(&log).unwrap(), &["ns, logarithmic", zeros], &["0"], 4),
        (times(&row).spread([(8.0, 0.5, 40.0)]), &["40"], &["45"], 9),
        (places, &["L1", "L2", "9"], &[], 10),
        (times(&[(64.0, 3.0)]), &["3", "32", "64", "128"], &["no data"], 2),
        (
            Chart::new("t", Axis::log2("x"), Axis::log10("y")).line("roof", [(1.0, 2.0), (4.0, 3.0)]),
            &["2", "3"],
            &[],
            0,
        ),
        (times(&[]), &["no data"], &[], 0),
    ];
    for (at, (chart, texts, others, discs)) in cases.iter().enumerate() {
        let svg = chart.svg();
        for text in *texts {
            assert!(says(&svg, text), "{at}: {text}");
        }
        for text in *others {
            assert!(!says(&svg, text), "{at}: {text}");
        }
        assert_eq!(number(&svg, "<circle"), *discs, "{at}");
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{at}");
    }
}

#[test]
fn ranges_cut_curves_and_say_so() {
    let range = |text: &str| Some(text.parse::<Range>().unwrap());
    let view = View {
        x_range: range("16:4K"),
        y_range: range("0:0.5"),
        size: Some("1200x800".parse().unwrap()),
        ..View::default()
    };
    let svg = misses(4).viewed(&view).unwrap().svg();
    assert!(svg.contains("width=\"1200\" height=\"800\""));
    assert!(says(&svg, "16") && says(&svg, "4K") && says(&svg, "0.5"));
    assert!(!says(&svg, "8K") && !says(&svg, "0.9") && svg.contains("Points outside the ranges shown: "));
    // Between two points there is a line, beyond the last one nothing.
    let seen = |chart: Chart, x: &str, y: &str| {
        chart.viewed(&View { x_range: range(x), y_range: range(y), ..View::default() })
    };
    assert!(seen(misses(4), "5:7", "0:1").is_ok());
    for (x, y) in [("128K:1M", "0:1"), ("1:64K", "3:4")] {
        let error = seen(misses(4), x, y).unwrap_err();
        assert_eq!(
            error,
            "nothing of this chart is in that range; choose one within stride: 1 B to 32 KiB; misses per access: 0 to 1"
        );
    }
    let zero = View { log_y: true, y_range: range("0:1"), ..View::default() };
    assert!(misses(2).viewed(&zero).unwrap_err().contains("must begin above 0"));
    for wrong in ["16", "4K:16", "1:x", "nan:2", "1:1", ":"] {
        assert!(wrong.parse::<Range>().is_err(), "{wrong}");
    }
    for wrong in ["1200", "0x0", "1200x", "99999x100", "-3x400", "1e3x800"] {
        assert!(wrong.parse::<Size>().is_err(), "{wrong}");
    }
}

/// The least size that is asked for is enough, and one pixel less is not.
#[test]
fn a_size_that_is_too_small_is_refused_with_the_least_one() {
    for panels in [false, true] {
        for chart in
            [misses(1), misses(11), misses(60), times(&[(1.0, 2.0)]).mark(1.0, "L1"), Chart::default()]
        {
            let of = |size: &str| View { panels, size: Some(size.parse().unwrap()), ..View::default() };
            let Err(error) = chart.clone().viewed(&of("300x200")) else { continue };
            let least = error.split(' ').next_back().unwrap();
            let (width, height) = least.split_once('x').unwrap();
            assert!(error.starts_with("300x200 is too small for this chart"), "{error}");
            assert!(chart.clone().viewed(&of(least)).is_ok(), "{least}");
            for (width, height) in [(-1, 0), (0, -1)]
                .map(|(w, h)| (width.parse::<i32>().unwrap() + w, height.parse::<i32>().unwrap() + h))
            {
                if width >= 300 && height >= 200 {
                    assert!(
                        chart.clone().viewed(&of(&format!("{width}x{height}"))).is_err(),
                        "{width}x{height} {least}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_chart_speaks_another_language() {
    let words = WORDS
        .iter()
        .chain(&["t", "stride", "a", "L1"])
        .map(|english| (english.to_string(), format!("<{english}>")));
    let mut words = BTreeMap::from_iter(words);
    words.insert(".".to_owned(), ",".to_owned());
    let log = View { log_y: true, ..View::default() };
    let chart = Chart::new("t", Axis::bytes("stride"), Axis::linear("ns"))
        .curve("a", [(1.0, 0.25), (2.0, 0.0), (4.0, 2.5)])
        .source("timing")
        .spread([(1.0, 0.125, 0.5)])
        .hollow([(4.0, 1.0)])
        .mark(2.0, "L1");
    let svg = chart.clone().viewed(&log).unwrap().in_language(&words).svg();
    for text in [
        "&lt;t&gt;",
        "&lt;&lt;&lt;stride&gt; in bytes (K = 1024)&gt;, logarithmic&gt;",
        "&lt;ns, logarithmic&gt;",
        "&lt;L1&gt;",
        "0,5",
    ] {
        assert!(says(&svg, text), "{text} in {svg}");
    }
    for text in [
        "\"0,25\",\"&lt;0,125 to 0,5&gt;\"",
        "\"1\",\"&lt;hollow point&gt;\"",
        "\"&lt;source: timing&gt;\"",
        "&lt;Hollow at the lower",
    ] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
    assert!(says(&Chart::default().in_language(&words).svg(), "&lt;no data&gt;"));
}

#[test]
fn a_missing_cell_is_a_gap_and_never_a_zero() {
    let whole = times(&Vec::from_iter((0..9).map(|at| (f64::from(1 << at), 5.0))));
    let mut broken = whole.clone();
    broken.series[0].points[4].1 = f64::NAN;
    let (whole, broken) = (whole.svg(), broken.svg());
    assert_eq!(number(&broken, "<polyline"), number(&whole, "<polyline") + 1);
    assert_eq!(number(&broken, "<circle"), number(&whole, "<circle") - 2);
    assert!(broken.contains(",null,"), "the script sees the gap");
}

#[test]
fn readings_have_the_spread_of_their_runs() {
    let runs = Reading::from_runs(&[2.0, 3.0, 5.0], Source::Timing);
    let readings =
        [(1.0, runs), (2.0, Reading::missing("not run")), (3.0, Reading::new(7.0, Source::Timing))];
    let series = Chart::default().readings("ikj", &readings).series.remove(0);
    assert_eq!((series.spreads, &*series.source), (vec![(1.0, 2.0, 5.0)], "timing"));
    assert!(series.points[0] == (1.0, 3.0) && series.points[1].1.is_nan() && series.points[2] == (3.0, 7.0));
}

#[test]
fn charts_without_anything_to_draw_say_so() {
    for points in [vec![], vec![(f64::NAN, 1.0)], vec![(0.0, 1.0)], vec![(1.0, f64::INFINITY)]] {
        let chart = Chart::new("t", Axis::log2("n"), Axis::linear("s")).curve("a", points);
        assert!(chart.is_empty() && chart.svg().contains("no data"));
    }
    assert!(Chart::default().svg().contains("no data"));
}

#[test]
fn texts_are_escaped() {
    let svg = Chart::new("a < b & c", Axis::log2("<x>"), Axis::default())
        .curve("\"q\" </metadata>", [(1.0, 1.0)])
        .svg();
    assert!(svg.contains("<title>a &lt; b &amp; c</title>"));
    assert!(!svg.contains("<x>") && number(&svg, "</metadata>") == 1);
    let svg = Chart::new("a\u{1b}[2Jb\u{202e}\u{9b}", Axis::default(), Axis::default()).svg();
    assert!(!svg.chars().any(|c| c != '\n' && figures::text::is_unprintable(c)));
}

#[test]
fn the_script_finds_values_spreads_and_sources() {
    let chart = Chart::new("t", Axis::bytes("stride"), Axis::linear("ns"))
        .curve("64 KiB", [(4096.0, 0.5), (8192.0, 2.0)])
        .spread([(4096.0, 0.25, 0.75)])
        .source("timing")
        .hollow([(16384.0, 90.0)]);
    let svg = chart.svg();
    for part in [
        "\"name\":\"64 KiB\"",
        "\"source\":\"source: timing\"",
        "\"4 KiB\",\"0.5\",\"0.25 to 0.75\"]",
        "\"16 KiB\",\"90\",\"hollow point\"]",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    assert!(svg.contains("<desc>stride: 4 KiB to 16 KiB. ns: 0.5 to 90. curves: 64 KiB.</desc>"), "{svg}");
}

#[test]
fn over_names_are_bars_from_zero_or_dots_with_their_figures() {
    let names = Vec::from_iter((1..18).map(|at| format!("rather a long name {at}")));
    let [bars, dots] = [Axis::linear("GFLOP/s"), Axis::log10("GFLOP/s")].map(|y| {
        let points = (1..18).map(|at| (f64::from(at), f64::from(1 << at)));
        Chart::new("t", Axis::named("rung", names.clone()), y).curve("", points).svg()
    });
    assert_eq!(number(&bars, "<rect") - number(&dots, "<rect"), 17);
    assert!(says(&dots, "8") && says(&dots, "64") && says(&dots, "4096"), "{dots}");
    assert!(names.iter().all(|name| says(&dots, name)));
}

#[test]
fn a_png_has_the_size_that_is_asked_for_and_signs_of_formulas() {
    let view = View { size: Some("400x300".parse().unwrap()), ..View::default() };
    let size = |png: &[u8]| [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    let chart = misses(2).caption("≤ 5 µs, ≥ 3, ≈ 2 − 1 → 0 × ²");
    assert_eq!(size(&chart.clone().viewed(&view).unwrap().png().unwrap()), [400, 300]);
    assert_eq!(size(&chart.png().unwrap())[0], 1520);
    assert_eq!(chart.undrawn(), Vec::<char>::new());
    assert_eq!(chart.caption("漢字漢").undrawn(), ['漢', '字']);
}

fn axis() -> impl Strategy<Value = Axis> {
    let end = prop::option::of(prop_oneof![any::<f64>(), 0.0..100.0]);
    let scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Log10)];
    let range = prop::option::weighted(0.2, (any::<f64>(), any::<f64>()));
    let names = prop_oneof![4 => Just(Vec::new()), 1 => Just(vec!["first".to_owned(), "second".to_owned()])];
    (scale, any::<bool>(), end, range, names).prop_map(|(scale, is_bytes, high, range, names)| Axis {
        label: "axis".into(),
        scale,
        is_bytes,
        high,
        range,
        names,
        ..Axis::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_drawn_outside_the_picture(
        x in axis(),
        y in axis(),
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..12),
        at in any::<f64>(),
    ) {
        let chart = Chart::new("any", x, y).curve("a", points).spread([(at, at, 9.0)]).hollow([(9.0, at)]);
        let svg = chart.mark(at, "mark").band(at, 9.0, "band").curve("b", [(at, 1.0)]).svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        for (name, end) in [("cx", 3040.0), ("cy", 2080.0)] {
            for rest in svg.split(&format!(" {name}=\"")).skip(1) {
                let at: f64 = rest.split('"').next().and_then(|text| text.parse().ok()).unwrap();
                prop_assert!((0.0..=end).contains(&at), "{name} {at}");
            }
        }
    }
}
