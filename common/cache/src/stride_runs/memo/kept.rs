//! Runs in a level that keeps all lines: what it once has of a column, it has for good.

use std::collections::HashSet;

use crate::level::Level;
use crate::mru_filter::MruFilter;
use crate::stride_runs::StrideRun;

/// Most streams that are remembered: 2 MiB.
const MOST: usize = 1 << 15;

/// Streams all of whose lines a level has: the level's place, then where the stream
/// begins, its stride and its steps.
#[derive(Debug, Default)]
pub(super) struct KeptStreams(HashSet<(usize, usize, isize, usize)>);

impl KeptStreams {
    /// Whether `level`, which keeps all, has every line of that stream of `run`, whose
    /// addresses count from `origin`; `at` is the level's place.
    pub(super) fn has(
        &mut self,
        (at, level): (usize, &Level),
        origin: usize,
        run: &StrideRun,
        stream: usize,
    ) -> bool {
        let stream = &run.streams[stream];
        let key = (at, stream.pointer, stream.stride, run.steps);
        if self.0.contains(&key) {
            return true;
        }
        let offset = stream.pointer.wrapping_sub(origin) as u64;
        let has_all = level.has_all(stream.offsets(offset, run.steps));
        if has_all && self.0.len() < MOST {
            self.0.insert(key);
        }
        has_all
    }
}

/// Of a run that was just simulated: its streams all of whose lines a level that keeps
/// all had before, and the sets of these lines, sorted.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) streams: Vec<usize>,
    sets: Vec<usize>,
}

impl Kept {
    /// What the journal of `level` tells of `run`; nothing where lines may leave.
    pub(super) fn of(run: &StrideRun, filter: &MruFilter, level: &Level) -> Kept {
        let mut kept = Kept::default();
        if !level.keeps {
            return kept;
        }
        let saved = level.lines.journal.saved(level.lines.ways);
        let new: HashSet<usize> = saved.filter(|(_, tags, _)| tags[0] == 0).map(|(set, ..)| set).collect();
        for (at, stream) in run.streams.iter().enumerate() {
            let offsets = || stream.offsets(filter.offset(stream.pointer), run.steps);
            let set = |offset: u64| level.set(offset >> level.shift);
            if level.has_all(offsets()) && !offsets().any(|offset| new.contains(&set(offset))) {
                kept.streams.push(at);
                kept.sets.extend(offsets().map(set));
            }
        }
        kept.sets.sort_unstable();
        kept
    }

    /// Whether lines of these streams come to that set.
    pub(super) fn has(&self, set: usize) -> bool {
        self.sets.binary_search(&set).is_ok()
    }
}
