//! Words that were almost right.

/// Edits between two words, case ignored: letters to insert, to drop, to change,
/// or neighbours to swap (the restricted Damerau-Levenshtein distance).
pub fn edit_distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| word.to_lowercase().chars().collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
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
    fn slips_of_the_finger_are_near() {
        for (a, b, edits) in [
            ("", "abc", 3),
            ("zen3", "ZEN3", 0),
            ("L1_DMC", "L1_DCM", 1),
            ("i5-7500", "i57500", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(a, b), edits, "{a} {b}");
        }
    }
}
