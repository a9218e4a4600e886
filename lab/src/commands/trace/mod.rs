//! `lab trace`: a trace of accesses through the caches of a described machine.

mod reader;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use common::cache::{Outcome, Replay, TooFar};
use common::cli::{self, Format, Output};
use common::failure::Failure;
use common::machine::{self, CacheLevel, Machine};
use common::measure;
use common::output;
use common::record::{Record, Row};
use common::text::grouped;
use common::units::Bytes;
use common::value::{Reading, Source};
use common::{encoding, input, table};
use reader::{Access, Form, Kind, Trace};

/// Run a trace of memory accesses through the caches of a machine
///
/// Counts hits, misses and evictions of each cache and TLB, and the first level's misses by
/// cause. Any program can be traced with valgrind; the example below shows how.
///
/// -s, -E and -b describe one cache as the cache lab's csim does; the size of an access is
/// then ignored, as csim does too.
#[derive(Debug, clap::Args)]
#[command(mut_arg("chart", cli::refused::<PathBuf>("lab trace draws no chart; leave out --chart")))]
#[command(mut_arg("verbose", |arg| arg.help("Print what happens to each access")))]
pub(crate) struct Args {
    /// The trace: lackey's, DineroIV's, or lines like 'r 0x7ff0 8'; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Use the caches of this machine: host, a name from `lab machines`, or a TOML file
    #[arg(long, env = "LAB_MACHINE", value_name = "MACHINE", default_value = "host")]
    machine: String,

    /// Use one cache with 2^S sets
    #[arg(short = 's', value_name = "S", conflicts_with = "machine", requires_all = ["ways", "block"])]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    sets: Option<u32>,

    /// Use sets of E lines
    #[arg(short = 'E', value_name = "E", requires = "sets", value_parser = clap::value_parser!(u32).range(1..=65536))]
    ways: Option<u32>,

    /// Use lines of 2^B bytes
    #[arg(short = 'b', value_name = "B", requires = "sets", value_parser = clap::value_parser!(u32).range(0..=12))]
    block: Option<u32>,

    #[command(flatten)]
    output: Output,
}

/// The part of a row with the average time of a load.
const AVERAGE: &str = "average load";
/// Lines of a cache that can be modelled: each takes some 20 bytes.
const MAX_LINES: u64 = 1 << 22;
/// Bytes that are read at a time.
const BUFFER: usize = 1 << 20;

/// Reads the trace, counts, prints.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::prepare([args.file.as_path()], &args.output)?;
    if args.output.verbose && (args.output.format != Format::Kit || args.output.prints_a_file()) {
        return Err(Failure::usage(
            "--verbose prints text: leave out --format, and give a file instead of - to --record",
        ));
    }
    let machine = described(args)?;
    let mut run = Run {
        replay: Replay::new(&machine, vec!["all"]).map_err(Failure::could_not)?,
        text: String::new(),
        accesses: 0,
    };
    let mut trace = Trace::new(open(&args.file)?);
    let name = input::name(&args.file);
    let failed = |error: &dyn std::fmt::Display| Failure::could_not(format!("{name}, {error}"));
    while let Some(access) = trace.read().map_err(|error| failed(&error))? {
        run.access(args, access).map_err(|error| failed(&format!("line {}: {error}", trace.line)))?;
        if run.text.len() > BUFFER {
            output::print(&std::mem::take(&mut run.text))?;
        }
    }
    if run.accesses == 0 {
        return Err(failed(&match trace.instructions {
            0 => "the trace is empty: it has no line such as ' L 7ff0,8', '0 7ff0' or 'r 0x7ff0 8'",
            _ => "the trace has only instruction fetches: no load and no store",
        }));
    }
    output::print(&std::mem::take(&mut run.text))?;
    let record = run.record(args, &machine, &trace);
    let kit = |record: &Record| kit_text(record, args.sets.is_some());
    output::finish(&record, &args.output, &kit)
}

