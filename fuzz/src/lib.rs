#![doc = include_str!("../README.md")]

use std::fs;
use std::path::{Path, PathBuf};

use cache::Modelled;
use chart::Axis;
use events::Event;
use figures::encoding::{Encoding, decode, decode_exact, plain};
use figures::text::is_unprintable;
use figures::units::Bytes;
use figures::value::{Reading, Source};
use machine::{Machine, catalogue, seal};
use memory::Arena;
use records::record::Record;
use records::saved::{Saved, SavedCell, limits};
use records::sweep;
use report::Answers;

/// One reader.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of its corpus.
    pub name: &'static str,
    /// Reads the input; panics if a promise is broken.
    pub run: fn(&[u8]),
    /// Words of its formats, as a dictionary of libFuzzer.
    pub dictionary: &'static str,
}

/// All readers.
pub const TARGETS: &[Target] = &[
    Target { name: "encoding", run: encoding, dictionary: include_str!("../dictionaries/encoding.dict") },
    Target { name: "text", run: saved, dictionary: include_str!("../dictionaries/sweep.dict") },
    Target { name: "csv", run: saved, dictionary: include_str!("../dictionaries/sweep.dict") },
    Target { name: "json", run: json, dictionary: include_str!("../dictionaries/sweep.dict") },
    Target { name: "machine", run: machine, dictionary: include_str!("../dictionaries/machine.dict") },
    Target { name: "sealed", run: sealed, dictionary: include_str!("../dictionaries/machine.dict") },
    Target { name: "event", run: event, dictionary: include_str!("../dictionaries/event.dict") },
    Target { name: "size", run: size, dictionary: include_str!("../dictionaries/size.dict") },
    Target { name: "answers", run: answers, dictionary: include_str!("../dictionaries/answers.dict") },
];

/// Runs the target called `name`, for libFuzzer.
pub fn target(name: &str, input: &[u8]) {
    TARGETS.iter().filter(|target| target.name == name).for_each(|target| (target.run)(input));
}

/// Inputs to replay and to mutate: the target's corpus, all inputs that ever failed, and valid
/// inputs that the kit ships.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds = match target.name {
        "machine" => catalogue().iter().map(|entry| entry.text.as_bytes().to_vec()).collect(),
        "sealed" => catalogue().iter().map(|entry| seal(entry.name, entry.text).text.into_bytes()).collect(),
        "event" => Event::presets().step_by(9).map(|event| event.name().as_bytes().to_vec()).collect(),
        _ => Vec::new(),
    };
    for folder in ["corpus", "findings"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target.name);
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        seeds.extend(files.iter().filter_map(|path| fs::read(path).ok()));
    }
    seeds
}

/// A file as a text: the decoded text has one kind of line ending, no byte order mark and
/// no zero; it is written back byte for byte, and is read in the same way from any
/// encoding.
fn encoding(input: &[u8]) {
    let Ok((exact, found)) = decode_exact(input) else {
        return sentence(&decode(input).unwrap_or_else(|why| why.to_string()));
    };
    assert_eq!(found.encode(&exact), input);
    let text = decode(input).unwrap_or_default();
    assert!(!text.contains(['\r', '\0']) && !text.starts_with('\u{feff}'), "{text:?}");
    assert!(text.len() <= exact.len() && plain(&text) == text);
    for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be] {
        let marked = encoding.encode(&format!("\u{feff}{text}"));
        assert_eq!(decode(&marked).as_ref(), Ok(&text));
    }
}

