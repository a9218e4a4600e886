//! `avail [-e EVENT]`: what this machine can count.

mod args;
mod cost;
mod explain;
mod hardware;
mod mem;
mod native;
mod page;
mod presets;
mod selftest;

use std::process::ExitCode;

use args::Args;
use common::cli;
use common::failure::Failure;

fn main() -> ExitCode {
    cli::run(|args: Args| -> Result<(), Failure> {
        match &args.event {
            Some(name) => explain::print(name, args.format),
            None if args.native => native::print(args.format),
            None if args.mem => mem::print(args.format),
            None if args.cost => cost::print(args.format),
            None if args.self_test => selftest::print(args.format),
            None => presets::print(args.available, args.detailed, args.format),
        }
    })
}
