//! Looks for typical problems of this lab in the results, before anyone draws conclusions
//! from them.

use figures::units::Bytes;
use figures::value::Reading;
use records::product::{WALL_OVER_CPU_WARNING, cause_of_waits};
use records::record::{Record, Row};

use crate::findings::{Findings, LineFrom};
use crate::product::Product;

/// Two times of the same loops that differ by more than this factor make speed-ups doubtful.
const SAME_LOOPS: f64 = 1.15;
/// A spread over runs above this share of the median makes a time doubtful.
const SCATTER: f64 = 0.25;

/// Sentences on implausible results; empty if there are none.
pub(crate) fn warnings(findings: &Findings, products: &[Product; 4]) -> Vec<String> {
    let mut found = findings.remarks.clone();
    checksums(findings, products, &mut found);
    products.iter().for_each(|product| counts(findings, product, &mut found));
    times(findings, &mut found);
    causes(&findings.causes, &mut found);
    timed_twice(findings, &mut found);
    shared(products, &mut found);
    reach(&findings.l1.record, "L1", findings.machine.level(1).map(|c| c.size), &mut found);
    reach(&findings.l2.record, "L2", findings.machine.level(2).map(|c| c.size), &mut found);
    ratios(&findings.l1.record, "L1", &mut found);
    ratios(&findings.l2.record, "L2", &mut found);
    line(findings, &mut found);
    found
}

/// The four products must agree with the sum by definition.
fn checksums(findings: &Findings, products: &[Product; 4], found: &mut Vec<String>) {
    let n = findings.size as usize;
    for product in products {
        match product.checksum {
            Some(0) => found.push(format!(
                "{}: the checksum is 0: the product was made from an empty matrix, such as a transposition that was never filled",
                product.name
            )),
            sum if sum != Some(records::product::checksum(n)) => found.push(format!(
                "{}: the checksum is {}, but the product of these matrices has {}; its figures are worthless",
                product.name,
                sum.map_or("missing".to_owned(), |sum| sum.to_string()),
                records::product::checksum(n)
            )),
            _ => {}
        }
    }
    if products.iter().any(|product| product.checksum != products[0].checksum) {
        found.push("the four products do not have the same checksum: one of them is wrong".to_owned());
    }
}

/// Loads and stores are known in advance: three and one per inner iteration, and one of
/// each per transposed element.
fn counts(findings: &Findings, product: &Product, found: &mut Vec<String>) {
    let side = f64::from(findings.size);
    let inner = side.powi(3);
    let copies = if product.transposes { side.powi(2) } else { 0.0 };
    for (what, counted, expected) in
        [("loads", &product.loads, 3.0 * inner + copies), ("stores", &product.stores, inner + copies)]
    {
        if let Some(counted) = counted.amount().filter(|c| (c / expected - 1.0).abs() > 0.03) {
            found.push(format!(
                "{}: {counted:.0} {what} were counted where the loops make {expected:.0}: the program was compiled differently (no optimisation, a sanitizer), or other threads were counted",
                product.name
            ));
        }
    }
    for (level, rate) in [("L1", &product.hit_rate), ("L2", &product.l2_hit_rate)] {
        if rate.amount().is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
            found.push(format!(
                "{}: the {level} hit rate is outside 0 to 1: the event counts misses that are not accesses of the program, such as prefetches; count hits and misses of one kind",
                product.name
            ));
        }
    }
    // A described machine's time is computed from its latencies, not measured.
    if findings.here {
        doubtful(product.name, &product.seconds, found);
    }
}

fn doubtful(name: &str, seconds: &Reading, found: &mut Vec<String>) {
    if seconds.amount().is_some_and(|s| s < 1e-4) {
        found.push(format!("{name}: it took less than 0.1 ms, too little to be timed; use larger matrices"));
    }
}

/// Times per access that no machine has, first cells measured at a low clock frequency,
/// runs that scatter.
fn times(findings: &Findings, found: &mut Vec<String>) {
    let nanos: Vec<f64> =
        findings.spark.record.rows.iter().filter_map(|row| row.amount("ns_per_access")).collect();
    if nanos.iter().any(|ns| *ns < 0.1) {
        found.push(
            "spark: an access took less than 0.1 ns: the time is too short, or the number of accesses is wrong"
                .to_owned(),
        );
    }
    if let [first, second, third, ..] = nanos[..]
        && first > 1.5 * second.max(third)
    {
        found.push(format!(
            "spark: the first cell took {first:.2} ns per access and the next {second:.2}: the clock was still speeding up; run it again, or fix the frequency"
        ));
    }
    for record in [&findings.mm1, &findings.mm2, &findings.mm2_transposing, &findings.mm3] {
        let row = record.rows.first();
        let time = row.and_then(|row| row.reading("cpu_s").or_else(|| row.reading("wall_s")));
        let scatter = time.and_then(|time| time.spread().zip(time.amount()));
        let scatter = scatter.map(|(s, median)| (s.max - s.min) / median);
        if let Some(scatter) = scatter.filter(|scatter| *scatter > SCATTER) {
            found.push(format!(
                "{}: its runs differ by {:.0} % of their median: other programs were running; close them, or use more --runs",
                record.program,
                100.0 * scatter
            ));
        }
    }
}

