//! `fuzz [INPUTS] [SEED] [TARGET..]`: a long run, without a nightly compiler; `fuzz replay
//! TARGET FILE..`: a reader's results for stored inputs.

use std::path::Path;
use std::process::ExitCode;

use fuzz::{TARGETS, Target, run, watch};

#[global_allocator]
static WATCHED: watch::Watched = watch::Watched;

/// Inputs of all targets between two lines of progress.
const STRETCH: u64 = 1_000_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, name, files @ ..] = words.as_slice()
        && first == "replay"
    {
        files.iter().filter_map(|file| std::fs::read(file).ok()).for_each(|input| fuzz::target(name, &input));
        return ExitCode::SUCCESS;
    }
    let number = |at: usize, usual: u64| words.get(at).map_or(Ok(usual), |word| word.parse());
    let (Ok(inputs), Ok(seed)) = (number(0, 1_000_000), number(1, 1)) else {
        eprintln!("fuzz: give the inputs of all targets together and a seed as numbers, then targets");
        return ExitCode::from(2);
    };
    let wanted = |name: &str| words.len() < 3 || words[2..].iter().any(|word| word == name);
    let targets: Vec<_> = TARGETS.iter().filter(|target| wanted(target.name)).collect();
    // A panic is counted and its input saved; its message would hide the counts.
    std::panic::set_hook(Box::new(|_| ()));
    let seen = long(&targets, inputs, seed);
    ExitCode::from(u8::from(seen.failed()))
}

/// Divides `inputs` among `targets` by their shares, in parts; each part has a seed of its
/// own, so that no two give the same inputs.
fn long(targets: &[&Target], inputs: u64, seed: u64) -> run::Seen {
    let findings = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings");
    let mut all = vec![run::Seen::default(); targets.len()];
    let shares: u64 = targets.iter().map(|target| target.share).sum();
    for stretch in 0..inputs.div_ceil(STRETCH) {
        let rest = STRETCH.min(inputs - stretch * STRETCH);
        let own = seed.wrapping_mul(1 << 20).wrapping_add(stretch);
        for (target, seen) in targets.iter().zip(&mut all) {
            let inputs = (rest * target.share).div_ceil(shares);
            seen.add(run::run(target, own, inputs, f64::INFINITY, Some(&findings)));
            println!("{:<8} {}", target.name, seen.summary());
        }
        println!("{:<8} {}; seed {seed}", "all", run::Seen::of(&all).summary());
    }
    run::Seen::of(&all)
}
