//! Which events are counted together, and which in a run of their own.

use super::definition::Part;

/// Spreads the wanted sets of native events over as few groups as it finds,
/// each of which `fits` on the counters. A set stays together if it can; one
/// that does not fit even alone is spread over several groups.
pub(crate) fn groups(wanted: &[&[Part]], mut fits: impl FnMut(&[Part]) -> bool) -> Vec<Vec<Part>> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    for set in wanted {
        let whole = dedup(set);
        let planned = |part: &&Part| groups.iter().any(|group| group.contains(part));
        let fresh: Vec<Part> = whole.iter().filter(|part| !planned(part)).cloned().collect();
        // What an earlier set already counts is not counted twice, unless this
        // set then spans groups that it could share alone.
        let together = groups.iter().any(|g| whole.iter().all(|p| g.contains(p)));
        if fresh.is_empty() && together {
            continue;
        }
        if !place(&mut groups, &whole, &mut fits) {
            for part in fresh {
                place(&mut groups, &[part], &mut fits);
            }
        }
    }
    groups
}

fn dedup(set: &[Part]) -> Vec<Part> {
    let mut unique: Vec<Part> = Vec::new();
    for part in set {
        if !unique.contains(part) {
            unique.push(part.clone());
        }
    }
    unique
}

/// Adds `set` to the first group that takes it, or to a new one.
fn place(groups: &mut Vec<Vec<Part>>, set: &[Part], fits: &mut impl FnMut(&[Part]) -> bool) -> bool {
    for group in groups.iter_mut() {
        let joined = dedup(&[group.as_slice(), set].concat());
        if joined.len() == group.len() || fits(&joined) {
            *group = joined;
            return true;
        }
    }
    let fits_alone = fits(set);
    if fits_alone {
        groups.push(set.to_vec());
    }
    fits_alone
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Encoding;

    fn part(config: u64) -> Part {
        Part { name: format!("e{config}"), encoding: Encoding { config, ..Encoding::default() } }
    }

    fn parts(configs: &[u64]) -> Vec<Part> {
        configs.iter().map(|c| part(*c)).collect()
    }

    fn schedule(sets: &[&[u64]], counters: usize) -> Vec<Vec<u64>> {
        let sets: Vec<Vec<Part>> = sets.iter().map(|s| parts(s)).collect();
        let sets: Vec<&[Part]> = sets.iter().map(Vec::as_slice).collect();
        let planned = groups(&sets, |g| g.len() <= counters);
        planned.iter().map(|g| g.iter().map(|p| p.encoding.config).collect()).collect()
    }

    #[test]
    fn what_fits_is_counted_in_one_run() {
        assert_eq!(schedule(&[&[1], &[2, 3], &[3, 1]], 3), [vec![1, 2, 3]]);
    }

    #[test]
    fn a_difference_is_counted_in_one_run() {
        assert_eq!(schedule(&[&[1], &[2], &[3, 4]], 3), [vec![1, 2], vec![3, 4]]);
        // Both halves are planned already, but in different runs.
        assert_eq!(schedule(&[&[1], &[2], &[3], &[1, 3]], 2), [vec![1, 2], vec![3, 1]]);
    }

    #[test]
    fn a_set_larger_than_the_counters_is_spread() {
        assert_eq!(schedule(&[&[1, 2, 3, 4, 5]], 2), [vec![1, 2], vec![3, 4], vec![5]]);
    }

    proptest! {
        #[test]
        fn every_event_is_in_some_group_that_fits(
            sets in prop::collection::vec(prop::collection::vec(0u64..12, 1..6), 0..8),
            counters in 1usize..6,
        ) {
            let slices: Vec<&[u64]> = sets.iter().map(Vec::as_slice).collect();
            let planned = schedule(&slices, counters);
            prop_assert!(planned.iter().all(|g| !g.is_empty() && g.len() <= counters));
            for set in &sets {
                prop_assert!(set.iter().all(|c| planned.iter().any(|g| g.contains(c))));
            }
        }
    }
}