/// One warning for all kernels of the comparison whose runs differ too much.
fn causes(record: &Record, found: &mut Vec<String>) {
    let scatters = |row: &&Row| {
        ["cpu_s", "free_cpu_s"].iter().filter_map(|figure| row.reading(figure)).any(|time| {
            time.spread().zip(time.amount()).is_some_and(|(s, median)| (s.max - s.min) / median > SCATTER)
        })
    };
    let names = record.rows.iter().filter(scatters).filter_map(|row| row.keys.get("kernel")?.as_str());
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        found.push(format!(
            "what decides the time: the runs of {} differ by more than {:.0} % of their median: other programs were running; close them, or use more --runs",
            names.join("; "),
            100.0 * SCATTER
        ));
    }
}

/// The products are timed alone, and again in turns with the other kernels.
fn timed_twice(findings: &Findings, found: &mut Vec<String>) {
    for record in [&findings.mm1, &findings.mm2, &findings.mm3] {
        let in_turns = findings.causes.rows.iter().find(|row| {
            row.keys.get("kernel").and_then(|name| name.as_str()) == Some(record.program.as_str())
        });
        let seconds = |row: Option<&Row>| row?.amount("cpu_s").filter(|seconds| *seconds > 0.0);
        let Some((alone, in_turns)) = seconds(record.rows.first()).zip(seconds(in_turns)) else { continue };
        let factor = alone.max(in_turns) / alone.min(in_turns);
        if factor > SAME_LOOPS {
            found.push(format!(
                "{}: the same loops took {:.2} ms alone and {:.2} ms in the table of what decides the time: something other than the loops changed one of them, such as other programs; a speed-up below {factor:.2} proves nothing here",
                record.program,
                1e3 * alone,
                1e3 * in_turns
            ));
        }
    }
}

/// One warning for all products during which the processor had other work too.
fn shared(products: &[Product; 4], found: &mut Vec<String>) {
    let apart = |product: &&Product| {
        product
            .wall
            .amount()
            .zip(product.seconds.amount())
            .is_some_and(|(wall, cpu)| wall > WALL_OVER_CPU_WARNING * cpu)
    };
    let names: Vec<&str> = products.iter().filter(apart).map(|product| product.name).collect();
    if !names.is_empty() {
        let (cause, remedy) = cause_of_waits(products.iter().find_map(|product| product.quota), 1);
        found.push(format!(
            "{}: wall time is more than {WALL_OVER_CPU_WARNING} times CPU time: {cause}; the times on this page are CPU times, but waits and other programs in shared caches make them longer too: {remedy}, and run it again",
            names.join(", ")
        ));
    }
}

/// A sweep must reach beyond the cache, and must show hits.
fn reach(record: &Record, level: &str, size: Option<Bytes>, found: &mut Vec<String>) {
    let misses = || record.rows.iter().filter_map(|row| row.amount("avg_misses"));
    let largest = record.rows.iter().filter_map(|row| row.whole("size_bytes")).max().unwrap_or_default();
    if misses().count() > 0 && misses().all(|misses| misses < 0.1) {
        found.push(format!(
            "cm1, {level}: no array up to {} misses: the range stops before the cache ends, or another level's event was counted",
            Bytes(largest)
        ));
    }
    if size.is_some_and(|size| largest < 2 * size.0) {
        // The size of that cache is a later question.
        found.push(format!(
            "cm1, {level}: the largest array, {}, is less than twice the cache that the system reports: go to four times the cache",
            Bytes(largest)
        ));
    }
}

/// More misses than accesses have a cause outside the program.
fn ratios(record: &Record, level: &str, found: &mut Vec<String>) {
    let most = record.rows.iter().filter_map(|row| row.amount("avg_misses")).fold(0.0, f64::max);
    if most > 1.15 {
        found.push(format!(
            "cm1, {level}: up to {most:.2} misses per access: this counter also counts lines that a prefetcher fetched; use the strides where the curve bends, not its height"
        ));
    }
}

fn line(findings: &Findings, found: &mut Vec<String>) {
    let reported = findings.machine.level(1).map(|cache| cache.line);
    if findings.line_from == LineFrom::Sweep && reported.is_some_and(|line| line != findings.line) {
        // The line size is a later question.
        found.push(
            "the sweep shows another line size than the system reports: mm3 used that of the sweep; look at the curve before you choose"
                .to_owned(),
        );
    }
}
