//! The sheet's figures for a matrix product.

use figures::table::four;
use figures::value::{Reading, Source};
use records::record::{Record, Row};
use serde_json::{Value, json};

use crate::cell::Cell;

/// Why no speed-up is computed from the time of a described machine.
const MODELLED_TIME: &str = "modelled time is that of the memory alone: it excludes steps that wait for each other, which decide the time of these products";

/// Millions of misses on zen3, for each N: of mm2 and mm3 in L1, of mm2 and mm3 in L2. Only at the last
/// N, the guide's, the hit rate of mm3 is lower than that of mm2. A test of `lab` counts them.
pub const BY_SIZE: [(u32, [&str; 4]); 3] = [
    (256, ["0.528", "0.038", "0.006", "0.006"]),
    (512, ["4.219", "2.290", "0.156", "0.151"]),
    (1024, ["33.751", "35.652", "33.751", "1.167"]),
];

/// One run of mm1, mm2 or mm3. Rates are shares of 1.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// `mm1`.
    pub(crate) name: &'static str,
    /// Whether the transposition of one operand is included in the counts.
    pub(crate) transposes: bool,
    /// L1 data cache misses.
    pub(crate) misses: Reading,
    /// Those of them that the cache model counted at the entries of the page table, if any.
    pub(crate) walks: Option<Reading>,
    pub(crate) loads: Reading,
    pub(crate) stores: Reading,
    /// Loads and stores together.
    pub(crate) accesses: Reading,
    /// Cycles of the core.
    pub(crate) cycles: Reading,
    /// Processor seconds; these products have one thread.
    pub(crate) seconds: Reading,
    /// Wall-clock seconds.
    pub(crate) wall: Reading,
    /// Hit rate of L1.
    pub(crate) hit_rate: Reading,
    /// Hit rate of L1 from the loads alone: a usual mistake.
    pub(crate) of_loads: Reading,
    pub(crate) l2_misses: Reading,
    pub(crate) l2_accesses: Reading,
    /// Hit rate of L2.
    pub(crate) l2_hit_rate: Reading,
    /// Rows of the matrices.
    pub(crate) size: Option<u64>,
    /// Sum of the result's elements.
    pub(crate) checksum: Option<i64>,
    /// Processors' worth of time that a control group granted.
    pub(crate) quota: Option<f64>,
}

impl Product {
    /// The figures of a record.
    pub(crate) fn of(name: &'static str, record: &Record) -> Product {
        let none = Row::default();
        let row = record.rows.first().unwrap_or(&none);
        let figure = |name: &str| row.figure(name);
        let [misses, loads, stores] = ["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"].map(figure);
        let [l2_misses, l2_accesses] = ["PAPI_L2_DCM", "PAPI_L2_DCA"].map(figure);
        let accesses = Reading::joined(&loads, &stores, |loads, stores| loads + stores);
        let is_cpu_time = row.reading("cpu_s").is_some();
        Product {
            name,
            transposes: record.settings.get("time_transpose").is_some_and(|counted| *counted == true),
            hit_rate: Reading::hit_rate(&misses, &accesses),
            of_loads: Reading::hit_rate(&misses, &loads),
            l2_hit_rate: Reading::hit_rate(&l2_misses, &l2_accesses),
            cycles: figure("wall_cycles"),
            seconds: figure(if is_cpu_time { "cpu_s" } else { "wall_s" }),
            wall: figure("wall_s"),
            walks: row.reading("l1_misses_page_table").cloned(),
            quota: record.environment.get("quota_processors").and_then(Value::as_f64),
            size: row.whole("size"),
            checksum: row.value("checksum").and_then(Value::as_i64),
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
        [&self.cycles, &self.seconds].iter().any(|figure| figure.source() == Some(Source::Model))
    }

    /// For the page: counts in millions, rates in per cent.
    pub(crate) fn cells(&self) -> Value {
        let millions = |figure| Cell::of(figure, 1e-6, 3);
        let milliseconds = |figure: &Reading| {
            let cell = Cell::of(figure, 1.0, 0);
            Cell { text: figure.amount().map_or(cell.text, |seconds| four(1e3 * seconds)), ..cell }
        };
        let percent = |figure| Cell::of(figure, 100.0, 3);
        json!({
            "misses": millions(&self.misses), "walks": self.walks.as_ref().map(millions),
            "loads": millions(&self.loads),
            "stores": millions(&self.stores), "accesses": millions(&self.accesses),
            "l2_misses": millions(&self.l2_misses), "l2_accesses": millions(&self.l2_accesses),
            "cycles": millions(&self.cycles),
            "milliseconds": milliseconds(&self.seconds), "wall": milliseconds(&self.wall),
            "hit_rate": percent(&self.hit_rate), "l2_hit_rate": percent(&self.l2_hit_rate),
            "checksum": self.checksum,
        })
    }
}

/// The gains of one product over another.
#[derive(Debug, Clone)]
pub(crate) struct Gain {
    /// Difference of the L1 hit rates.
    pub(crate) hit_rate: Reading,
    /// Quotient of the cycles.
    pub(crate) clocks: Reading,
    /// Quotient of the times.
    pub(crate) time: Reading,
}

impl Gain {
    /// The gains of `new` over `old`.
    pub(crate) fn of(new: &Product, old: &Product) -> Gain {
        Gain {
            hit_rate: Reading::joined(&new.hit_rate, &old.hit_rate, |new, old| new - old),
            clocks: speed_up(&old.cycles, &new.cycles),
            time: speed_up(&old.seconds, &new.seconds),
        }
    }

