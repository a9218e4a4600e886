//! Accesses are recorded until they are known to be a run, or to be none.

use super::{Stream, StrideRun, serve, settle};
use crate::Modelled;
use crate::request::Access;
use crate::trace::Trace;

/// Most accesses recorded before the search for a run is given up.
pub(super) const MOST: usize = 96;
/// Steps below which a run is not worth it.
const SHORTEST: usize = 4;

/// How many of the `left` steps are to be observed: two, or all.
pub(crate) fn observed_steps(model: &mut Modelled, left: usize) -> usize {
    let irregular = std::mem::take(&mut model.runs.irregular);
    if let Some(trace) = looked_at(model) {
        trace.in_steps = !irregular && left >= SHORTEST;
        return if trace.in_steps { 2 } else { left };
    }
    if irregular || model.runs.exhaustive || left < SHORTEST {
        stop_recording(model);
        return left;
    }
    (model.recording, model.runs.collecting) = (true, true);
    model.runs.lead_in = model.runs.recorded.len();
    2
}

/// The trace of a turn that is only looked at.
fn looked_at(model: &mut Modelled) -> Option<&mut Trace> {
    model.trace.as_deref_mut().filter(|trace| trace.only_looks)
}

/// Whether the `left` steps follow from those observed; then they are counted.
pub(crate) fn predicts(model: &mut Modelled, left: usize) -> bool {
    if looked_at(model).is_some() {
        return trace_run(model, left);
    }
    if !model.runs.collecting || !model.runs.recognise(left + 2) || !inside(model) {
        stop_recording(model);
        model.runs.irregular = true;
        return false;
    }
    if let Some(trace) = &mut model.trace {
        let StrideRun { lead_in, streams, steps } = &model.runs.current;
        lead_in.iter().for_each(|one| trace.stream(&model.filter, one.access(), 0, 1));
        streams.iter().for_each(|one| trace.stream(&model.filter, one.access(), one.stride, *steps));
    }
    let [[loads, stores], splits] = model.runs.of_step;
    model.runs.recorded.clear();
    model.loads += loads * left as u64;
    model.stores += stores * left as u64;
    model.splits.iter_mut().zip(splits).for_each(|(all, one)| *all += one * left as u64);
    if model.watch.is_along() {
        let StrideRun { streams, steps, .. } = &model.runs.current;
        let longest = streams.iter().map(|stream| stream.stride.unsigned_abs()).max();
        model.watch.go_along(longest.unwrap_or(0) * steps);
    }
    serve(model);
    true
}

/// As [`predicts`], for a turn that is only looked at.
fn trace_run(model: &mut Modelled, left: usize) -> bool {
    let Modelled { filter, runs, trace: Some(trace), .. } = model else { return false };
    trace.in_steps = false;
    runs.lead_in = 0;
    runs.irregular = !runs.recognise(left + 2);
    let (streams, steps) = if runs.irregular {
        (&runs.recorded[..], 1)
    } else {
        (&runs.recorded[..runs.recorded.len() / 2], left + 2)
    };
    for (at, access) in streams.iter().enumerate() {
        let next = streams.len() + at;
        let stride = if runs.irregular { 0 } else { Stream::stride(access, &runs.recorded[next]) };
        access.lines(runs.shift).for_each(|line| trace.stream(filter, line, stride, steps));
    }
    runs.recorded.clear();
    !runs.irregular
}

/// Whether all of the run lies in the arrays.
fn inside(model: &Modelled) -> bool {
    let StrideRun { streams, steps, .. } = &model.runs.current;
    let last = |mut stream: Stream| {
        stream.advance(steps - 1);
        stream.pointer
    };
    streams.iter().all(|stream| model.filter.is_inside(last(*stream)))
}

/// Records an access that may belong to a run, or lead to one.
#[inline(never)]
pub(crate) extern "C" fn record(model: &mut Modelled, access: Access) {
    if let Some(trace) = looked_at(model) {
        if trace.in_steps {
            model.runs.recorded.push(access);
        } else {
            trace_single(model, access);
        }
        return;
    }
    if model.runs.collecting && model.runs.recorded.len() < MOST && model.filter.is_inside(access.pointer) {
        model.runs.recorded.push(access);
    } else {
        stop_recording(model);
        single(model, access);
    }
}

/// Looks up what was recorded; from here on, accesses are looked up at once.
pub(crate) fn stop_recording(model: &mut Modelled) {
    if !model.runs.collecting || looked_at(model).is_some() {
        return;
    }
    model.runs.collecting = false;
    model.recording = model.trace.is_some();
    settle(model);
    let mut recorded = std::mem::take(&mut model.runs.recorded);
    recorded.drain(..).for_each(|access| single(model, access));
    model.runs.recorded = recorded;
}

/// Looks up an access that belongs to no run.
fn single(model: &mut Modelled, access: Access) {
    trace_single(model, access);
    model.look_up_all(access);
}

/// Notes an access that belongs to no run in the trace, if there is one.
fn trace_single(model: &mut Modelled, access: Access) {
    let Modelled { trace: Some(trace), filter, .. } = model else { return };
    access.lines(filter.shift).for_each(|line| trace.stream(filter, line, 0, 1));
}
