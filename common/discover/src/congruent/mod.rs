//! The sets of a level behind pages that lie anywhere in physical memory. Lines
//! at one offset of their pages fall into as many sets as a way has pages, and
//! into which of them is not known. So those of one set are searched for: lines
//! are added until some miss, and removed as long as some still do. What
//! remains is one line more than there are ways (group testing, after Vila, Köpf
//! and Morales, "Theory and practice of finding eviction sets", 2019). How many
//! other pages' lines fall into that set too gives the number of sets.

mod count;
mod search;

use super::Probe;
use super::exploration::LevelFound;
use figures::random::Random;
use figures::units::Bytes;
use search::{CROWD, MOST_PAGES, Search};

pub(super) use search::Congruent;

/// Sets that are searched for, until two agree.
const SEARCHES: usize = 6;
/// Lines by which each search's offset in the page differs from the last.
const ASIDE: u64 = 7;

/// Why none are searched for behind a level without known sets.
pub(super) const UNKNOWN_ABOVE: &str = "the sets of the level above are not known";

/// Looks for the sets of `found`, the level behind `above`.
///
/// # Errors
///
/// A sentence, where they cannot be found.
pub(super) fn congruent(
    probe: &mut impl Probe,
    above: &LevelFound,
    found: &LevelFound,
    seed: u64,
) -> Result<Congruent, String> {
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let held = above.ways.clone().map_err(|_| UNKNOWN_ABOVE.to_owned())?;
    if above.size / held > page {
        return Err(format!(
            "a way of the level above is larger than a page of {}, so its sets are not known",
            Bytes(page)
        ));
    }
    let most =
        (found.range.1.saturating_mul(2) / page).min(MOST_PAGES as u64).min(probe.reach() / page) as usize;
    if most < 2 * CROWD * held as usize || line > page / 8 {
        return Err("there are too few pages to choose lines of one set from".to_owned());
    }
    let mut search = Search {
        probe,
        page,
        line,
        held: held as usize,
        penalty: found.penalty,
        offset: page / 2,
        largest: found.range.1.saturating_add(above.size),
    };
    let mut pages: Vec<u64> = (0..search.probe.reach() / page).collect();
    let mut random = Random::new(seed);
    let mut seen: Vec<usize> = Vec::new();
    let mut refused = "two sets had different numbers of lines".to_owned();
    let mut agreed = None;
    for _ in 0..SEARCHES {
        random.shuffle(&mut pages);
        search.offset = (search.offset + ASIDE * line) % page;
        match search.one_set(&pages[..most]).and_then(|set| search.certified(set)) {
            Ok(set) if seen.contains(&set.lines.len()) => {
                agreed = Some(set);
                break;
            }
            Ok(set) => seen.push(set.lines.len()),
            Err(reason) => refused = reason,
        }
    }
    let set = agreed.ok_or(refused)?;
    let tried: Vec<u64> = pages.into_iter().filter(|page| !set.holds(*page)).collect();
    search.count(&set, &tried)
}
