//! Which line is replaced when a set is full: random sequences within one set, their
//! measured cost compared with the misses of every known policy.

mod set;

use discover::{LevelFound, Probe};
use figures::random::Random;
use infer::likelihood::odds;
use infer::{Confidence, Sets};
use set::{Policy, Set, known};

/// Sequences tried at first, and at most.
const SEQUENCES: usize = 16;
const MOST: u64 = 48;
/// Times that each is walked; the least disturbed one counts.
const WALKS: usize = 10;
/// Times at the least, and the share of the time after which no more are begun: the
/// caches may have taken all of it, and the walks of a quiet machine take a tenth.
const LEAST_WALKS: usize = 2;
const LATEST: f64 = 1.1;
/// Sets that the sequences take in turn, and lines from one to the next: if something else
/// occupies a way of one of them, the others still show the policy.
const SETS: u64 = 3;
const ASIDE: u64 = 20;
/// Bytes of a word: a sequence meets a line as often as it has words.
const WORD: u64 = 8;
/// Rounds after which a set is in its steady state, and rounds that are counted.
const WARM: usize = 8;
const COUNTED: usize = 12;
/// Of the random policy more are needed.
const COUNTED_RANDOM: usize = 400;
/// Smallest assumed measurement error, in misses per access.
const NOISE: f64 = 0.01;
/// Difference in misses per access between a policy and the measurements. Above the first no known
/// policy fits; below the second the fit may be certain.
const EXPLAINS: f64 = 0.03;
const CLOSE: f64 = 0.01;
/// Odds against all others that make an answer, and a sure one.
const ODDS: f64 = 100.0;
const SURE: f64 = 1e4;
/// Larger odds are not given: no one believes them.
const MOST_ODDS: f64 = 1e9;
/// What a miss costs in the sequences, as a share of the level's own penalty.
const PENALTY: (f64, f64) = (0.5, 2.0);

/// The policy of a level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PolicyFound {
    /// What it is called; several names where they cannot differ.
    pub names: Vec<String>,
    /// How much likelier it is than all others that are known together.
    pub odds: f64,
    /// Misses per access by which its sequences are off, as root mean square.
    pub off: f64,
    /// Sequences measured.
    pub sequences: usize,
    /// Never low: that is a refusal.
    pub confidence: Confidence,
}

/// One policy compared with the measurements.
struct Scored {
    policy: Policy,
    /// Its misses per access in each sequence.
    misses: Vec<f64>,
    /// Measured minus expected misses per access, as root mean square.
    off: f64,
}

/// Finds the replacement policy of the first level as `found` shows it.
/// Fails, with a sentence, where its sets are not known, no known policy explains the costs, or
/// several do.
pub(crate) fn policy(probe: &mut impl Probe, found: &LevelFound) -> Result<PolicyFound, String> {
    let sets = found.sets().map_err(|_| "its sets are not known".to_owned())?;
    if !(2..=32).contains(&sets.ways) {
        return Err(match sets.ways {
            1 => "a direct-mapped cache has no choice".to_owned(),
            ways => format!("sequences for {ways} ways are too long"),
        });
    }
    among(&known(sets.ways as usize), probe, found, sets)
}

/// The one of `policies` that explains what is measured.
fn among(
    policies: &[Policy],
    probe: &mut impl Probe,
    found: &LevelFound,
    Sets { ways, way }: Sets,
) -> Result<PolicyFound, String> {
    let line = found.line.unwrap_or(2 * WORD);
    let (mut sequences, mut costs) = (Vec::new(), Vec::new());
    loop {
        sequences
            .extend((sequences.len() as u64..).take(SEQUENCES).map(|number| sequence(number, ways, line)));
        measure(probe, &sequences, (line, way), &mut costs);
        let scored =
            policies.iter().filter_map(|policy| score(*policy, ways, &sequences, &costs, found.penalty));
        let verdict = decide(scored.collect(), costs.len());
        let sure = verdict.as_ref().is_ok_and(|verdict| verdict.confidence == Confidence::High);
        if sure || probe.spent() >= 1.0 || costs.len() as u64 >= MOST {
            return verdict;
        }
    }
}

/// Lines of one set in the order they are met: one to three more than fit, each
/// no oftener than it has words; then as many others as fit, which bring the set
/// into one state from which each round begins.
fn sequence(number: u64, ways: u64, line: u64) -> Vec<u16> {
    let mut random = Random::new(1 + number);
    let words = (line / WORD).max(2) as usize;
    let lines = (ways + 1 + number % 3) as usize;
    let mut left = vec![words; lines];
    let mut order: Vec<u16> = Vec::new();
    while order.len() < 4 * ways as usize {
        let open = |l: &usize| left[*l] > 0 && order.last() != Some(&(*l as u16));
        let choice: Vec<usize> = (0..lines).filter(open).collect();
        let Some(&next) = choice.get(random.below(choice.len())) else { break };
        left[next] -= 1;
        order.push(next as u16);
    }
    order.extend((lines..lines + ways as usize).map(|line| line as u16));
    order
}

