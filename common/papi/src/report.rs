//! What is printed, or saved, at the end of a program.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::atomic::Ordering;

use cache::LEVELS;
use figures::value::{Reading, Source};
use records::record::{Record, Row, Seal};
use serde_json::{Value, json};

use crate::heap;
use crate::image;
use crate::regions::{Figures, Place};
use crate::session::{IS_TIMED, Session, is_set, locked};
use crate::sets;
use crate::thread::{Owner, Thread, add};

/// Rows of a table on a terminal; the others are one row.
const SHOWN_ROWS: usize = 10;

/// One row of a table: its name and figures.
type Line = (String, Vec<u64>);

/// What all threads counted.
struct Counted {
    /// See [`Figures::new`]; the sums over the threads.
    totals: Vec<u64>,
    threads: Vec<Line>,
    arrays: Vec<Line>,
    lines: Vec<Line>,
    /// The same as `totals` for each region, with its number of passes first.
    regions: Vec<Line>,
    /// Levels whose misses are listed by array and by line.
    levels: usize,
}

/// Prints and saves the counts of `threads`. `interrupted` says why the program has not come to
/// its end.
pub(crate) fn write(session: &Session, threads: &[&Thread], interrupted: Option<&str>) {
    sets::end_open_regions();
    crate::high::PAPI_hl_print_output();
    if let Some(reason) = interrupted {
        eprintln!("lab: {reason}; the counts are those up to there");
    }
    if threads.is_empty() {
        eprintln!("lab: nothing was counted: the program made no instrumented access");
        return;
    }
    let counted = Counted::new(session, threads);
    if !is_set("LAB_REPORT", "off") {
        eprint!("{}", counted.text(session, threads));
    }
    if let Some(path) = std::env::var_os("LAB_RECORD") {
        let text = counted.record(session, interrupted).json();
        if let Err(error) = system::files::write_atomically(path.as_ref(), text.as_bytes()) {
            eprintln!("lab: LAB_RECORD: {error}");
        }
    }
}

impl Counted {
    fn new(session: &Session, threads: &[&Thread]) -> Counted {
        let levels = session.machine.levels.len().min(LEVELS);
        let mut totals = Figures::default();
        let mut all = Counted {
            totals: Vec::new(),
            threads: Vec::new(),
            arrays: Vec::new(),
            lines: Vec::new(),
            regions: Vec::new(),
            levels,
        };
        let (mut owners, mut sites) = (HashMap::new(), HashMap::<u64, ([u64; 2], [u64; LEVELS])>::new());
        let mut missed = [0; LEVELS];
        for thread in threads {
            let counts = thread.counts();
            let figures = thread.figures(session);
            totals.add(&figures, &Figures(vec![0; figures.0.len()]));
            let mut own = [0; LEVELS];
            own.iter_mut().zip(&counts.levels).for_each(|(own, level)| *own = level.misses.total());
            add(&mut missed, own);
            let accesses = [counts.loads, counts.stores];
            all.threads.push((format!("thread {}", thread.number), [&accesses[..], &own[..levels]].concat()));
            for (owner, misses) in thread.by_owner().into_iter().filter(|(_, misses)| *misses != [0; LEVELS])
            {
                add(owners.entry(owner).or_default(), misses);
            }
            for site in thread.sites() {
                let sum = sites.entry(site.caller).or_default();
                sum.0.iter_mut().zip(site.accesses).for_each(|(sum, more)| *sum += more);
                add(&mut sum.1, site.misses);
            }
        }
        all.totals = totals.0;
        let callers = heap::callers();
        let array = |owner: Owner| match owner {
            Owner::Global(at) => session.globals[at].name.clone(),
            Owner::Block(at) => callers
                .get(at)
                .map_or_else(|| "?".to_owned(), |caller| format!("block of {}", image::line(*caller))),
            Owner::Stack => "(stack)".to_owned(),
            Owner::Other => "(other memory)".to_owned(),
        };
        all.arrays =
            ranked(owners.into_iter().map(|(owner, misses)| (array(owner), misses[..levels].to_vec())), 0);
        let line =
            |caller: u64| if caller == 0 { "(no line)".to_owned() } else { image::line(caller as usize) };
        all.lines = ranked(
            sites.into_iter().map(|(caller, (accesses, misses))| {
                (line(caller), [&accesses[..], &misses[..levels]].concat())
            }),
            2,
        );
        // Misses that belong to no access: of page walks and write-backs.
        let rest_of_misses = if session.machine.walks() { "(page table)" } else { "(no access of a line)" };
        for (rows, first) in [(&mut all.arrays, 0), (&mut all.lines, 2)] {
            let sum = |level: usize| rows.iter().map(|(_, figures)| figures[first + level]).sum::<u64>();
            let rest: Vec<u64> = (0..levels).map(|level| missed[level].saturating_sub(sum(level))).collect();
            if rest.iter().any(|rest| *rest > 0) {
                rows.push((rest_of_misses.to_owned(), [&vec![0; first][..], &rest].concat()));
            }
        }
        for ((thread, place), region) in &*locked(&session.regions) {
            let name = match place {
                Place::Lines(start, Some(stop)) => {
                    format!("{} to {}", image::line(*start), image::line(*stop))
                }
                Place::Lines(start, None) => format!("{} to the program's end", image::line(*start)),
                Place::Named(name) => name.clone(),
            };
            let thread = if threads.len() > 1 { format!(", thread {thread}") } else { String::new() };
            all.regions.push((name + &thread, [&[region.passes][..], &region.figures.0].concat()));
        }
        all
    }

