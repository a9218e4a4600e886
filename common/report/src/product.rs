//! The sheet's figures for a matrix product.

use std::collections::BTreeMap;

use events::metric;
use figures::value::Source;
use records::record::Record;
use serde::Serialize;

use crate::figure::Figure;

/// Why no speed-up is computed from the time of a described machine.
const MODELLED_TIME: &str = "modelled time is that of the memory alone: it excludes steps that wait for each other, which decide the time of these products";

/// One run of mm1, mm2 or mm3.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Product {
    /// `mm1`.
    pub(crate) name: &'static str,
    /// Whether the transposition of one operand is included in the counts.
    pub(crate) transposes: bool,
    /// L1 data cache misses.
    pub(crate) misses: Figure,
    pub(crate) loads: Figure,
    pub(crate) stores: Figure,
    /// Loads and stores together.
    pub(crate) accesses: Figure,
    /// Cycles of the core.
    pub(crate) cycles: Figure,
    /// Processor seconds; these products have one thread.
    pub(crate) seconds: Figure,
    /// Wall-clock seconds.
    pub(crate) wall: Figure,
    /// Hit rate of L1.
    pub(crate) hit_rate: Figure,
    /// The same of loads alone: a usual mistake.
    pub(crate) of_loads: Figure,
    pub(crate) l2_misses: Figure,
    pub(crate) l2_accesses: Figure,
    /// Hit rate of L2.
    pub(crate) l2_hit_rate: Figure,
    /// Sum of the result's elements.
    pub(crate) checksum: Option<i64>,
    /// Processors' worth of time that a control group granted.
    pub(crate) quota: Option<f64>,
}

impl Product {
    /// The figures of a record.
    pub(crate) fn of(name: &'static str, record: &Record) -> Product {
        let millions = |name: &str| Figure::in_record(record, name).shown(1e-6, 3);
        let seconds = |name: &str| Figure::in_record(record, name).shown(1.0, 4);
        let [misses, loads, stores] = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"].map(millions);
        let [l2_misses, l2_accesses] = ["PAPI_L2_DCM", "PAPI_L2_DCA"].map(millions);
        let accesses = Figure::from([&loads, &stores], |[l, s]| l + s).shown(1e-6, 3);
        let hit_rate = |misses: &Figure, accesses: &Figure| {
            let rate = |[misses, accesses]: [f64; 2]| metric::hit_rate(misses, accesses);
            Figure::from([misses, accesses], rate).shown(100.0, 3)
        };
        let row = record.rows.first();
        let is_cpu_time = row.is_some_and(|row| row.reading("cpu_s").is_some());
        Product {
            name,
            transposes: record.settings.get("time_transpose").is_some_and(|counted| *counted == true),
            hit_rate: hit_rate(&misses, &accesses),
            of_loads: hit_rate(&misses, &loads),
            l2_hit_rate: hit_rate(&l2_misses, &l2_accesses),
            cycles: millions("wall_cycles"),
            seconds: seconds(if is_cpu_time { "cpu_s" } else { "wall_s" }),
            wall: seconds("wall_s"),
            quota: record.environment.get("quota_processors").and_then(serde_json::Value::as_f64),
            checksum: row.and_then(|row| row.keys.get("checksum")?.as_i64()),
            misses,
            loads,
            stores,
            accesses,
            l2_misses,
            l2_accesses,
        }
    }

    /// Whether its time is a described machine's, computed from latencies.
    pub(crate) fn is_modelled(&self) -> bool {
        [&self.cycles, &self.seconds].iter().any(|figure| figure.sources.contains(&Source::Model))
    }
}

/// The gains of one product over another.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Gain {
    /// Difference of the L1 hit rates.
    pub(crate) hit_rate: Figure,
    /// Quotient of the cycles.
    pub(crate) clocks: Figure,
    /// Quotient of the times.
    pub(crate) time: Figure,
}

impl Gain {
    /// The gains of `new` over `old`.
    pub(crate) fn of(new: &Product, old: &Product) -> Gain {
        let difference = |[new, old]: [f64; 2]| new - old;
        Gain {
            hit_rate: Figure::from([&new.hit_rate, &old.hit_rate], difference).shown(100.0, 3),
            clocks: speed_up(&old.cycles, &new.cycles),
            time: speed_up(&old.seconds, &new.seconds),
        }
    }
}

