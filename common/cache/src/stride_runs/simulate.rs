//! The accesses of a run, looked up.

use super::Stream;
use crate::Modelled;

/// Looks up the accesses of the last run.
pub(super) fn simulate_last(model: &mut Modelled) {
    std::mem::swap(&mut model.runs.current, &mut model.runs.last);
    simulate(model);
    std::mem::swap(&mut model.runs.current, &mut model.runs.last);
}

/// Looks up the accesses of the current run.
pub(super) fn simulate(model: &mut Modelled) {
    let mut run = std::mem::take(&mut model.runs.current);
    for access in &run.lead_in {
        model.look_up(access.pointer, access.kind);
    }
    let streams = run.streams.clone();
    walk(model, &mut run.streams, run.steps);
    run.streams = streams;
    model.runs.current = run;
}

/// Makes `steps` steps of the streams, and advances them.
pub(crate) fn walk(model: &mut Modelled, streams: &mut [Stream], steps: usize) {
    let block = model.filter.block(model.half);
    let may_skip = streams.len() <= model.runs.resident
        && streams.iter().all(|stream| stream.stride.unsigned_abs() < block);
    if may_skip {
        return walk_by_blocks(model, streams, steps, block);
    }
    for _ in 0..steps {
        for stream in &mut *streams {
            model.look_up(stream.pointer, stream.kind);
            stream.advance(1);
        }
    }
}

/// The same without the steps that repeat the one before.
fn walk_by_blocks(model: &mut Modelled, streams: &mut [Stream], steps: usize, block: usize) {
    let mut left = steps;
    while left > 0 {
        let (mut same, mut disturbed) = (left, false);
        for stream in &*streams {
            disturbed |= model.look_up(stream.pointer, stream.kind);
            same = same.min(stream.steps_in(block));
        }
        if disturbed {
            same = 1;
        }
        streams.iter_mut().for_each(|stream| stream.advance(same));
        left -= same;
    }
}
