//! Whole numbers.

/// The greatest common divisor; of 0 and `a`, `a` (Euclid).
pub fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The numbers of a list as the kernel writes it: `0-3,8`. Anything else is skipped.
pub fn listed(text: &str) -> Vec<usize> {
    text.trim()
        .split(',')
        .filter_map(|range| {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            Some(from.trim().parse::<usize>().ok()?..=to.trim().parse().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_common_and_the_greatest() {
        for (a, b, divisor) in [(12, 18, 6), (64, 48, 16), (7, 5, 1), (0, 9, 9), (9, 0, 9)] {
            assert_eq!(greatest_common_divisor(a, b), divisor);
        }
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(listed("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(listed("5"), [5]);
        assert!(listed("").is_empty() && listed("x").is_empty());
    }
}
