//! The accesses of a run, looked up.

use super::Stream;
use super::blocks::walk_by_blocks;
use super::column::Column;
use crate::Modelled;
use crate::half::Half;
use crate::request::Request;

/// So many streams are not worth a look whether they share lines.
const FEW: usize = 4;

/// Looks up the accesses of the last run.
pub(super) fn simulate_last(model: &mut Modelled) {
    std::mem::swap(&mut model.runs.current, &mut model.runs.last);
    simulate(model);
    std::mem::swap(&mut model.runs.current, &mut model.runs.last);
}

/// Looks up the accesses of the current run.
pub(super) fn simulate(model: &mut Modelled) {
    simulate_lead_in(model);
    simulate_body(model);
}

/// Looks up those before the loop.
pub(super) fn simulate_lead_in(model: &mut Modelled) {
    let run = std::mem::take(&mut model.runs.current);
    run.lead_in.iter().for_each(|access| model.look_up(access.pointer, access.kind));
    model.runs.current = run;
}

/// Looks up those of the loop.
pub(super) fn simulate_body(model: &mut Modelled) {
    let run = std::mem::take(&mut model.runs.current);
    walk(model, &run.streams, run.steps);
    model.runs.current = run;
}

/// Looks up the pages of the current run alone.
pub(super) fn simulate_pages(model: &mut Modelled) {
    let run = std::mem::take(&mut model.runs.current);
    if !model.recent_pages.is_empty() {
        run.lead_in.iter().for_each(|access| model.look_up_page(access.pointer));
        walk_pages(model, &run.streams, run.steps);
    }
    model.runs.current = run;
}

/// Makes `steps` steps of the streams: for the TLBs, then for the caches, which do not
/// see each other.
pub(crate) fn walk(model: &mut Modelled, streams: &[Stream], steps: usize) {
    if !model.recent_pages.is_empty() {
        walk_pages(model, streams, steps);
    }
    let (resident, line) = (model.runs.resident, model.filter.block(Half::Caches));
    if model.half.has_caches() {
        let mut streams = if resident.ways > 0 { joined(streams) } else { streams.to_vec() };
        let mut lines = streams.len();
        if lines > FEW {
            let uses;
            (uses, lines) = once(&streams, line);
            if lines <= resident.ways && !model.filter.hierarchy.back_invalidates() {
                streams = uses;
            }
        }
        if let Some(column) = Column::of(model, &streams, steps)
            && model.runs.columns.pay()
        {
            return column.walk(model, streams, steps);
        }
        walk_by_blocks(streams, steps, line, (resident, lines), |stream| {
            model.look_up_line(stream.pointer, stream.kind)
        });
    }
}

/// The streams, of a load and the store behind it of the same element only one: where the
/// first level fills on a store and writes back, a load that leaves its line dirty.
pub(super) fn joined(streams: &[Stream]) -> Vec<Stream> {
    let mut joined: Vec<Stream> = Vec::with_capacity(streams.len());
    for &stream in streams {
        match joined.last_mut() {
            Some(load) if load.kind == 0 && stream.stores_what(load) => load.kind = Request::DATA,
            _ => joined.push(stream),
        }
    }
    joined
}

/// The streams, each line that a step comes to only once, or twice where the lines are not
/// used last in the order in which they are used first; and how many lines there are at
/// most. A step leaves a level that keeps them all while it lasts as this does: what is used
/// between is there, and is neither first nor last.
fn once(streams: &[Stream], line: usize) -> (Vec<Stream>, usize) {
    let mut first: Vec<Stream> = Vec::with_capacity(streams.len());
    let mut last: Vec<Stream> = Vec::with_capacity(streams.len());
    for stream in streams {
        match first.iter_mut().find(|other| other.shares_lines(stream, line)) {
            Some(load) if load.kind == 0 && stream.kind != 0 => load.kind = Request::DATA,
            Some(_) => {}
            None => first.push(*stream),
        }
        last.retain(|other| !other.shares_lines(stream, line));
        last.push(Stream { kind: 0, ..*stream });
    }
    let lines = first.len();
    if !first.iter().zip(&last).all(|(first, last)| first.shares_lines(last, line)) {
        first.append(&mut last);
    }
    (first, lines)
}

fn walk_pages(model: &mut Modelled, streams: &[Stream], steps: usize) {
    if model.runs.pages.serve(&mut model.filter, streams, steps) {
        model.recent_pages.fill(u64::MAX);
        return;
    }
    let (resident, page) = (model.runs.resident_pages, model.filter.block(Half::Tlbs));
    let most = if streams.len() > resident.ways { once(streams, page).1 } else { streams.len() };
    walk_by_blocks(streams.to_vec(), steps, page, (resident, most), |stream| {
        model.look_up_page(stream.pointer);
        false
    });
}
