use proptest::prelude::*;

use super::*;

fn sweep() -> Chart {
    Chart::new("Array sweep", Axis::bytes("stride"), Axis::linear("misses per access").upto(1.0))
        .curve("32 KiB", (0..14).map(|i| (f64::from(1 << i), 0.0)))
        .curve("64 KiB", (0..15).map(|i| (f64::from(1 << i), (f64::from(1 << i) / 64.0).min(1.0))))
        .caption("Source: model of a 32 KiB cache.")
}

#[test]
fn a_chart_names_its_curves_axes_and_ticks() {
    let svg = sweep().mark(64.0, "line").svg();
    for text in ["Array sweep", "32 KiB", "64 KiB", "stride", "misses per access", "line", "1 KiB", "0.2"] {
        assert!(svg.contains(&format!("\n{text}\n")) || svg.contains(&format!(">\n{text}")), "{text}");
    }
    assert!(svg.ends_with("</svg>\n"));
}

#[test]
fn a_missing_cell_is_a_gap_and_never_a_zero() {
    let whole = sweep();
    let mut broken = whole.clone();
    broken.series[0].points[4].1 = f64::NAN;
    let lines = |chart: &Chart| chart.svg().matches("<polyline").count();
    assert_eq!(lines(&broken), lines(&whole) + 1);
}

#[test]
fn charts_without_anything_to_draw_say_so() {
    for points in [vec![], vec![(f64::NAN, 1.0)], vec![(0.0, 1.0)], vec![(1.0, f64::INFINITY)]] {
        let chart = Chart::new("t", Axis::log2("n"), Axis::linear("s")).curve("a", points);
        assert!(chart.is_empty());
        assert!(chart.svg().contains("no data"));
    }
    assert!(Chart::default().svg().contains("no data"));
}

#[test]
fn texts_are_escaped() {
    let svg = Chart::new("a < b & c", Axis::log2("<x>"), Axis::default()).curve("\"q\"", [(1.0, 1.0)]).svg();
    assert!(svg.contains("<title>a &lt; b &amp; c</title>"));
    assert!(!svg.contains("<x>"));
    let svg = Chart::new("a\u{1b}[2Jb\u{202e}\u{9b}", Axis::default(), Axis::default()).svg();
    assert!(!svg.chars().any(|c| c != '\n' && figures::text::is_unprintable(c)));
}

fn axis() -> impl Strategy<Value = Axis> {
    let end = prop::option::of(prop_oneof![any::<f64>(), 0.0..100.0]);
    let scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Log10)];
    let unit = prop_oneof![Just(Unit::Number), Just(Unit::Bytes)];
    let named = prop::bool::weighted(0.2);
    (scale, unit, end.clone(), end, named).prop_map(|(scale, unit, low, high, named)| Axis {
        label: "axis".into(),
        scale,
        unit,
        low,
        high,
        names: if named { vec!["first".into(), "second".into()] } else { Vec::new() },
    })
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
        let chart = Chart::new("any", x, y).curve("a", points).mark(mark, "mark");
        let plot = layout::arrange(&chart).plot;
        for (x, y) in chart.series[0].points.iter().filter_map(|(x, y)| plot.place(*x, *y)) {
            prop_assert!((plot.left..=plot.right).contains(&x), "{x} outside {}..{}", plot.left, plot.right);
            prop_assert!((plot.top..=plot.bottom).contains(&y), "{y} outside {}..{}", plot.top, plot.bottom);
        }
        prop_assert!((2..=26).contains(&plot.x.ticks.len()), "{:?}", plot.x.ticks);
        prop_assert!((2..=10).contains(&plot.y.ticks.len()), "{:?}", plot.y.ticks);
        let svg = chart.svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn an_axis_says_whether_it_is_logarithmic_and_runs_have_error_bars() {
    let chart = Chart::new("t", Axis::log2("n"), Axis::linear("ns")).curve("a", [(1.0, 1.0), (2.0, 2.0)]);
    let plain = chart.svg();
    assert!(plain.contains("n, logarithmic") && plain.contains("ns, linear"));
    let lines = |svg: &str| svg.matches("<polyline").count() + svg.matches("<line").count();
    let barred = chart.clone().spread([(1.0, 0.5, 40.0)]).svg();
    assert_eq!(lines(&barred) - lines(&plain), 3 + extra_ticks(&plain, &barred));
    assert!(barred.contains("40"), "the axis reaches the end of the bar");
}

/// The position of a text.
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
    let rectangles = |chart: &Chart| chart.svg().matches("<rect").count();
    let [bars, dots] = [Axis::linear("GFLOP/s"), Axis::log10("GFLOP/s")].map(|y| chart(many(), y));
    assert_eq!(rectangles(&bars) - rectangles(&dots), 17);
    let svg = dots.svg();
    assert!(svg.contains("\n8.00\n") && svg.contains("\n64.0\n") && svg.contains("\n4096\n"), "{svg}");
    // Names that have no space in one row alternate between rows.
    let rows: Vec<f64> = many().iter().map(|name| height(&svg, name)).collect();
    assert!(rows[0] < rows[1] && rows[1] < rows[2] && rows[3] == rows[0], "{rows:?}");
    let few = chart(names().to_vec(), Axis::log10("GFLOP/s")).svg();
    assert_eq!(height(&few, "ijk"), height(&few, "another long name"));
}

/// The additional grid lines of a longer axis.
fn extra_ticks(plain: &str, barred: &str) -> usize {
    let lines = |svg: &str| svg.matches("#E4E7EB").count();
    lines(barred) - lines(plain)
}

#[test]
fn a_disturbed_point_is_hollow_and_not_on_the_axis() {
    let plain = |points: &[(f64, f64)]| {
        Chart::new("times", Axis::bytes("stride"), Axis::linear("ns")).curve("", points.to_vec())
    };
    let right = [(8.0, 1.0), (16.0, 2.0), (64.0, 4.0)];
    let ticks = |chart: &Chart| {
        layout::arrange(chart).plot.y.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>()
    };
    let disturbed = plain(&right).disturbed([(32.0, 70.0)]);
    assert_eq!(ticks(&disturbed), ticks(&plain(&right)));
    assert_ne!(ticks(&disturbed), ticks(&plain(&[(8.0, 1.0), (16.0, 2.0), (32.0, 70.0), (64.0, 4.0)])));
    assert_ne!(disturbed.svg(), plain(&right).svg());
}
