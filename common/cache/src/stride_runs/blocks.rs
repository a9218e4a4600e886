//! Steps in which no stream comes to another line, or page, change nothing.

use super::Stream;

/// Looks up the accesses of some steps, without the steps that repeat the one before if
/// all of its blocks surely stay: those in which no stream comes to another one, unless
/// looking up has `disturbed` others.
#[inline(always)]
pub(super) fn walk_by_blocks(
    mut streams: Vec<Stream>,
    steps: usize,
    block: usize,
    all_stay: bool,
    mut disturbed: impl FnMut(&Stream) -> bool,
) {
    if !all_stay || streams.iter().any(|stream| stream.stride.unsigned_abs() >= block) {
        for _ in 0..steps {
            for stream in &mut streams {
                disturbed(stream);
                stream.advance(1);
            }
        }
        return;
    }
    let mut left = steps;
    while left > 0 {
        let (mut same, mut again) = (left, false);
        for stream in &streams {
            again |= disturbed(stream);
            same = same.min(stream.steps_in(block));
        }
        if again {
            same = 1;
        }
        streams.iter_mut().for_each(|stream| stream.advance(same));
        left -= same;
    }
}
