//! Rungs at one size, in turns: prepared, timed, counted, and their results checked.

use std::collections::BTreeMap;

use common::cli::Counters;
use common::events::Event;
use common::failure::Failure;
use common::measure::{self, Plan, Session, Timed};
use common::memory::Arena;
use common::record::Row;
use common::value::{Reading, Source};

use crate::measuring::instructions::Stepped;
use crate::problem::matrices;
use crate::problem::residual::residual;
use crate::problem::system::System;
use crate::{Rounding, Variant};

/// The events of a run. Hardware counts them; else instructions are single-stepped, and cycles are from the clock.
pub(super) const EVENTS: [Event; 2] = [Event::TOT_INS, Event::TOT_CYC];

/// Seconds of one operation on the ladder's first rungs.
pub(super) const OPERATION: f64 = 1e-9;

/// Memory for an `n` by `n` system and a copy of its matrix.
/// Fails if there is not enough.
pub(super) fn arena(n: usize) -> Result<Arena, Failure> {
    measure::arena(System::bytes(n).saturating_add(n.saturating_mul(n).saturating_mul(8)))
}

/// The results of `variants` at size `n`, in turns, a row each; with instructions and cycles if there is a `plan`, and
/// the `stepped` instructions that are known.
/// Fails if the processor lacks a rung's instructions, there is not enough memory, a result is wrong, or a counter fails.
pub fn rows(
    variants: &[&'static Variant],
    n: usize,
    session: &Session,
    plan: Option<&Plan>,
    stepped: &mut AllStepped,
) -> Result<Vec<Row>, Failure> {
    for variant in variants {
        variant.available().map_err(|why| Failure::could_not(format!("{}: {why}", variant.name)))?;
    }
    let arena = arena(n)?;
    let system = System::new(&arena, n).map_err(Failure::could_not)?;
    let original = arena.matrix("original", n, n).map_err(Failure::could_not)?;
    matrices::write(original);
    let prepare = &mut || matrices::write(system.matrix);
    let run = |variant: &Variant| {
        // Just checked: the processor has its instructions.
        let _ = variant.run(system);
    };
    let mut exact = None;
    let once = |at: usize| Ok(session.time(1, prepare, &mut || run(variants[at])));
    let check = |at: usize| {
        let check = matrices::check(system.matrix);
        checked(&mut exact, variants[at], check)?;
        let residual =
            (variants[at].rounding == Rounding::Differs).then(|| residual(original, system.matrix));
        let row = Row::at([("variant", variants[at].name.into()), ("size", n.into())]);
        Ok(row.result("check", check).result("residual", residual))
    };
    let all = ladder::in_turns(session, variants.len(), session.runs, once, check)?;
    let mut rows = Vec::new();
    for (variant, (runs, row)) in
        variants.iter().zip(all).filter_map(|(variant, runs)| Some((variant, runs.ok()?)))
    {
        let clock = runs[0].clock;
        let timed = Timed { runs: runs.into_iter().flat_map(|run| run.runs).collect(), clock };
        let flops = Variant::flops(n);
        let row = row
            .with("real_time_seconds", timed.wall())
            .with("proc_time_seconds", timed.cpu())
            .with("flops", Reading::new(flops, Source::Analytic))
            .with("mflops", timed.wall().rate(flops * 1e-6));
        let Some(plan) = plan else {
            rows.push(row);
            continue;
        };
        let counted = ladder::count(session, plan, &EVENTS, prepare, &mut || {
            run(variant);
            Ok(())
        })?;
        let [instructions, cycles] = EVENTS.map(|event| measure::reading_of(&counted, &event));
        let only_counted = matches!(session.counters, Counters::None | Counters::Hardware);
        let or = |counted: Reading, other: &mut dyn FnMut() -> Reading| {
            if counted.amount().is_some() || only_counted { counted } else { other() }
        };
        let instructions = or(instructions, &mut || match session.is_over() {
            true => Reading::missing(ladder::LEFT_OUT),
            false => stepped.entry(variant.name).or_insert_with(|| Stepped::find(variant)).reading(n),
        });
        rows.push(row.with("instructions", instructions).with("cycles", or(cycles, &mut || timed.cycles())));
    }
    Ok(rows)
}

/// Fails if `check` is that of an invalid result, or a rung that should have the same bits as others has another than
/// the first one, `exact`.
fn checked(exact: &mut Option<(&str, f64)>, variant: &'static Variant, check: f64) -> Result<(), Failure> {
    let name = variant.name;
    if !check.is_finite() && variant.rounding != Rounding::Wrong {
        return Err(Failure::could_not(format!("{name}: the result is invalid, Check is {check}")));
    }
    if variant.rounding != Rounding::Same {
        return Ok(());
    }
    let (other, first) = *exact.get_or_insert((name, check));
    if first.to_bits() == check.to_bits() {
        return Ok(());
    }
    let differs = format!("Check differs: {other} has {first:e}, {name} has {check:e}; one of them is wrong");
    Err(Failure::could_not(differs))
}

/// The stepped instructions of each rung, found once for all sizes.
pub type AllStepped = BTreeMap<&'static str, Stepped>;

#[cfg(test)]
mod tests {
    use super::*;
    use common::cli::{Measuring, Modelling, Output};

    #[test]
    fn every_rung_has_all_rounds_and_their_bits_are_compared() {
        let measuring = Measuring { counters: Counters::None, runs: Some(3), cpu: None };
        let session = Session::start(&measuring, &Modelling::of("host"), &Output::none()).unwrap();
        let variants = [&crate::VARIANTS[1], &crate::VARIANTS[2]];
        let rows = rows(&variants, 20, &session, None, &mut AllStepped::new()).unwrap();
        let runs = |row: &Row| row.figure("proc_time_seconds").runs().len();
        assert_eq!(rows.iter().map(runs).collect::<Vec<_>>(), [3, 3]);
        let check = |row: &Row| row.value("check").and_then(serde_json::Value::as_f64).unwrap();
        let mut first = Some((variants[0].name, check(&rows[0])));
        assert!(checked(&mut first, variants[1], check(&rows[1])).is_ok());
        for wrong in [check(&rows[1]) + 1.0, f64::NAN] {
            let sentence = checked(&mut first, variants[1], wrong).unwrap_err().to_string();
            assert!(sentence.contains("ge3"), "{sentence}");
        }
    }
}
