//! A cache whose replacement policy is a function, and its misses.

use std::collections::HashMap;

use figures::random::Random;

use super::{Checked, Passed, Wrong, places};
use crate::program::{Call, Data, Program};

/// What a policy knows about a line in a full set. Times are numbers of the cache's
/// accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Way {
    /// When it was fetched.
    filled: u64,
    /// When it was last used.
    used: u64,
    /// How often it was used since it was fetched.
    uses: u64,
}

/// 8 KiB in lines of 64 bytes, 8 ways.
const SETS: usize = 16;
const WAYS: usize = 8;
const LINE: usize = 64;

/// Checks a policy. On repeated passes over an array a quarter larger than the cache it
/// must have at most two thirds of LRU's misses; on a product in blocks at most a quarter
/// more than LRU.
pub(crate) fn policy(program: &mut Program) -> Checked {
    let walk: Vec<usize> = (0..40).flat_map(|_| 0..(10 << 10) / LINE).collect();
    let product: Vec<usize> = places::product(40, 16).into_iter().map(|address| address / LINE).collect();
    let (mut facts, mut total, mut accesses) = (Vec::new(), 0, 0);
    for (name, lines, share, hint) in
        [("a walk round 10 KiB", &walk, 2.0 / 3.0, WALK), ("a product in blocks", &product, 1.25, PRODUCT)]
    {
        let yours = misses(lines, |ways, chance| {
            let words = ways.iter().flat_map(|way| [way.filled, way.used, way.uses]).collect();
            let mut arrays = [Data { name: "ways", rows: WAYS, cols: 3, words }];
            let call =
                Call { machine: None, arrays: &mut arrays, integers: &[chance], solution: 3 * WAYS as u64 };
            let called = program.call(call);
            called
                .map(|(way, _)| way as usize)
                .map_err(|wrong| wrong.or_hint("A policy returns an index of `ways`: 0 to 7."))
        })?;
        let (lru, best) = (misses(lines, lru)?, best(lines));
        let line = format!(
            "{name}: {yours} misses in {} accesses, LRU {lru}, best possible policy {best}",
            lines.len()
        );
        if yours as f64 > share * lru as f64 {
            let most = (share * lru as f64) as u64;
            return Err(Wrong::new(format!("{line}; at most {most} are allowed"), hint));
        }
        facts.push(line);
        (total, accesses) = (total + yours, accesses + lines.len() as u64);
    }
    Ok(Passed { facts, misses: total, accesses })
}

const WALK: &str = "LRU always evicts the line that is used next. Ten lines take turns in a set of eight: how could seven of them stay?";
const PRODUCT: &str = "Lines that stay for ever waste space when the program moves on: a line that is no longer used must be evicted at some time.";

/// The least recently used line.
fn lru(ways: &[Way], _: u64) -> Result<usize, Wrong> {
    Ok((0..ways.len()).min_by_key(|&way| ways[way].used).unwrap_or(0))
}

/// Misses of the cache on these lines under a policy.
fn misses(
    lines: &[usize],
    mut policy: impl FnMut(&[Way], u64) -> Result<usize, Wrong>,
) -> Result<u64, Wrong> {
    let mut sets: Vec<Vec<(usize, Way)>> = vec![Vec::new(); SETS];
    let (mut random, mut missed) = (Random::new(1), 0);
    for (now, &line) in (1..).zip(lines) {
        let set = &mut sets[line % SETS];
        if let Some((_, way)) = set.iter_mut().find(|(held, _)| *held == line) {
            *way = Way { used: now, uses: way.uses + 1, ..*way };
            continue;
        }
        missed += 1;
        let come = (line, Way { filled: now, used: now, uses: 1 });
        if set.len() < WAYS {
            set.push(come);
            continue;
        }
        let ways: Vec<Way> = set.iter().map(|(_, way)| *way).collect();
        let victim = policy(&ways, random.bits())?;
        let Some(place) = set.get_mut(victim) else {
            return Err(Wrong::new(
                format!("the policy returned {victim}, and there are {WAYS} ways"),
                "Ways are counted from 0 to 7.",
            ));
        };
        *place = come;
    }
    Ok(missed)
}

/// Misses of the best possible policy, which evicts the line that is used last in the
/// future (Belady, IBM Systems Journal 5, 1966).
fn best(lines: &[usize]) -> u64 {
    let mut next = vec![usize::MAX; lines.len()];
    let mut seen = HashMap::new();
    for (at, line) in lines.iter().enumerate().rev() {
        next[at] = seen.insert(*line, at).unwrap_or(usize::MAX);
    }
    let mut sets: Vec<Vec<(usize, usize)>> = vec![Vec::new(); SETS];
    let mut missed = 0;
    for (&line, &next) in lines.iter().zip(&next) {
        let set = &mut sets[line % SETS];
        if let Some(held) = set.iter_mut().find(|(held, _)| *held == line) {
            held.1 = next;
            continue;
        }
        missed += 1;
        if set.len() == WAYS {
            let last = (0..WAYS).max_by_key(|&way| set[way].1).unwrap_or(0);
            set.swap_remove(last);
        }
        set.push((line, next));
    }
    missed
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The exercise's cache with LRU has the same misses as the kit's model.
    #[test]
    fn the_policys_cache_is_the_models() {
        let machine = super::super::cache_of(8 << 10, LINE, WAYS).unwrap();
        let addresses = places::product(40, 16);
        let lines: Vec<usize> = addresses.iter().map(|address| address / LINE).collect();
        let counted = super::super::misses_at(&machine, addresses).unwrap();
        assert_eq!(misses(&lines, lru).unwrap(), counted);
        assert!(best(&lines) <= counted);
    }
}
