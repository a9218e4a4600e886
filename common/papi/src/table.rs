//! Tables for a terminal.

use std::fmt::Write;

/// One row: its name, its figures by column, and what is written behind them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) figures: Vec<u64>,
    pub(crate) text: String,
}

impl Line {
    pub(crate) fn new(name: String, figures: Vec<u64>) -> Line {
        Line { name, figures, text: String::new() }
    }
}

/// Appends the first `rows` rows, and the sum of the others; the shares of the column `shares` are
/// shown, if there is one.
pub(crate) fn append(
    text: &mut String,
    title: &str,
    columns: &[String],
    lines: &[Line],
    rows: usize,
    shares: Option<usize>,
) {
    if lines.is_empty() {
        return;
    }
    let mut shown = lines[..lines.len().min(rows)].to_vec();
    if let Some(others) = lines.get(rows..).filter(|others| !others.is_empty()) {
        let mut sum = vec![0; columns.len()];
        for line in others {
            sum.iter_mut().zip(&line.figures).for_each(|(sum, figure)| *sum += figure);
        }
        shown.push(Line::new(format!("({} others)", others.len()), sum));
    }
    let width = shown.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(title.len());
    let _ = write!(text, "  {title:<width$}");
    let widest =
        |at: usize| shown.iter().filter_map(|line| line.figures.get(at)).map(|f| grouped(*f).len()).max();
    let widths: Vec<usize> =
        columns.iter().enumerate().map(|(at, name)| widest(at).unwrap_or(0).max(name.len()) + 2).collect();
    for (name, width) in columns.iter().zip(&widths) {
        let _ = write!(text, "{:>width$}", name.replace('_', " "));
    }
    text.push('\n');
    let share = |line: &Line| shares.and_then(|at| line.figures.get(at)).copied();
    let sum: u64 = lines.iter().filter_map(share).sum();
    for line in &shown {
        let _ = write!(text, "  {:<width$}", line.name);
        for (figure, width) in line.figures.iter().zip(&widths) {
            let _ = write!(text, "{:>width$}", grouped(*figure));
        }
        if let Some(figure) = share(line).filter(|_| sum > 0) {
            let _ = write!(text, "{:>7.1} %", 100.0 * figure as f64 / sum as f64);
        }
        if !line.text.is_empty() {
            let _ = write!(text, "  {}", line.text);
        }
        text.push('\n');
    }
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
