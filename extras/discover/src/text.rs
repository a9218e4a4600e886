//! The findings in sentences.

use common::machine::Machine;
use common::units::Bytes;

use crate::findings::{Findings, reported_by_system};
use crate::policy::PolicyFound;

/// A change of the core clock above this share is reported.
const DRIFT: f64 = 0.03;

impl Findings {
    pub(crate) fn text(&self, known: Option<&Machine>) -> String {
        let mut lines = Vec::new();
        for l in &self.settled.levels {
            let ways = l.ways.as_ref().map_or("not identifiable".to_owned(), u64::to_string);
            let size = l.size_text();
            let cycles = self.cycles(l.latency).map_or(String::new(), |c| format!(" = {c:.1} cycles"));
            lines.push(format!(
                "L{}: {size}, line {}, ways {ways}, hit {:.2} ns{cycles} ({:.2} to {:.2} in {} runs), miss penalty {:.2} ns, confidence {}",
                l.level,
                l.line.map_or("not identifiable".to_owned(), |b| format!("{b} B")),
                l.latency,
                l.latencies.0,
                l.latencies.1,
                self.settled.runs,
                l.penalty,
                format!("{:?}", l.confidence).to_lowercase()
            ));
            lines.extend(l.why.iter().map(|why| format!("    {why}")));
            if let Some((size, line, ways)) = reported_by_system(known, l.level) {
                lines.push(format!(
                    "    For comparison, the system reports: {}, line {line} B, {ways} ways.",
                    Bytes(size)
                ));
            }
        }
        lines.push(policy_sentence(&self.policy));
        if self.settled.first_only {
            lines.push(
                "The time ended before the next levels were measured; give more (--seconds), or use an idle machine."
                    .to_owned(),
            );
        }
        if let Some(size) = self.looked_at() {
            lines.push(format!(
                "Working sets up to {} were measured; larger levels are not seen.",
                Bytes(size)
            ));
        }
        match (self.memory(), self.settled.beyond) {
            (Some(memory), _) => lines.push(format!("beyond: {:.1} ns", memory.cost)),
            (None, Some(last)) => lines.push(format!(
                "From {} on an access costs {:.1} ns: a larger level, or memory.",
                Bytes(last.from),
                last.cost
            )),
            (None, None) => {}
        }
        if let Some(t) = &self.translation {
            let counts = |entries: Option<(u64, u64)>| {
                entries.map_or("not identifiable".to_owned(), |(a, b)| format!("{a} to {b} entries"))
            };
            lines.push(format!(
                "TLB: first level {}, second level {}; a page walk costs {:.1} ns",
                counts(t.entries),
                counts(t.second),
                t.walk
            ));
        }
        if self.source == "timing" {
            lines.push(format!(
                "source=timing: {} batches of accesses used, {} dropped as disturbed; huge pages {}",
                self.batches.0,
                self.batches.1,
                match (self.huge, self.split) {
                    (true, false) => "granted",
                    (true, true) => "granted, but the hypervisor splits them into small pages",
                    (false, _) => "not granted",
                }
            ));
        }
        if let Some(drift) = self.drift().filter(|d| *d > DRIFT) {
            lines.push(format!("warning: the core clock drifted by {:.0} % during the run", 100.0 * drift));
        }
        lines.join("\n") + "\n"
    }
}

/// The replacement policy in a sentence.
fn policy_sentence(policy: &Result<PolicyFound, String>) -> String {
    match policy {
        Ok(found) => {
            let alike = match found.names.len() - 1 {
                0 => String::new(),
                more => format!(" (or {more} that behave the same: {})", found.names[1..].join(", ")),
            };
            format!(
                "L1 replacement: {}{alike}, confidence {}\n    {} random sequences of lines of one set: predicted misses differ \
                 from measured ones by {:.3} per access; odds of {:.0} to 1 against all other known policies.",
                found.names[0],
                format!("{:?}", found.confidence).to_lowercase(),
                found.sequences,
                found.off,
                found.odds
            )
        }
        Err(reason) => format!("L1 replacement: not identifiable: {reason}"),
    }
}
