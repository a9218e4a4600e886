//! What each option changes.

use std::path::Path;

use Sees::{
    Differs, Drops, Fails, In, Lacks, Notes, Prints, Redraws, Refuses, Sheds, Shows, Silences, Suffices,
    Writes,
};

/// A command line, an option after it, and what that changes.
pub(super) struct Row {
    pub(super) option: &'static str,
    /// Command lines before it, in the same folder.
    pub(super) first: &'static [&'static str],
    pub(super) base: String,
    pub(super) with: &'static str,
    pub(super) sees: Sees,
}

/// An effect that occurs with the option, and not without it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sees {
    /// The output contains this.
    Prints(&'static str),
    /// The same, whether or not it does without: where that depends on the machine.
    Shows(&'static str),
    /// The output no longer contains this.
    Drops(&'static str),
    /// The same, whether or not it did without the option.
    Lacks(&'static str),
    /// The output is different.
    Differs,
    /// This file begins with that.
    Writes(&'static str, &'static str),
    /// This file contains that.
    In(&'static str, &'static str),
    /// Output or notes contain this.
    Notes(&'static str),
    /// The program refuses it with this message.
    Refuses(&'static str),
    /// The program refuses it with this message; without the option the line would take
    /// minutes.
    Fails(&'static str),
    /// This file is different.
    Redraws(&'static str),
    /// This file no longer contains that.
    Sheds(&'static str, &'static str),
    /// The program refuses the line without it, and not with it.
    Suffices,
    /// There are no notes.
    Silences,
}

/// Files that the command lines name.
pub(super) fn prepare(folder: &Path) {
    let guide = report::GUIDES[0].1;
    let own = guide.replacen("title = \"", "title = \"Our own: ", 1);
    let failing = guide.to_owned()
        + "\n[[section]]\nid = \"own\"\ntitle = \"Own\"\nrun = [\"mm1 --size 8\", \"mm3 --line-size 1\"]\n";
    let sweep = include_str!("../../../../common/tests/data/i5-7500/cm1-l1-1.out");
    for (name, text) in [
        ("own.toml", own.as_str()),
        ("failing.toml", &failing),
        ("own.html", &format!("<!-- our own -->{}", report::template())),
        ("sweep.out", sweep),
        ("half.out", &sweep[..sweep.len() / 2]),
        (
            "a.json",
            r#"{"format": "cache-lab-answers", "version": 2, "saved": "2026-11-20T10:00:00Z", "fields": {"s2-2": "64 KiB", "student-1-number": "1", "student-1-name": "Ada"}}"#,
        ),
        ("secret.txt", "spring of the violet anchor"),
        ("page.wasm", "\0asm"),
        ("class.csv", "number,name\n1,Ada\n2,Bob\n"),
        ("big.csv", "number,name\n1,Ada\n2,Bob\n3,Cy\n4,Di\n5,Ed\n"),
        ("t.trace", "r 0x7ff0 8\nw 0x7ff8 8\nr 0x17ff0 8\nr 0x7ff0 8\n"),
        ("answers.csv", "name,s311-c-size\nAda,32K\nBob,1K\n"),
        ("worksheet.csv", "Identifier,name,Grade,Mark,Feedback comments,Words\nParticipant 1,Ada,,,,\n"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// Programs that measure, and a small command line of each. All of them print tables,
/// in which reasons and spreads have columns of their own.
const MEASURING: [(&str, &str); 12] = [
    ("spark", "--max 4K --repeats 1"),
    ("cm1", "--max 8K --repeats 1"),
    ("mm1", "--size 16"),
    ("mm2", "--size 16"),
    ("mm3", "--size 16"),
    ("ge", "ge3 16 2"),
    ("ge1", "16"),
    ("ge4", "16"),
    ("dgemm", "ijk 16"),
    ("flops", "all 16 --repeats 1"),
    ("lab causes", "16 --runs 1"),
    ("lab dgemm", "--sizes 8..9 --variants ijk"),
];
const LADDER: &str = "--sizes 16 --variants ge2,ge3 --counters none";
const RUN: &str = "--quick --hasten 1000 --size 16 --machine i5-7500 --output r";
const GRADE: &str = "answers.csv --roster class.csv --name-column name";

/// Programs (`mm*`: all that begin so; `ge*`: the rung ge3), an option, a command line, the
/// option's value, and what that changes.
type Own = (&'static str, &'static str, &'static str, &'static str, Sees);

const OWN: &[Own] = &[
    ("spark", "--min", "--max 8K --repeats 1 --machine i5-7500 --format csv", "--min 2K", Prints("\n2048,")),
    ("spark", "--max", "--repeats 1 --machine i5-7500 --format csv", "--max 8K", Drops("\n4194304,")),
    ("spark", "--sizes", "--repeats 1 --machine i5-7500 --format csv", "--sizes 6K", Prints("\n6144,")),
    (
        "spark",
        "--strides",
        "--max 8K --repeats 1 --machine i5-7500 --format csv",
        "--strides 3",
        Prints("\n4096,3,"),
    ),
    (
        "spark",
        "--repeats",
        "--max 4K --machine i5-7500 --format json",
        "--repeats 7",
        Prints("\"repeats\": 7"),
    ),
    ("cm1", "--min", "--max 8K --repeats 1 --machine i5-7500 --format csv", "--min 4K", Prints("\n4096,")),
    ("cm1", "--max", "--repeats 1 --machine i5-7500 --format csv", "--max 8K", Drops("\n65536,")),
    ("cm1", "--sizes", "--repeats 1 --machine i5-7500 --format csv", "--sizes 6K", Prints("\n6144,")),
    (
        "cm1",
        "--strides",
        "--max 8K --repeats 1 --machine i5-7500 --format csv",
        "--strides 3",
        Prints("\n8192,3,"),
    ),
    ("cm1", "--repeats", "--max 8K --machine i5-7500 --format json", "--repeats 7", Prints("\"repeats\": 7")),
    (
        "cm1",
        "--event",
        "--max 8K --repeats 1 --machine i5-7500",
        "--event PAPI_L2_DCM",
        Prints("event=PAPI_L2_DCM"),
    ),
    ("cm1", "--until-decided", "--max 128K --repeats 1 --machine i5-7500", "--until-decided", Differs),
    ("mm*", "--size", "--machine i5-7500 --format csv", "--size 24", Shows("\n24,")),
    ("mm*", "--size", "--machine i5-7500 --format csv", "-n 24", Shows("\n24,")),
    ("mm*", "--events", "--size 16 --machine i5-7500", "--events PAPI_LST_INS", Prints("PAPI_LST_INS")),
    ("mm*", "--compare", "--size 16 --machine i5-7500 --format csv", "--compare model", Prints("_modelled")),
    ("mm2", "--time-transpose", "--size 16 --machine i5-7500", "--time-transpose", Differs),
    (
        "mm3",
        "--line-size",
        "--size 64 --machine i5-7500 --format json",
        "--line-size 32",
        Prints("\"line_size\": 32"),
    ),
    ("ge*", "--compare", "16", "--compare model", Notes("model")),
    ("ge*", "--size", "", "--size 24", Suffices),
    ("ge*", "--size", "--machine i5-7500 --format json", "-n 24", Prints("\"size\": 24")),
    ("ge*", "--matrix", "16", "--matrix dominant", Differs),
    ("ge", "--list", "", "--list", Prints("avx512")),
    ("ge", "--threads", "threads 64 --format json", "--threads 1", Shows("\"threads\": 1")),
    ("ge", "--cpu", "threads 64 --format json", "--cpu CPU", Shows("\"threads\": 1")),
    ("ge", "--as-printed", "ge4 30", "--as-printed", Differs),
    ("ge4", "--as-printed", "30", "--as-printed", Differs),
    ("ge", "--isa", "avx512 16", "--isa avx2", Refuses("leave out --isa")),
    ("dgemm", "--size", "ijk --machine i5-7500 --format csv", "--size 24", Prints("\nijk,24,24,24,")),
    ("dgemm", "--size", "ijk --machine i5-7500 --format csv", "--n 24", Prints("\nijk,24,24,24,")),
    ("dgemm", "--size", "ijk --machine i5-7500 --m 9 --k 7 --format csv", "-n 24", Prints("\nijk,9,24,7,")),
    ("dgemm", "--list", "", "--list", Prints("recursive")),
    ("dgemm", "--m", "ijk 16 --machine i5-7500 --format csv", "--m 9", Prints("\nijk,9,16,16,")),
    ("dgemm", "--k", "ijk 16 --machine i5-7500 --format csv", "--k 9", Prints("\nijk,16,16,9,")),
    ("dgemm", "--block", "block-l1 24 --machine i5-7500", "--block 5", Prints("block_l1=5")),
    (
        "dgemm",
        "--block-l2",
        "block-l2 24 --machine i5-7500 --block 5",
        "--block-l2 15",
        Prints("block_l2=15"),
    ),
    ("dgemm", "--base", "recursive 24 --machine i5-7500", "--base 6", Differs),
    ("dgemm", "--exact", "packed 324 --machine i5-7500", "--exact", Lacks("--exact")),
    ("dgemm", "--threads", "threads 64 --format json", "--threads 1", Shows("\"threads\": 1")),
    ("dgemm", "--cpu", "threads 64 --format json", "--cpu CPU", Shows("\"threads\": 1")),
    ("dgemm", "--isa", "tiled 24 --format json", "--isa avx2", Lacks("avx512")),
    ("dgemm", "--chart", "ijk 16", "--chart c.svg", Writes("c.svg", "<svg")),
    ("spark", "--chart", "--max 4K --repeats 1", "--chart c.svg", Writes("c.svg", "<svg")),
    ("cm1", "--chart", "--max 8K --repeats 1", "--chart c.png", Writes("c.png", "\u{fffd}PNG")),
    ("mm*", "--chart", "--size 16", "--chart c.svg", Writes("c.svg", "<svg")),
    ("lab causes", "--chart", "16 --runs 1", "--chart c.svg", Writes("c.svg", "<svg")),
    ("flops", "--size", "all --repeats 1 --counters none --format csv", "--size 24", Prints(",24,")),
    ("flops", "--threads", "all 64 --repeats 1 --format csv", "--threads 1", Shows(",64,1,1,")),
    ("flops", "--cpu", "all 64 --repeats 1 --format csv", "--cpu CPU", Shows(",64,1,1,")),
    ("flops", "--repeats", "all 16 --format json", "--repeats 3", Prints("\"repeats\": 3,")),
    ("flops", "--event", "all 16 --repeats 1 --format csv", "--event page-faults", Prints(",page-faults,")),
    ("flops", "--period", "all 16 --repeats 1 --format csv", "--period 12347", Prints(",12347,")),
    ("avail", "-a", "", "-a", Differs),
    ("avail", "-d", "", "-d", Differs),
    ("avail", "-e", "", "-e PAPI_L1_DCM", Differs),
    ("avail", "--family", "-e PAPI_FP_OPS", "--family skl", Differs),
    ("avail", "--families", "", "--families", Prints("Skylake")),
    ("avail", "--native", "", "--native", Differs),
    ("avail", "--mem", "", "--mem", Differs),
    ("avail", "--cost", "", "--cost", Differs),
    ("avail", "--self-test", "", "--self-test", Notes(" skipped.")),
    ("avail", "--format", "--families", "--format json", Prints("{")),
    ("avail", "--json", "--families", "--json", Prints("{")),
    ("lab run", "--quick", "--hasten 1000 --size 16 --machine i5-7500", "--quick", Lacks("medians of 3")),
    (
        "lab run",
        "--output",
        "--quick --hasten 1000 --size 16 --machine i5-7500",
        "--output o",
        Writes("o/report.html", "<!"),
    ),
    ("lab run", "--assignment", RUN, "--assignment own.toml", In("r/report.html", "Our own: ")),
    ("lab run", "--template", RUN, "--template own.html", In("r/report.html", "our own")),
    ("lab run", "--quiet", RUN, "-q", Silences),
    ("lab run", "--answers", RUN, "--answers", Differs),
    ("lab run", "--size", "--quick --hasten 1000 --machine i5-7500", "-n 24", Prints("N = 24,")),
    ("lab run", "--runs", RUN, "--runs 2", Prints("medians of 2")),
    (
        "lab run",
        "--counters",
        "--quick --hasten 1000 --size 16 --output r",
        "--counters none",
        In("r/records/mm1.json", "counters none"),
    ),
    (
        "lab run",
        "--machine",
        "--quick --hasten 1000 --size 16 --output r",
        "--machine zen3",
        In("r/records/mm1.json", "zen3"),
    ),
    ("lab run", "--cpu", RUN, "--cpu 99999", Refuses("99999")),
    ("lab assignment", "--language", "", "--language pt", Differs),
    ("lab assignment", "--template", "", "--template", Prints("{%")),
    ("lab book", "--output", "", "--output b.html", Writes("b.html", "<!")),
    ("lab causes", "--size", "--machine i5-7500 --format csv", "-n 24", Shows(",24,")),
    (
        "lab causes",
        "--line-size",
        "16 --machine i5-7500 --format json",
        "--line-size 32",
        Prints("\"line_size\": 32"),
    ),
    (
        "lab dgemm",
        "--sizes",
        "--variants ijk --machine i5-7500 --format csv --limit 1",
        "--sizes 8..9",
        Drops("\nijk,64,"),
    ),
    ("lab dgemm", "--variants", "--sizes 8..9 --machine i5-7500", "--variants jki", Prints("\njki")),
    (
        "lab dgemm",
        "--limit",
        "--sizes 64..512 --variants ijk --machine i5-7500",
        "--limit 1e-9",
        Refuses("--limit"),
    ),
    (
        "lab dgemm",
        "--output",
        "--sizes 8..9 --variants ijk --machine i5-7500",
        "--output d",
        Writes("d/dgemm.json", "{"),
    ),
    ("lab discover", "--format", "--machine lecture", "--format json", Prints("\"levels\"")),
    ("lab discover", "--chart", "--machine lecture", "--chart c.svg", Writes("c.svg", "<svg")),
    ("lab discover", "--machine", "--seconds 1", "--machine lecture", Differs),
    ("lab discover", "--seconds", "--machine lecture", "--seconds 0", Refuses("'0'")),
    ("lab infer", "--format", "sweep.out", "--format json", Prints("\"verdict\"")),
    ("lab infer", "--above", "sweep.out", "--above missing", Refuses("missing")),
    ("lab ge", "--sizes", "--variants ge3 --runs 1 --counters none", "--sizes 16", Drops("\t1200\t")),
    ("lab ge", "--variants", "--sizes 16 --runs 1 --counters none", "--variants ge3", Drops("ge1\t")),
    (
        "lab ge",
        "--limit",
        "--sizes 64 --variants ge3 --runs 1 --counters none",
        "--limit 1e-9",
        Refuses("--limit"),
    ),
    ("lab ge", "--output", LADDER, "--output o", Writes("o/ge.csv", "variant,")),
    (
        "lab ge",
        "--counters",
        "--sizes 16 --variants ge3 --format csv",
        "--counters none",
        Prints("counters none"),
    ),
    ("lab ge", "--runs", "--sizes 16 --variants ge3 --format csv --counters none", "--runs 1", Drops("_min")),
    ("lab ge", "--cpu", LADDER, "--cpu 99999", Refuses("99999")),
    ("lab ge", "--format", LADDER, "--format json", Prints("\"schema\"")),
    ("lab ge", "--quiet", LADDER, "-q", Silences),
    ("lab ge", "--record", LADDER, "--record r.json", Writes("r.json", "{")),
    ("lab plot", "--output", "sweep.out", "--output p.png", Writes("p.png", "\u{fffd}PNG")),
    ("lab plot", "--show", "sweep.out", "--show time", Redraws("sweep.svg")),
    ("lab plot", "--over", "sweep.out", "--over size", Redraws("sweep.svg")),
    ("lab plot", "--sizes", "half.out --tolerate", "--sizes 3K", Refuses("sizes")),
    ("lab plot", "--tolerate", "half.out", "--tolerate", Suffices),
    ("lab plot", "--title", "sweep.out", "--title Mine", In("sweep.svg", "Mine")),
    ("lab plot", "--caption", "sweep.out", "--caption Mine", In("sweep.svg", "Mine")),
    ("lab assignment", "--rubric", "", "--rubric", Differs),
    ("lab mystery", "--key", "Ada", "--key", Refuses("words")),
    ("lab mystery", "--key-file", "Ada", "--key-file secret.txt", Suffices),
    ("lab mystery", "--roster", "--key-file secret.txt", "--roster class.csv --name-column name", Suffices),
    (
        "lab mystery",
        "--name-column",
        "--key-file secret.txt --roster class.csv",
        "--name-column name",
        Suffices,
    ),
    ("lab mystery", "--output", "--key-file secret.txt Ada", "--output o", Writes("o/Ada.toml", "")),
    ("lab mystery", "--answers", "--key-file secret.txt Ada", "--answers", Prints("Ada,")),
    ("lab mystery", "--sweeps", "--key-file secret.txt Ada", "--sweeps", In("machines/Ada/cm1-l1.json", "")),
    ("lab mystery", "--tlb", "--key-file secret.txt Ada --answers", "--tlb", Differs),
    ("lab mystery", "--replacement", "--key-file secret.txt Ada --answers", "--replacement fifo", Differs),
    ("lab mystery", "--noise", "--key-file secret.txt Ada", "--noise 9", Refuses("'9'")),
    ("lab grade", "--roster", "answers.csv", "--roster class.csv --name-column name", Suffices),
    ("lab grade", "--name-column", "answers.csv --roster class.csv", "--name-column name", Suffices),
    (
        "lab grade",
        "--key",
        "answers.csv --roster class.csv --name-column name",
        "--key missing",
        Refuses("missing"),
    ),
    (
        "lab grade",
        "--rubric", // by its other name
        "answers.csv --roster class.csv --name-column name",
        "--assignment missing",
        Refuses("missing"),
    ),
    (
        "lab grade",
        "--rubric",
        "answers.csv --roster class.csv --name-column name",
        "--rubric missing",
        Refuses("missing"),
    ),
    (
        "lab grade",
        "--output",
        "answers.csv --roster class.csv --name-column name",
        "--output o",
        Writes("o/grades.csv", ""),
    ),
    (
        "lab grade",
        "--allow-missing",
        "answers.csv --roster big.csv --name-column name",
        "--allow-missing",
        Suffices,
    ),
    ("lab grade", "--points", GRADE, "--points missing", Refuses("missing")),
    ("lab grade", "--groups", GRADE, "--groups missing", Refuses("missing")),
    ("lab grade", "--times", GRADE, "--times missing", Refuses("missing")),
    ("lab grade", "--due", GRADE, "--due someday", Refuses("someday")),
    ("lab exercise", "--format", "", "--format json", Prints("\"max_points\"")),
    ("lab trace", "--machine", "t.trace", "--machine i5-7500", Prints("model of i5-7500")),
    // The three describe one cache together.
    ("lab trace", "-s", "t.trace -E 1 -b 4", "-s 1", Suffices),
    ("lab trace", "-s", "t.trace", "-s 1 -E 1 -b 4", Prints("hits:1 misses:3 evictions:2")),
    ("lab trace", "-E", "t.trace -s 1 -b 4", "-E 2", Suffices),
    ("lab trace", "-E", "t.trace", "-s 1 -E 2 -b 4", Prints("hits:2 misses:2 evictions:0")),
    ("lab trace", "-b", "t.trace -s 1 -E 1", "-b 5", Suffices),
    ("lab trace", "-b", "t.trace", "-s 1 -E 1 -b 5", Prints("direct-mapped 32 B lines")),
    ("lab trace", "--range", "t.trace --machine i5-7500", "--range own=0x7ff0-0x8000", Prints("in own")),
    ("lab trace", "--pages", "t.trace --machine i5-7500", "--pages 1", Prints("0x7000")),
    ("lab trace", "--verbose", "t.trace -s 1 -E 1 -b 4", "-v", Prints("L 17ff0,8 miss eviction")),
    ("lab trace", "--format", "t.trace --machine i5-7500", "--format csv", Prints("_source,")),
    ("lab trace", "--format", "t.trace --machine i5-7500", "--format json", Prints("\"schema\"")),
    ("lab trace", "--record", "t.trace --machine i5-7500", "--record r.json", Writes("r.json", "{")),
    ("lab trace", "--chart", "t.trace --machine i5-7500", "--chart c.svg", Writes("c.svg", "<svg")),
    ("lab stat", "--events", "-- true", "--events page-faults", Notes("page-faults")),
    ("lab stat", "--runs", "-- true", "--runs 2", Notes("median of 2")),
    ("lab stat", "--compare", "-- true -- true", "--compare", Notes("the second divided by the first")),
    ("lab stat", "--model", "-- true", "--model", Prints("--tool=lackey")),
    ("lab stat", "--format", "-- true", "--format csv", Prints("wall_s_source,")),
    ("lab stat", "--format", "-- true", "--format json", Prints("\"schema\"")),
    ("lab stat", "--record", "-- true", "--record r.json", Writes("r.json", "{")),
    // These have no notes of their own to suppress.
    ("lab trace", "--quiet", "t.trace --machine i5-7500", "-q", Shows("3 loads, 1 stores")),
    ("lab stat", "--quiet", "--format csv -- true", "-q", Shows("wall_s_source,")),
    // On a described machine a chart is the same each time.
    ("spark", "--log-y", "--max 8K --repeats 1 --machine i5-7500 --chart c.svg", "--log-y", Redraws("c.svg")),
    (
        "spark",
        "--panels",
        "--max 8K --repeats 1 --machine i5-7500 --chart c.svg",
        "--panels",
        Redraws("c.svg"),
    ),
    (
        "spark",
        "--x-range",
        "--max 8K --repeats 1 --machine i5-7500 --chart c.svg",
        "--x-range 16:64",
        Redraws("c.svg"),
    ),
    (
        "spark",
        "--y-range",
        "--max 8K --repeats 1 --machine i5-7500 --chart c.svg",
        "--y-range 0:9",
        Redraws("c.svg"),
    ),
    (
        "spark",
        "--chart-size",
        "--max 8K --repeats 1 --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("cm1", "--log-y", "--max 16K --repeats 1 --machine i5-7500 --chart c.svg", "--log-y", Redraws("c.svg")),
    (
        "cm1",
        "--panels",
        "--max 16K --repeats 1 --machine i5-7500 --chart c.svg",
        "--panels",
        Redraws("c.svg"),
    ),
    (
        "cm1",
        "--x-range",
        "--max 16K --repeats 1 --machine i5-7500 --chart c.svg",
        "--x-range 16:64",
        Redraws("c.svg"),
    ),
    (
        "cm1",
        "--y-range",
        "--max 16K --repeats 1 --machine i5-7500 --chart c.svg",
        "--y-range 0:2",
        Redraws("c.svg"),
    ),
    (
        "cm1",
        "--chart-size",
        "--max 16K --repeats 1 --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("lab trace", "--log-y", "t.trace --machine i5-7500 --chart c.svg", "--log-y", Redraws("c.svg")),
    ("lab trace", "--panels", "t.trace --machine i5-7500 --chart c.svg", "--panels", Redraws("c.svg")),
    ("lab trace", "--x-range", "t.trace --machine i5-7500 --chart c.svg", "--x-range 1:2", Redraws("c.svg")),
    ("lab trace", "--y-range", "t.trace --machine i5-7500 --chart c.svg", "--y-range 0:2", Redraws("c.svg")),
    (
        "lab trace",
        "--chart-size",
        "t.trace --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("lab plot", "--log-y", "sweep.out -o c.svg", "--log-y", Redraws("c.svg")),
    ("lab plot", "--panels", "sweep.out -o c.svg", "--panels", Redraws("c.svg")),
    ("lab plot", "--x-range", "sweep.out -o c.svg", "--x-range 16:64", Redraws("c.svg")),
    ("lab plot", "--y-range", "sweep.out -o c.svg", "--y-range 0:2", Redraws("c.svg")),
    (
        "lab plot",
        "--chart-size",
        "sweep.out -o c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    // Bars have no horizontal range and are one panel, and the axis of dgemm is logarithmic anyway: a refusal shows that the option is read.
    ("mm*", "--log-y", "--size 16 --machine i5-7500 --chart c.svg", "--log-y", Redraws("c.svg")),
    ("mm*", "--y-range", "--size 16 --machine i5-7500 --chart c.svg", "--y-range 0:9", Redraws("c.svg")),
    ("mm*", "--panels", "--size 16 --machine i5-7500", "--panels", Refuses("--chart <FILE>")),
    ("mm*", "--x-range", "--size 16 --machine i5-7500 --chart c.svg", "--x-range no", Refuses("not a range")),
    (
        "mm*",
        "--chart-size",
        "--size 16 --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("dgemm", "--log-y", "ijk 16 --machine i5-7500", "--log-y", Refuses("--chart <FILE>")),
    ("dgemm", "--y-range", "ijk 16 --chart c.svg", "--y-range 0:9", Notes("must begin above 0")),
    ("dgemm", "--panels", "ijk 16 --machine i5-7500", "--panels", Refuses("--chart <FILE>")),
    ("dgemm", "--x-range", "ijk 16 --machine i5-7500 --chart c.svg", "--x-range no", Refuses("not a range")),
    (
        "dgemm",
        "--chart-size",
        "ijk 16 --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("lab causes", "--log-y", "16 --runs 1 --machine i5-7500 --chart c.svg", "--log-y", Redraws("c.svg")),
    (
        "lab causes",
        "--y-range",
        "16 --runs 1 --machine i5-7500 --chart c.svg",
        "--y-range 0:9",
        Redraws("c.svg"),
    ),
    ("lab causes", "--panels", "16 --runs 1 --machine i5-7500", "--panels", Refuses("--chart <FILE>")),
    (
        "lab causes",
        "--x-range",
        "16 --runs 1 --machine i5-7500 --chart c.svg",
        "--x-range no",
        Refuses("not a range"),
    ),
    (
        "lab causes",
        "--chart-size",
        "16 --runs 1 --machine i5-7500 --chart c.svg",
        "--chart-size 1200x800",
        In("c.svg", "width=\"1200\" height=\"800\""),
    ),
    ("lab survey", "--output", "--seconds 1", "--output s.json", Writes("s.json", "{")),
    ("lab survey", "--name", "--output s.json --seconds 1", "--name", Sheds("s.json", "\"name\": null")),
    ("lab survey", "--salt", "--seconds 1", "--salt x --output s.json", Writes("s.json", "{")),
    ("lab survey", "--seconds", "", "--seconds 0", Refuses("'0'")),
    ("lab web", "--wasm", "", "--wasm missing", Fails("missing")),
    ("lab web", "--output", "--wasm page.wasm", "--output w.html", Writes("w.html", "<!")),
    // Serving does not end; a refused value shows that the option is read.
    ("lab web", "--serve", "--wasm page.wasm", "--output w.html --serve", Fails("--serve")),
    (
        "lab grade",
        "--worksheet",
        "answers.csv --roster class.csv --name-column name --output o",
        "--worksheet worksheet.csv",
        Writes("o/moodle.csv", "Identifier"),
    ),
];

/// The same after other command lines.
const AFTER: &[(&[&str], Own)] = &[
    (&[WHOLE], ("lab handin", "--output", "r --answers a.json", "--output h.zip", Writes("h.zip", "PK"))),
    (&[WHOLE], ("lab handin", "--answers", "r", "--answers a.json", Suffices)),
    (
        &["lab mystery --key-file class.csv Ada"],
        ("lab mystery", "--force", "--key-file secret.txt Ada", "--force", Suffices),
    ),
    (&[BROKEN_OFF], ("lab run", "--afresh", RUN, "--afresh", Suffices)),
    (
        &["mm1 --size 8 --machine zen3 --record a.json", "mm1 --size 8 --machine i5-7500 --record b.json"],
        ("lab compare", "--csv", "a.json b.json", "--csv", Differs),
    ),
    (
        &["cm1 --max 8K --machine zen3 --record a.json", "cm1 --max 8K --machine i5-7500 --record b.json"],
        ("lab plot", "--overlay", "a.json b.json -o p.svg", "--overlay", Writes("p.svg", "<svg")),
    ),
];
const WHOLE: &str = "lab run --quick --hasten 1000 --size 16 --machine i5-7500 --output r";
const BROKEN_OFF: &str =
    "lab run --quick --hasten 1000 --size 16 --machine i5-7500 --output r --assignment failing.toml";

/// The options of all programs that measure, after a small command line of each.
fn shared(name: &str) -> Vec<(&'static str, String, &'static str, Sees)> {
    let Some((_, small)) = MEASURING.iter().find(|(measuring, _)| *measuring == name) else {
        return Vec::new();
    };
    let csv = format!("{small} --format csv");
    let counters = match name {
        "spark" => ("--counters", csv.clone(), "--counters hardware", Refuses("only takes the time")),
        // Without it, instructions are single-stepped, which takes seconds.
        "ge1" | "ge4" => {
            ("--counters", "16 2 --format csv".to_owned(), "--counters none", Shows("counters none"))
        }
        _ => ("--counters", csv.clone(), "--counters none", Prints("counters none")),
    };
    let mut rows = vec![
        counters,
        ("--cpu", small.to_string(), "--cpu 99999", Refuses("99999")),
        ("--format", small.to_string(), "--format csv", Prints("_source,")),
        ("--format", small.to_string(), "--format json", Prints("\"schema\": \"cache-lab-kit/record/1\"")),
        ("--quiet", small.to_string(), "-q", Silences),
        ("--record", small.to_string(), "--record r.json", Writes("r.json", "{")),
    ];
    if name != "flops" {
        rows.push(("--machine", format!("{small} --format json"), "--machine i5-7500", Prints("i5-7500")));
    }
    rows.push(match name {
        // Short products are repeated by default there.
        "dgemm" | "lab dgemm" => ("--runs", csv, "--runs 1", Drops("_min")),
        "lab causes" => ("--runs", "16 --format csv".to_owned(), "--runs 1", Drops("_min")),
        _ => ("--runs", csv, "--runs 3", Prints("_min")),
    });
    rows
}

/// The rows of a program.
pub(super) fn of(name: &str) -> impl Iterator<Item = Row> {
    let all = |first, (programs, option, base, with, sees): Own| {
        let family = programs.strip_suffix('*').filter(|begins| name.starts_with(begins));
        let rung = if family == Some("ge") && name == "ge" { "ge3 " } else { "" };
        (family.is_some() || programs == name).then(|| Row {
            option,
            first,
            base: format!("{rung}{base}"),
            with,
            sees,
        })
    };
    let own = OWN.iter().filter_map(|own| all(&[], *own));
    let after = AFTER.iter().filter_map(|(first, own)| all(first, *own));
    let shared = shared(name).into_iter();
    let shared = shared.map(|(option, base, with, sees)| Row { option, first: &[], base, with, sees });
    own.chain(after).chain(shared).collect::<Vec<_>>().into_iter()
}

/// The program of a rung that shares the rows of the one called `name`.
pub(super) fn like(name: &str) -> Option<&'static str> {
    match name {
        "ge2" | "ge3" | "ge7" => Some("ge1"),
        "ge5" | "ge6" => Some("ge4"),
        _ => None,
    }
}