    /// Names of the figures of `totals` in order.
    fn names(session: &Session) -> Vec<String> {
        let first = [
            "loads",
            "stores",
            "compulsory_misses",
            "capacity_misses",
            "conflict_misses",
            "page_walk_misses",
        ]
        .map(str::to_owned);
        let levels = session.machine.levels.iter();
        let levels =
            levels.flat_map(|cache| ["accesses", "misses"].map(|what| format!("l{}_{what}", cache.level)));
        let tlbs = session.machine.tlbs.iter().map(|tlb| format!("tlb{}_misses", tlb.level));
        first.into_iter().chain(levels).chain(tlbs).collect()
    }

    fn level_names(&self) -> Vec<String> {
        (1..=self.levels).map(|level| format!("l{level}_misses")).collect()
    }

    fn text(&self, session: &Session, threads: &[&Thread]) -> String {
        let mut text = format!("lab: model of {}\n", session.machine.summary());
        let kinds = if session.machine.sealed() { None } else { Some(&self.totals[2..6]) };
        let _ = writeln!(text, "  loads {}, stores {}", grouped(self.totals[0]), grouped(self.totals[1]));
        let mut figures = self.totals[6..].iter();
        for cache in &session.machine.levels {
            let (Some(accesses), Some(misses)) = (figures.next(), figures.next()) else { break };
            let rate = 100.0 * *misses as f64 / (*accesses).max(1) as f64;
            let _ = writeln!(
                text,
                "  L{}   accesses {}, hits {}, misses {} ({rate:.2} %)",
                cache.level,
                grouped(*accesses),
                grouped(accesses - misses),
                grouped(*misses)
            );
            if let (1, Some([compulsory, capacity, conflict, walks])) = (cache.level, kinds) {
                let [compulsory, capacity, conflict] =
                    [compulsory, capacity, conflict].map(|count| grouped(*count));
                let _ =
                    write!(text, "       compulsory {compulsory}, capacity {capacity}, conflict {conflict}");
                if session.machine.walks() {
                    let _ = write!(text, ", by page walks {}", grouped(*walks));
                }
                text.push('\n');
            }
        }
        for (tlb, misses) in session.machine.tlbs.iter().zip(figures) {
            let _ = writeln!(text, "  TLB{} misses {}", tlb.level, grouped(*misses));
        }
        let accesses = ["loads".to_owned(), "stores".to_owned()];
        let columns = [&accesses[..], &self.level_names()].concat();
        if threads.len() > 1 {
            table(&mut text, "by thread", &columns, &self.threads, 2);
            text += "  each thread has caches of its own; misses from sharing (coherence) are not modelled\n";
            if session.leaves_levels_out() {
                text += "  levels that cores share are modelled for thread 0 alone\n";
            }
        }
        table(&mut text, "misses by array", &self.level_names(), &self.arrays, 0);
        table(&mut text, "by source line", &columns, &self.lines, 2);
        let columns: Vec<String> = ["passes".to_owned()].into_iter().chain(Counted::names(session)).collect();
        let shown: Vec<usize> = (0..columns.len())
            .filter(|at| !columns[*at].contains("accesses") && !(3..7).contains(at))
            .collect();
        let pick = |all: &[String]| shown.iter().map(|at| all[*at].clone()).collect::<Vec<_>>();
        let regions: Vec<Line> = self
            .regions
            .iter()
            .map(|(name, figures)| {
                (name.clone(), shown.iter().filter_map(|at| figures.get(*at).copied()).collect())
            })
            .collect();
        table(&mut text, "by region", &pick(&columns), &regions, usize::MAX);
        for note in notes(session) {
            let _ = writeln!(text, "  {note}");
        }
        text
    }

