//! The kit's own answers in sentences.

use infer::Answer;
use serde::Serialize;

/// The kit's answer, with its argument.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Verdict {
    size: String,
    line: String,
    ways: String,
    penalty: String,
    /// Set if the curve is not conclusive.
    refusal: String,
    why: Vec<String>,
}

impl Verdict {
    pub(crate) fn of(answer: &Answer) -> Verdict {
        let why = answer.why.clone();
        match &answer.verdict {
            Err(reason) => Verdict { refusal: reason.clone(), why, ..Verdict::default() },
            Ok(found) => Verdict {
                size: found.size_text(),
                line: found.line.to_string(),
                ways: found
                    .ways_text()
                    .map_or_else(|why| format!("not known: {why}"), |w| format!("{w} ways")),
                penalty: found
                    .times
                    .map(|t| format!("{:.1} ns above a hit of {:.1} ns", t.penalty_ns, t.hit_ns))
                    .unwrap_or_default(),
                refusal: String::new(),
                why,
            },
        }
    }
}
