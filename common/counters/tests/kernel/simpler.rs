//! Kernels and PMUs that take less than the newest: what is asked for instead.

use super::{count, described};
use crate::definition::Scope;
use crate::kernel::replayed::Settings;
use crate::{Refusal, Sampler, definition};
use events::{Event, kernel};

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
        assert!(matches!(refused, Refusal::KernelIncluded { level: 2, .. }), "{refused}");
        let root = u74.machine(Settings { privileged: true, ..free(4) }, |_, _| 9);
        assert!(root.play(|| definition(&event)).is_ok());
    }
    // A PMU with filters is never asked for less.
    let machine = described("skl").machine(free(-1), |_, _| 9);
    machine.play(|| {
        assert_eq!(definition(&Event::TOT_INS).unwrap().parts[0].encoding.scope, Scope::Program);
        assert!(machine.asked().iter().all(|attr| attr.exclude_kernel() == 1 && attr.exclude_hv() == 1));
    });
}

/// EOPNOTSUPP, three times: the driver wants guests left out, it has no interrupt,
/// it lacks the event.
#[test]
fn operation_not_supported_is_distinguished() {
    let machine = described("apple_m1").machine(free(2), |_, _| 4);
    machine.play(|| {
        let found = definition(&Event::TOT_INS).unwrap();
        assert_eq!(found.parts[0].encoding.scope, Scope::ProgramWithoutGuests);
        let readings = count(&[Event::TOT_INS], || machine.work(2));
        assert_eq!(readings[0].amount(), Some(8.0));
    });
    let machine = described("sifive_u74").machine(free(1), |_, _| 4);
    machine.play(|| {
        let refused = Sampler::new(&Event::TOT_CYC, 1000).unwrap_err();
        assert!(refused.sentence.contains("raises no interrupt"), "{refused}");
        assert!(definition(&Event::TOT_CYC).is_ok());
        let missing = definition(&Event::parse("LLC-loads").unwrap()).unwrap_err();
        assert!(matches!(missing, Refusal::NotOnThisCpu { .. }), "{missing}");
    });
}

/// Where cores differ an event names its PMU, if the kernel takes that, and the
/// thread is limited to that PMU's cores while it counts.
#[test]
fn on_two_kinds_of_cores_events_are_of_the_kind_that_the_thread_is_pinned_to() {
    for key in ["adl_glc", "lnl", "apple_m1", "arm_ac76", "arm_x4"] {
        for extended_types in [true, false] {
            let settings = Settings { extended_types, ..free(2) };
            let machine = described(key).machine(settings, |code, _| code);
            machine.play(|| {
                let event = Event::parse("instructions").unwrap();
                let part = definition(&event).unwrap().parts.remove(0);
                let upper = part.encoding.config >> 32;
                let x86 = described(key).driver.name == "intel";
                let named = if x86 { u64::from(kernel::RAW) } else { 8 };
                assert_eq!(upper, if extended_types { named } else { 0 }, "{key}");
                let readings = count(std::slice::from_ref(&event), || machine.work(1));
                let code = described(key).driver.generic[1].1;
                assert_eq!(readings[0].amount(), Some(code as f64), "{key} {extended_types}: {readings:?}");
            });
        }
    }
}
