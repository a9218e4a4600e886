//! The values of a chart's points as text: for the script that shows them under the pointer,
//! and for readers who do not see the picture.

use figures::units::Bytes;

use crate::axis::{Axis, Unit};
use crate::chart::Chart;
use crate::labels::Point;

/// A chart of more points has no values to show: a page should not become twice as large.
const MAX_POINTS: usize = 4000;

/// A drawn point: its curve, its place (`NAN` for a gap), and its coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drawn {
    pub(crate) series: usize,
    pub(crate) place: Point,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) is_disturbed: bool,
}

/// What a chart is about, in a sentence: its caption, its curves and their ranges.
pub(crate) fn description(chart: &Chart) -> String {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let drawn: Vec<&(f64, f64)> = points.filter(|(x, y)| chart.x.shows(*x) && chart.y.shows(*y)).collect();
    let ends = |axis: &Axis, pick: fn(&(f64, f64)) -> f64| {
        let low = drawn.iter().map(|point| pick(point)).fold(f64::INFINITY, f64::min);
        let high = drawn.iter().map(|point| pick(point)).fold(f64::NEG_INFINITY, f64::max);
        format!("{}: {} to {}", axis.label, amount(axis, low), amount(axis, high))
    };
    let mut parts = Vec::from_iter(chart.caption.lines().map(|line| line.trim_end_matches('.').to_owned()));
    if !drawn.is_empty() {
        if !chart.x.is_named() {
            parts.push(ends(&chart.x, |point| point.0));
        }
        parts.push(ends(&chart.y, |point| point.1));
    }
    let names: Vec<&str> =
        chart.series.iter().map(|series| series.name.as_str()).filter(|name| !name.is_empty()).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 12 => {
            parts.push(format!("{} curves, {first} to {last}", names.len()))
        }
        [] => {}
        names => parts.push(format!("curves: {}", names.join(", "))),
    }
    parts.retain(|part| !part.is_empty());
    parts.join(". ") + "."
}

/// The drawn points as JSON: names, colours, places in the drawing, and texts.
pub(crate) fn json(chart: &Chart, drawn: &[Drawn], colours: &[String], fine: f64) -> String {
    if drawn.is_empty() || drawn.len() > MAX_POINTS {
        return String::new();
    }
    let curves = chart.series.iter().enumerate().map(|(index, series)| {
        let own = drawn.iter().filter(|point| point.series == index);
        let points: Vec<String> = own
            .map(|point| {
                if !point.place.0.is_finite() {
                    return "null".to_owned();
                }
                let spread = series.spreads.iter().find(|spread| spread.0 == point.x);
                let spread = spread.map(|(_, low, high)| {
                    format!("{} to {}", amount(&chart.y, *low), amount(&chart.y, *high))
                });
                let spread = if point.is_disturbed { Some("disturbed".to_owned()) } else { spread };
                let x = match chart.x.names.get((point.x.round() as usize).wrapping_sub(1)) {
                    Some(name) => name.clone(),
                    None => amount(&chart.x, point.x),
                };
                let texts = [x, amount(&chart.y, point.y)].into_iter().chain(spread);
                let texts: Vec<String> = texts.map(|text| quoted(&text)).collect();
                format!("[{:.0},{:.0},{}]", point.place.0 * fine, point.place.1 * fine, texts.join(","))
            })
            .collect();
        let name = if series.panel.is_empty() || series.panel == series.name {
            series.name.clone()
        } else {
            format!("{}, {}", series.panel, series.name)
        };
        format!(
            "{{\"name\":{},\"source\":{},\"colour\":{},\"points\":[{}]}}",
            quoted(&name),
            quoted(&series.source),
            quoted(colours.get(index).map_or("", String::as_str)),
            points.join(",")
        )
    });
    let curves: Vec<String> = curves.collect();
    format!(
        "{{\"x\":{},\"y\":{},\"curves\":[{}]}}",
        quoted(&chart.x.label),
        quoted(&chart.y.label),
        curves.join(",")
    )
}

/// A number with four significant digits, or a size.
fn amount(axis: &Axis, value: f64) -> String {
    match axis.unit {
        Unit::Bytes if (1.0..1e15).contains(&value) => Bytes(value.round() as u64).to_string(),
        _ if value == 0.0 => "0".to_owned(),
        _ if value == value.round() && value.abs() < 1e7 => format!("{value:.0}"),
        _ => {
            let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 8.0) as usize;
            let text = format!("{value:.digits$}");
            let text =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            if (1e-5..1e7).contains(&value.abs()) { text.to_owned() } else { format!("{value:.3e}") }
        }
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_four_digits_and_sizes_a_unit() {
        let plain = Axis::linear("ns");
        for (value, text) in [
            (0.0, "0"),
            (960.0, "960"),
            (0.01234567, "0.01235"),
            (3.25, "3.25"),
            (1e-9, "1.000e-9"),
            (2.5e8, "2.500e8"),
        ] {
            assert_eq!(amount(&plain, value), text);
        }
        assert_eq!(amount(&Axis::bytes("stride"), 4096.0), "4 KiB");
    }

    #[test]
    fn texts_in_json_are_quoted() {
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c d\"");
    }
}
