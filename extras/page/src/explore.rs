//! The caches of this computer, from repeated experiments.

use geometry::{LevelFound, Runs, explore};
use serde_json::{Value, json};

use crate::tab::Tab;

/// Repeats the experiments, `levels` levels deep; returns what all `runs` of them show together.
pub(crate) fn again(runs: &mut Runs, tab: &mut Tab, levels: usize) -> Result<Value, String> {
    loop {
        match explore(tab, levels).and_then(|run| tab.was_steady().map(|()| run)) {
            Ok(run) => runs.add(run),
            Err(reason) => {
                runs.add_failed();
                return Err(reason);
            }
        }
        // Without sets, a single experiment may show a disturbance as the end of the first level.
        if runs.count() > 1 || runs.together().levels.first().is_some_and(|first| first.ways.is_ok()) {
            break;
        }
    }
    Ok(shown(runs))
}

/// What the experiments show, for the page.
fn shown(runs: &Runs) -> Value {
    let together = runs.together();
    let beyond = together.beyond.filter(|beyond| beyond.is_memory()).map(|beyond| beyond.cost);
    let levels: Vec<Value> = together.levels.iter().map(|level| of_level(level, runs)).collect();
    json!({ "runs": runs.count(), "settled": runs.is_settled(), "levels": levels, "beyond_ns": beyond })
}

fn of_level(level: &LevelFound, runs: &Runs) -> Value {
    json!({
        "level": level.level,
        "size": level.exact_size(),
        "size_text": level.size_text(),
        "size_low": level.range.0,
        "size_high": level.range.1,
        "line": level.line,
        "ways": level.ways.as_ref().ok(),
        "ways_reason": level.ways.as_ref().err(),
        "latency_ns": level.latency,
        "penalty_ns": level.penalty,
        "confidence": level.confidence,
        "agree": level.agree,
        "of": runs.count_of(level.level),
        "why": { "size": level.why.size, "line": level.why.line, "ways": level.why.ways },
    })
}
