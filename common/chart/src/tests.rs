use std::collections::BTreeMap;

use figures::value::{Reading, Source};

use super::*;

/// The curves of a 32 KiB cache with 64-byte lines: arrays of 8 KiB and twice, four times ...
fn misses(sizes: u32) -> Chart {
    let cell = |size: u64, stride: u64| if size <= 32 << 10 { 0.0 } else { (stride as f64 / 64.0).min(1.0) };
    let strides = |size: u64| {
        (0..).map(|at| 1u64 << at).take_while(move |stride| *stride < size).map(move |at| (size, at))
    };
    let rows = (0..sizes).map(|at| 8192u64 << at).flat_map(strides);
    let rows = rows.map(|(size, at)| (size, at, Some(Reading::new(cell(size, at), Source::Model))));
    sweep("Misses", Axis::linear("misses per access"), rows).caption("A 32 KiB cache.")
}

fn times(points: &[(f64, f64)]) -> Chart {
    Chart::new("a < b", Axis::bytes("stride"), Axis::linear("ns")).curve("", points.to_vec())
}

fn view(x: &str, y: &str, size: &str) -> View {
    let [x_range, y_range, size] = [x, y, size].map(|text| text.parse().ok());
    View { x_range, y_range, size, ..View::default() }
}

/// Charts, texts that each has, and how many discs: a marker has two.
#[test]
fn charts_show_all_that_they_are_given() {
    let [log, panels] = [View { log_y: true, ..View::default() }, View { panels: true, ..View::default() }];
    let mut sixty = (0..60).fold(Chart::new("t", Axis::log("n"), Axis::linear("y")), |chart, at| {
        chart.curve(format!("curve {at}"), [(1.0, 0.0), (64.0, f64::from(at))])
    });
    sixty.ordered = true;
    let row = [(8.0, 1.0), (16.0, 2.0), (32.0, f64::NAN), (64.0, 4.0), (128.0, 4.0)];
    let runs = Reading::from_runs(&[2.0, 3.0, 45.0], Source::Timing);
    let errors = times(&[]).readings("ikj", &[(1.0, runs), (2.0, Reading::missing("not run"))]);
    let mut hollow = times(&row);
    hollow.series[0].hollow = vec![(8.0, 9.0)];
    let bars = |y: Axis| {
        Chart::new("t", Axis::named("rung", vec!["first".into(), "second".into()]), y)
            .curve("", [(1.0, 2.5), (2.0, 64.0)])
    };
    let zeros = times(&[(8.0, 0.0), (16.0, 2.0)]).viewed(&log).unwrap();
    let axes = [
        "misses per access",
        "stride in bytes (K = 1024), logarithmic",
        "64",
        "1K",
        "0.1",
        "A 32 KiB cache.",
    ];
    let cases: [(Chart, &[&str], usize); 14] = [
        (misses(1), &axes, 26),
        (misses(2), &["8 KiB", "16 KiB", "Misses"], 54),
        (misses(11), &["8 KiB", "128 KiB", "8 MiB"], 396),
        (misses(11).viewed(&panels).unwrap(), &["8 KiB", "128 KiB", "8 MiB"], 396),
        (sixty, &["curve 59", "curve 3", "curve 27"], 0),
        (times(&row), &["8", "4"], 8),
        (
            zeros,
            &["ns, logarithmic", "Hollow at the lower edge: 0, which a logarithmic axis does not have."],
            4,
        ),
        (errors, &["45"], 3),
        (
            hollow.mark(16.0, 16.0, "L1").mark(20.0, 70.0, "L2 at most 70 B"),
            &["L1", "L2 at most 70 B", "9"],
            10,
        ),
        (times(&[(64.0, 3.0)]), &["3", "64", "128"], 2),
        (bars(Axis::linear("y")), &["first", "second", "2.5"], 0),
        (bars(Axis::log("y")), &["first", "second", "64"], 4),
        (
            times(&row).viewed(&view("8:20", "1:2", "")).unwrap(),
            &["Points outside the ranges shown are not drawn."],
            4,
        ),
        (times(&[(f64::NAN, 1.0), (0.0, f64::INFINITY)]), &["no data"], 0),
    ];
    for (at, (chart, texts, discs)) in cases.iter().enumerate() {
        let svg = chart.svg();
        for text in *texts {
            assert!(svg.contains(&format!("\n{text}\n")), "{at}: {text} in {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), *discs, "{at}");
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && svg == chart.svg(), "{at}");
    }
    let svg = times(&row).svg();
    assert!(
        svg.contains("<title>a &lt; b</title>")
            && svg.matches("<polyline").count() > times(&row[..2]).svg().matches("<polyline").count()
    );
}

#[test]
fn the_script_and_other_languages_find_values_with_spreads_and_sources() {
    let runs = Reading::from_runs(&[0.25, 0.5, 0.75], Source::Timing);
    let mut chart =
        Chart::new("t", Axis::bytes("stride"), Axis::linear("ns")).readings("64 KiB", &[(4096.0, runs)]);
    chart.series[0].hollow = vec![(16384.0, 90.0)];
    let words = WORDS.map(|english| (english.to_owned(), format!("[{english}]"))).into_iter();
    let mut words: BTreeMap<String, String> = words.chain([("ns".to_owned(), "[ns]".to_owned())]).collect();
    words.insert(".".to_owned(), ",".to_owned());
    for (chart, parts) in [
        (
            chart.clone(),
            [
                "\"name\":\"64 KiB\"",
                "\"source: timing\"",
                "\"4 KiB\",\"0.5\",\"0.25 to 0.75\"]",
                "\"16 KiB\",\"90\",\"hollow point\"]",
            ],
        ),
        (
            chart.in_language(&words),
            [
                "\"y\":\"[ns]\"",
                "\"[source: timing]\"",
                "\"0,5\",\"[0,25 to 0,75]\"]",
                "\n[stride in bytes (K = 1024), logarithmic]\n",
            ],
        ),
    ] {
        let svg = chart.svg();
        assert!(parts.iter().all(|part| svg.contains(part)), "{parts:?} in {svg}");
        assert!(svg.contains("<desc>") && svg.matches("64 KiB").count() == 2);
    }
}

#[test]
fn pictures_have_the_size_that_is_asked_for() {
    let size = |png: &[u8]| [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert_eq!(size(&misses(2).viewed(&view("", "", "400x300")).unwrap().png().unwrap()), [400, 300]);
    assert_eq!(size(&times(&[]).png().unwrap()), [1520, 1040]);
    assert!(
        misses(40).viewed(&view("", "", "1200x800")).unwrap().svg().contains("width=\"1200\" height=\"800\"")
    );
}

#[test]
fn views_that_a_chart_cannot_have_are_refused() {
    let panels = View { panels: true, ..view("", "", "400x300") };
    for (chart, view, says) in [
        (misses(4), view("128K:1M", "", ""), "nothing of this chart is in that range"),
        (misses(4), view("4K:16", "", ""), "must be below the second"),
        (misses(4), view("0:16", "", ""), "above 0 on a logarithmic axis"),
        (misses(4), view("", "", "100x50"), "400x300 to 5000x5000"),
        (misses(4), view("", "", "99999x1000"), "400x300 to 5000x5000"),
        (misses(40), panels, "600x1600"),
    ] {
        let error = chart.viewed(&view).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
    for wrong in ["16", "1:x", "nan:2", ":", "1200x", "-"] {
        assert!(wrong.parse::<Pair>().is_err(), "{wrong}");
    }
}
