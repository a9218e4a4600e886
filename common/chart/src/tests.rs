use figures::value::{Reading, Source};

use super::*;

/// The curves of a 32 KiB cache with 64-byte lines: arrays of 8 KiB and twice, four times ...
fn misses(sizes: u32) -> Chart {
    let rows = (0..sizes).flat_map(|at| (0..13 + at).map(move |stride| (8192u64 << at, 1u64 << stride)));
    let misses = |size, stride| if size <= 32 << 10 { 0.0 } else { (stride as f64 / 64.0).min(1.0) };
    let rows = rows.map(|(size, at)| (size, at, Some(Reading::new(misses(size, at), Source::Model))));
    sweep("Misses", Axis::linear("misses per access"), rows).caption("A 32 KiB cache.")
}

fn times(points: &[(f64, f64)]) -> Chart {
    Chart::new("a < b", Axis::bytes("stride"), Axis::linear("ns")).curve("", points.to_vec())
}

/// Charts, a text that each has, and how many discs and polygons: a marker has two.
#[test]
fn charts_show_all_that_they_are_given() {
    let mut sixty = Chart::new("t", Axis::log("n"), Axis::linear("y"));
    for at in 0..60 {
        sixty = sixty.curve(format!("curve {at}"), [(1.0, 0.0), (64.0, f64::from(at))]);
    }
    sixty.ordered = true;
    let row = [(8.0, 1.0), (16.0, 2.0), (32.0, f64::NAN), (64.0, 4.0), (128.0, 4.0)];
    let runs = [(1.0, Reading::from_runs(&[2.0, 3.0, 45.0], Source::Timing)), (2.0, Reading::missing("no"))];
    let mut hollow = times(&row).mark(16.0, 16.0, "L1").mark(20.0, 70.0, "L2 at most 70 B");
    hollow.series[0].hollow = vec![(8.0, 9.0)];
    let viewed = |chart: Chart, view| chart.viewed(&view).unwrap();
    let zeros = viewed(times(&[(8.0, 0.0), (16.0, 2.0)]), View { log_y: Some(true), ..View::default() });
    let bars = Chart::new("t", Axis::named("rung", vec!["first".into()]), Axis::linear("y"));
    let cases = [
        (misses(1), "stride in bytes (K = 1024), logarithmic", 26),
        (misses(2), "16 KiB", 54 + 4),
        (misses(11), "8 MiB", 396 + 22),
        (misses(11), "0.2", 396 + 22),
        (sixty, "curve 59", 0),
        (times(&row), "4", 8),
        (zeros, "Hollow at the lower edge: 0, which a logarithmic axis does not have.", 4),
        (times(&[]).readings("ikj", &runs), "40", 6),
        (hollow, "L2 at most 70 B", 10),
        (times(&[(64.0, 3.0)]), "64", 2),
        (bars.curve("", [(1.0, 2.5)]), "first", 0),
        (times(&[(f64::NAN, 1.0), (0.0, f64::INFINITY)]), "No data.", 0),
    ];
    for (chart, text, discs) in cases {
        let svg = chart.svg();
        assert!(svg.lines().any(|line| line.trim() == text), "{text} in {svg}");
        assert_eq!(svg.matches("<circle").count() + svg.matches("<polygon").count(), discs, "{text}");
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && svg == chart.svg(), "{text}");
    }
    let [gap, none] = [times(&row).svg(), times(&row[..2]).svg()];
    assert!(gap.contains("a &lt; b") && gap.matches("<polyline").count() > none.matches("<polyline").count());
}

/// The lines of an SVG that are texts of the picture.
fn texts(chart: &Chart) -> Vec<String> {
    let svg = chart.svg();
    svg.split("<text").skip(1).filter_map(|text| Some(text.split('\n').nth(1)?.to_owned())).collect()
}

