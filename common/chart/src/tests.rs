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
    let rows = rows.map(|(size, stride)| (size, stride, Some(cell(size, stride))));
    sweep("Misses", Axis::linear("misses per access").upto(1.0), rows)
        .caption("Source: model of a 32 KiB cache.")
}

/// Whether a text element has this text.
fn says(svg: &str, text: &str) -> bool {
    svg.contains(&format!("\n{text}\n"))
}

fn number(svg: &str, element: &str) -> usize {
    svg.matches(element).count()
}

#[test]
fn a_sweep_is_one_picture_with_the_sizes_at_the_ends_of_its_curves() {
    for (sizes, named) in [(1, 0), (2, 2), (4, 4), (11, 11)] {
        let chart = misses(sizes);
        let svg = chart.svg();
        assert_eq!(layout::arrange(&chart).panels.len(), 1);
        let names = chart.series.iter().filter(|series| says(&svg, &series.name)).count();
        assert_eq!(names, named, "{sizes}");
        for text in [
            "Misses",
            "misses per access",
            "stride in bytes (K = 1024), logarithmic",
            "64",
            "1K",
            "0.1",
            "0.9",
        ] {
            assert!(says(&svg, text), "{sizes}: {text}");
        }
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
    let sixty = (0..60u32)
        .fold(Chart::new("t", Axis::log2("n"), Axis::linear("y")).ordered(), |chart, at| {
            chart.curve(format!("curve {at}"), [(1.0, 0.0), (64.0, f64::from(at))])
        });
    let svg = sixty.svg();
    assert!(says(&svg, "curve 0") && says(&svg, "curve 59") && number(&svg, "\ncurve ") < 40);
}

#[test]
fn panels_are_drawn_on_request_or_where_curves_are_compared() {
    let panels = View { panels: true, ..View::default() };
    let chart = misses(11).viewed(&panels).unwrap();
    let arranged = layout::arrange(&chart);
    assert_eq!(arranged.panels.len(), 11);
    for (i, one) in arranged.panels.iter().enumerate() {
        for other in &arranged.panels[i + 1..] {
            let (a, b) = (one.area, other.area);
            assert!(a.right <= b.left + 1e-9 || b.right <= a.left + 1e-9 || a.bottom <= b.top + 1e-9, "{i}");
        }
    }
    let compared = (0..4u32).fold(Chart::new("", Axis::log2("n"), Axis::linear("y")), |chart, at| {
        ["A", "B"].into_iter().fold(chart, |chart, side| {
            chart.curve(side, [(1.0, 1.0), (2.0, f64::from(at))]).panel(format!("size {at}"))
        })
    });
    let arranged = layout::arrange(&compared);
    let members: Vec<Vec<usize>> = arranged.panels.iter().map(|panel| panel.series.clone()).collect();
    assert_eq!(members, [[0, 1], [2, 3], [4, 5], [6, 7]]);
    let names: Vec<&str> = arranged.legend.iter().map(|(_, entry)| entry.text.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
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
    let chart = misses(4).viewed(&view).unwrap();
    let svg = chart.svg();
    assert!(svg.contains("width=\"1200\" height=\"800\""));
    assert!(!says(&svg, "8K") && !says(&svg, "0.9") && svg.contains("points are outside the ranges shown"));
    let panel = &layout::arrange(&chart).panels[0];
    assert_eq!(panel.x.share(16.0), Some(0.0));
    assert_eq!(panel.y.share(0.5), Some(1.0));
    // 0 has no logarithm: its points are at the edge, and the caption explains them.
    let log = View { log_y: true, ..View::default() };
    assert!(
        misses(2).svg().len() > 1000
            && misses(4).viewed(&log).unwrap().svg().contains("Hollow at the lower edge")
    );
    let zero = View { log_y: true, y_range: range("0:1"), ..View::default() };
    assert!(misses(2).viewed(&zero).unwrap_err().contains("must begin above 0"));
    for wrong in ["16", "4K:16", "1:x", "nan:2", "1:1", ":"] {
        assert!(wrong.parse::<Range>().is_err(), "{wrong}");
    }
    for wrong in ["1200", "0x0", "1200x", "99999x100", "-3x400", "1e3x800"] {
        assert!(wrong.parse::<Size>().is_err(), "{wrong}");
    }
}

#[test]
fn axes_have_labels_at_one_two_and_five() {
    for (high, labels) in [
        (1.0, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"),
        (1100.0, "0 100 200 300 400 500 600 700 800 900 1000 1100"),
    ] {
        let span = Axis::linear("y").span([0.0, high].into_iter(), 380.0, 14);
        let all: Vec<String> = span.bold.iter().map(|value| span.label(*value)).collect();
        assert_eq!(all.join(" "), labels);
    }
    let span = Axis::log10("y").span([0.02, 3.0].into_iter(), 380.0, 14);
    let all: Vec<String> = span.bold.iter().map(|value| span.label(*value)).collect();
    assert_eq!(all.join(" "), "0.02 0.05 0.1 0.2 0.5 1 2");
}

#[test]
fn a_missing_cell_is_a_gap_and_never_a_zero() {
    let whole = Chart::new("t", Axis::log2("n"), Axis::linear("y"))
        .curve("a", (0..9).map(|at| (f64::from(1 << at), 5.0)));
    let mut broken = whole.clone();
    broken.series[0].points[4].1 = f64::NAN;
    let (whole, broken) = (whole.svg(), broken.svg());
    assert_eq!(number(&broken, "<polyline"), number(&whole, "<polyline") + 1);
    assert!(number(&broken, "<circle") < number(&whole, "<circle"));
    assert!(broken.contains(",null,"), "the script sees the gap");
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
        .disturbed([(16384.0, 90.0)]);
    let svg = chart.svg();
    for part in [
        "\"name\":\"64 KiB\",\"source\":\"timing\"",
        "\"4 KiB\",\"0.5\",\"0.25 to 0.75\"]",
        "\"16 KiB\",\"90\",\"disturbed\"]",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    assert!(svg.contains("<desc>stride: 4 KiB to 8 KiB. ns: 0.5 to 2. curves: 64 KiB.</desc>"), "{svg}");
}

fn axis() -> impl Strategy<Value = Axis> {
    let end = || prop::option::of(prop_oneof![any::<f64>(), 0.0..100.0]);
    let scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Log10)];
    let unit = prop_oneof![Just(Unit::Number), Just(Unit::Bytes)];
    let range = prop::option::weighted(0.2, (any::<f64>(), any::<f64>()));
    (scale, unit, end(), end(), range, prop::bool::weighted(0.2)).prop_map(
        |(scale, unit, low, high, range, named)| Axis {
            label: "axis".into(),
            scale,
            unit,
            low,
            high,
            range,
            names: if named { vec!["first".into(), "second".into()] } else { Vec::new() },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_drawn_outside_the_plot(
        x in axis(),
        y in axis(),
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..12),
        mark in any::<f64>(),
    ) {
        let chart = Chart::new("any", x, y).curve("a", points).mark(mark, "mark").band(mark, 9.0, "band");
        let arranged = layout::arrange(&chart);
        let (panel, plot) = (&arranged.panels[0], arranged.panels[0].plot());
        for (x, y) in chart.series[0].points.iter().filter_map(|(x, y)| draw::place(panel, *x, *y)) {
            prop_assert!(plot.left - 1e-6 <= x && x <= plot.right + 1e-6, "{x} outside {plot:?}");
            prop_assert!(plot.top - 1e-6 <= y && y <= plot.bottom + 1e-6, "{y} outside {plot:?}");
        }
        let ticks = if chart.x.is_named() { 0..=0 } else { 2..=27 };
        prop_assert!(ticks.contains(&panel.x.bold.len()), "{:?}", panel.x);
        let svg = chart.svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

/// The height of a text.
fn height(svg: &str, text: &str) -> f64 {
    let before = &svg[..svg.find(&format!("\n{text}\n")).unwrap()];
    let at = before.rfind(" y=\"").unwrap() + 4;
    before[at..].split('"').next().unwrap().parse().unwrap()
}

#[test]
fn over_names_are_bars_from_zero_or_dots_with_their_figures() {
    let names =
        || ["ijk", "a rather long name", "another long name", "and one more of them"].map(String::from);
    let many = || names().into_iter().chain((5..18).map(|i| format!("rung {i}"))).collect::<Vec<_>>();
    let points = || (1..18).map(|i| (f64::from(i), f64::from(1 << i)));
    let chart = |names, y| Chart::new("t", Axis::named("rung", names), y).curve("", points());
    let [bars, dots] = [Axis::linear("GFLOP/s"), Axis::log10("GFLOP/s")].map(|y| chart(many(), y));
    assert_eq!(number(&bars.svg(), "<rect") - number(&dots.svg(), "<rect"), 17);
    let svg = dots.svg();
    assert!(says(&svg, "8.00") && says(&svg, "64.0") && says(&svg, "4096"), "{svg}");
    // Names that have no space in one row alternate between rows.
    let rows: Vec<f64> = many().iter().map(|name| height(&svg, name)).collect();
    assert!(rows[0] < rows[1] && rows[1] < rows[2], "{rows:?}");
    let few = chart(names().to_vec(), Axis::log10("GFLOP/s")).svg();
    assert_eq!(height(&few, "ijk"), height(&few, "another long name"));
}

#[test]
fn a_line_has_no_markers_and_a_disturbed_point_does_not_stretch_the_axis() {
    let plain = |points: &[(f64, f64)]| {
        Chart::new("times", Axis::bytes("stride"), Axis::linear("ns")).curve("", points.to_vec())
    };
    let right = [(8.0, 1.0), (16.0, 2.0), (64.0, 4.0)];
    let ticks = |chart: &Chart| layout::arrange(chart).panels[0].y.bold.clone();
    let disturbed = plain(&right).disturbed([(32.0, 70.0)]);
    assert_eq!(ticks(&disturbed), ticks(&plain(&right)));
    assert!(number(&disturbed.svg(), "<circle") > number(&plain(&right).svg(), "<circle"));
    let roof = Chart::new("roof", Axis::log2("x"), Axis::log10("y")).line("peak", right);
    assert_eq!(number(&roof.svg(), "<circle"), 0);
    let barred = plain(&right).spread([(8.0, 0.5, 40.0)]);
    assert!(ticks(&barred).last().unwrap() >= &40.0, "the axis reaches the end of the bar");
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
