//! What a student measured: the records that count, and the figures that answers are
//! compared with or the reasons why there are none.

use std::collections::BTreeSet;

use common::infer::{self, Above};
use common::metric;
use common::record::Record;
use common::saved::Saved;
use common::text::shorten;

use super::judge::Truth;
use super::sentence::{Sentence, say};

/// The records of one submission, and those that were changed.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) records: Vec<Record>,
    /// Files of sealed machines whose content was changed.
    pub(crate) changed: Vec<String>,
}

impl Evidence {
    /// Tags of the sealed machines that records were made on.
    pub(crate) fn machines(&self) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(tag)
    }

    /// With a key, removes all records except those made on the sealed machine with this
    /// tag. The note names records of no sealed machine.
    pub(crate) fn retain_own(&mut self, own: Option<&str>) -> Option<Sentence> {
        let open = self.records.iter().filter(|record| tag(record).is_none());
        let open: BTreeSet<String> = open.map(|record| shorten(&record.program, 20)).collect();
        self.records.retain(|record| own.is_some() && tag(record) == own);
        let names = shorten(&open.into_iter().collect::<Vec<_>>().join(", "), 100);
        (!names.is_empty()).then(|| say!("Records of no sealed machine do not count: {}.", names))
    }

    /// The last record of a matrix product; `mm2t` is mm2 with its transposition.
    fn product(&self, name: &str) -> Option<&Record> {
        let (program, transposing) = name.strip_suffix('t').map_or((name, false), |program| (program, true));
        let timed = |r: &Record| r.settings.get("time_transpose").is_some_and(|set| set == true);
        self.records.iter().rev().find(|r| r.program == program && timed(r) == transposing)
    }

    /// The results of the matrix products, under the rubric's names; computed as in the
    /// report.
    pub(crate) fn products(&self) -> Truth {
        let mut truth = Truth::new();
        for (name, figure) in report::expected(|name| self.product(name)) {
            match figure {
                Ok(value) => truth.insert(name, value),
                Err(why) => _ = truth.uncountable.insert(name, why),
            }
        }
        truth
    }

    /// The kit's own reading of the sweeps, where it is a single value.
    pub(crate) fn caches(&self) -> Truth {
        let mut truth = Truth::new();
        let sweep = |event: &str| {
            let of_event =
                |r: &&Record| r.program == "cm1" && r.settings.get("event").is_some_and(|e| e == event);
            self.records.iter().rev().find(of_event).map(Saved::of)
        };
        let first = sweep("PAPI_L1_DCM").map(|saved| infer::read(&saved).verdict);
        let above = first.as_ref().and_then(|found| Above::of(found.as_ref().ok()?));
        let second = sweep("PAPI_L2_DCM").map(|saved| infer::read_behind(&saved, above).verdict);
        for (name, found) in [("l1", first), ("l2", second)] {
            let Some(Ok(found)) = found else { continue };
            truth.insert(format!("{name}.line"), found.line.0 as f64);
            if found.size == found.most {
                truth.insert(format!("{name}.size"), found.size.0 as f64);
            }
            if let Some(ways) = found.exact_ways() {
                truth.insert(format!("{name}.ways"), ways as f64);
            }
        }
        truth
    }

    /// What is wrong with the records, one sentence each.
    pub(crate) fn doubts(&self) -> Vec<Sentence> {
        let changed = |file: &String| {
            say!("{} was changed after it was made, or is of another version of the kit.", file)
        };
        self.changed.iter().map(changed).chain(self.records.iter().flat_map(doubts)).collect()
    }
}

/// The tag of the sealed machine that a record was made on.
fn tag(record: &Record) -> Option<&str> {
    record.seal.as_ref().map(|seal| seal.machine.as_str())
}

fn hit_rate(record: &Record) -> Option<f64> {
    let row = record.rows.first()?;
    let [misses, loads, stores] =
        ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"].map(|event| row.amount(event));
    Some(metric::hit_rate(misses?, loads? + stores?))
}

/// Mistakes that students of this lab make, as far as a record shows them.
fn doubts(record: &Record) -> Vec<Sentence> {
    let mut found = Vec::new();
    let program = &record.program;
    let mut doubt = |wrong: bool, sentence: &str| {
        if wrong {
            found.push(say!("{}: {}", program, sentence));
        }
    };
    let row = record.rows.first();
    let checksum = row.and_then(|row| row.keys.get("checksum")?.as_i64());
    doubt(checksum == Some(0), "the checksum is 0, so it multiplied a matrix that was never filled.");
    let rate = hit_rate(record);
    doubt(rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)), "the hit rate is below 0 or above 100 %.");
    let inner = row.and_then(|row| row.whole("size")).map(|n| (n as f64).powi(3));
    let loads = row.and_then(|row| row.amount("PAPI_LD_INS"));
    let many = inner.zip(loads).is_some_and(|(inner, loads)| loads > 5.0 * inner);
    doubt(many, "it loads far more than three times per iteration, as when built with sanitizers.");
    let sizes = || record.rows.iter().filter_map(|row| row.whole("size_bytes"));
    let of_second = record.settings.get("event").is_some_and(|event| event == "PAPI_L2_DCM");
    doubt(
        of_second && sizes().max().is_some_and(|most| most <= 64 << 10),
        "an event of L2 over the range of L1.",
    );
    let times: Vec<f64> = record.rows.iter().filter_map(nanos).collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    doubt(least < 0.1, "less than 0.1 ns per access: one stride's time divided by all strides' accesses?");
    let slow = times.len() > 2 && times[0] > 2.0 * times[1] && times[0] > 2.0 * times[2];
    doubt(slow, "the first cell is over twice as slow as the next: warm up first.");
    found
}

fn nanos(row: &common::record::Row) -> Option<f64> {
    row.amount("ns_per_access").or_else(|| row.amount("avg_time_us").map(|micros| micros * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::Row;
    use common::value::{Reading, Source};

    fn product(checksum: i64, misses: f64, loads: f64) -> Record {
        let mut record = Record::new("mm1", "a machine");
        let value = |amount| Reading::new(amount, Source::Hardware);
        record.rows.push(
            Row::new([("size", 512.into()), ("checksum", checksum.into())])
                .with("PAPI_L1_DCM", value(misses))
                .with("PAPI_LD_INS", value(loads))
                .with("PAPI_SR_INS", value(134.2e6))
                .with("wall_s", value(0.2)),
        );
        record
    }

    #[test]
    fn the_sheets_figures_come_from_the_records() {
        let evidence = Evidence { records: vec![product(2_717_908_992, 135.2e6, 402.6e6)], changed: vec![] };
        let truth = evidence.products();
        assert!((truth.get("mm1.hit_rate").unwrap() - 74.81).abs() < 0.01, "{truth:?}");
        assert_eq!((truth.get("mm.bytes"), evidence.doubts().len()), (Some(&524_288.0), 0));
    }

    #[test]
    fn impossible_figures_are_reported() {
        for (record, says) in [
            (product(0, 135.2e6, 402.6e6), "never filled"),
            (product(1, 900e6, 402.6e6), "hit rate"),
            (product(1, 135.2e6, 3491e6), "sanitizers"),
        ] {
            let told = doubts(&record);
            assert!(told.len() == 1 && told[0].to_string().contains(says), "{told:?}");
        }
    }
}
