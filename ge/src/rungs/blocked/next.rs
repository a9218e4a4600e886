//! How many pivots are applied at once.

use crate::problem::workspace::PANEL;

/// With `done` pivots done, how many of the last of them are applied to as many
/// of the columns (or rows) that follow: as many panels as a binary counter of
/// them has zeros at its end, so that each column is changed once by every pivot
/// to its left, and most of it in large blocks.
pub fn next(done: usize) -> usize {
    PANEL << (done / PANEL).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::{PANEL, next};

    #[test]
    fn every_column_is_changed_once_by_every_pivot_to_its_left() {
        let mut applied = vec![0; 1000];
        for done in (PANEL..1000).step_by(PANEL) {
            let last = next(done);
            for column in &mut applied[done..1000.min(done + last)] {
                assert_eq!(*column, done - last);
                *column = done;
            }
            assert_eq!(applied[done], done);
        }
    }
}
