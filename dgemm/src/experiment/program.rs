//! The program `dgemm`.

use std::path::PathBuf;

use clap::value_parser;

use common::cli::{self, Format, Measuring, Modelling, Output};
use common::output;

use common::failure::Failure;
use common::measure::{self, Session};
use common::record::Record;

use crate::experiment::{self, Outcome, Products, measurement, report};
use crate::problem::{Blocks, Problem};
use crate::variants::{Kernel, VARIANTS, Variant};
use ladder::Ladder;

/// The matrix product in doubles, from the textbook to the library's speed
#[derive(Debug, clap::Parser)]
#[command(
    name = "dgemm",
    version,
    after_help = "Examples:\n  dgemm --list                       the rungs\n  dgemm ikj 1000                     time, misses by model and closed form, of one rung\n  dgemm all 512                      the whole ladder",
    mut_arg("runs", cli::runs(experiment::DEFAULT_RUNS)),
    mut_arg("counters", experiment::sources),
    mut_arg("chart", cli::refused::<PathBuf>("`lab dgemm --output FOLDER` draws the charts, over n"))
)]
pub struct Args {
    /// A rung of the ladder (see --list), or `all`
    #[arg(required_unless_present = "list")]
    variant: Option<String>,
    /// Set the side of the matrices [default: 512]
    #[arg(conflicts_with = "named")]
    n: Option<usize>,
    /// The same, by name; with --m and --k the columns of b and c
    #[arg(short = 'n', long = "n", id = "named", value_name = "N")]
    named: Option<usize>,
    /// List the rungs and exit
    #[arg(long, exclusive = true)]
    list: bool,
    /// Set the rows of a and c [default: N]
    #[arg(long, value_name = "ROWS")]
    m: Option<usize>,
    /// Set the columns of a and rows of b [default: N]
    #[arg(long, value_name = "DEPTH")]
    k: Option<usize>,
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
    /// Set the widest instructions to use [default: the widest of this processor]
    #[arg(long, value_enum, value_name = "ISA")]
    isa: Option<Instructions>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    modelling: Modelling,
    #[command(flatten)]
    output: Output,
}

/// The widest instructions that the rungs may use.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Instructions {
    /// Four doubles at a time, also where the processor has AVX-512
    Avx2,
}

/// Side of the matrices if none is given.
const SIDE: usize = 512;

/// Seconds of one operation of a rung in the middle of the ladder.
const OPERATION: f64 = 0.5e-9;

/// Runs the program.
/// Fails if the command line names something that does not exist, or something fails.
pub fn run(args: Args) -> Result<(), Failure> {
    if let Some(Instructions::Avx2) = args.isa {
        isa::leave_out_avx512();
    }
    if args.list {
        return output::print(&report::list());
    }
    let name = args.variant.as_deref().unwrap_or_default();
    let all = name == "all";
    let rungs = if all { VARIANTS.iter().collect() } else { vec![Products::rung(name)?] };
    if let [rung] = *rungs {
        args.used_by(rung)?;
    }
    let on = measurement::start(&args.measuring, &args.modelling, &args.output)?;
    let session = &on.session;
    let blocks = args.blocks(session);
    let sides = args.sides()?;
    let [m, n, k] = sides;
    let arena = measure::arena(Problem::bytes(m, n, k, blocks))?;
    let p = measurement::problem(session, &arena, sides, blocks)?;
    let measured = if session.measures_host { rungs.len() as f64 * p.flops() * OPERATION } else { 0.0 };
    let modelled = measurement::modelling_seconds(session, &rungs, sides);
    session.announce("this product", measured + modelled)?;
    if all {
        session.finish_cell_on_signal();
    }
    let outcomes = measurement::outcomes(&on, &rungs, &p, &arena)?;
    let record = args.record(session, &outcomes, &p);
    if all && args.output.format == Format::Kit {
        session.say(
            "note: \"on\" counts cores; a, b, c and copies are L1 misses per inner iteration by the model, \"model\" their sum, \"closed\" the lecture's closed form",
        );
    }
    let kit = &|_: &Record| match all {
        true => {
            let lines: String = outcomes.iter().map(|one| report::line(one, &p)).collect();
            report::head() + &lines + &report::assumed(&outcomes)
        }
        false => outcomes.iter().map(|one| report::text(one, &p)).collect(),
    };
    output::finish(&record, &args.output, kit)
}

/// Warnings about an outcome; its missing model is named if others of the run have one.
fn notes(outcome: &Outcome, here: bool, some_modelled: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let name = outcome.rung.name;
    if let Some(reason) = outcome.seconds.reason()
        && here
        && reason != ladder::LEFT_OUT
    {
        notes.push(format!("{name} is not timed: {reason}"));
    }
    if let Err(reason) = &outcome.model
        && some_modelled
        && outcome.rung.kernel != Kernel::Library
        && reason != ladder::LEFT_OUT
    {
        notes.push(format!("the misses of {name} are not modelled: {reason}"));
    }
    if let Some(check) = outcome.check.filter(|&check| check > 1e-9) {
        notes.push(format!("the product of {name} is wrong: its check is off by {check:.1e}"));
    }
    notes
}

impl Args {
    /// Refuses options that `rung` does not use.
    fn used_by(&self, rung: &Variant) -> Result<(), Failure> {
        use Kernel::{BlockL1, BlockL2, Recursive, Threads, Tiled, Unrolled};
        let options: [(&str, bool, &[Kernel]); 5] = [
            ("--block", self.block.is_some(), &[BlockL1, Unrolled, BlockL2]),
            ("--block-l2", self.block_l2.is_some(), &[BlockL2]),
            ("--base", self.base.is_some(), &[Recursive]),
            ("--threads", self.threads.is_some(), &[Threads]),
            ("--isa", self.isa.is_some(), &[Tiled, Threads]),
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

    fn sides(&self) -> Result<[usize; 3], Failure> {
        let n = self.n.or(self.named).unwrap_or(SIDE);
        let sides = [self.m.unwrap_or(n), n, self.k.unwrap_or(n)];
        if sides.contains(&0) {
            return Err(Failure::usage(
                "a matrix without rows or columns has no product to time; give sides of 1 or more",
            ));
        }
        Ok(sides)
    }

    fn blocks(&self, session: &Session) -> Blocks {
        let threads = self.threads.map_or(session.team(), usize::from);
        let rule = measurement::blocks_for(&session.machine, threads);
        let side = |given: Option<u32>, rule| given.map_or(rule, |side| side as usize);
        let l1 = side(self.block, rule.l1);
        let l2 = side(self.block_l2, (rule.l2 / l1).max(1) * l1);
        Blocks { l1, l2, base: side(self.base, rule.base), ..rule }
    }

    fn record(&self, session: &Session, outcomes: &[Outcome], p: &Problem) -> Record {
        let Blocks { l1, l2, base, threads, .. } = p.blocks;
        let mut record = session.record("dgemm").set("block_l1", l1).set("block_l2", l2);
        record = record.set("base", base).set("threads", threads).set("isa", p.isa.name());
        record.rows = outcomes.iter().map(|outcome| report::row(outcome, p)).collect();
        let some_modelled = outcomes.iter().any(|outcome| outcome.model.is_ok());
        for note in outcomes.iter().flat_map(|outcome| notes(outcome, session.measures_host, some_modelled)) {
            session.note(&mut record, note);
        }
        record
    }
}
