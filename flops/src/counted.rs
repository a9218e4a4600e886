//! The rate from counted events, by the article's formula.

use std::fmt::Write;

use common::core_clock;
use common::events::Event;
use common::failure::Failure;
use common::measure::reading_of;
use common::output::Reasons;
use common::value::{Reading, Source};

use crate::events::{FpEvent, Generation};
use crate::known::Known;
use crate::team::Team;

/// The counts of a product.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The floating-point events of this generation with their counts.
    pub events: Vec<(FpEvent, Reading)>,
    /// Unhalted cycles of all threads.
    pub cycles: Reading,
    /// Measured clock frequency in hertz.
    pub frequency: f64,
}

impl Counted {
    pub(crate) fn measure(team: &mut Team<'_>, generation: Option<&Generation>) -> Result<Counted, Failure> {
        let table = generation.map_or(&[][..], |g| g.events);
        let known: Vec<(FpEvent, Option<Event>)> = table.iter().map(|fp| (*fp, fp.event())).collect();
        let events: Vec<Event> =
            known.iter().filter_map(|(_, event)| event.clone()).chain([Event::TOT_CYC]).collect();
        let session = team.session;
        let plan = session.plan(&events, false)?;
        let mut ran = Ok(());
        let counts = session.count(&plan, &mut || {}, &mut || {
            if ran.is_ok() {
                ran = team.run(None).map(drop);
            }
        });
        let counts = ran.and(counts)?;
        let reading = |event: Option<Event>| {
            let missing = || Reading::missing("the kernel has no PMU of that name");
            event.map_or_else(missing, |event| reading_of(&counts, &event))
        };
        let events = known.into_iter().map(|(fp, event)| (fp, reading(event))).collect();
        Ok(Counted { events, cycles: reading(Some(Event::TOT_CYC)), frequency: core_clock::measure().0 })
    }

    /// Floating-point operations from all counted events.
    pub fn operations(&self) -> Reading {
        if self.events.is_empty() {
            return Reading::missing("this processor has no events of floating-point work");
        }
        let all = self.events.iter().map(|(fp, reading)| Ok(reading.result()? * fp.operations));
        let sum = all.sum::<Result<f64, &str>>().and_then(|sum| match sum {
            // A product consists of floating-point operations only.
            0.0 => Err(
                "the events open but stay at 0 through the whole product: this processor does not count them",
            ),
            _ => Ok(sum),
        });
        Reading::of(sum, Source::Hardware)
    }

    /// Seconds by the article's formula: cycles divided by frequency and by cores.
    fn seconds(&self, cores: usize) -> Reading {
        self.cycles.scaled(1.0 / self.frequency / cores as f64)
    }

    fn rate(&self, known: &Known) -> Reading {
        Reading::joined(&self.operations(), &known.seconds, |operations, seconds| operations * 1e-6 / seconds)
    }

    /// All figures by name.
    pub(crate) fn figures(&self, known: &Known) -> Vec<(&'static str, Reading)> {
        let mut all = vec![
            ("counted_mflops", self.rate(known)),
            ("seconds_by_cycles", self.seconds(known.threads)),
            ("PAPI_TOT_CYC", self.cycles.clone()),
        ];
        all.extend(self.events.iter().map(|(fp, reading)| (fp.name, reading.clone())));
        all
    }

    /// Its lines.
    pub(crate) fn text(&self, known: &Known, reasons: &mut Reasons) -> String {
        let mut out = format!("counted_mflops={:.3}\n", reasons.once(&self.rate(known)));
        for (fp, reading) in &self.events {
            let _ = writeln!(out, "  {} x {} = {:.0}", fp.operations, fp.name, reasons.once(reading));
        }
        if let (Some(operations), Some(cycles), Some(elapsed)) =
            (self.operations().amount(), self.cycles.amount(), self.seconds(known.threads).amount())
        {
            let _ = writeln!(
                out,
                "  elapsed = cycles / frequency / cores = {cycles:.0} / {:.4} x 10^9 / {} = {elapsed:.3} s",
                self.frequency / 1e9,
                known.threads
            );
            let _ = writeln!(
                out,
                "  MFLOPS = operations / 10^6 / elapsed = {operations:.0} / 10^6 / {elapsed:.3} s = {:.3}",
                operations / 1e6 / elapsed
            );
        }
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kernels::KERNELS;

    /// The article's runs on 12 threads at 3.33 GHz: x87 with 607,652 million cycles and
    /// 18,470 million events takes 15.206 s, at 1,214.652 MFLOPS; packed SSE 1.656 s.
    #[test]
    fn the_articles_numbers_give_the_articles_rate() {
        let fp = FpEvent { name: "FP_COMP_OPS_EXE.X87", spec: "", operations: 1.0, kernel: Some("x87") };
        let hardware = |amount| Reading::new(amount, Source::Hardware);
        let (seconds, busy) = (hardware(1.0), hardware(1.0));
        let known = Known { kernel: &KERNELS[0], n: 1, threads: 12, repeats: 1, seconds, busy, right: true };
        let events = vec![(fp, hardware(18_470e6))];
        let x87 = Counted { events, cycles: hardware(607_652e6), frequency: 3.33e9 };
        let text = x87.text(&known, &mut Reasons::default());
        assert!(text.contains("= 607652000000 / 3.3300 x 10^9 / 12 = 15.207 s"), "{text}");
        assert!(text.contains("= 18470000000 / 10^6 / 15.207 s = 1214.6"), "{text}");
        let sse = Counted { cycles: hardware(66_178e6), ..x87 };
        assert!((sse.seconds(12).amount().unwrap() - 1.656).abs() < 1e-3);
    }
}
