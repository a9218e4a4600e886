//! The lines of one set behind another level, which holds some of them itself.

use super::Probe;
use super::exploration::LevelFound;
use super::ways::{OneSet, Search, Sets, Threshold};
use figures::units::Bytes;
use infer::exclusive::Above;

/// Looks for the lines of one set in a cache of `low` to less than `high` bytes
/// behind `above`.
pub(super) fn lines_of_one_set(
    probe: &mut impl Probe,
    threshold: Threshold,
    line: u64,
    (low, high): (u64, u64),
    above: &LevelFound,
) -> Result<Sets, String> {
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
    if Some(above.size) == above.line.map(|line| line * held) {
        return Err(format!("the level above holds any {held} lines, more than a set of this level has"));
    }
    let above = Above { ways: held, way: above.size / held };
    let searches = [2 * held, held].map(|evictors| Search::behind(threshold, line, evictors, above.way));
    let mut reason = "no distance was found at which a fixed number of lines fits".to_owned();
    for search in searches {
        match search.run(probe, low, high) {
            // behind evictors in the same sets, fewer lines fit than there are ways
            Ok(set) if set.way <= above.way => reason = same_sets(above.way),
            Ok(set) if search.more_fit(probe, set, held) || !search.fit_alone(probe, set, held) => {
                return exclusive(probe, &search, set, above, low..high);
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
            Ok(set) => return Ok(Sets { set, denied: search.denied(probe, set), beside: 0 }),
            Err(other) => reason = other,
        }
    }
    Err(reason)
}

/// The own lines of a level that seems to be exclusive: those that fit when each was evicted from the level above
/// before its access. With those that the level above holds they must be all that fit, and make the
/// size at which the cost rises.
fn exclusive(
    probe: &mut impl Probe,
    search: &Search,
    set: OneSet,
    above: Above,
    rises: std::ops::Range<u64>,
) -> Result<Sets, String> {
    let own = (1..=set.ways)
        .rev()
        .take(1 + above.ways as usize)
        .map(|ways| OneSet { ways, ..set })
        .find(|own| search.fit_alone(probe, *own, above.ways));
    if let Some(own) = own
        && rises.contains(&(own.size() + above.size()))
        && let together = (OneSet { ways: own.ways + above.ways, ..set })
        && let Some(denied) = search.fill_exactly(probe, together)
    {
        return Ok(Sets { set: own, denied, beside: above.size() });
    }
    Err(format!(
        "{} lines of one set at a distance of {} fit, but another number if each is evicted from the level above \
         before its access: {}",
        set.ways,
        Bytes(set.way),
        above.readings(set.ways, set.way)
    ))
}

fn same_sets(way: u64) -> String {
    format!(
        "a way is not larger than one of the level above ({}), so lines that share a set there also share one in this level, \
         and the level above has some of them",
        Bytes(way)
    )
}
