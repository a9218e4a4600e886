//! The lines of one set behind another level, which holds some of them itself.

use super::Probe;
use super::exploration::LevelFound;
use super::ways::{Denied, OneSet, Search, Threshold};
use figures::units::Bytes;

/// Looks for the lines of one set in a cache of `low` to less than `high` bytes
/// behind `above`.
pub(super) fn lines_of_one_set(
    probe: &mut impl Probe,
    threshold: Threshold,
    line: u64,
    (low, high): (u64, u64),
    above: &LevelFound,
) -> Result<(OneSet, Denied), String> {
    let page = probe.contiguous();
    if page < high {
        return Err(format!(
            "pages of {} are scattered in physical memory, so which lines share a set is not known; huge pages, also \
             in the hypervisor if there is one, would show it",
            Bytes(page)
        ));
    }
    let Ok(held) = above.ways.clone() else {
        return Err("lines of one set can be chosen only after a level whose sets are known".to_owned());
    };
    let way = above.size / held;
    let hidden = [2 * held, held].map(|evictors| Search::behind(threshold, line, evictors, way));
    // more lines of a set than the level above holds leave it by themselves
    let plain = Search::plain(threshold, line).run(probe, low, high).ok().filter(|set| set.ways > held);
    let mut reason = "no distance was found at which a fixed number of lines fits".to_owned();
    for search in hidden {
        match search.run(probe, low, high) {
            // behind evictors in the same sets, fewer lines fit than there are ways
            Ok(set) if set.way <= way => reason = same_sets(way),
            Ok(set) if plain.is_some_and(|plain| plain.ways > set.ways) => {
                let plain = plain.unwrap_or(set);
                reason = format!(
                    "{} lines of one set fit, but only {} while other lines fill the level above: that level has lines \
                     that this one does not have (exclusive), or both pick their sets in the same way",
                    plain.ways, set.ways
                );
            }
            Ok(set) if !(low..high).contains(&set.size()) => {
                reason = format!(
                    "{} lines of one set at a distance of {} would make {}, but the cost rises between {} and {}",
                    set.ways,
                    Bytes(set.way),
                    Bytes(set.size()),
                    Bytes(low),
                    Bytes(high)
                );
            }
            Ok(set) if !search.is_independent(probe, set) => {
                reason = format!(
                    "{} lines of one set fit, and more with fewer lines that fill the level above: those share \
                     the set",
                    set.ways
                );
            }
            Ok(set) if !search.fit_alone(probe, set) => {
                reason = format!(
                    "{} lines of one set fit, but not when each of them was evicted from the level above before its \
                     access: that level has lines that this one does not have (exclusive)",
                    set.ways
                );
            }
            Ok(set) => return Ok((set, search.denied(probe, set))),
            Err(other) => reason = other,
        }
    }
    Err(reason)
}

fn same_sets(way: u64) -> String {
    format!(
        "a way is not larger than one of the level above ({}), so lines that share a set there also share one in this level, \
         and the level above has some of them",
        Bytes(way)
    )
}
