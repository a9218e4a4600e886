//! The guide's products beside versions that lack one cause of their time. A crate
//! of its own, since what is measured is compiled like the guide's programs.

mod kernels;

use common::clock::Stopwatch;
use common::failure::Failure;
use common::isa::Native;
use common::measure::{Measured, Session};
use common::product::{self, Options};
use common::record::{Record, Row};
use common::units::Bytes;
use common::value::{Reading, Source, Value};

use kernels::{KERNELS, Operands};

/// The six products: their accesses and misses, and their times taken in turns,
/// so that what disturbs one run disturbs all.
///
/// # Errors
///
/// If the line is impossible, memory is short or a counter fails.
pub fn measure(session: &Session, size: u32, line: Bytes) -> Result<Record, Failure> {
    let block = mm3::elements_per_line(line)?;
    let options = Options::new(size, &["PAPI_L1_DCM", "PAPI_LD_INS", "PAPI_SR_INS"]);
    let plan = options.plan(session)?;
    let arena = product::arena(&options, 4)?;
    let [mul1, mul2, res] = product::operands(&arena, &options)?;
    let tmp = arena.matrix("tmp", options.size(), options.size()).map_err(Failure::could_not)?;
    tmp.fill(|i, j| mul2.at(j, i).get());
    let operands = Operands { mul1, mul2, tmp, res, block };
    let times = if session.here { times(session.runs, operands) } else { Vec::new() };
    let mut record = session.record("causes").set("size", size).set("line_size", line.0);
    session.note(&mut record, plan.sentence());
    for (at, kernel) in KERNELS.iter().enumerate() {
        let region = Measured {
            native: &mut |mem| (kernel.native)(mem, operands),
            modelled: &mut |mem| (kernel.modelled)(mem, operands),
            computes: true,
            idle: &[],
        };
        let sample = session.measure(&arena, &plan, &mut || res.fill(|_, _| 0), region)?;
        let keys = [
            ("kernel", kernel.name.into()),
            ("c", kernel.c.into()),
            ("waits_for", kernel.waits.into()),
            ("size", size.into()),
            // On a described machine nothing is multiplied.
            ("checksum", session.here.then(|| product::checksum(res)).into()),
        ];
        let row = sample
            .counts
            .iter()
            .fold(Row::new(keys), |row, (event, reading)| row.with(event.name(), reading.clone()));
        let missing = || Reading::missing("a described machine is not timed: its model knows no waits");
        let time = times.get(at).cloned().unwrap_or_else(missing);
        record.rows.push(row.with("cpu_s", time));
    }
    Ok(record)
}

/// The processor time of each kernel, in seconds.
fn times(rounds: usize, operands: Operands<'_>) -> Vec<Reading> {
    let mut seconds = vec![Vec::new(); KERNELS.len()];
    for _ in 0..rounds.max(1) {
        for (kernel, seconds) in KERNELS.iter().zip(&mut seconds) {
            operands.res.fill(|_, _| 0);
            let watch = Stopwatch::start();
            (kernel.native)(&mut Native, operands);
            seconds.push(watch.stop().cpu.0);
        }
    }
    let reading = |runs: Vec<f64>| {
        Value::from_runs(&runs, Source::Timing).map_or_else(|| Reading::missing("no run"), Reading::from)
    };
    seconds.into_iter().map(reading).collect()
}