/// The machine that the options describe.
fn described(args: &Args) -> Result<Machine, Failure> {
    if let (Some(sets), Some(ways), Some(block)) = (args.sets, args.ways, args.block) {
        let (size, line) = (Bytes(u64::from(ways) << (sets + block)), Bytes(1 << block));
        let lines = u64::from(ways) << sets;
        if lines > MAX_LINES {
            return Err(Failure::usage(format!(
                "-s {sets} -E {ways} are {lines} lines; up to {MAX_LINES} can be modelled"
            )));
        }
        let csim = Some("one cache, as csim has it".to_owned());
        let mut machine = Machine::undescribed(csim, Bytes(4096), Vec::new());
        machine.name = format!("-s {sets} -E {ways} -b {block}");
        machine.levels = vec![CacheLevel { size, line, ways: ways as usize, ..CacheLevel::plain(1) }];
        return Ok(machine);
    }
    let machine = machine::select(&args.machine).map_err(Failure::usage)?;
    if machine.sealed() {
        return Err(Failure::usage(
            "a sealed machine is measured with cm1 and spark; lab trace takes described machines",
        ));
    }
    Ok(machine)
}

/// The file, or standard input; UTF-16 as PowerShell's `>` writes it is read too.
fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    let unread = |error| input::unreadable(path, &error);
    let raw: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(path).map_err(unread)?),
    };
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    // Of a folder this is the first error.
    let start = raw.fill_buf().map_err(unread)?;
    if !matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        // gzip, xz and zip begin like that
        if start.iter().take(8).any(|byte| *byte == 0) {
            let name = input::name(path);
            return Err(Failure::could_not(format!("{name} is not text; if it is packed, unpack it first")));
        }
        return Ok(Box::new(raw));
    }
    let mut bytes = Vec::new();
    raw.read_to_end(&mut bytes).map_err(unread)?;
    let text = encoding::decode(&bytes);
    Ok(Box::new(Cursor::new(
        text.map_err(|why| Failure::could_not(format!("{}: {why}", input::name(path))))?,
    )))
}

/// The caches, and what is collected in addition to their counts.
struct Run {
    replay: Replay,
    /// Lines of `--verbose` that are not printed yet.
    text: String,
    accesses: u64,
}

impl Run {
    fn access(&mut self, args: &Args, access: Access) -> Result<(), TooFar> {
        let Access { kind, address, bytes } = access;
        let width = if args.sets.is_some() { 1 } else { bytes }; // as csim
        let parts = match kind {
            Kind::Load => &[false][..],
            Kind::Store => &[true],
            Kind::Modify => &[false, true],
        };
        if args.output.verbose {
            let letter = ['L', 'S', 'M'][kind as usize];
            self.text += &format!("{letter} {address:x},{bytes}");
        }
        for store in parts {
            if args.output.verbose {
                self.text += &in_words(&self.replay.observe(address, width, *store, 0)?);
            } else {
                self.replay.access(address, width, *store, 0)?;
            }
            self.accesses += 1;
        }
        if args.output.verbose {
            self.text.push('\n');
        }
        Ok(())
    }

    fn record<R: BufRead>(&self, args: &Args, machine: &Machine, trace: &Trace<R>) -> Record {
        let counts = self.replay.counts();
        let form = match trace.form {
            Some(Form::Lackey) => "lackey",
            Some(Form::Din) => "din",
            _ => "plain",
        };
        let mut record = measure::modelled_record("trace", machine)
            .set("file", input::name(&args.file))
            .set("form", form)
            .set("lines", trace.line)
            .set("instruction_fetches_skipped", trace.instructions);
        let row = |part: &str, keys: &[(&str, String)], counts: &[(&str, u64)]| {
            let mut row = Row::at([("part", part.into())]);
            row.place.extend(keys.iter().map(|(key, text)| (key.to_string(), text.as_str().into())));
            let counted = |count: u64| Reading::new(count as f64, Source::Model);
            counts.iter().fold(row, |row, (name, count)| row.with(*name, counted(*count)))
        };
        let mut rows = vec![row("accesses", &[], &[("loads", counts.loads), ("stores", counts.stores)])];
        let kinds = self.replay.kinds().figures();
        for (at, (level, cache)) in counts.levels.iter().zip(&machine.levels).enumerate() {
            let part = format!("L{}", level.level);
            let text = format!("{} {} {} lines", cache.size, cache.associativity(), cache.line);
            let kinds: &[_] = if at == 0 { &kinds } else { &[] };
            rows.push(row(&part, &[("cache", text)], &[&level.figures(), kinds].concat()));
        }
        for (tlb, entries) in counts.tlbs.iter().zip(&machine.tlbs) {
            let text = format!("{} entries of {}", entries.entries, machine.page_size);
            rows.push(row(&format!("TLB{}", tlb.level), &[("cache", text)], &[("misses", tlb.misses)]));
        }
        if let Some((average, formula)) = measure::average_load(&counts, machine) {
            let row = Row::at([("part", AVERAGE.into())]).set("formula", formula);
            rows.push(row.with("average_load_ns", average));
        }
        record.rows = rows;
        record
    }
}

