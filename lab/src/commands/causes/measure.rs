//! The guide's products compared with versions that lack one cause of their time.

use common::clock::Elapsed;
use common::failure::Failure;
use common::measure::{Measured, Session, figure};
use common::memory::Unobserved;
use common::product::{self, Options};
use common::record::{Record, Row};
use common::units::Bytes;
use common::value::Reading;

use super::kernels::{KERNELS, Operands};

/// The six products: their accesses and misses, and their times, measured in turns so that
/// a disturbance affects all. Times with one instruction for each access (`cpu_s`), for
/// which the counts are, and with free choice of the compiler (`free_cpu_s`).
/// Fails if the line is impossible, memory is short or a counter fails.
pub(crate) fn measure(session: &Session, size: u32, line: Bytes) -> Result<Record, Failure> {
    let block = mm3::elements_per_line(line)?;
    let options = Options::new(size, &["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"]);
    let plan = options.plan(session)?;
    let arena = product::arena(&options, 4)?;
    let [mul1, mul2, res] = product::operands(&arena, &options)?;
    let tmp = arena.matrix("tmp", options.size(), options.size()).map_err(Failure::could_not)?;
    tmp.fill(|i, j| mul2.at(j, i).get());
    let operands = Operands { mul1, mul2, tmp, res, block };
    let timed = if session.measures_host { times(session, operands) } else { Vec::new() };
    let mut record = session.record("causes").set("size", size).set("line_size", line.0);
    session.note(&mut record, plan.note());
    for (at, kernel) in KERNELS.iter().enumerate() {
        let region = Measured {
            native: &mut || (kernel.native)(operands),
            modelled: &mut |mem| (kernel.modelled)(mem, operands),
            computes: true,
            idle: &[],
        };
        let clear = &mut || res.fill(|_, _| 0);
        let sample = session.count_alone(&arena, &plan, clear, region.without_numbers())?;
        let mut place = Row::at([("kernel", kernel.name.into()), ("size", size.into())])
            .set("c", kernel.c)
            .set("waits_for", kernel.waits);
        // On a described machine nothing is computed.
        if let Some(timed) = timed.get(at) {
            place = place.result("checksum", timed.checksum);
        }
        let row =
            sample.counts.iter().fold(place, |row, (event, reading)| row.with(event.name(), reading.clone()));
        let missing = || Reading::missing("a described machine is not timed: its model knows no waits");
        let [counted, free] =
            timed.get(at).map_or_else(|| [missing(), missing()], |timed| timed.seconds.clone());
        record.rows.push(row.with("cpu_s", counted).with("free_cpu_s", free));
    }
    Ok(record)
}

/// The times of a kernel, and the sum of its product.
struct Timed {
    /// Processor time with one instruction for each access, and with free choice of the
    /// compiler.
    seconds: [Reading; 2],
    checksum: i64,
}

/// Times all kernels in turns, in each of the session's runs.
fn times(session: &Session, operands: Operands<'_>) -> Vec<Timed> {
    let mut seconds = vec![[Vec::new(), Vec::new()]; KERNELS.len()];
    let mut checksums = vec![0; KERNELS.len()];
    let timed = |kernel: &mut dyn FnMut()| session.time(1, &mut || operands.res.fill(|_, _| 0), kernel).runs;
    for _ in 0..session.runs.max(1) {
        for (at, kernel) in KERNELS.iter().enumerate() {
            let [counted, free] = &mut seconds[at];
            counted.extend(timed(&mut || (kernel.native)(operands)));
            checksums[at] = product::checksum(operands.res);
            free.extend(timed(&mut || (kernel.free)(&mut Unobserved, operands)));
        }
    }
    let reading = |runs: Vec<Elapsed>| figure(&runs, |run| run.cpu.0);
    let both = seconds.into_iter().map(|both| both.map(reading));
    both.zip(checksums).map(|(seconds, checksum)| Timed { seconds, checksum }).collect()
}
