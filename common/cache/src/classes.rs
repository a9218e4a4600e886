//! A repeated walk through one array, of which one set in many is simulated.
//!
//! Sets do not see each other. Cut memory into blocks of the longest line, and call
//! blocks congruent that lie a multiple of `apart` bytes from each other, so many
//! that no set holds blocks of two classes. A walk comes to the blocks of each class
//! in the same order and at the same distances. Where the caches were empty, each
//! class then does what the first one does, some bytes further on: this is set
//! sampling (Kessler, Hill and Wood, "A comparison of trace-sampling techniques for
//! multi-megabyte caches", 1994) without its error. A TLB is asked for every page, in
//! order, by one class alone: `apart` is never more than a page where there are any.
//!
//! A fully associative level is one set for all classes. As classes take turns, its
//! lines in order of use do too: of as many ways as there are classes, each class has
//! one, and its share of the ways is a set of its own.

use std::ops::Range;

use super::Modelled;
use super::hierarchy::Hierarchy;
use super::level::Level;
use super::sets::Sets;
use super::shifted::gcd;
use super::stride_runs::{StrideRun, walk};
use super::tag::Tag;
use super::tlb::Tlbs;

/// How a walk falls into classes.
#[derive(Debug)]
struct Classes {
    /// Bytes of a block.
    block: usize,
    /// Bytes from a block to the next of its class.
    apart: usize,
    /// Bytes from one class to the next.
    step: usize,
    /// Steps of the walk in one block.
    in_block: usize,
    /// Those with most blocks, then the others, which have one less.
    parts: [Part; 2],
}

/// Some classes, numbered from 0, and how many blocks each has.
#[derive(Debug)]
struct Part {
    classes: Range<usize>,
    blocks: usize,
}

/// Makes the accesses of `run`, and no others, `times` times.
pub(super) fn repeat(model: &mut Modelled, run: &StrideRun, times: u64) {
    let Some(classes) = Classes::of(model, run) else {
        return recur(model, times, |model| walk(model, &run.streams, run.steps));
    };
    let mut tlbs: Option<Tlbs> = None;
    for part in classes.parts.iter().filter(|part| part.blocks > 0 && !part.classes.is_empty()) {
        let mut before = Vec::new();
        model.filter.hierarchy.each_cache_count(|count| before.push(*count));
        let shared = classes.share(&mut model.filter.hierarchy.levels);
        recur(model, times, |model| classes.walk(model, run, part));
        let hierarchy = &mut model.filter.hierarchy;
        let mut before = before.iter();
        let more = part.classes.len() as u64 - 1;
        hierarchy.each_cache_count(|count| *count += (*count - before.next().unwrap_or(count)) * more);
        for (level, whole) in hierarchy.levels.iter_mut().zip(shared) {
            match whole {
                Some(whole) => classes.interleave(level, part, whole),
                None => classes.spread(level, part),
            }
        }
        // The first part has asked the TLBs all that is asked of them.
        hierarchy.tlbs = tlbs.get_or_insert_with(|| hierarchy.tlbs.clone()).clone();
        model.forget_recent();
    }
}

/// Makes `pass`, which accesses the same each time, `times` times; the journals of all
/// levels tell when a state recurs (Brent's search, as in [`steady`](super::steady)).
/// The core counts nothing.
fn recur(model: &mut Modelled, times: u64, pass: impl Fn(&mut Modelled)) {
    let (mut left, mut longest) = (times, 1);
    while left > 0 {
        let hierarchy = &mut model.filter.hierarchy;
        let before = hierarchy.counts();
        hierarchy.start_journal();
        for period in 1..=longest.min(left) {
            pass(model);
            left -= 1;
            model.report_all();
            let hierarchy = &mut model.filter.hierarchy;
            if hierarchy.unchanged() {
                hierarchy.stop_journal();
                hierarchy.advance_counts(&before, left / period);
                left %= period;
                (0..left).for_each(|_| pass(model));
                return model.report_all();
            }
        }
        longest *= 2;
    }
    model.filter.hierarchy.stop_journal();
}

impl Classes {
    /// Of `run`; `None` if its classes are not all alike.
    fn of(model: &Modelled, run: &StrideRun) -> Option<Classes> {
        let hierarchy = &model.filter.hierarchy;
        let levels = &hierarchy.levels;
        let alone = |level: &Level| level.prefetcher.is_none() && !level.lines.is_random();
        if !levels.iter().all(|level| level.uses == 0 && alone(level)) {
            return None;
        }
        let stride = run.stride().filter(|stride| *stride > 0)? as usize;
        let block = 1usize << levels.iter().map(|level| level.shift).max()?;
        let span = span(hierarchy);
        let (step, apart) = (stride.max(block), stride.max(span));
        let bytes = run.steps * stride;
        let (blocks, rest) = (bytes / apart, bytes % apart);
        let (most, all) = (rest / step, apart / step);
        let parts = [Part { classes: 0..most, blocks: blocks + 1 }, Part { classes: most..all, blocks }];
        let classes = Classes { block, apart, step, in_block: step / stride, parts };
        let whole = [(span, block), (apart, step), (step, block), (step, stride), (rest, step)];
        let alike = whole.iter().all(|(all, one)| all % one == 0) && classes.hold(model, run, stride);
        (alike && classes.may_share(levels)).then_some(classes)
    }