/// The speed-up; only of measured times.
fn speed_up(old: &Figure, new: &Figure) -> Figure {
    if [old, new].iter().any(|figure| figure.sources.contains(&Source::Model)) {
        return Figure::missing(MODELLED_TIME);
    }
    Figure::from([old, new], |[old, new]| old / new).shown(1.0, 3)
}

/// The sheet's figures for the products, under the rubric's names: rates in per cent,
/// `mm2t` for mm2 with its transposition. An error says why a figure cannot be computed;
/// one that was not measured is missing.
pub fn expected<'r>(record: impl Fn(&str) -> Option<&'r Record>) -> BTreeMap<String, Result<f64, String>> {
    let products =
        ["mm1", "mm2", "mm2t", "mm3"].map(|name| Some((Product::of(name, record(name)?), record(name)?)));
    let mut all = BTreeMap::new();
    for (product, record) in products.iter().flatten() {
        let mut set = |what: &str, figure: Figure| {
            if figure.known().is_some() {
                all.insert(format!("{}.{what}", product.name), figure.amount);
            }
        };
        set("hit_rate", Figure::from([&product.hit_rate], |[rate]| 100.0 * rate));
        set("hit_rate_of_loads", Figure::from([&product.of_loads], |[rate]| 100.0 * rate));
        for (than, ending) in [(0, ""), (1, "_mm2")] {
            let Some((than, _)) = &products[than] else { continue };
            let gain = Gain::of(product, than);
            let modelled = product.is_modelled() || than.is_modelled();
            for (what, gain) in [("clocks", gain.clocks), ("time", gain.time)] {
                let amount = if modelled { Err(MODELLED_TIME.to_owned()) } else { gain.amount };
                if modelled || amount.is_ok() {
                    all.insert(format!("{}.{what}_gain{ending}", product.name), amount);
                }
            }
        }
        if let Some(size) = record.rows.first().and_then(|row| row.whole("size")) {
            let size = size as f64;
            all.insert(format!("{}.size", product.name), Ok(size));
            all.insert("mm.bytes".to_owned(), Ok(2.0 * size * size));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::Reading;
    use records::record::Row;

    fn record(misses: f64, seconds: f64) -> Record {
        let mut record = Record::new("mm1", "a machine");
        let model = |amount| Reading::new(amount, Source::Model);
        record.rows.push(
            Row::new([("checksum", 42.into())])
                .with("PAPI_L1_DCM", model(misses))
                .with("PAPI_LD_INS", model(300.0))
                .with("PAPI_SR_INS", model(100.0))
                .with("wall_s", Reading::new(seconds, Source::Timing)),
        );
        record
    }

    #[test]
    fn the_sheets_figures_follow_from_the_counts() {
        let (slow, fast) = (Product::of("mm1", &record(100.0, 3.0)), Product::of("mm2", &record(0.0, 1.5)));
        assert_eq!((slow.hit_rate.known(), slow.checksum), (Some(0.75), Some(42)));
        let gain = Gain::of(&fast, &slow);
        assert_eq!((gain.hit_rate.known(), gain.time.known()), (Some(0.25), Some(2.0)));
        assert_eq!(gain.clocks.amount, Err("not measured".to_owned()));
    }

    #[test]
    fn a_grader_expects_what_the_page_computes() {
        let of = |source| {
            let mut mm1 = record(100.0, 3.0);
            let mut mm2 = record(0.0, 1.5);
            for (record, cpu) in [(&mut mm1, 2.0), (&mut mm2, 0.5)] {
                record.rows[0] = record.rows[0].clone().with("cpu_s", Reading::new(cpu, source));
            }
            expected(|name| if name == "mm1" { Some(&mm1) } else { Some(&mm2).filter(|_| name == "mm2") })
        };
        let timed = of(Source::Timing);
        assert_eq!(
            (&timed["mm1.hit_rate"], &timed["mm2.time_gain"]),
            (&Ok(75.0), &Ok(4.0)),
            "processor time"
        );
        assert!(!timed.contains_key("mm2.clocks_gain") && !timed.contains_key("mm3.hit_rate"));
        assert_eq!(of(Source::Model)["mm2.time_gain"], Err(MODELLED_TIME.to_owned()));
    }

    #[test]
    fn a_product_says_whether_its_transposition_was_counted() {
        let mm2 = |record: Record| Product::of("mm2", &record).transposes;
        let set = |counted: bool| record(0.0, 1.5).set("time_transpose", counted);
        assert_eq!([mm2(record(0.0, 1.5)), mm2(set(false)), mm2(set(true))], [false, false, true]);
    }
}