/// A saved sweep in any format; inference and charts use what was read.
fn saved(input: &[u8]) {
    let saved = match Saved::read(input) {
        Ok(saved) => saved,
        Err(refusal) => return sentence(&refusal.to_string()),
    };
    assert!(
        saved.cells.windows(2).all(|pair| (pair[0].size, pair[0].stride) < (pair[1].size, pair[1].stride))
    );
    assert!(saved.cells.iter().all(|cell| cell.stride <= cell.size && cell.size <= limits::ARRAY));
    assert!(saved.notes.len() <= limits::NOTES + 8, "{} notes", saved.notes.len());
    saved.notes.iter().for_each(|note| sentence(note));
    let answer = infer::read(&saved);
    match &answer.verdict {
        Ok(found) => {
            assert!(found.size <= found.most && found.most <= found.below, "{found:?}");
            assert!(found.ways.as_ref().map_or(true, |(least, most)| least <= most), "{found:?}");
        }
        Err(refusal) => sentence(refusal),
    }
    assert!(answer.json().is_object());
    // Drawing takes ten times as long as all the rest.
    if !input.len().is_multiple_of(32) {
        return;
    }
    let source = saved.source.unwrap_or(Source::Timing);
    let value = |cell: &SavedCell| Some(Reading::new(cell.misses.or(cell.nanos)?, source));
    let rows = saved.cells.iter().map(|cell| (cell.size, cell.stride, value(cell)));
    let svg = chart::sweep("t", Axis::linear("y"), rows).caption(saved.event.unwrap_or_default()).svg();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
}

/// A record as JSON: as a sweep, and as a record.
fn json(input: &[u8]) {
    saved(input);
    if let Ok(record) = serde_json::from_slice::<Record>(input) {
        // Reading it again gives the same text.
        let text = record.json();
        let again: Option<Record> = serde_json::from_str(&text).ok();
        assert_eq!(again.map(|record| record.json()), Some(text));
        record.csv();
    }
}

/// A machine's description; if it is valid it can be printed and modelled.
fn machine(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match Machine::parse(&text, "a.toml") {
        Ok(machine) => modelled(&machine),
        Err(refusal) => sentence(&refusal.to_string()),
    }
}

/// A sealed description that was damaged as a file; and one that was damaged before it was
/// sealed.
fn sealed(input: &[u8]) {
    machine(input);
    machine(seal("ada", &String::from_utf8_lossy(input)).text.as_bytes());
}

fn modelled(machine: &Machine) {
    sentence(&machine.summary());
    if !machine.sealed() {
        let again = Machine::parse(&machine.to_toml(), "again.toml");
        assert!(again.is_ok(), "{:?} of\n{}", again.err(), machine.to_toml());
    }
    if let Ok(arena) = Arena::with_capacity(1 << 12)
        && let Ok(mut model) = Modelled::new(machine, &arena)
    {
        model.counts();
    }
}

fn event(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match Event::parse_with(&text, |name| name.len() % 2 == 0) {
        Ok(event) => assert!(!event.name().is_empty()),
        Err(refusal) => _ = refusal.to_string(),
    }
}

/// Sizes in a list, as ends of a range, and as strides.
fn size(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let sizes: Vec<Bytes> =
        text.split([',', '.', ':']).take(16).filter_map(|size| size.parse().ok()).collect();
    assert!(
        sizes.iter().all(|size| size.0 < 9_007_199_254_740_992),
        "a size that no double holds: {sizes:?}"
    );
    let ends = (sizes.first().copied().unwrap_or(Bytes(1)), sizes.last().copied().unwrap_or(Bytes(1)));
    for found in [
        sweep::doubling(ends.0, ends.1).and_then(|all| sweep::cells(&all, &sizes)),
        sweep::cells(&sizes, &[]),
    ] {
        match found {
            Ok(cells) => assert!(cells.iter().all(|cell| cell.accesses_per_pass() >= 2)),
            Err(refusal) => sentence(&refusal.to_string()),
        }
    }
}

/// Answers from a file and from a page: after merging, no field of either is lost.
fn answers(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let page = Answers::in_page(&text).and_then(Result::ok);
    match Answers::parse(&text) {
        Ok(read) => {
            assert_eq!(Answers::parse(&read.json()).as_ref(), Ok(&read));
            let other = page.unwrap_or_default();
            let joined = read.clone().joined(other.clone());
            assert!(read.fields.keys().chain(other.fields.keys()).all(|id| joined.fields.contains_key(id)));
        }
        Err(refusal) => assert!(refusal.to_string().len() < input.len() + 1000),
    }
}

/// Messages are short, have few lines, and contain no terminal escapes.
fn sentence(text: &str) {
    assert!(text.len() < 4000, "{} bytes: {}", text.len(), figures::text::shorten(text, 200));
    assert!(!text.chars().any(|c| c != '\n' && is_unprintable(c)), "{text:?}");
    assert!(!text.trim().is_empty());
}
