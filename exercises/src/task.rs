//! The list of the tasks.

use std::ops::RangeInclusive;

/// A function to write.
pub struct Task {
    /// Its name: of the file, and on the command line.
    pub name: &'static str,
    /// The task in one line.
    pub asks: &'static str,
    /// What a solution is worth.
    pub points: u32,
    /// What a solution shows; printed after it passed.
    pub why: &'static str,
    /// What is handed out: a comment for both languages, and the function in each.
    text: &'static str,
    functions: [&'static str; 2],
    /// The program that calls the function, in C.
    pub(crate) check: &'static str,
    /// The function that it calls of a solution in Rust, and that function's body.
    pub(crate) rust: (&'static str, &'static str),
    pub(crate) cases: &'static [Case],
}

/// A run of a task's program.
pub(crate) struct Case {
    /// Bytes of the cache and of its lines, and its ways.
    pub(crate) cache: [usize; 3],
    pub(crate) limits: &'static [Limits],
}

/// The counts of a region of a program in which a solution may be.
pub(crate) struct Limits {
    pub(crate) region: &'static str,
    /// How often the program goes through the region.
    pub(crate) passes: u64,
    pub(crate) loads: RangeInclusive<u64>,
    pub(crate) stores: RangeInclusive<u64>,
    pub(crate) misses: RangeInclusive<u64>,
    /// For too many accesses, and for too many misses.
    pub(crate) hints: [&'static str; 2],
}

/// A language of solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `NAME.rs`
    Rust,
    /// `NAME.c`
    C,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::Rust, Language::C];

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Rust => "rs",
            Language::C => "c",
        }
    }
}

impl Task {
    /// The file as it is handed out.
    pub fn starter(&self, language: Language) -> String {
        format!("{}{}", self.text, self.functions[usize::from(language == Language::C)])
    }

    /// The name of the file.
    pub fn file(&self, language: Language) -> String {
        format!("{}.{}", self.name, language.ending())
    }
}

const ANY: RangeInclusive<u64> = 0..=u64::MAX;
/// A cache that is too small for a column of 208 rows, the size of the matrices that are counted.
const SMALL: [usize; 3] = [8 << 10, 64, 4];
const N2: u64 = 208 * 208;

/// A region whose counts are shown alone.
const fn shown(region: &'static str) -> Limits {
    Limits { region, passes: 1, loads: ANY, stores: ANY, misses: ANY, hints: ["", ""] }
}

const fn blocks(misses: u64, hint: &'static str) -> Limits {
    Limits {
        region: "transpose",
        loads: N2..=N2 * 5 / 4,
        stores: N2..=N2 * 5 / 4,
        misses: 0..=misses * 14 / 10,
        hints: [
            "Load and store each element once, without a copy of your own: do two squares overlap?",
            hint,
        ],
        ..shown("")
    }
}

const fn fields(region: &'static str, passes: u64, misses: u64, hint: &'static str) -> Limits {
    Limits { region, passes, misses: 0..=misses, hints: ["", hint], ..shown("") }
}

const fn on(cache: [usize; 3], limits: &'static [Limits]) -> Case {
    Case { cache, limits }
}

const fn small(limits: &'static [Limits]) -> Case {
    on(SMALL, limits)
}

/// A cache of so many ways, each of 4 KiB.
const fn unknown(ways: usize, limits: &'static [Limits]) -> Case {
    on([ways << 12, 64, ways], limits)
}

const FIELD: &str =
    "A line holds 8 numbers: eight particles' numbers of this field should be next to each other.";
const FIELDS: &str = "Particles that follow each other should be next to each other, in each field.";
/// Each size is found by loads: a set is filled, with one line more.
const fn found(misses: u64) -> Limits {
    Limits {
        loads: 0..=20_000,
        misses: misses..=u64::MAX,
        hints: [
            "Two rounds for each size are enough.",
            "Find the ways by loads: it takes at least as many misses as ways.",
        ],
        ..shown("ways")
    }
}

macro_rules! task {
    ($name:literal, $points:literal, $asks:literal, $why:literal, $function:literal, $call:literal, $cases:expr) => {
        Task {
            name: $name,
            asks: $asks,
            points: $points,
            why: $why,
            text: include_str!(concat!("../tasks/", $name, ".txt")),
            functions: [
                include_str!(concat!("../tasks/", $name, ".rs")),
                include_str!(concat!("../tasks/", $name, ".c")),
            ],
            check: include_str!(concat!("../checks/", $name, ".c")),
            rust: ($function, $call),
            cases: $cases,
        }
    };
}

