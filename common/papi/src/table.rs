//! Tables for a terminal.

/// One row: its name or its thread, or both; its figures by column, and what is written behind them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) thread: Option<usize>,
    pub(crate) figures: Vec<u64>,
    pub(crate) text: String,
}

/// Rows with the same columns.
#[derive(Debug)]
pub(crate) struct Table {
    /// What a row is: the field of a record with its name.
    pub(crate) part: &'static str,
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<String>,
    /// How many of them are printed, and the one whose shares are.
    pub(crate) printed: usize,
    pub(crate) share: Option<usize>,
    pub(crate) lines: Vec<Line>,
}

impl Table {
    /// The first `rows` rows, and the sum of the others.
    pub(crate) fn text(&self, rows: usize, has_threads: bool) -> String {
        let Table { title, columns, printed, share, lines, .. } = self;
        if lines.is_empty() {
            return String::new();
        }
        let mut all = lines[..lines.len().min(rows)].to_vec();
        if let Some(others) = lines.get(rows..).filter(|others| !others.is_empty()) {
            let sum = |at| others.iter().filter_map(|line| line.figures.get(at)).sum();
            let (name, figures) = (format!("({} others)", others.len()), (0..*printed).map(sum).collect());
            all.push(Line { name, figures, ..Line::default() });
        }
        let share = |line: &Line| share.and_then(|at| line.figures.get(at)).copied();
        let sum: u64 = lines.iter().filter_map(share).sum();
        let row = |line: &Line| -> Vec<String> {
            let thread = line.thread.filter(|_| has_threads).map(|thread| format!("thread {thread}"));
            let name = [Some(&line.name).filter(|name| !name.is_empty()), thread.as_ref()];
            let name = name.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
            let share = share(line).filter(|_| sum > 0);
            let share =
                share.map_or(String::new(), |part| format!("{:>5.1} %  ", 100.0 * part as f64 / sum as f64));
            let figures = line.figures[..*printed].iter().map(|figure| grouped(*figure));
            [name].into_iter().chain(figures).chain([share + &line.text]).collect()
        };
        let names = columns[..*printed].iter().map(|name| name.replace('_', " "));
        let mut cells = vec![[(*title).to_owned()].into_iter().chain(names).chain([String::new()]).collect()];
        cells.extend(all.iter().map(row));
        figures::table::columns(&cells).lines().map(|line| format!("  {line}\n")).collect()
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