/// ` miss eviction` for one level, ` L1 miss eviction, L2 miss` for several.
fn in_words(outcome: &Outcome) -> String {
    let levels = outcome.misses.iter().zip(&outcome.evictions).zip(1..);
    let levels = levels.map(|((misses, evictions), level)| (format!(" L{level}"), *misses, *evictions));
    let tlbs = outcome.tlb_misses.iter().zip(1..).map(|(misses, level)| (format!(" TLB{level}"), *misses, 0));
    let is_one = outcome.misses.len() == 1 && outcome.tlb_misses.is_empty();
    let words = |(part, misses, evictions): (String, u64, u64)| {
        let [missed, evicted] = [(misses, " miss"), (evictions, " eviction")]
            .map(|(count, word)| if count > 0 { word } else { "" });
        let is_shown = misses > 0 || evictions > 0 && !is_one;
        is_shown.then(|| format!("{}{missed}{evicted}", if is_one { "" } else { &part }))
    };
    let parts: Vec<String> = levels.chain(tlbs).filter_map(words).collect();
    if parts.is_empty() { " hit".to_owned() } else { parts.join(",") }
}

/// The lines for people; with `csim`, its last line too.
fn kit_text(record: &Record, csim: bool) -> String {
    let mut text = String::new();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut last = String::new();
    for row in &record.rows {
        let key = |name: &str| row.text(name).to_owned();
        let count = |name: &str| row.amount(name).unwrap_or(0.0);
        let says = |name: &str| match row.amount(name) {
            Some(count) => format!("{} {}", grouped(&format!("{count:.0}"), ","), name.replace('_', "-")),
            None => String::new(),
        };
        match key("part").as_str() {
            AVERAGE => {
                let average = table::four(count("average_load_ns"));
                let formula = row.text("formula");
                last = format!(
                    "{AVERAGE}: {average} ns = {formula} (hit time + miss rate * miss penalty, by levels)\n"
                );
            }
            "accesses" => {
                text += &format!("{}, {} (model of {})\n", says("loads"), says("stores"), record.machine);
            }
            part => {
                let mut misses = says("misses");
                if count("accesses") > 0.0 {
                    misses += &format!(" ({} %)", table::four(100.0 * count("misses") / count("accesses")));
                }
                let counts = [says("hits"), misses, says("evictions"), says("write_backs")];
                lines.push([part.to_owned(), key("cache")].into_iter().chain(counts).collect());
                if row.reading("conflict_misses").is_some() {
                    let kinds = ["compulsory_misses", "capacity_misses", "conflict_misses"];
                    let kinds = kinds.map(|kind| says(kind).replace("-misses", "")).join(", ");
                    lines.push(vec![String::new(), "of these misses".to_owned(), String::new(), kinds]);
                }
                if row.reading("page_walk_misses").is_some() {
                    let walks = says("page_walk_misses").replace("page-walk-misses", "by page walks");
                    lines.push(vec![String::new(), "of these misses".to_owned(), String::new(), walks]);
                }
                if csim && part == "L1" {
                    let names = ["hits", "misses", "evictions"];
                    last = names.map(|name| format!("{name}:{}", count(name))).join(" ") + "\n";
                }
            }
        }
    }
    text + &table::columns(&lines) + &last
}
