//! A cache whose replacement policy is a function, and its misses.

use std::collections::HashMap;

use dgemm::rungs::block_l1;
use dgemm::{Blocks, Problem};
use figures::random::Random;
use memory::{Arena, OutOfMemory, Recorded};

use super::{Checked, Wrong, tried};

/// What a policy knows about a line in a full set. Times are numbers of the cache's
/// accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// When it was fetched.
    pub filled: u64,
    /// When it was last used.
    pub used: u64,
    /// How often it was used since it was fetched.
    pub uses: u64,
}

/// The way to evict, given those of a full set and a random number.
pub type Policy = fn(&[Way], u64) -> usize;

/// 8 KiB in lines of 64 bytes, 8 ways.
const SETS: usize = 16;
const WAYS: usize = 8;
const LINE: usize = 64;

/// Checks a policy. On repeated passes over an array a quarter larger than the cache it
/// must have at most two thirds of LRU's misses; on a product in blocks at most a quarter
/// more than LRU.
///
/// # Errors
///
/// If it does not.
pub fn policy(policy: Policy) -> Checked {
    let walk = walk().map_err(Wrong::unmade)?;
    let product = product().map_err(Wrong::unmade)?;
    let mut facts = Vec::new();
    for (name, lines, share, hint) in
        [("a walk round 10 KiB", &walk, 2.0 / 3.0, WALK), ("a product in blocks", &product, 1.25, PRODUCT)]
    {
        let yours =
            tried("A policy returns an index of `ways`: 0 to ways.len() - 1.", || misses(lines, policy))??;
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
    }
    Ok(facts)
}

const WALK: &str = "LRU always evicts the line that is used next. Ten lines take turns in a set of eight: how could seven of them stay?";
const PRODUCT: &str = "Lines that stay for ever waste space when the program moves on: a line that is no longer used must be evicted at some time.";

/// The least recently used line.
pub fn lru(ways: &[Way], _: u64) -> usize {
    (0..ways.len()).min_by_key(|&way| ways[way].used).unwrap_or(0)
}

/// Misses of the cache on these lines under a policy.
///
/// # Errors
///
/// If the policy returns no valid way.
pub fn misses(lines: &[usize], policy: Policy) -> Result<u64, Wrong> {
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
        let victim = policy(&ways, random.bits());
        let Some(place) = set.get_mut(victim) else {
            return Err(Wrong::new(
                format!("victim returned {victim}, and there are {WAYS} ways"),
                "Ways are counted from 0 to ways.len() - 1.",
            ));
        };
        *place = come;
    }
    Ok(missed)
}

/// Misses of the best possible policy, which evicts the line that is used last in the
/// future (Belady, IBM Systems Journal 5, 1966).
pub fn best(lines: &[usize]) -> u64 {
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

/// The lines that cm1 accesses in passes over 10 KiB, a line at a time.
pub fn walk() -> Result<Vec<usize>, OutOfMemory> {
    let arena = Arena::with_capacity(10 << 10)?;
    let array = arena.array::<u8>("x", 10 << 10)?;
    let mut recorded = Recorded::first(usize::MAX);
    cm1::walk(&mut recorded, array, LINE, 40);
    Ok(lines(&recorded, &arena))
}

/// The lines that dgemm's product in blocks accesses.
pub fn product() -> Result<Vec<usize>, OutOfMemory> {
    const N: usize = 40;
    let blocks = Blocks::for_caches(8 << 10, 0, 1);
    let arena = Arena::with_capacity(Problem::bytes(N, N, N, blocks))?;
    let p = Problem::new(&arena, [N; 3], blocks)?;
    let mut recorded = Recorded::first(usize::MAX);
    block_l1::multiply(&mut recorded, p.a(), p.b(), p.c(), 16);
    Ok(lines(&recorded, &arena))
}

fn lines(recorded: &Recorded, arena: &Arena) -> Vec<usize> {
    recorded.touched().iter().map(|touched| (touched.address - arena.origin()) / LINE).collect()
}
