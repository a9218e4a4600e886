//! Periods in a row of accesses: an inner loop that walks the same lines again
//! asks for the same lines again.

use super::request::Request;

/// Shortest period worth a look, and farthest one searched for.
const SHORTEST: usize = 32;
const FARTHEST: usize = 4096;
/// Accesses that must agree before the rest is compared.
const PROBE: usize = 16;

/// The smallest period with which `row` seems to go on at `at`.
pub(super) fn find(row: &[Request], at: usize) -> Option<usize> {
    let probe = row.get(at..at + PROBE)?;
    let farthest = at.saturating_sub(FARTHEST);
    let nearest = at.checked_sub(SHORTEST)?;
    (farthest..=nearest).rev().find(|&from| row[from..from + PROBE] == *probe).map(|from| at - from)
}

/// How many accesses from `at` on are those of one `period` before.
pub(super) fn length(row: &[Request], at: usize, period: usize) -> usize {
    const BLOCK: usize = 64;
    let (now, before) = (&row[at..], &row[at - period..row.len() - period]);
    let same = |(a, b): &(&[Request], &[Request])| Request::all_equal(a, b);
    let blocks = now.chunks_exact(BLOCK).zip(before.chunks_exact(BLOCK)).take_while(same).count();
    let rest = now[blocks * BLOCK..].iter().zip(&before[blocks * BLOCK..]);
    blocks * BLOCK + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_found_and_followed_to_its_end() {
        let mut row: Vec<Request> = (0..1000).map(|i| Request::new(i * 7919 % 100 * 64, 0)).collect();
        assert_eq!(find(&row, 100), Some(100));
        assert_eq!(length(&row, 100, 100), 900);
        row[777] = Request::new(5, 0);
        assert_eq!(length(&row, 100, 100), 677);
        assert_eq!(find(&row, 990), None);
        assert_eq!(find(&row[..100], 50), None);
    }
}