/// Nanoseconds per access of each sequence, in turns, each at its least of all times
/// it was walked: less often once the time is spent. Each access to a line takes the next of its
/// words: a chain can lead through each word only once.
fn measure(probe: &mut impl Probe, sequences: &[Vec<u16>], (line, way): (u64, u64), costs: &mut Vec<f64>) {
    costs.resize(sequences.len(), f64::INFINITY);
    for walk in 0..if probe.real() { WALKS } else { 1 } {
        if walk >= LEAST_WALKS && probe.spent() >= LATEST {
            break;
        }
        for ((number, sequence), least) in (0..).zip(sequences).zip(&mut *costs) {
            let aside = number % SETS * ASIDE * line % way;
            let word = |at: usize| sequence[..at].iter().filter(|met| **met == sequence[at]).count() as u64;
            let at = |at: usize| u64::from(sequence[at]) * way + word(at) * WORD + aside;
            *least = least.min(probe.cost(&(0..sequence.len()).map(at).collect::<Vec<_>>()));
        }
    }
}

/// Misses per access in the steady state.
fn misses(policy: Policy, ways: usize, sequence: &[u16]) -> f64 {
    let counted = if policy == Policy::Random { COUNTED_RANDOM } else { COUNTED };
    let mut set = Set::new(policy, ways);
    (0..WARM * sequence.len()).for_each(|at| _ = set.access(sequence[at % sequence.len()]));
    let all = (0..counted * sequence.len()).filter(|at| !set.access(sequence[at % sequence.len()]));
    all.count() as f64 / (counted * sequence.len()) as f64
}

/// The best of all policies, if it is so far ahead that it must be right.
fn decide(mut scored: Vec<Scored>, sequences: usize) -> Result<PolicyFound, String> {
    scored.sort_by(|a, b| a.off.total_cmp(&b.off));
    let Some(best) = scored.first().filter(|best| best.off <= EXPLAINS) else {
        let nearest = scored.first().map_or_else(String::new, |best| {
            format!("; the nearest, {}, differs by {:.2} misses per access", best.policy, best.off)
        });
        return Err(format!(
            "no known policy explains the cost of {sequences} random sequences in one set{nearest}"
        ));
    };
    let sigma = best.off.max(NOISE);
    let (alike, others): (Vec<&Scored>, Vec<&Scored>) =
        scored.iter().partition(|one| one.misses.iter().zip(&best.misses).all(|(a, b)| (a - b).abs() < 1e-9));
    // the root mean square is over all sequences
    let likelihood = |one: &Scored| -(sequences as f64) * (one.off / sigma).powi(2) / 2.0;
    let odds = odds(likelihood(best), others.iter().map(|one| likelihood(one))).min(MOST_ODDS);
    if odds < ODDS {
        let next = others.first().map_or_else(String::new, |next| next.policy.to_string());
        return Err(format!(
            "{sequences} random sequences in one set leave {} and {next} open: odds of {odds:.1} to 1",
            best.policy
        ));
    }
    // What others disturb looks random: this one is named after all sequences only.
    if best.policy == Policy::Random && (best.off > CLOSE || (sequences as u64) < MOST) {
        return Err("random replacement is the nearest, but it also is if other programs disturb the cache"
            .to_owned());
    }
    Ok(PolicyFound {
        names: alike.iter().map(|one| one.policy.to_string()).collect(),
        odds,
        off: best.off,
        sequences,
        confidence: if odds >= SURE && best.off <= CLOSE { Confidence::High } else { Confidence::Medium },
    })
}

/// Costs as misses: the straight line through them (least squares) gives the cost of a hit
/// and of a miss, which must be near what the level showed.
fn score(policy: Policy, ways: u64, sequences: &[Vec<u16>], costs: &[f64], penalty: f64) -> Option<Scored> {
    let misses: Vec<f64> = sequences.iter().map(|sequence| misses(policy, ways as usize, sequence)).collect();
    let mean = |of: &dyn Fn(usize) -> f64| (0..costs.len()).map(of).sum::<f64>() / costs.len() as f64;
    let (x, y) = (mean(&|i| misses[i]), mean(&|i| costs[i]));
    let slope = mean(&|i| (misses[i] - x) * (costs[i] - y)) / mean(&|i| (misses[i] - x).powi(2));
    let (least, most) = PENALTY;
    let off = mean(&|i| ((costs[i] - y) / slope - (misses[i] - x)).powi(2)).sqrt();
    (least * penalty..=most * penalty).contains(&slope).then_some(Scored { policy, misses, off })
}

#[cfg(test)]
mod tests;
