//! `lab run`: every experiment of the assignment, then the report.

mod experiments;
mod folder;
mod host;
mod progress;
mod settings;

use std::path::PathBuf;

use common::cli::{Common, Compare, Counters, Format};
use common::failure::Failure;
use common::measure::Session;
use report::Report;

use folder::Folder;
use settings::Settings;

/// Do the whole assignment and write the report
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A first look in less than half a minute: smaller sizes, fewer repetitions
    #[arg(long)]
    quick: bool,

    /// The folder for the report, its pictures and records
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,

    /// Put the kit's own answers into the report, folded away
    #[arg(long)]
    answers: bool,

    /// Rows and columns of the matrices, 8 to 4096; 1024 for the guide's text [default: 512 as the programs, 256 with --quick]
    #[arg(long, value_name = "N", value_parser = matrix_size)]
    size: Option<u32>,

    /// Repetitions of each matrix product; the median is reported [default: 3, 1 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: Option<u32>,

    /// Where counts come from
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "auto")]
    counters: Counters,

    /// The machine: host, or one to model, by its name or TOML file
    #[arg(long, value_name = "MACHINE", default_value = "host")]
    machine: String,

    /// Processor to run on
    #[arg(long, value_name = "N")]
    cpu: Option<usize>,

    /// Divide all repetitions of the sweeps; for trying the report out
    #[arg(long, value_name = "N", default_value = "1", hide = true, value_parser = clap::value_parser!(u64).range(1..))]
    hasten: u64,
}

/// Measures, writes, and says where.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = Folder::prepare(&args.out)?;
    let session = Session::start_quietly(&common_options(args))?;
    let settings = Settings::new(args.quick, args.size, args.runs, args.hasten, &session.machine);
    let findings = experiments::run_all(session, settings)?;
    let report = Report::new(&findings, args.answers);
    folder.fill(&report.files().map_err(Failure::could_not)?)?;
    print!("{}", report.summary());
    eprintln!("lab run: {} is ready; open it in a browser, or print it from there", folder.page().display());
    Ok(())
}

fn matrix_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| (8..=4096).contains(size));
    size.ok_or_else(|| "a matrix has 8 to 4096 rows".to_owned())
}

fn common_options(args: &Args) -> Common {
    Common {
        counters: args.counters,
        machine: args.machine.clone(),
        runs: 1,
        cpu: args.cpu,
        compare: None::<Compare>,
        format: Format::Kit,
        chart: None,
        record: None,
    }
}
