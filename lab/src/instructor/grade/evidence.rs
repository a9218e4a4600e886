//! What a student measured: the records that count, and the figures that answers are
//! compared with or the reasons why there are none.

use std::collections::{BTreeMap, BTreeSet};

use common::infer::{self, Above};
use common::record::Record;
use common::saved::Saved;
use common::text::shorten;

use super::reason::Reason;

/// The right values for one student, under the rubric's names, or why a figure cannot be
/// computed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Truth(pub(super) BTreeMap<String, Result<f64, String>>);

impl Truth {
    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_ref().ok().copied()
    }
}

/// The records of one submission, and those that were changed.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Only with their first rows.
    records: Vec<Record>,
    /// Files of sealed machines whose content was changed.
    pub(super) changed: Vec<String>,
    /// The kit's own reading of the sweeps, where it is a single value.
    caches: BTreeMap<String, f64>,
}

/// The setting of a record of mm2 that includes the transposition.
const TRANSPOSING: &str = "time_transpose";
/// The programs of the matrix products, whose records must have the assigned size.
const PRODUCTS: [&str; 3] = ["mm1", "mm2", "mm3"];

impl Evidence {
    /// What the `records` show; the sweeps are read only if there is no key of the machines.
    pub(super) fn of(records: Vec<Record>, changed: Vec<String>, with_key: bool) -> Evidence {
        let caches = if with_key { BTreeMap::new() } else { caches(&records) };
        let mut records = records;
        for record in &mut records {
            // A class has thousands of records: only what is compared stays in memory.
            record.rows.truncate(1);
            record.rows.shrink_to_fit();
            record.settings.retain(|name, _| name == TRANSPOSING);
            record.machine_data = serde_json::Value::Null;
            (record.arguments, record.notes) = (Vec::new(), Default::default());
        }
        Evidence { records, changed, caches }
    }

    /// Tags of the sealed machines that records were made on.
    pub(super) fn machines(&self) -> BTreeSet<&str> {
        self.records.iter().filter_map(tag).collect()
    }

    /// The records that count: those of the assigned `size` and, with a key, those made on
    /// the sealed machine `own`. The reasons say what is wrong with the others, and with
    /// these.
    pub(super) fn counting(&self, own: Option<Option<&str>>, size: u32) -> (Vec<&Record>, Vec<Reason>) {
        let mut notes: Vec<Reason> =
            self.changed.iter().map(|file| Reason::ChangedRecord(shorten(file, 60))).collect();
        let open = self.records.iter().filter(|record| tag(record).is_none());
        let open: BTreeSet<String> = open.map(|record| shorten(&record.program, 20)).collect();
        if own.is_some() && !open.is_empty() {
            let open: Vec<String> = open.into_iter().collect();
            notes.push(Reason::OpenRecords(shorten(&open.join(", "), 100)));
        }
        let mut counting = Vec::new();
        for record in &self.records {
            if own.is_some_and(|own| own.is_none() || tag(record) != own) {
                continue;
            }
            let rows = record.rows.first().and_then(|row| row.whole("size"));
            match rows {
                Some(rows) if PRODUCTS.contains(&&*record.program) && rows != u64::from(size) => {
                    notes.push(Reason::OtherSize(record.program.clone(), rows.to_string(), size.to_string()))
                }
                None if PRODUCTS.contains(&&*record.program) => {}
                _ => counting.push(record),
            }
        }
        (counting, notes)
    }

    /// The right values that `records` show, and the figures `wanted` of any program's
    /// record.
    pub(super) fn truth<'w>(
        &self,
        records: &[&Record],
        wanted: impl Iterator<Item = (&'w str, &'w str, &'w str)>,
    ) -> Truth {
        let mut truth = Truth(report::expected(|name| product(records, name)));
        truth.0.extend(self.caches.iter().map(|(name, value)| (name.clone(), Ok(*value))));
        for (name, program, figure) in wanted {
            let record = records.iter().rev().find(|record| record.program == program);
            let row = record.and_then(|record| record.rows.first());
            let value = row
                .and_then(|row| row.amount(figure).or_else(|| row.whole(figure).map(|number| number as f64)));
            truth.0.extend(value.map(|value| (name.to_owned(), Ok(value))));
        }
        truth
    }
}

/// The last record of a matrix product; `mm2t` is mm2 with its transposition.
fn product<'r>(records: &[&'r Record], name: &str) -> Option<&'r Record> {
    let (program, transposing) = name.strip_suffix('t').map_or((name, false), |program| (program, true));
    let timed = |record: &Record| record.settings.get(TRANSPOSING).is_some_and(|set| set == true);
    records.iter().rev().find(|record| record.program == program && timed(record) == transposing).copied()
}

/// The tag of the sealed machine that a record was made on.
fn tag(record: &Record) -> Option<&str> {
    record.seal.as_ref().map(|seal| seal.machine.as_str())
}

fn caches(records: &[Record]) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    let sweep = |event: &str| {
        let of_event = |record: &&Record| {
            record.program == "cm1" && record.settings.get("event").is_some_and(|e| e == event)
        };
        records.iter().rev().find(of_event).map(Saved::of)
    };
    let first = sweep("PAPI_L1_DCM").map(|saved| infer::read(&saved).verdict);
    let above = first.as_ref().and_then(|found| Above::of(found.as_ref().ok()?));
    let second = sweep("PAPI_L2_DCM").map(|saved| infer::read_behind(&saved, above).verdict);
    for (name, read) in [("l1", first), ("l2", second)] {
        let Some(Ok(read)) = read else { continue };
        found.insert(format!("{name}.line"), read.line.0 as f64);
        if read.size == read.most {
            found.insert(format!("{name}.size"), read.size.0 as f64);
        }
        if let Some(ways) = read.exact_ways() {
            found.insert(format!("{name}.ways"), ways as f64);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::Row;
    use common::value::{Reading, Source};

    fn record(size: u64) -> Record {
        let mut record = Record::new("mm1", "a machine");
        let value = |amount| Reading::new(amount, Source::Hardware);
        record.rows.push(
            Row::new([("size", size.into()), ("checksum", 5.into())])
                .with("PAPI_L1_DCM", value(135.2e6))
                .with("PAPI_LD_INS", value(402.6e6))
                .with("PAPI_SR_INS", value(134.2e6))
                .with("wall_s", value(0.2)),
        );
        record
    }

    #[test]
    fn the_sheets_figures_come_from_records_of_the_assigned_size() {
        let evidence = |size| Evidence::of(vec![record(size)], vec![], false);
        let own = evidence(512);
        let (records, notes) = own.counting(None, 512);
        let truth = own.truth(&records, [].into_iter());
        assert!(
            (truth.get("mm1.hit_rate").unwrap() - 74.81).abs() < 0.01 && notes.is_empty(),
            "{truth:?} {notes:?}"
        );
        assert_eq!(truth.get("mm.bytes"), Some(524_288.0));
        for size in [1, 256, 1024] {
            let other = evidence(size);
            let (counting, why) = other.counting(None, 512);
            assert!(
                counting.is_empty() && why.iter().any(|why| matches!(why, Reason::OtherSize(..))),
                "{size}"
            );
        }
    }
}