/// The legend has every curve, in order; a picture with a long one is higher.
#[test]
fn the_legend_has_all_names_in_order() {
    let names = ["8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB"];
    let shown = texts(&misses(5));
    assert_eq!(shown.into_iter().filter(|text| names.contains(&text.as_str())).collect::<Vec<_>>(), names);
    assert!(!texts(&misses(1)).contains(&"8 KiB".to_owned()), "one curve needs no legend");
    assert!(misses(20).sides().1 > misses(2).sides().1);
}

/// Arrays that fit miss once for each line: 0.00008 of all accesses is no step.
#[test]
fn first_misses_alone_are_on_an_axis_from_0_to_a_tenth() {
    let chart = |y| {
        let rows =
            (0..12).map(|at| (8192 << (at / 6), 64 << (at % 6), Some(Reading::new(8e-5, Source::Model))));
        texts(&sweep("t", y, rows))
    };
    let all = chart(Axis::share("misses per access"));
    assert!(["0", "0.1"].iter().all(|text| all.iter().any(|other| other == text)), "{all:?}");
    let all = chart(Axis::linear("ns"));
    assert!(all.iter().any(|text| text == "0.00008"), "{all:?}");
    let grid = Axis::share("y").grid([0.0, 0.3].into_iter(), 5);
    assert!(grid.share(0.0) == 0.0 && grid.share(0.3) > 0.9, "{grid:?}");
}

#[test]
fn curves_are_distinguished_without_colours() {
    let style = |chart: &Chart, at| style::Style::of(chart, at);
    let one = misses(5);
    assert!((1..5).all(|at| style(&one, at).marker != style(&one, at - 1).marker));
    let mut two = misses(2);
    two.series.extend(misses(2).series.into_iter().map(|series| Series { set: 1, ..series }));
    assert_eq!(
        (style(&two, 0).colour, style(&two, 0).marker),
        (style(&two, 2).colour, style(&two, 2).marker)
    );
    assert_ne!(style(&two, 0).dash, style(&two, 2).dash);
    let crowded = misses(17);
    assert_ne!(style(&crowded, 0).dash, style(&crowded, 1).dash);
}

#[test]
fn a_chart_for_a_column_of_text_has_letters_of_8_pt() {
    let view = View {
        width_cm: Some(8.0),
        caption: Some(String::new()),
        title: Some("Mine".into()),
        ..View::default()
    };
    let chart = misses(5).viewed(&View { log_x: Some(false), ..view }).unwrap();
    let svg = chart.svg();
    // 8 cm are 302 pixels of 1/96 inch: plotters' numbers are quarters of them.
    assert!(svg.contains("width=\"8.000cm\"") && svg.contains("viewBox=\"0 0 1209 "), "{}", &svg[..200]);
    let sizes =
        svg.split("font-size=\"").skip(1).map(|text| text.split('"').next().unwrap().parse::<f64>().unwrap());
    let least = sizes.fold(f64::MAX, f64::min) / 4.0 * 0.75;
    assert!(least >= 7.0, "{least} pt");
    let texts = texts(&chart);
    assert!(texts.contains(&"Mine".to_owned()) && !texts.iter().any(|text| text.contains("A 32 KiB cache")));
    assert!(texts.contains(&"stride in bytes (K = 1024)".to_owned()), "{texts:?}");
    let height = |caption: &str| {
        let view = View { width_cm: Some(8.0), caption: Some(caption.to_owned()), ..View::default() };
        misses(2).viewed(&view).unwrap().sides().1 / text::U
    };
    assert!(height(&"word ".repeat(90)) > height("") + 150, "a long caption takes no space of the plot");
}

