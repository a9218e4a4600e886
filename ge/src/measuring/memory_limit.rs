//! Checks that a matrix fits into this machine's memory: a system that overcommits memory
//! would kill the program later.

use common::system::host;
use common::units::Bytes;

use crate::problem::system::System;

/// Bytes that a run at size `n` needs, or why that is too much.
///
/// # Errors
///
/// A sentence: what is needed, what is available, which size would fit.
pub fn bytes(n: usize, threads: usize) -> Result<usize, String> {
    within(n, threads, host::free_memory().map(|free| free.0))
}

fn within(n: usize, threads: usize, available: Option<u64>) -> Result<usize, String> {
    let needed = System::bytes(n, threads).filter(|&bytes| bytes < isize::MAX as usize);
    let too_large = |available: u64| {
        let fits = ((available / 8) as f64 * 0.9).sqrt() as usize / 100 * 100;
        format!(
            "a {n} by {n} matrix needs {}, and {} are free: choose a SIZE up to {fits}",
            needed.map_or("more than can be addressed".to_owned(), |bytes| Bytes(bytes as u64).to_string()),
            Bytes(available)
        )
    };
    match (needed, available) {
        (Some(bytes), Some(free)) if bytes as u64 > free => Err(too_large(free)),
        (Some(bytes), _) => Ok(bytes),
        (None, free) => Err(too_large(free.unwrap_or(1 << 32))),
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_matrix_that_does_not_fit_is_refused_with_a_size_that_does() {
        let told = within(20_000, 1, Some(2 << 30)).unwrap_err();
        assert!(told.contains("20000 by 20000") && told.contains("up to 15500"), "{told}");
        assert!(within(15_500, 1, Some(2 << 30)).is_ok());
        assert!(within(usize::MAX, 1, None).unwrap_err().contains("addressed"));
        assert!(within(usize::MAX / 2_000_000_000, 1, None).is_err());
        assert!(within(0, 1, Some(1 << 20)).is_ok());
    }
}