    /// For the page.
    pub(crate) fn cells(&self) -> Value {
        let times = |figure| Cell::of(figure, 1.0, 3);
        json!({
            "hit_rate": Cell::of(&self.hit_rate, 100.0, 3),
            "clocks": times(&self.clocks), "time": times(&self.time),
        })
    }
}

/// The speed-up; only of measured times.
fn speed_up(old: &Reading, new: &Reading) -> Reading {
    if [old, new].iter().any(|figure| figure.source() == Some(Source::Model)) {
        return Reading::missing(MODELLED_TIME);
    }
    Reading::joined(old, new, |old, new| old / new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(misses: f64, seconds: f64) -> Record {
        let mut record = Record::new("mm1", "a machine");
        let model = |amount| Reading::new(amount, Source::Model);
        record.rows.push(
            Row::at([("checksum", 42.into())])
                .with("PAPI_L1_DCM", model(misses))
                .with("PAPI_LD_INS", model(300.0))
                .with("PAPI_SR_INS", model(100.0))
                .with("wall_s", Reading::new(seconds, Source::Timing)),
        );
        record
    }

    #[test]
    fn misses_of_page_walks_are_shown() {
        let walks = |record: &Record| Product::of("mm1", record).cells()["walks"]["text"].clone();
        let mut walked = record(5e6, 1.0);
        assert_eq!(walks(&walked), Value::Null);
        walked.rows[0] =
            walked.rows[0].clone().with("l1_misses_page_table", Reading::new(2e6, Source::Model));
        assert_eq!(walks(&walked), "2.000");
    }

    #[test]
    fn the_sheets_figures_follow_from_the_counts() {
        let (slow, fast) = (Product::of("mm1", &record(100.0, 3.0)), Product::of("mm2", &record(0.0, 1.5)));
        assert_eq!((slow.hit_rate.amount(), slow.checksum), (Some(0.75), Some(42)));
        let gain = Gain::of(&fast, &slow);
        assert_eq!((gain.hit_rate.amount(), gain.time.amount()), (Some(0.25), Some(2.0)));
        assert_eq!(gain.clocks.reason(), Some("not measured"));
        let transposes =
            |counted: bool| Product::of("mm2", &record(0.0, 1.5).set("time_transpose", counted)).transposes;
        assert!(transposes(true) && !transposes(false) && !fast.transposes);
    }
}
