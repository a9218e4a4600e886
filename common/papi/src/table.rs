//! Tables for a terminal.

use crate::regions::{Figures, is_printed};

/// One row: its name or its thread, or both; its figures, and what is written behind them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) thread: Option<usize>,
    pub(crate) figures: Figures,
    pub(crate) text: String,
}

/// Rows with the same figures.
#[derive(Debug)]
pub(crate) struct Table {
    /// What a row is: the field of a record with its name.
    pub(crate) part: &'static str,
    pub(crate) title: &'static str,
    /// The figure whose shares are printed.
    pub(crate) share: &'static str,
    pub(crate) lines: Vec<Line>,
}

impl Table {
    /// The first `rows` rows, and the sum of the others.
    pub(crate) fn text(&self, rows: usize, has_threads: bool) -> String {
        let Table { title, share, lines, .. } = self;
        let Some(first) = lines.first() else { return String::new() };
        let names: Vec<&str> =
            first.figures.0.iter().map(|(name, _)| &**name).filter(|name| is_printed(name)).collect();
        let (shown, others) = lines.split_at(lines.len().min(rows));
        let sum =
            |lines: &[Line], name: &str| lines.iter().filter_map(|line| line.figures.get(name)).sum::<u64>();
        let all = sum(lines, share);
        let row = |line: &Line| -> Vec<String> {
            let thread = line.thread.filter(|_| has_threads).map(|thread| format!("thread {thread}"));
            let name = [Some(&line.name).filter(|name| !name.is_empty()), thread.as_ref()];
            let name = name.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
            let share = line.figures.get(share).filter(|_| all > 0);
            let share =
                share.map_or(String::new(), |part| format!("{:>5.1} %  ", 100.0 * part as f64 / all as f64));
            let figures = names.iter().map(|name| grouped(line.figures.get(name).unwrap_or(0)));
            [name].into_iter().chain(figures).chain([share + &line.text]).collect()
        };
        let head = names.iter().map(|name| name.replace('_', " "));
        let mut cells = vec![[(*title).to_owned()].into_iter().chain(head).chain([String::new()]).collect()];
        cells.extend(shown.iter().map(row));
        if !others.is_empty() {
            let figures = names.iter().map(|name| ((*name).to_owned(), sum(others, name)));
            let (name, figures) = (format!("({} others)", others.len()), Figures(figures.collect()));
            cells.push(row(&Line { name, figures, ..Line::default() }));
        }
        figures::table::columns(&cells).lines().map(|line| format!("  {line}\n")).collect()
    }
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    figures::text::grouped(&count.to_string(), ",")
}
