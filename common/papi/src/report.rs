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
use serde_json::{Value, json};

use crate::image;
use crate::regions::{self, Figures, Region};
use crate::session::{IS_TIMED, Session, is_set};
use crate::site::{self, Form, Place};
use crate::table::{self, Line, grouped};
use crate::thread::Walker;
use crate::work::{Owner, add};

/// Rows of a table on a terminal, unless LAB_ROWS says how many; the others are one row.
const SHOWN_ROWS: usize = 10;

/// What one source line has executed: instructions, loads, stores, and stores of what the same
/// instruction has loaded.
#[derive(Debug, Clone, Copy, Default)]
struct Executed {
    figures: [u64; 4],
    misses: [u64; LEVELS],
    /// Instructions whose accesses are not counted.
    unknown: u64,
}

/// Names of an [`Executed`]'s figures.
const EXECUTED: [&str; 4] = ["instructions", "loads", "stores", "updates"];

/// What all threads counted.
struct Counted {
    totals: Figures,
    threads: Vec<Line>,
    arrays: Vec<Line>,
    lines: Vec<Line>,
    regions: Vec<Region>,
    /// Levels whose misses are listed by array and by line.
    levels: usize,
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
        let mut all = Counted {
            totals: Figures::default(),
            threads: Vec::new(),
            arrays: Vec::new(),
            lines: Vec::new(),
            regions: regions::all(),
            levels,
            notes,
        };
        let (mut owners, mut places) = (HashMap::new(), BTreeMap::new());
        let mut missed = [0; LEVELS];
        for thread in threads {
            let figures = thread.figures(session);
            all.totals.add(&figures, &Figures::default());
            let mut own = [0; LEVELS];
            own.iter_mut().zip(&thread.counts().levels).for_each(|(own, level)| *own = level.misses.total());
            add(&mut missed, own);
            let accesses = ["loads", "stores"].map(|name| figures.get(name).unwrap_or(0));
            let row = [&accesses[..], &own[..levels]].concat();
            all.threads.push(Line::new(format!("thread {}", thread.number), row));
            for (owner, misses) in
                thread.work.by_owner().into_iter().filter(|(_, misses)| *misses != [0; LEVELS])
            {
                add(owners.entry(owner).or_default(), misses);
            }
            by_place(thread, &mut places);
            if let Some(error) = &thread.error {
                all.notes.push(format!("thread {}: {error}; what follows is not counted", thread.number));
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
        all.arrays =
            arrays.into_iter().map(|(name, misses)| Line::new(name, misses[..levels].to_vec())).collect();
        all.add_lines(places);
        // Misses that belong to no access: of page walks and write-backs.
        let rest_name = if session.machine.walks() { "(page table)" } else { "(no access of a line)" };
        for (rows, first) in [(&mut all.arrays, 0), (&mut all.lines, EXECUTED.len())] {
            let sum = |level: usize| rows.iter().map(|line| line.figures[first + level]).sum::<u64>();
            let rest: Vec<u64> = (0..levels).map(|level| missed[level].saturating_sub(sum(level))).collect();
            rows.sort_by(|a, b| {
                (&b.figures[first..], &b.figures[..first]).cmp(&(&a.figures[first..], &a.figures[..first]))
            });
            if rest.iter().any(|rest| *rest > 0) {
                rows.push(Line::new(rest_name.to_owned(), [&vec![0; first][..], &rest].concat()));
            }
        }
        all
    }

    fn add_lines(&mut self, places: BTreeMap<(String, u32), Executed>) {
        let mut files: HashMap<String, Vec<String>> = HashMap::new();
        for ((path, line), executed) in places {
            let name =
                Path::new(&path).file_name().map_or(path.clone(), |name| name.to_string_lossy().into());
            let place = if line == 0 { format!("{name} (no line)") } else { format!("{name}:{line}") };
            if executed.unknown > 0 {
                let times = grouped(executed.unknown);
                self.notes
                    .push(format!("{place}: {times} accesses of instructions of a kind that is not counted"));
            }
            let source = files.entry(path).or_insert_with_key(|path| {
                let bytes = std::fs::read(path).unwrap_or_default();
                String::from_utf8_lossy(&bytes).lines().map(|line| line.trim().to_owned()).collect()
            });
            const WIDTH: usize = 60;
            let text = (line as usize).checked_sub(1).and_then(|at| source.get(at));
            let text = text.map_or_else(String::new, |text| text.chars().take(WIDTH).collect());
            let figures = [&executed.figures[..], &executed.misses[..self.levels]].concat();
            self.lines.push(Line { name: place, figures, text });
        }
    }

    fn level_names(&self) -> Vec<String> {
        (1..=self.levels).map(|level| format!("l{level}_misses")).collect()
    }

    fn text(&self, session: &Session, threads: usize) -> String {
        let mut text = format!("lab: model of {}\n", session.machine.label());
        let figure = |name: &str| self.totals.get(name).unwrap_or(0);
        let _ = writeln!(
            text,
            "  instructions {}, loads {}, stores {}",
            grouped(figure("instructions")),
            grouped(figure("loads")),
            grouped(figure("stores"))
        );
        for level in session.machine.levels.iter().map(|cache| cache.level) {
            let (accesses, misses) =
                (figure(&format!("l{level}_accesses")), figure(&format!("l{level}_misses")));
            let rate = 100.0 * misses as f64 / accesses.max(1) as f64;
            let [all, hits, missed] = [accesses, accesses - misses, misses].map(grouped);
            let _ = writeln!(text, "  L{level}   accesses {all}, hits {hits}, misses {missed} ({rate:.2} %)");
            let kinds = ["compulsory", "capacity", "conflict", "page_walk"].map(|kind| {
                let misses = self.totals.get(&format!("{kind}_misses")).filter(|_| level == 1);
                misses.map(|misses| format!("{} {}", kind.replace('_', " "), grouped(misses)))
            });
            if kinds.iter().any(Option::is_some) {
                let kinds: Vec<String> = kinds.into_iter().flatten().collect();
                let _ = writeln!(text, "       {}", kinds.join(", "));
            }
        }
        for level in session.machine.tlbs.iter().map(|tlb| tlb.level) {
            let _ = writeln!(text, "  TLB{level} misses {}", grouped(figure(&format!("tlb{level}_misses"))));
        }
        let rows = std::env::var("LAB_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(SHOWN_ROWS);
        let accesses = ["loads".to_owned(), "stores".to_owned()];
        let levels = self.level_names();
        let columns = [&accesses[..], &levels].concat();
        if threads > 1 {
            table::append(&mut text, "by thread", &columns, &self.threads, rows, Some(2));
            text += "  each thread has caches of its own; misses from sharing (coherence) are not modelled\n";
            if session.leaves_levels_out() {
                text += "  levels that cores share are modelled for thread 0 alone\n";
            }
        }
        table::append(&mut text, "misses by array", &levels, &self.arrays, rows, Some(0));
        // Updates are among the loads and the stores.
        let without_updates = |line: &Line| {
            let mut line = line.clone();
            line.figures.remove(EXECUTED.len() - 1);
            line
        };
        let lines: Vec<Line> = self.lines.iter().map(without_updates).collect();
        let columns: Vec<String> =
            EXECUTED[..3].iter().map(|name| (*name).to_owned()).chain(levels).collect();
        table::append(&mut text, "by source line", &columns, &lines, rows, Some(3));
        self.append_regions(&mut text, threads);
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        text
    }

    fn append_regions(&self, text: &mut String, threads: usize) {
        let is_shown = |name: &str| {
            !name.ends_with("accesses") && (name.starts_with(['l', 't', 'i']) || name == "stores")
        };
        let shown = |region: &Region| -> (Vec<String>, Vec<u64>) {
            let figures = region.figures.all().iter().filter(|(name, _)| is_shown(name)).cloned();
            [("passes".to_owned(), region.passes)].into_iter().chain(figures).unzip()
        };
        let Some((columns, _)) = self.regions.first().map(shown) else { return };
        let line = |region: &Region| Line::new(region_name(region, threads > 1), shown(region).1);
        let lines: Vec<Line> = self.regions.iter().map(line).collect();
        table::append(text, "by region", &columns, &lines, usize::MAX, None);
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
        let row = |part: &str, name: Option<&str>, figures: &mut dyn Iterator<Item = (String, u64)>| {
            let key = |key: &str, value: &str| (key.to_owned(), Value::from(value));
            let place = [key("part", part)].into_iter().chain(name.map(|name| key(part, name))).collect();
            let row = Row { place, ..Row::default() };
            figures
                .fold(row, |row, (name, figure)| row.with(&name, Reading::new(figure as f64, Source::Model)))
        };
        let mut total = row("total", None, &mut self.totals.all().iter().cloned());
        if let Some(line) = signalled.and_then(|signalled| signalled.line.as_deref()) {
            total = total.result("ended_at", line);
        }
        record.rows.push(total);
        let names = |first: &[&str]| -> Vec<String> {
            first.iter().map(|name| (*name).to_owned()).chain(self.level_names()).collect()
        };
        for (part, columns, lines) in [
            ("thread", names(&EXECUTED[1..3]), &self.threads),
            ("array", names(&[]), &self.arrays),
            ("line", names(&EXECUTED), &self.lines),
        ] {
            record.rows.extend(lines.iter().map(|line| {
                row(part, Some(&line.name), &mut columns.iter().cloned().zip(line.figures.iter().copied()))
            }));
        }
        for region in &self.regions {
            let name = region_name(region, false);
            let mut own = row("region", Some(&name), &mut region.figures.all().iter().cloned());
            own.place.set("thread", region.thread);
            record.rows.push(own.result("passes", region.passes));
        }
        record
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
            line.figures[3] += if touch.is_update { times } else { 0 };
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

fn region_name(region: &Region, has_threads: bool) -> String {
    let name = match &region.place {
        regions::Place::Lines(start, Some(stop)) => {
            format!("{} to {}", image::line(*start), image::line(*stop))
        }
        regions::Place::Lines(start, None) => format!("{} to the program's end", image::line(*start)),
        regions::Place::Named(name) => name.clone(),
    };
    if has_threads { format!("{name}, thread {}", region.thread) } else { name }
}