#[test]
fn the_script_finds_values_spreads_and_sources() {
    let runs = Reading::from_runs(&[0.25, 0.5, 0.75], Source::Timing);
    let chart = Chart::new("t", Axis::bytes("stride"), Axis::linear("ns"));
    let mut chart = chart.readings("64 KiB", &[(4096.0, runs)]);
    chart.series[0].hollow = vec![(16384.0, 90.0)];
    let svg = chart.svg();
    for part in [
        "\"name\":\"64 KiB\"",
        "\"source\":\"source: timing\"",
        "\"4 KiB\",\"0.5\",\"0.25 to 0.75\",4096.0],[",
        "\"16 KiB\",\"90\",\"hollow point\",16384.0]]",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
}

/// Cells that were measured between the others are points without a line.
#[test]
fn sizes_of_a_few_cells_are_drawn_as_points() {
    let of = |size: u64, strides: &[u64]| {
        Vec::from_iter(strides.iter().map(|at| (size, *at, Some(Reading::new(0.5, Source::Model)))))
    };
    let chart = |sizes: &[(u64, &[u64])]| {
        sweep("t", Axis::linear("y"), sizes.iter().flat_map(|(size, strides)| of(*size, strides)))
    };
    let points = chart(&[(65536, &[64, 128, 4096]), (49152, &[64, 4096]), (40960, &[64])]);
    let lines = Vec::from_iter(points.series.iter().map(|series| !series.is_sparse));
    assert_eq!(lines, [false, false, true]);
    let svg = points.svg();
    assert!(svg.contains("\"48 KiB\"") && svg.contains("\"bytes\":40960"), "{svg}");
    // With two discs each, also in the legend.
    assert_eq!(svg.matches("<polygon").count(), 2 * (6 + 3));
    assert!(chart(&[(65536, &[64, 128])]).series.iter().all(|series| !series.is_sparse));
}

/// PDF: one page as large as the SVG, with text as outlines of the embedded font, so that none is lost.
#[test]
fn pictures_have_the_size_that_is_asked_for_or_are_refused() {
    let of = |size| View { size: Some(size), ..View::default() };
    let png = misses(2).viewed(&of((400.0, 300.0))).unwrap().picture("a.png").unwrap();
    let sides = [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert_eq!((&png[1..4], sides), (&b"PNG"[..], [1600, 1200]));
    let pdf = misses(2).viewed(&of((400.0, 400.0))).unwrap().picture("a.PDF").unwrap();
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("/MediaBox [0 0 300 300]") && !text.contains("/Font"), "{text}");
    let bare =
        |title: &str| Chart::new(title, Axis::linear("x"), Axis::linear("y")).picture("a.pdf").unwrap();
    assert!(bare("\u{3b1}\u{3b2}").len() > bare("").len() + 100, "Greek letters are drawn");
    for (view, says) in [
        (of((100.0, 50.0)), "320x300 to 5000x5000"),
        (View { width_cm: Some(2.0), ..View::default() }, "6 to 60 cm"),
    ] {
        assert!(misses(4).viewed(&view).unwrap_err().contains(says));
    }
    assert!(misses(2).picture("chart.jpeg").unwrap_err().contains("'chart.jpeg'"));
}

#[test]
fn no_text_of_a_chart_gets_out_of_its_element() {
    const PIECES: [&str; 12] =
        ["<b", "]]>", "&lt", "\"", "'", "\0", "\u{7f}", "\n", "漢", "\u{202e}", "{}", "</metadata>"];
    let mut random = figures::random::Random::new(1);
    for at in 0..100 {
        let mut text = |most| {
            let count = random.below(most);
            String::from_iter((0..count).map(|_| PIECES[random.below(PIECES.len())]))
        };
        let chart = Chart::new(text(9), Axis::bytes(text(5)), Axis::named(text(3), vec![text(9)]));
        let chart =
            chart.curve(text(90), [(8.0, 1.0), (16.0, 2.0)]).mark(8.0, 9.0, text(20)).caption(text(300));
        let svg = chart.svg();
        assert!(!svg.contains("<b") && svg.matches("</metadata>").count() == 1, "{svg}");
        assert!(at > 1 || chart.picture("a.png").is_ok(), "{chart:?}");
    }
}
