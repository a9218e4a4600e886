//! The average time of a load, counted, and as the textbook's formula.

use cache::Counts;
use figures::table::four;
use figures::value::{Reading, Source};
use machine::Machine;

/// Of the average, what the formula may leave out without a word.
const NEGLIGIBLE: f64 = 0.0005;

/// The average time of a load in ns (AMAT), and the formula that gives it: hit time + miss rate * (what the next level
/// takes longer + ...). `None` if the machine's latencies are not described, or secret.
pub fn average_load(counts: &Counts, machine: &Machine) -> Option<(Reading, String)> {
    let average = counts.time(machine).ok().filter(|_| !machine.sealed())?.average_load.nanos();
    let ends = machine.levels.iter().map(|level| level.latency).chain([machine.memory_latency]);
    let nanos: Vec<f64> = ends.map_while(|latency| Some(latency?.nanos())).collect();
    let rate = |level: &cache::LevelCounts| level.misses.loads as f64 / level.accesses.loads.max(1) as f64;
    let rates: Vec<f64> = counts.levels.iter().map(rate).take_while(|rate| *rate > 0.0).collect();
    let added = |level: usize| nanos[level] - if level == 0 { 0.0 } else { nanos[level - 1] };
    // from the last level that some load reaches, upwards
    let last = rates.len();
    let (mut sum, mut text) = (added(last), four(added(last)));
    for (level, rate) in rates.iter().enumerate().rev() {
        let inner = if level + 1 == last { text } else { format!("({text})") };
        text = format!("{} + {} * {inner}", four(added(level)), four(*rate));
        sum = added(level) + rate * sum;
    }
    if average - sum > NEGLIGIBLE * average {
        text += &format!(" + {} of TLB misses", four(average - sum));
    }
    Some((Reading::new(average, Source::Model), text))
}
