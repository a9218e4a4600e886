//! Sampling: what is lost, what is paused, and where the thread stays.

use super::{described, preset};
use crate::kernel::played::{Machine, Settings};
use crate::{Code, Sampler, Samples};
use events::Event;
use system::cpu;

/// A record of a sample is 16 bytes, and one byte of the buffer stays free.
const IN_8_PAGES: u64 = 8 * 4096 / 16 - 1;

/// One sample in each turn.
fn sampled(machine: &Machine, turns: &[u64]) -> Samples {
    machine.play(|| {
        let mut sampler = Sampler::new(&Event::TOT_CYC, 10).unwrap();
        for turns in turns {
            sampler.resume().unwrap();
            machine.work(*turns);
            sampler.pause().unwrap();
        }
        sampler.finish().unwrap()
    })
}

#[test]
fn what_a_full_buffer_loses_is_counted() {
    let machine = described("skl").machine(Settings { locked_pages: 8, ..Settings::default() }, |_, _| 10);
    let pages = system::pages::base().get() as u64 / 4096;
    let fits = (IN_8_PAGES + 1) * pages - 1;
    for lost in [0, 1, 2, 1000, 100_000] {
        let samples = sampled(&machine, &[fits + lost]);
        assert_eq!((samples.addresses.len() as u64, samples.lost), (fits, lost));
        assert_eq!(samples.total(), samples.count.value, "{lost}");
    }
    // Full twice, and emptied between.
    let samples = sampled(&machine, &[fits + 500, 30, fits + 70]);
    assert_eq!((samples.lost, samples.throttled), (570, 0));
    let samples = sampled(&machine, &[700, 20]);
    assert_eq!((samples.addresses.len(), samples.lost, samples.throttled), (720, 0, 0));
}

/// On other cores its event is stopped: a thread that moved there would be
/// sampled no more.
#[test]
fn a_sampler_has_its_core_for_as_long_as_it_lives() {
    let before = cpu::allowed();
    let machine = described("adl_glc").machine(Settings::default(), |_, _| 10);
    machine.play(|| {
        let mut sampler = Sampler::new(&Event::TOT_CYC, 10).unwrap();
        assert_eq!(cpu::allowed(), before[..1]);
        sampler.resume().unwrap();
        machine.work(300);
        let samples = sampler.finish().unwrap();
        assert_eq!((samples.addresses.len(), samples.count.value), (300, 3000));
        assert_eq!(samples.count.multiplexed(), None);
    });
    assert_eq!(cpu::allowed(), before);
}

#[test]
fn a_buffer_that_cannot_be_mapped_lets_the_thread_go_and_names_the_limits() {
    let before = cpu::allowed();
    let machine = described("adl_glc").machine(Settings { locked_pages: 0, ..Settings::default() }, |_, _| 1);
    let refused = machine.play(|| Sampler::new(&Event::TOT_CYC, 1000)).unwrap_err();
    assert!(refused.sentence.contains("ulimit -l"), "{refused}");
    assert_eq!(cpu::allowed(), before);
}

#[test]
fn a_period_of_zero_and_a_derived_event_are_refused() {
    let machine = described("skl").machine(Settings::default(), |_, _| 1);
    machine.play(|| {
        let zero = Sampler::new(&Event::TOT_CYC, 0).unwrap_err();
        assert!(zero.code == Code::Einval && zero.sentence.contains("period of 0"), "{zero}");
        let derived = Sampler::new(&preset("PAPI_FP_OPS"), 1000).unwrap_err();
        assert!(derived.code == Code::Einval && derived.sentence.contains("Sample one of"), "{derived}");
    });
}
