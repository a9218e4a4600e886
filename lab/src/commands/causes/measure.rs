//! The guide's products compared with versions that lack one cause of their time.

use common::clock::Elapsed;
use common::failure::Failure;
use common::measure::{self, Measured, Session};
use common::memory::Unobserved;
use common::product::{self, Options};
use common::record::{Record, Row};
use common::units::Bytes;
use common::value::Reading;
use ladder::Runs;

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
    let [mul1, mul2, res] = product::operands(session, &arena, &options)?;
    let tmp = arena.matrix("tmp", options.size(), options.size()).map_err(Failure::could_not)?;
    tmp.fill(|i, j| mul2.at(j, i).get());
    let operands = Operands { mul1, mul2, tmp, res, block };
    let timed = times(session, operands)?;
    let mut record = session.record("causes").set("size", size).set("line_size", line.0);
    session.note(&mut record, plan.note());
    for (kernel, timed) in KERNELS.iter().zip(timed) {
        let region = Measured {
            native: &mut || (kernel.native)(operands),
            modelled: &mut |mem| (kernel.modelled)(mem, operands),
            computes: true,
            idle: &[],
        };
        let clear = &mut || res.fill(|_, _| 0);
        let sample = session.count_alone(&arena, &plan, clear, region.without_numbers())?;
        let mut row = Row::at([("kernel", kernel.name.into()), ("size", size.into())])
            .set("c", kernel.c)
            .set("waits_for", kernel.waits);
        // On a described machine nothing is computed.
        if let Ok((_, checksum)) = timed {
            row = row.result("checksum", checksum);
        }
        for (event, reading) in sample.counts {
            row = row.with(event.name(), reading);
        }
        let seconds = |which: usize| match &timed {
            Ok((runs, _)) => {
                measure::seconds(&runs.iter().map(|run| run[which]).collect::<Vec<_>>(), |run| run.cpu)
            }
            Err(why) => Reading::missing(why),
        };
        record.rows.push(row.with("cpu_s", seconds(0)).with("free_cpu_s", seconds(1)));
    }
    Ok(record)
}

/// The times of each kernel, in turns: with one instruction for each access, and with free choice of the compiler; and
/// the sum of its product.
fn times(session: &Session, o: Operands<'_>) -> Result<Vec<Runs<[Elapsed; 2], i64>>, Failure> {
    if !session.measures_host {
        let why = "a described machine is not timed: its model knows no waits";
        return Ok(KERNELS.iter().map(|_| Err(why.to_owned())).collect());
    }
    let timed = |kernel: &mut dyn FnMut()| session.time(1, &mut || o.res.fill(|_, _| 0), kernel).runs[0];
    let once = |at: usize| {
        let free = timed(&mut || (KERNELS[at].free)(&mut Unobserved, o));
        Ok([timed(&mut || (KERNELS[at].native)(o)), free])
    };
    let check = |_| Ok(product::checksum(o.res));
    ladder::in_turns(session, KERNELS.len(), session.runs, once, check)
}
