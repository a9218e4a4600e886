//! Kernels and PMUs that take less than the newest: what is asked for instead.

use super::{count, described};
use crate::definition::Scope;
use crate::kernel::played::Settings;
use crate::{Sampler, definition, event};
use events::Event;
use system::cpu;

fn free(paranoid: i32) -> Settings {
    Settings { paranoid, ..Settings::default() }
}

/// The U74 has no filters: allowed where the kernel may be counted, with a note.
#[test]
fn a_pmu_that_can_leave_nothing_out_counts_everything_where_that_is_allowed() {
    let u74 = described("sifive_u74");
    for event in [Event::TOT_INS, Event::TOT_CYC, super::preset("PAPI_BR_CN")] {
        let machine = u74.machine(free(1), |_, _| 9);
        machine.play(|| {
            let found = definition(&event).unwrap();
            assert_eq!(found.parts[0].encoding.scope, Scope::Everything);
            assert!(found.notes.last().unwrap().contains("cannot exclude anything"), "{:?}", found.notes);
            let readings = count(std::slice::from_ref(&event), || machine.work(2));
            assert_eq!(readings[0].amount(), Some(18.0));
        });
        let strict = u74.machine(free(2), |_, _| 9);
        let refused = strict.play(|| definition(&event)).unwrap_err();
        assert!(refused.sentence.contains("kernel.perf_event_paranoid 2 forbids that"), "{refused}");
        let root = u74.machine(Settings { privileged: true, ..free(4) }, |_, _| 9);
        assert!(root.play(|| definition(&event)).is_ok());
    }
}

#[test]
fn a_driver_without_an_interrupt_is_named() {
    let machine = described("sifive_u74").machine(free(1), |_, _| 4);
    machine.play(|| {
        let refused = Sampler::new(&Event::TOT_CYC, 1000).unwrap_err();
        assert!(refused.sentence.contains("raises no interrupt"), "{refused}");
        assert!(definition(&Event::TOT_CYC).is_ok());
    });
}

/// What flops opens, by the name that is everybody's for the cores' PMU.
#[test]
fn the_cores_pmu_is_meant_whatever_it_is_called() {
    for (key, pmu) in [("arm_n1", "armv8_pmuv3_0"), ("arm_ac76", "armv8_cortex_a76")] {
        let machine = described(key).machine(Settings::default(), |code, _| code);
        let events = ["cpu/event=0x75/".to_owned(), "r75".to_owned(), format!("{pmu}/event=0x74/")];
        machine.play(|| {
            let events = events.map(|text| event(&text).unwrap());
            let amounts = count(&events, || machine.work(1)).into_iter().map(|reading| reading.amount());
            assert!(amounts.eq([Some(117.0), Some(117.0), Some(116.0)]), "{key}");
        });
    }
}

/// Where cores differ an event names its PMU, if the kernel takes that, and the
/// thread is limited to that PMU's cores while it counts.
#[test]
fn on_two_kinds_of_cores_events_are_of_the_kind_that_the_thread_is_pinned_to() {
    let before = cpu::allowed();
    for key in ["adl_glc", "arm_ac76"] {
        // A kind of core for each of two processors, if this machine has as many.
        for (kind, extended_types) in [(0, true), (0, false), (1, true)].into_iter().take(1 + before.len()) {
            let settings = Settings { extended_types, kept_to: Some(kind), ..free(2) };
            let machine = described(key).machine(settings, |code, _| code);
            machine.play(|| {
                let event = Event::parse("instructions").unwrap();
                let part = definition(&event).unwrap().parts.remove(0);
                let named = [u64::from(described(key).driver.first_kind), 11][kind];
                assert_eq!(part.encoding.config >> 32, u64::from(extended_types) * named, "{key} {kind}");
                let readings = count(std::slice::from_ref(&event), || machine.work(1));
                let code = described(key).driver.generic[1].1;
                assert_eq!(readings[0].amount(), Some(code as f64), "{key} {kind}: {readings:?}");
            });
            assert_eq!(cpu::allowed(), before);
        }
    }
}
