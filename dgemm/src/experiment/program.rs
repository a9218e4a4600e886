//! The program `dgemm`.

use std::path::PathBuf;

use clap::value_parser;

use common::cli::{self, Measuring, Modelling, Output};
use common::output;

use common::failure::Failure;
use common::measure::{Session, arena};

use super::measure::{self, Outcome};
use super::{Products, report};
use crate::problem::{Blocks, Problem};
use crate::variants::{Kernel, VARIANTS, Variant};
use ladder::{Ladder, Setup};

/// The matrix product in doubles, from the textbook to the library's speed
#[derive(Debug, clap::Parser)]
#[command(
    name = "dgemm",
    version,
    after_help = "Examples:\n  dgemm --list                       the rungs\n  dgemm ikj 1000                     time, misses by model and closed form, of one rung\n  dgemm all 512                      the whole ladder",
    mut_arg("runs", cli::runs("3")),
    mut_arg("counters", measure::sources),
    mut_arg("chart", cli::refused::<PathBuf>("`lab dgemm --output FOLDER` draws the charts, over n"))
)]
pub struct Args {
    /// A rung of the ladder (see --list), or `all`
    #[arg(required_unless_present = "list")]
    variant: Option<String>,
    /// Set the side of the matrices; with --m and --k the columns of b and c
    #[arg(default_value = "512", value_parser = value_parser!(u32).range(1..))]
    n: u32,
    /// List the rungs and exit
    #[arg(long, exclusive = true)]
    list: bool,
    /// Set the rows of a and c [default: N]
    #[arg(long, value_name = "ROWS", value_parser = value_parser!(u32).range(1..))]
    m: Option<u32>,
    /// Set the columns of a and rows of b [default: N]
    #[arg(long, value_name = "DEPTH", value_parser = value_parser!(u32).range(1..))]
    k: Option<u32>,
    /// Set the side of the L1 blocks [default: sqrt(mL/3) for the machine's L1]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=65_536))]
    block: Option<u32>,
    /// Set the side of the L2 blocks [default: sqrt(mL/3) for its L2, rounded down to whole L1 blocks]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=65_536))]
    block_l2: Option<u32>,
    /// Set the largest side that the recursion does not cut [default: 2]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=65_536))]
    base: Option<u32>,
    /// Set the threads of the threaded rung [default: the processors it may use, within its CPU quota]
    #[arg(long, value_name = "T", value_parser = value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// Runs the program.
/// Fails if the command line names something that does not exist, or something fails.
pub fn run(args: Args) -> Result<(), Failure> {
    if args.list {
        return output::print(&report::list());
    }
    let name = args.variant.as_deref().unwrap_or_default();
    let all = name == "all";
    let rungs = if all { VARIANTS.iter().collect() } else { vec![Products::rung(name)?] };
    if let [rung] = *rungs {
        args.used_by(rung)?;
    }
    let on = Setup::start(&args.measuring, &args.modelling, &args.output, Products::EVENTS)?;
    let session = &on.session;
    let blocks = args.blocks(session);
    let [m, n, k] = args.sides();
    let arena = arena(Problem::bytes(m, n, k, blocks))?;
    session.announce("this product", measure::estimate(session, &rungs, [m, n, k]))?;
    if all {
        session.finish_cell_on_signal();
    }
    let outcomes = measure::outcomes(&on, &rungs, &arena, [m, n, k], blocks)?;
    let mut record = session.record("dgemm").set("block_l1", blocks.l1).set("block_l2", blocks.l2);
    record =
        record.set("base", blocks.base).set("threads", blocks.threads).set("isa", outcomes[0].p.isa.name());
    record.rows = outcomes.iter().map(report::row).collect();
    // A missing model is named if other rungs have one.
    let some_modelled = outcomes.iter().any(|outcome| outcome.model.is_ok());
    for Outcome { rung: Variant { name, kernel, .. }, seconds, model, .. } in &outcomes {
        let not_timed = seconds.reason().filter(|_| session.measures_host);
        let not_modelled = model.as_ref().err().filter(|_| some_modelled && *kernel != Kernel::Library);
        for (what, why) in [
            (format!("{name} is not timed"), not_timed),
            (format!("the misses of {name} are not modelled"), not_modelled.map(String::as_str)),
        ] {
            if let Some(why) = why.filter(|why| *why != ladder::LEFT_OUT) {
                session.note(&mut record, format!("{what}: {why}"));
            }
        }
    }
    output::finish(&record, &args.output, &|_| {
        if all { report::lines(&outcomes) } else { report::text(&outcomes[0]) }
    })
}

impl Args {
    /// Refuses options that `rung` does not use.
    fn used_by(&self, rung: &Variant) -> Result<(), Failure> {
        use Kernel::{BlockL1, BlockL2, Recursive, Threads, Unrolled};
        let options: [(&str, bool, &[Kernel]); 4] = [
            ("--block", self.block.is_some(), &[BlockL1, Unrolled, BlockL2]),
            ("--block-l2", self.block_l2.is_some(), &[BlockL2]),
            ("--base", self.base.is_some(), &[Recursive]),
            ("--threads", self.threads.is_some(), &[Threads]),
        ];
        match options.into_iter().find(|(_, given, users)| *given && !users.contains(&rung.kernel)) {
            None => Ok(()),
            Some((option, _, users)) => {
                let users = VARIANTS.iter().filter(|rung| users.contains(&rung.kernel)).map(|rung| rung.name);
                let users = users.collect::<Vec<_>>().join(", ");
                Err(Failure::usage(format!("{option} changes nothing in {}; it is for {users}", rung.name)))
            }
        }
    }

    fn sides(&self) -> [usize; 3] {
        [self.m.unwrap_or(self.n), self.n, self.k.unwrap_or(self.n)].map(|side| side as usize)
    }

    fn blocks(&self, session: &Session) -> Blocks {
        let threads = self.threads.map_or(session.team(), usize::from);
        let rule = measure::blocks_for(&session.machine, threads);
        let side = |given: Option<u32>, rule| given.map_or(rule, |side| side as usize);
        let l1 = side(self.block, rule.l1);
        let l2 = side(self.block_l2, (rule.l2 / l1).max(1) * l1);
        Blocks { l1, l2, base: side(self.base, rule.base), ..rule }
    }
}
