//! Names close to a misspelt one.

use super::{Preset, kernel};

/// At most three known names that `text` may have meant, the closest first.
pub(super) fn close_to(text: &str) -> Vec<String> {
    let wanted = text.to_uppercase();
    if wanted.len() < 3 || wanted.len() > 60 {
        return Vec::new();
    }
    let presets = Preset::all().map(|p| p.name().to_owned());
    let mut near: Vec<(usize, String)> = presets
        .chain(kernel::names())
        .map(|name| {
            let upper = name.to_uppercase();
            let tail = upper.strip_prefix("PAPI_").unwrap_or(&upper);
            (distance(&wanted, &upper).min(distance(&wanted, tail)), name)
        })
        .filter(|(far, _)| *far <= 1 + wanted.len() / 6)
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Edits (insert, delete, replace, swap of neighbours) between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_and_swaps_are_one() {
        assert_eq!(distance("DCM", "DCM"), 0);
        assert_eq!(distance("DMC", "DCM"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nonsense_suggests_nothing() {
        assert!(close_to("completely different").is_empty());
        assert!(close_to("x").is_empty());
    }
}