    fn record(&self, session: &Session, interrupted: Option<&str>) -> Record {
        let machine = &session.machine;
        let program = std::env::args_os().next().unwrap_or_default();
        let mut record = Record::new("cc", machine.summary()).set("file", program.to_string_lossy());
        record.time = system::date::now();
        record.id = format!("{:016x}", system::date::unlike_any_other());
        record.arguments =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        record.machine_data = if machine.sealed() { json!({ "name": machine.name }) } else { json!(machine) };
        record.seal = machine.seal.as_deref().map(Seal::of_machine);
        for note in notes(session).into_iter().chain(interrupted.map(str::to_owned)) {
            record.notes.push(note.as_str().into());
        }
        let row = |keys: &[(&str, Value)], names: &[String], figures: &[u64]| {
            let place = keys.iter().map(|(key, value)| (*key, value.clone())).collect();
            let row = Row { place, ..Row::default() };
            names
                .iter()
                .zip(figures)
                .fold(row, |row, (name, figure)| row.with(name, Reading::new(*figure as f64, Source::Model)))
        };
        let names = Counted::names(session);
        let visible = |name: &String| {
            !(machine.sealed()
                && ["compulsory", "capacity", "conflict", "page_walk"]
                    .iter()
                    .any(|kind| name.starts_with(kind)))
        };
        let pick = |figures: &[u64]| -> (Vec<String>, Vec<u64>) {
            names.iter().cloned().zip(figures.iter().copied()).filter(|(name, _)| visible(name)).unzip()
        };
        let (own, totals) = pick(&self.totals);
        record.rows.push(row(&[("part", "total".into())], &own, &totals));
        let accesses = ["loads".to_owned(), "stores".to_owned()];
        let columns = [&accesses[..], &self.level_names()].concat();
        for (part, key, columns, lines) in [
            ("thread", "thread", &columns, &self.threads),
            ("array", "array", &self.level_names(), &self.arrays),
            ("line", "line", &columns, &self.lines),
        ] {
            let rows = lines.iter().map(|(name, figures)| {
                row(&[("part", part.into()), (key, name.as_str().into())], columns, figures)
            });
            record.rows.extend(rows);
        }
        for (name, figures) in &self.regions {
            let (names, own) = pick(&figures[1..]);
            let place = [("part", "region".into()), ("region", name.as_str().into())];
            record.rows.push(row(&place, &names, &own).result("passes", figures[0]));
        }
        record
    }
}

/// What a reader must know.
fn notes(session: &Session) -> Vec<String> {
    let mut notes = Vec::new();
    if IS_TIMED.load(Ordering::Relaxed) {
        notes.push(match &session.clock {
            Some(reason) => format!("the program's times are the clock's: {reason}"),
            None => {
                "the program's times are modelled: the latencies of its loads, one after the other".to_owned()
            }
        });
    }
    let skipped = locked(&session.skipped);
    notes.extend(
        skipped.iter().map(|(event, reason)| format!("{event} was not counted, its value is -1: {reason}")),
    );
    if sets::counted_without_fetches() {
        notes.push(
            "instruction fetches are not modelled: events of instructions and data count data alone"
                .to_owned(),
        );
    }
    notes
}

/// Lines of the same name together, those with most misses (from figure `first` on) first.
fn ranked(lines: impl Iterator<Item = Line>, first: usize) -> Vec<Line> {
    let mut sums: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (name, figures) in lines {
        let sum = sums.entry(name).or_insert_with(|| vec![0; figures.len()]);
        sum.iter_mut().zip(figures).for_each(|(sum, more)| *sum += more);
    }
    let mut lines: Vec<Line> = sums.into_iter().collect();
    lines.sort_by(|(_, a), (_, b)| (&b[first..], &b[..first]).cmp(&(&a[first..], &a[..first])));
    lines
}

/// Appends the first rows, and the sum of the others; `ranked_by` is the figure whose shares are
/// shown, if there is one.
fn table(text: &mut String, title: &str, columns: &[String], lines: &[Line], ranked_by: usize) {
    if lines.is_empty() {
        return;
    }
    let mut shown: Vec<Line> = lines.iter().take(SHOWN_ROWS).cloned().collect();
    if lines.len() > SHOWN_ROWS {
        let mut rest = vec![0; columns.len()];
        for (_, figures) in &lines[SHOWN_ROWS..] {
            rest.iter_mut().zip(figures).for_each(|(sum, more)| *sum += more);
        }
        shown.push((format!("({} others)", lines.len() - SHOWN_ROWS), rest));
    }
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(title.len());
    let _ = write!(text, "  {title:<width$}");
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let widest =
                shown.iter().filter_map(|(_, figures)| figures.get(at)).map(|figure| grouped(*figure).len());
            widest.max().unwrap_or(0).max(name.len()) + 2
        })
        .collect();
    for (name, width) in columns.iter().zip(&widths) {
        let _ = write!(text, "{:>width$}", name.replace('_', " "));
    }
    text.push('\n');
    let sum: u64 = lines.iter().filter_map(|(_, figures)| figures.get(ranked_by)).sum();
    for (name, figures) in &shown {
        let _ = write!(text, "  {name:<width$}");
        for (figure, width) in figures.iter().zip(&widths) {
            let _ = write!(text, "{:>width$}", grouped(*figure));
        }
        if let Some(figure) = figures.get(ranked_by).filter(|_| sum > 0) {
            let _ = write!(text, "{:>7.1} %", 100.0 * *figure as f64 / sum as f64);
        }
        text.push('\n');
    }
}

/// `1234567` as `1,234,567`.
fn grouped(count: u64) -> String {
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
