//! The list of the tasks.

use crate::check::{self, Checked};
use crate::{block, ge4_tail, policy, stencil, transpose};

/// A kernel to write.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Its name on the command line.
    pub name: &'static str,
    /// The file to edit.
    pub file: &'static str,
    /// The task in one line.
    pub asks: &'static str,
    /// What a solution is worth.
    pub points: u32,
    /// Checks the present content of the file.
    pub check: fn() -> Checked,
}

/// The tasks, the easiest first.
pub const TASKS: &[Task] = &[
    Task {
        name: "tail",
        file: "exercises/src/ge4_tail.rs",
        asks: "the tail that the homework's ge4 lacks",
        points: 1,
        check: || check::ge4_tail::subtract(ge4_tail::subtract),
    },
    Task {
        name: "block",
        file: "exercises/src/block.rs",
        asks: "the side of a block, from the rule",
        points: 1,
        check: || check::block::side(block::side),
    },
    Task {
        name: "stencil",
        file: "exercises/src/stencil.rs",
        asks: "the mean of four adjacent elements, in the right order",
        points: 2,
        check: || check::matrices::smooth(stencil::smooth),
    },
    Task {
        name: "transpose",
        file: "exercises/src/transpose.rs",
        asks: "a transposition by blocks",
        points: 2,
        check: || check::matrices::transpose(transpose::transpose),
    },
    Task {
        name: "policy",
        file: "exercises/src/policy.rs",
        asks: "a replacement policy that beats LRU on its worst case",
        points: 2,
        check: || check::policy::policy(policy::victim),
    },
];
