//! What is printed, or saved, at the end of a program.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

use cache::LEVELS;
use figures::value::{Reading, Source};
use records::record::{Record, Row, Seal};
use serde_json::json;

use crate::image;
use crate::regions::{self, Figures, Region};
use crate::session::{IS_TIMED, Session, is_set};
use crate::site::{self, Form, Place};
use crate::table::{Line, Table, grouped};
use crate::thread::Walker;
use crate::work::{Owner, add};

/// Rows of a table on a terminal, unless LAB_ROWS says how many; the others are one row.
const SHOWN_ROWS: usize = 10;

/// What one source line has executed.
#[derive(Debug, Clone, Copy, Default)]
struct Executed {
    /// Instructions, loads, stores.
    figures: [u64; 3],
    misses: [u64; LEVELS],
    /// Stores of what the same instruction has loaded.
    updates: u64,
    /// Instructions whose accesses are not counted.
    unknown: u64,
}

/// What all threads counted.
struct Counted {
    totals: Figures,
    tables: Vec<Table>,
    notes: Vec<String>,
}

/// A signal that ended the program.
pub(crate) struct Signalled {
    pub(crate) sentence: String,
    /// The source line that it interrupted.
    pub(crate) line: Option<String>,
}

/// Prints and saves the counts of `threads`, with `notes`.
pub(crate) fn write(
    session: &Session,
    threads: &[MutexGuard<'_, Walker>],
    notes: Vec<String>,
    signalled: Option<&Signalled>,
) {
    if let Some(signalled) = signalled {
        eprintln!("lab: {}; the counts are those up to there", signalled.sentence);
    }
    let counted = Counted::new(session, threads, notes);
    if counted.totals.get("instructions") == Some(0) {
        eprintln!("lab: nothing was counted: the program has no code that lab cc compiled");
        counted.notes.iter().for_each(|note| eprintln!("lab: {note}"));
        return;
    }
    if !is_set("LAB_REPORT", "off") {
        eprint!("{}", counted.text(session, threads.len()));
    }
    if let Some(path) = std::env::var_os("LAB_RECORD") {
        let text = counted.record(session, signalled).json();
        // One after the other, so that each process sees the others' files.
        let folder = session.folder.join(&path).parent().and_then(|folder| File::open(folder).ok());
        let _ = folder.as_ref().map(File::lock);
        let path = record_path(session, Path::new(&path));
        if let Err(error) = system::files::write_atomically(&path, text.as_bytes()) {
            eprintln!("lab: LAB_RECORD: {error}");
        }
    }
}

/// The record's file: in the folder in which the program was started, and another for each of
/// several processes.
fn record_path(session: &Session, wanted: &Path) -> PathBuf {
    let path = session.folder.join(wanted);
    let is_others = std::fs::metadata(&path)
        .is_ok_and(|file| file.is_file() && file.modified().is_ok_and(|time| time > session.started));
    if !is_others {
        return path;
    }
    let own = std::process::id().to_string();
    let ending = path.extension().map_or(own.clone(), |old| format!("{own}.{}", old.to_string_lossy()));
    path.with_extension(ending)
}

impl Counted {
    fn new(session: &Session, threads: &[MutexGuard<'_, Walker>], mut notes: Vec<String>) -> Counted {
        let levels = session.machine.levels.len().min(LEVELS);
        notes.extend(image::notes());
        if IS_TIMED.load(Ordering::Relaxed) {
            notes.push(match &session.clock {
                Some(reason) => format!("the program's times are the clock's: {reason}"),
                None => "cycles and PAPI's times are an estimate: one for each instruction, and the latency of each miss; what overlaps is left out".to_owned(),
            });
        }
        let (mut owners, mut places) = (HashMap::new(), BTreeMap::new());
        let (mut totals, mut rows) = (Figures::default(), Vec::new());
        for thread in threads {
            let mut figures = thread.figures(session);
            totals.add(&figures, &Figures::default());
            figures.0.retain(|(name, _)| name == "loads" || name == "stores" || is_level(name));
            rows.push(Line { thread: Some(thread.number), figures, ..Line::default() });
            let by_owner = thread.work.by_owner().into_iter().filter(|(_, misses)| *misses != [0; LEVELS]);
            by_owner.for_each(|(owner, misses)| add(owners.entry(owner).or_default(), misses));
            by_place(thread, &mut places);
            if let Some(error) = &thread.error {
                notes.push(format!("thread {}: {error}; what follows is not counted", thread.number));
            }
        }
        let name = |owner: Owner| match owner {
            Owner::Global(at) => session.globals[at].name.clone(),
            Owner::Block(caller) => format!("block of {}", image::line(caller as usize)),
            Owner::Stack => "(stack)".to_owned(),
            Owner::Other => "(other memory)".to_owned(),
        };
        let mut arrays: BTreeMap<String, [u64; LEVELS]> = BTreeMap::new();
        owners.into_iter().for_each(|(owner, misses)| add(arrays.entry(name(owner)).or_default(), misses));
        let line = |(name, misses)| Line { name, figures: missed(misses, levels), ..Line::default() };
        let (arrays, lines) = (arrays.into_iter().map(line).collect(), lines(places, levels, &mut notes));
        let table = |part, title, lines| Table { part, title, share: "l1_misses", lines };
        let mut tables = vec![
            table("thread", "by thread", rows),
            table("array", "misses by array", arrays),
            table("line", "by source line", lines),
        ];
        // Misses that belong to no access: of page walks and write-backs.
        let rest_name = if session.machine.walks() { "(page table)" } else { "(no access of a line)" };
        for table in &mut tables[1..] {
            let Some(first) = table.lines.first() else { continue };
            let mut rest = first.figures.clone();
            for (name, figure) in &mut rest.0 {
                let sum = table.lines.iter().filter_map(|line| line.figures.get(name)).sum();
                *figure = totals.get(name).filter(|_| is_level(name)).unwrap_or(0).saturating_sub(sum);
            }
            table.lines.sort_by_cached_key(|line| {
                let figures = line.figures.0.clone().into_iter();
                let parts: (Vec<_>, Vec<_>) = figures.partition(|(name, _)| is_level(name));
                std::cmp::Reverse(parts)
            });
            if rest.0.iter().any(|(_, rest)| *rest > 0) {
                table.lines.push(Line { name: rest_name.to_owned(), figures: rest, ..Line::default() });
            }
        }
        tables.extend(regions());
        Counted { totals, tables, notes }
    }

    fn text(&self, session: &Session, threads: usize) -> String {
        let mut text = format!("lab: model of {}\n", session.machine.label());
        let figure = |name: &str| self.totals.get(name).unwrap_or(0);
        let [instructions, loads, stores] =
            ["instructions", "loads", "stores"].map(|name| grouped(figure(name)));
        let _ = writeln!(text, "  instructions {instructions}, loads {loads}, stores {stores}");
        for level in session.machine.levels.iter().map(|cache| cache.level) {
            let (accesses, misses) =
                (figure(&format!("l{level}_accesses")), figure(&format!("l{level}_misses")));
            let rate = 100.0 * misses as f64 / accesses.max(1) as f64;
            let [all, hits, missed] = [accesses, accesses - misses, misses].map(grouped);
            let _ = writeln!(text, "  L{level}   accesses {all}, hits {hits}, misses {missed} ({rate:.2} %)");
            let kinds = ["compulsory", "capacity", "conflict", "page_walk"].iter().filter_map(|kind| {
                let misses = self.totals.get(&format!("{kind}_misses")).filter(|_| level == 1)?;
                Some(format!("{} {}", kind.replace('_', " "), grouped(misses)))
            });
            let kinds: Vec<String> = kinds.collect();
            if !kinds.is_empty() {
                let _ = writeln!(text, "       {}", kinds.join(", "));
            }
        }
        for level in session.machine.tlbs.iter().map(|tlb| tlb.level) {
            let _ = writeln!(text, "  TLB{level} misses {}", grouped(figure(&format!("tlb{level}_misses"))));
        }
        let rows = std::env::var("LAB_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(SHOWN_ROWS);
        for table in &self.tables {
            let is_region = table.part == "region";
            if table.part != "thread" {
                text += &table.text(if is_region { usize::MAX } else { rows }, threads > 1);
            } else if threads > 1 {
                text += &table.text(rows, true);
                text +=
                    "  each thread has caches of its own; misses from sharing (coherence) are not modelled\n";
                if session.leaves_levels_out() {
                    text += "  levels that cores share are modelled for thread 0 alone\n";
                }
            }
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        text
    }

    fn record(&self, session: &Session, signalled: Option<&Signalled>) -> Record {
        let machine = &session.machine;
        let program = std::env::args_os().next().unwrap_or_default();
        let mut record = Record::new("cc", machine.label()).set("file", program.to_string_lossy());
        record.time = system::date::now();
        record.id = format!("{:016x}", system::date::unlike_any_other());
        record.arguments =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        record.machine_data = if machine.sealed() { json!({ "name": machine.name }) } else { json!(machine) };
        record.seal = machine.seal.as_deref().map(Seal::of_machine);
        for note in self.notes.iter().cloned().chain(signalled.map(|signalled| signalled.sentence.clone())) {
            record.notes.push(note.as_str().into());
        }
        let with = |row: Row, (name, figure): &(String, u64)| {
            row.with(name, Reading::new(*figure as f64, Source::Model))
        };
        let mut total = self.totals.0.iter().fold(Row::at([("part", "total".into())]), with);
        if let Some(line) = signalled.and_then(|signalled| signalled.line.as_deref()) {
            total = total.result("ended_at", line);
        }
        record.rows.push(total);
        for table in &self.tables {
            record.rows.extend(table.lines.iter().map(|line| {
                let mut row = Row::at([("part", table.part.into())]);
                if !line.name.is_empty() {
                    row.place.insert(table.part.to_owned(), line.name.as_str().into());
                }
                if let Some(thread) = line.thread {
                    row.place.insert("thread".to_owned(), thread.into());
                }
                line.figures.0.iter().fold(row, with)
            }));
        }
        record
    }
}

/// Whether a figure is the misses of a level.
fn is_level(name: &str) -> bool {
    name.starts_with('l') && name.ends_with("_misses")
}

fn missed(misses: [u64; LEVELS], levels: usize) -> Figures {
    let all = (1..=levels).zip(misses).map(|(level, misses)| (format!("l{level}_misses"), misses));
    Figures(all.collect())
}

/// The source lines by their names.
fn lines(places: BTreeMap<(String, u32), Executed>, levels: usize, notes: &mut Vec<String>) -> Vec<Line> {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    let line = |((path, line), executed): ((String, u32), Executed)| {
        let name = Path::new(&path).file_name().map_or(path.clone(), |name| name.to_string_lossy().into());
        let name = if line == 0 { format!("{name} (no line)") } else { format!("{name}:{line}") };
        if executed.unknown > 0 {
            let times = grouped(executed.unknown);
            notes.push(format!("{name}: {times} accesses of instructions of a kind that is not counted"));
        }
        let source = files.entry(path).or_insert_with_key(|path| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(|line| line.trim().to_owned()).collect()
        });
        const WIDTH: usize = 60;
        let text = (line as usize).checked_sub(1).and_then(|at| source.get(at));
        let text = text.map_or_else(String::new, |text| text.chars().take(WIDTH).collect());
        let Executed { figures: [instructions, loads, stores], misses, updates, .. } = executed;
        let first = [("instructions", instructions), ("loads", loads), ("stores", stores)];
        let named = |(name, figure): (&str, u64)| (name.to_owned(), figure);
        let mut figures = Figures(first.map(named).into());
        figures.0.extend(missed(misses, levels).0);
        // They are among the loads and the stores.
        figures.0.push(named(("updates", updates)));
        Line { name, thread: None, figures, text }
    };
    places.into_iter().map(line).collect()
}

/// The table of regions, if there are any.
fn regions() -> Option<Table> {
    let line = |Region { thread, place, figures, .. }: Region| {
        let name = match place {
            regions::Place::Lines(start, Some(stop)) => {
                format!("{} to {}", image::line(start), image::line(stop))
            }
            regions::Place::Lines(start, None) => format!("{} to the program's end", image::line(start)),
            regions::Place::Named(name) => name,
        };
        Line { name, thread: Some(thread), figures, text: String::new() }
    };
    let lines: Vec<Line> = regions::all().into_iter().map(line).collect();
    (!lines.is_empty()).then_some(Table { part: "region", title: "by region", share: "", lines })
}

/// Prints the regions, where there is no model.
pub(crate) extern "C" fn write_regions() {
    if let Some(table) = regions() {
        eprint!("lab: hardware counters\n{}", table.text(usize::MAX, false));
    }
}

/// Adds what a thread has executed to that of each source line.
fn by_place(thread: &Walker, places: &mut BTreeMap<(String, u32), Executed>) {
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut of =
        |place: Place| (names.entry(place.0).or_insert_with(|| site::file_name(place)).clone(), place.1);
    let work = &thread.work;
    for (site, times) in site::sites().iter().zip(&work.executed).filter(|(_, times)| **times > 0) {
        for (place, counts) in &site.counts {
            places.entry(of(*place)).or_default().figures[0] += times * u64::from(counts[0]);
        }
        for (number, touch) in (site.first..).zip(&site.touches) {
            if matches!(touch.form, Form::Block | Form::Begins) {
                continue;
            }
            let line = places.entry(of(touch.place)).or_default();
            if touch.form == Form::Unknown {
                line.unknown += times;
                continue;
            }
            let times = if touch.form == Form::Plain {
                *times
            } else {
                work.repeated.get(&number).copied().unwrap_or(0)
            };
            line.figures[1 + usize::from(touch.is_store)] += times;
            line.updates += if touch.is_update { times } else { 0 };
            let second = match touch.form {
                Form::Repeated { second: Some((_, is_store)), .. } => Some(is_store),
                Form::Ended { second: Some(_) } => Some(false),
                _ => None,
            };
            if let Some(is_store) = second {
                line.figures[1 + usize::from(is_store)] += times;
            }
            add(&mut line.misses, work.misses.get(number).copied().unwrap_or_default());
        }
    }
}
