//! Looks for typical problems of this lab in the results, before anyone draws conclusions
//! from them.

use figures::units::Bytes;
use records::product::{WALL_OVER_CPU_WARNING, cause_of_waits};
use records::record::{Record, Row};

use crate::findings::{Findings, LineFrom};
use crate::product::Product;

/// A spread over runs above this share of the median makes a time doubtful.
const SCATTER: f64 = 0.25;

/// What to do about implausible results, one sentence each; empty if there is nothing to do.
pub(crate) fn warnings(findings: &Findings, products: &[Product; 4]) -> Vec<String> {
    let mut found = Vec::new();
    products.iter().for_each(|product| counts(findings, product, &mut found));
    scatter(findings, &mut found);
    shared(products, &mut found);
    sweep(&findings.l1, "L1", &mut found);
    sweep(&findings.l2, "L2", &mut found);
    found
}

/// What to know about the results, that no other run changes.
pub(crate) fn remarks(findings: &Findings) -> Vec<String> {
    let mut found = findings.remarks.clone();
    let reported = findings.machine.level(1).map(|cache| cache.line);
    if findings.line_from == LineFrom::Sweep && reported.is_some_and(|line| line != findings.line) {
        // The line size is a later question.
        found.push("look at the curves before you choose a line size: the sweep shows another one than the system reports, and mm3 used that of the sweep".to_owned());
    }
    found
}

/// The checksum is known in advance, and so are loads and stores: three and one per inner
/// iteration, and one of each per transposed element.
fn counts(findings: &Findings, product: &Product, found: &mut Vec<String>) {
    let name = product.name;
    let expected = records::product::checksum(findings.size as usize);
    if product.checksum != Some(expected) {
        let sum = product.checksum.map_or("missing".to_owned(), |sum| sum.to_string());
        found.push(format!(
            "{}: the checksum is {}, but the product of these matrices has {}; its figures are worthless",
            name, sum, expected
        ));
    }
    let side = f64::from(findings.size);
    let inner = side.powi(3);
    let copies = if product.transposes { side.powi(2) } else { 0.0 };
    for (what, counted, expected) in
        [("loads", &product.loads, 3.0 * inner + copies), ("stores", &product.stores, inner + copies)]
    {
        if let Some(counted) = counted.amount().filter(|c| (c / expected - 1.0).abs() > 0.03) {
            found.push(format!("{}: {} {} were counted where the loops make {}: the program was compiled differently (no optimisation, a sanitizer), or other threads were counted", name, counted.round(), what, expected));
        }
    }
    for (level, rate) in [("L1", &product.hit_rate), ("L2", &product.l2_hit_rate)] {
        if rate.amount().is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
            found.push(format!("{name}: the {level} hit rate is outside 0 to 1: the event also counts misses of prefetches; count hits and misses of one kind"));
        }
    }
}

/// One warning for all products and kernels whose runs differ too much.
fn scatter(findings: &Findings, found: &mut Vec<String>) {
    let scatters = |row: &Row| {
        ["cpu_s", "free_cpu_s"].iter().filter_map(|figure| row.reading(figure)).any(|time| {
            time.spread().zip(time.amount()).is_some_and(|(s, median)| (s.max - s.min) / median > SCATTER)
        })
    };
    let products = [&findings.mm1, &findings.mm2, &findings.mm2_transposing, &findings.mm3];
    let products = products.into_iter().filter(|record| record.rows.iter().any(scatters));
    let kernels = findings.causes.rows.iter().filter(|row| scatters(row));
    let kernels = kernels.filter_map(|row| row.value("kernel")?.as_str());
    let kernels = kernels.map(|kernel| format!("{} (in the table of what decides the time)", kernel));
    let names: Vec<String> = products.map(|record| record.program.clone()).chain(kernels).collect();
    if !names.is_empty() {
        found.push(format!("close other programs, or use more --runs: the runs of {} differ by more than {:.0} % of their median", names.join("; "), 100.0 * SCATTER));
    }
}

/// One warning for all products during which the processor had other work too.
fn shared(products: &[Product; 4], found: &mut Vec<String>) {
    let waited = |product: &&Product| {
        let times = product.wall.amount().zip(product.seconds.amount());
        times.is_some_and(|(wall, cpu)| wall > WALL_OVER_CPU_WARNING * cpu)
    };
    let names: Vec<&str> = products.iter().filter(waited).map(|product| product.name).collect();
    if !names.is_empty() {
        let (cause, remedy) = cause_of_waits(products.iter().find_map(|product| product.quota), 1);
        found.push(format!(
            "{cause}: {remedy}, and run it again. The wall time of {} is more than {WALL_OVER_CPU_WARNING} times its CPU time, and programs that share the caches lengthen the CPU time, too",
            names.join(", ")
        ));
    }
}

/// A sweep must reach beyond the cache. More misses than accesses have a cause outside the
/// program.
fn sweep(record: &Record, level: &str, found: &mut Vec<String>) {
    let misses = record.rows.iter().filter_map(|row| row.amount("avg_misses"));
    let Some(highest) = misses.reduce(f64::max) else { return };
    if highest < 0.1 {
        let largest = record.rows.iter().filter_map(|row| row.whole("size_bytes")).max().unwrap_or_default();
        found.push(format!("cm1, {}: no array up to {} misses: the range stops before the cache ends, or another level's event was counted", level, Bytes(largest)));
    }
    if highest > 1.15 {
        found.push(format!("cm1, {level}: up to {highest:.2} misses per access: this counter also counts lines that a prefetcher fetched; use the strides where the curve bends, not its height"));
    }
}