/// The tasks, the easiest first.
pub const TASKS: &[Task] = &[
    task!(
        "rows",
        1,
        "a sum, row by row",
        "The inner loop runs along a row: one miss brings eight elements, and seven loads hit.",
        "sum(rows: usize, cols: usize, x: *const f64) -> f64",
        "task::sum(rows, cols, slice(x, rows * cols))",
        &[small(&[Limits {
            loads: N2..=N2 * 105 / 100,
            stores: 0..=N2 / 20,
            misses: 0..=N2 / 8 * 105 / 100,
            hints: [
                "Load each element once, and hold the sum in a variable.",
                "Which loop is the inner one? Adjacent elements of a row share a line, those of a column do not.",
            ],
            ..shown("sum")
        }])]
    ),
    task!(
        "fuse",
        1,
        "two loops in one",
        "Work on data that is in the cache, or in a register, costs no miss. Two loops over arrays larger than the cache fetch everything twice.",
        "scale_and_add(n: usize, a: *const f64, b: *mut f64, c: *mut f64)",
        "task::scale_and_add(slice(a, n), slice_mut(b, n), slice_mut(c, n))",
        &[small(&[Limits {
            loads: 4000..=4200,
            stores: 8000..=8200,
            misses: 0..=1575,
            hints: [
                "Hold a[i] and b[i] in variables, and do both in one loop. In C, a[i] is loaded again after a store to b[i], as both might be one place.",
                "Each line is fetched more than once: do both in one loop, in order.",
            ],
            ..shown("both loops")
        }])]
    ),
    task!(
        "tail",
        1,
        "the tail that the homework's ge4 lacks",
        "An unrolled loop saves branches and index arithmetic, and it needs a tail: sizes are seldom multiples of the block.",
        "subtract(n: usize, target: *mut f64, source: *const f64, m: f64, first: usize)",
        "task::subtract(slice_mut(target, n), slice(source, n), m, first)",
        &[small(&[Limits {
            loads: 8000..=8400,
            stores: 4000..=4200,
            hints: ["Each column takes two loads and one store.", ""],
            ..shown("a row")
        }])]
    ),
    task!(
        "stencil",
        2,
        "the mean of four adjacent elements, in the right order",
        "Three rows of `from` are used at a time and fit the cache: each line is fetched once, though each element is loaded four times.",
        "smooth(n: usize, from: *const f64, to: *mut f64)",
        "task::smooth(n, slice(from, n * n), slice_mut(to, n * n))",
        &[small(&[Limits {
            // Each element of `from` but the corners is needed.
            loads: N2 - 4..=206 * 206 * 42 / 10,
            stores: 206 * 206..=206 * 206 * 105 / 100,
            misses: 0..=N2 / 4 * 14 / 10,
            hints: [
                "Each element takes four loads and one store: the element in the middle is not part of its mean.",
                "Which loop is the inner one? Along a row, three rows of `from` stay in the cache; down a column they do not.",
            ],
            ..shown("means")
        }])]
    ),
    task!(
        "block",
        1,
        "the side of a block, from the rule",
        "Three squares that fit the cache are reused B times. Half of the side makes twice the misses; squares that do not fit are reused hardly at all.",
        "side(cache: usize, line: usize, element: usize) -> usize",
        "task::side(cache, line, element)",
        &[on(
            [8 << 10, 64, 128],
            &[
                shown("a product in squares of half that side"),
                shown("a product in your squares"),
                shown("a product in squares of twice that side"),
            ]
        )]
    ),
    task!(
        "transpose",
        2,
        "a transposition by blocks, good on two machines",
        "A square whose lines all stay in the cache makes one miss for each line. Its rows must be whole lines of the machine with the longest ones.",
        "transpose(n: usize, from: *const f64, to: *mut f64)",
        "task::transpose(n, slice(from, n * n), slice_mut(to, n * n))",
        &[
            small(&[blocks(
                N2 / 4,
                "A column of one matrix has 208 lines and the cache 128: exchanging the loops moves the column to the other matrix. Go through squares, so small that their lines of both stay, and no smaller: B rows of B elements are B times B / 8 lines.",
            )]),
            on(
                [16 << 10, 128, 4],
                &[blocks(
                    N2 / 8,
                    "Good on the first machine. On this one a line holds 16 elements: a square with rows of 8 uses half of each line that it fetches.",
                )]
            ),
        ]
    ),
    task!(
        "soa",
        1,
        "a structure of arrays in place of an array of structures",
        "A line that holds eight values of one field serves eight particles. Loops that use all fields lose nothing.",
        "place(particle: usize, field: usize, particles: usize) -> usize",
        "task::place(particle, field, particles)",
        &[small(&[
            fields("each field of 100 particles", 8, 8 * 18, FIELD),
            fields("each field of 300 particles", 8, 8 * 43, FIELD),
            fields("all fields of 100 particles", 1, 150, FIELDS),
            fields("all fields of 300 particles", 1, 450, FIELDS),
        ])]
    ),
    task!(
        "pad",
        1,
        "rows a little longer, so that columns do not conflict",
        "With an odd number of lines in a row, the rows go through all sets. Powers of two are the worst sizes.",
        "pitch(columns: usize) -> usize",
        "task::pitch(columns)",
        &[small(&[fields("two walks down a column, in seven matrices", 7, 7 * 68, "")])]
    ),
    task!(
        "ways",
        2,
        "loads that find the ways of an unknown cache",
        "A set holds as many lines as there are ways; one more, and with LRU each access misses. `lab` finds the geometry of real caches in this way, with times in place of misses.",
        "ways(n: usize, x: *const f64) -> usize",
        "task::ways(slice(x, n), || misses())",
        &[
            unknown(4, &[found(4)]),
            unknown(8, &[found(8)]),
            unknown(3, &[found(3)]),
            unknown(12, &[found(12)]),
            unknown(2, &[found(2)]),
            unknown(16, &[found(16)]),
            unknown(6, &[found(6)]),
            unknown(10, &[found(10)]),
        ]
    ),
    task!(
        "policy",
        2,
        "a replacement policy that beats LRU on its worst case",
        "LRU is bad where a program walks round more than the cache holds. A random victim is seldom the best one and never always the worst.",
        "victim(n: usize, filled: *const u64, used: *const u64, uses: *const u64, chance: u64) -> usize",
        "task::victim(slice(filled, n), slice(used, n), slice(uses, n), chance)",
        &[small(&[])]
    ),
];
