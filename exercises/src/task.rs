//! The list of the tasks.

use crate::check::{Checked, arrays, matrices, places, policy};
use crate::program::Program;

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
    /// The call of the function in Rust, with `mem` and the arguments `x`; its value is a `u64`.
    pub(crate) rust: &'static str,
    /// The function's declaration in C, and the statements that call it.
    pub(crate) c: (&'static str, &'static str),
    /// The files that are handed out, in Rust and in C.
    starters: [&'static str; 2],
    pub(crate) check: fn(&mut Program) -> Checked,
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
    pub fn starter(&self, language: Language) -> &'static str {
        self.starters[usize::from(language == Language::C)]
    }

    /// The name of the file.
    pub fn file(&self, language: Language) -> String {
        format!("{}.{}", self.name, language.ending())
    }
}

macro_rules! starters {
    ($name:literal) => {
        [include_str!(concat!("../tasks/", $name, ".rs")), include_str!(concat!("../tasks/", $name, ".c"))]
    };
}

/// The tasks, the easiest first.
pub const TASKS: &[Task] = &[
    Task {
        name: "rows",
        asks: "a sum, row by row",
        points: 1,
        why: "The inner loop runs along a row: one miss brings eight elements, and seven loads hit.",
        rust: "task::sum(mem, x.matrix(0)).to_bits()",
        c: ("double sum(size_t, size_t, void *)", "return bits(sum(rows(0), cols(0), at(0)));"),
        starters: starters!("rows"),
        check: matrices::rows,
    },
    Task {
        name: "fuse",
        asks: "two loops in one",
        points: 1,
        why: "Work on data that is in the cache, or in a register, costs no miss. Two loops over arrays larger than the cache fetch everything twice.",
        rust: "task::scale_and_add(mem, x.array(0), x.array(1), x.array(2)); 0",
        c: (
            "void scale_and_add(size_t, void *, void *, void *)",
            "scale_and_add(cols(0), at(0), at(1), at(2)); return 0;",
        ),
        starters: starters!("fuse"),
        check: arrays::fuse,
    },
    Task {
        name: "tail",
        asks: "the tail that the homework's ge4 lacks",
        points: 1,
        why: "An unrolled loop saves branches and index arithmetic, and it needs a tail: sizes are seldom multiples of the block.",
        rust: "task::subtract(mem, x.array(0), x.array(1), x.float(0), x.integer(1)); 0",
        c: (
            "void subtract(size_t, void *, void *, double, size_t)",
            "subtract(cols(0), at(0), at(1), number(0), integers[1]); return 0;",
        ),
        starters: starters!("tail"),
        check: arrays::tail,
    },
    Task {
        name: "stencil",
        asks: "the mean of four adjacent elements, in the right order",
        points: 2,
        why: "Three rows of `from` are used at a time and fit the cache: each line is fetched once, though each element is loaded four times.",
        rust: "task::smooth(mem, x.matrix(0), x.matrix(1)); 0",
        c: ("void smooth(size_t, void *, void *)", "smooth(rows(0), at(0), at(1)); return 0;"),
        starters: starters!("stencil"),
        check: matrices::stencil,
    },
    Task {
        name: "block",
        asks: "the side of a block, from the rule",
        points: 1,
        why: "Three squares that fit the cache are reused B times. Half of the side makes twice the misses; squares that do not fit are reused hardly at all.",
        rust: "task::side(x.integer(0), x.integer(1), x.integer(2)) as u64",
        c: ("size_t side(size_t, size_t, size_t)", "return side(integers[0], integers[1], integers[2]);"),
        starters: starters!("block"),
        check: places::block,
    },
    Task {
        name: "transpose",
        asks: "a transposition by blocks, good on two machines",
        points: 2,
        why: "A square whose lines all stay in the cache makes one miss for each line. Its rows must be whole lines of the machine with the longest ones.",
        rust: "task::transpose(mem, x.matrix(0), x.matrix(1)); 0",
        c: ("void transpose(size_t, void *, void *)", "transpose(rows(0), at(0), at(1)); return 0;"),
        starters: starters!("transpose"),
        check: matrices::transpose,
    },
    Task {
        name: "soa",
        asks: "a structure of arrays in place of an array of structures",
        points: 1,
        why: "A line that holds eight values of one field serves eight particles. Loops that use all fields lose nothing.",
        rust: "task::place(x.integer(0), x.integer(1), x.integer(2)) as u64",
        c: ("size_t place(size_t, size_t, size_t)", "return place(integers[0], integers[1], integers[2]);"),
        starters: starters!("soa"),
        check: places::soa,
    },
    Task {
        name: "pad",
        asks: "rows a little longer, so that columns do not conflict",
        points: 1,
        why: "With an odd number of lines in a row, the rows go through all sets. Powers of two are the worst sizes.",
        rust: "task::pitch(x.integer(0)) as u64",
        c: ("size_t pitch(size_t)", "return pitch(integers[0]);"),
        starters: starters!("pad"),
        check: places::pad,
    },
    Task {
        name: "ways",
        asks: "loads that find the ways of an unknown cache",
        points: 2,
        why: "A set holds as many lines as there are ways; one more, and with LRU each access misses. `lab` finds the geometry of real caches in this way, with times in place of misses.",
        rust: "task::ways(mem, x.array(0)) as u64",
        c: ("size_t ways(size_t, void *)", "return ways(cols(0), at(0));"),
        starters: starters!("ways"),
        check: arrays::ways,
    },
    Task {
        name: "policy",
        asks: "a replacement policy that beats LRU on its worst case",
        points: 2,
        why: "LRU is bad where a program walks round more than the cache holds. A random victim is seldom the best one and never always the worst.",
        rust: "task::victim(x.ways(), x.integer(0) as u64) as u64",
        c: ("size_t victim(size_t, void *, uint64_t)", "return victim(rows(0), at(0), integers[0]);"),
        starters: starters!("policy"),
        check: policy::policy,
    },
];

/// The task called `name`.
pub fn find(name: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == name)
}