    /// Whether each step of `run` is in one block, the first one in one of class 0, and
    /// all of them in one array.
    fn hold(&self, model: &Modelled, run: &StrideRun, stride: usize) -> bool {
        let offset = |pointer| model.filter.offset(pointer);
        let array = |pointer| model.filter.hierarchy.addresses.array(offset(pointer));
        let last = stride * (run.steps - 1);
        let Some(first) = run.streams.first() else { return false };
        let start = offset(first.pointer) as usize / self.step * self.step;
        start.is_multiple_of(self.apart)
            && run.streams.iter().all(|stream| {
                (start..start + stride.min(self.block)).contains(&(offset(stream.pointer) as usize))
                    && [stream.pointer, stream.pointer + last]
                        .iter()
                        .all(|at| array(*at) == array(first.pointer))
            })
    }

    /// Whether classes have shares of each level that is one set for all.
    fn may_share(&self, levels: &[Level]) -> bool {
        let shared = |level: &Level| level.lines.is_one_queue() && level.lines.evicts;
        let times = self.apart / self.step;
        // Of two ways at least: what was used last but one is taken for present.
        let single = |level: &Level| {
            let ways = level.lines.ways;
            let parts = !shared(level) || ways.is_multiple_of(times) && ways >= 2 * times;
            level.is_independent() && 1 << level.shift == self.block && parts
        };
        let take_turns = self.parts[0].classes.is_empty() || self.parts[1].blocks == 0;
        self.apart == self.step || !levels.iter().any(shared) || take_turns && levels.iter().all(single)
    }

    /// Leaves one class's share of each level that is one set for all; that set.
    fn share(&self, levels: &mut [Level]) -> Vec<Option<Sets>> {
        let one = |level: &mut Level| {
            let shares = self.apart > self.step && level.lines.is_one_queue();
            shares.then(|| {
                let shares = if level.lines.evicts { self.apart / self.step } else { 1 };
                let share = level.lines.share(shares);
                std::mem::replace(&mut level.lines, share)
            })
        };
        levels.iter_mut().map(one).collect()
    }

    /// Makes the accesses of the first class of `part`.
    fn walk(&self, model: &mut Modelled, run: &StrideRun, part: &Part) {
        let mut streams = run.streams.clone();
        for stream in &mut streams {
            stream.pointer += self.step * part.classes.start;
        }
        for _ in 0..part.blocks {
            walk(model, &streams, self.in_block);
            for stream in &mut streams {
                stream.pointer += self.apart;
            }
        }
    }

    /// Leaves in the set of all classes what the shares of those of `part` are, as in
    /// that of its first one.
    fn interleave(&self, level: &mut Level, part: &Part, whole: Sets) {
        let share = std::mem::replace(&mut level.lines, whole);
        let step = (self.step >> level.shift) as Tag;
        let held = share.content(0);
        let of_all =
            |&tag: &Tag| (0..part.classes.len() as Tag).rev().map(move |class| tag + ((class * step) << 2));
        let before = level.lines.content(0).into_owned();
        let of_part = held.iter().filter(|tag| **tag != 0).flat_map(of_all);
        level.lines.put(0, of_part.chain(before.into_iter().filter(|tag| *tag != 0)), 0);
    }

    /// Leaves in the sets of all classes of `part` what is in those of its first one,
    /// some lines further on.
    fn spread(&self, level: &mut Level, part: &Part) {
        if part.classes.len() == 1 {
            return;
        }
        let [block, apart, step] = [self.block, self.apart, self.step].map(|bytes| bytes >> level.shift);
        let first = step * part.classes.start;
        let further = || (1..part.classes.len()).map(|class| class * step);
        for set in (first..level.lines.count()).step_by(apart).flat_map(|set| set..set + block) {
            let (tags, tree) = level.lines.in_set(set);
            if tree == 0 && tags.iter().all(|tag| *tag == 0) {
                continue;
            }
            let tags = tags.into_owned();
            for by in further() {
                let moved = |tag: &Tag| if *tag == 0 { 0 } else { tag + ((by as Tag) << 2) };
                level.lines.put(set + by, tags.iter().map(moved), tree);
            }
        }
        let is_of_first = |line: &u64| (first..first + block).contains(&(*line as usize % apart));
        let promoted: Vec<u64> = level.promoted_dirty.iter().filter(is_of_first).collect();
        let moved = promoted.iter().flat_map(|line| further().map(move |by| line + by as u64));
        level.promoted_dirty.extend(moved);
    }
}

/// Bytes after which the sets of all levels, and places in a page, come again.
fn span(hierarchy: &Hierarchy) -> usize {
    let of = |level: &Level| match &level.lines {
        lines if !lines.is_one_queue() => level.span(),
        lines if lines.evicts => (lines.ways / 2) << level.shift, // see `may_share`
        _ => 0,
    };
    let paged = hierarchy.page_map.is_some() || !hierarchy.tlbs.levels.is_empty();
    let page = paged.then_some(1 << hierarchy.page_shift);
    let spans = hierarchy.levels.iter().map(of).chain(page);
    spans.fold(0, |all, one| gcd(all as u64, one as u64) as usize)
}
