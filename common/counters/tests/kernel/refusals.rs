//! Every refusal of the kernel, on every family.

use std::collections::HashSet;

use super::{described, machine};
use crate::kernel::replayed::{Behaviour, DESCRIPTIONS, Refused, Settings};
use crate::{Counting, Refusal, definition, definitions};
use events::{Event, Preset};

fn sentence(key: &str, settings: Settings, event: &str) -> String {
    let machine = machine(described(key), settings);
    let event = Event::parse(event).unwrap();
    machine.play(|| definition(&event)).unwrap_err().to_string()
}

fn refusing(what: Refused, errno: i32) -> Settings {
    Settings { refuses: Some((what, errno)), ..Settings::default() }
}

#[test]
fn each_error_of_the_kernel_has_its_own_sentence() {
    let all = |errno| sentence("skl", refusing(Refused::Hardware, errno), "cycles");
    let told = [
        (all(libc::ENOENT), "no performance counters"),
        (
            sentence("skl", refusing(Refused::Instructions, libc::ENOENT), "instructions"),
            "cycles but no instructions",
        ),
        (sentence("skl", Settings::default(), "LLC-stores"), "no counter for LLC-stores"),
        (all(libc::EBUSY), "reserved by another program"),
        (all(libc::EMFILE), "ulimit -n"),
        (all(libc::E2BIG), "errno 7"),
        (all(libc::EACCES), "a sandbox or a security module"),
        (sentence("skl", refusing(Refused::Instructions, libc::EINVAL), "instructions"), "in this form"),
        (
            sentence("skl", Settings { paranoid: 4, ..Settings::default() }, "cycles"),
            "perf_event_paranoid is 4",
        ),
        (
            sentence("skl", Settings { paranoid: 2, ..Settings::default() }, "context-switches"),
            "inside the kernel",
        ),
        (
            sentence("sifive_u74", Settings { paranoid: 2, ..Settings::default() }, "cycles"),
            "always counts the kernel's work too",
        ),
    ];
    for (sentence, words) in &told {
        assert!(sentence.contains(words), "{words}: {sentence}");
    }
    let distinct: HashSet<&String> = told.iter().map(|(sentence, _)| sentence).collect();
    assert_eq!(distinct.len(), told.len(), "{told:#?}");
    // The same counters, another error number for it.
    assert_eq!(all(libc::ENOSPC), all(libc::EBUSY));
    assert_eq!(all(libc::EPERM), all(libc::EACCES));
    assert_eq!(all(libc::ENOSYS), all(libc::EPERM), "a kernel with the setting has the call");
    assert_eq!(all(libc::EOPNOTSUPP), all(libc::ENOENT));
}

/// The sentences have all the words, and none that cannot help.
#[test]
fn every_known_obstacle_is_named_and_only_what_can_help() {
    let plain = Settings::default();
    let virtual_machine = Settings { virtual_machine: Some("KVM"), ..plain };
    let container = Settings { container: Some("docker"), ..plain };
    let refused = |what, errno, settings: Settings| Settings { refuses: Some((what, errno)), ..settings };
    const BARE: &str = "knl_unlisted";
    type Row<'t> = (&'t str, Settings, &'t str, &'t [&'t str], &'t [&'t str]);
    let rows: [Row<'_>; 15] = [
        // A setting cannot give a machine the PMU that it does not have.
        (
            BARE,
            Settings { paranoid: 4, ..virtual_machine },
            "cycles",
            &["no hardware counters", "in addition, kernel.perf_event_paranoid is 4"],
            &[],
        ),
        (
            BARE,
            Settings { paranoid: 4, ..virtual_machine },
            "task-clock",
            &["paranoid is 4"],
            &["no hardware"],
        ),
        (BARE, Settings { paranoid: 2, ..virtual_machine }, "cycles", &["no hardware counters"], &["sysctl"]),
        (
            BARE,
            refused(Refused::Everything, libc::EPERM, Settings { virtual_machine: Some("KVM"), ..container }),
            "cycles",
            &["no hardware counters", "in addition, this container (docker)"],
            &["sysctl"],
        ),
        (
            BARE,
            refused(
                Refused::Everything,
                libc::EINVAL,
                Settings { privileged: true, paranoid: 2, ..virtual_machine },
            ),
            "cycles",
            &["no hardware counters"],
            &["sysctl", "in this form"],
        ),
        // Root may do what the setting forbids to others.
        (
            "skl",
            refused(Refused::Everything, libc::EINVAL, Settings { privileged: true, paranoid: 2, ..plain }),
            "cycles",
            &["in this form"],
            &["sysctl", "paranoid"],
        ),
        (
            "skl",
            refused(Refused::Everything, libc::EACCES, Settings { privileged: true, paranoid: 4, ..plain }),
            "cycles",
            &["security module"],
            &["sysctl", "paranoid"],
        ),
        // A filter answers before the kernel's setting does, so both forbid.
        (
            "skl",
            refused(Refused::Everything, libc::EPERM, Settings { paranoid: 3, ..container }),
            "cycles",
            &["seccomp", "in addition", "paranoid is 3", "on the host"],
            &[],
        ),
        (
            "skl",
            refused(Refused::Everything, libc::ENOSYS, container),
            "cycles",
            &["seccomp"],
            &["CONFIG_PERF"],
        ),
        (
            "skl",
            Settings { paranoid: 3, ..container },
            "cycles",
            &["paranoid is 3", "on the host"],
            &["seccomp"],
        ),
        ("skl", Settings { paranoid: 3, ..plain }, "cycles", &["sysctl"], &["on the host"]),
        // WSL2 passes a PMU through by default.
        (
            BARE,
            Settings { virtual_machine: Some("WSL2"), ..plain },
            "cycles",
            &["by default", "hardwarePerformanceCounters=false"],
            &["PerformanceCounters=true"],
        ),
        // Counters that open but cannot be right.
        (
            "skl",
            Settings { behaviour: Behaviour::Silent, ..virtual_machine },
            "PAPI_L1_DCM",
            &["PAPI_TOT_CYC opens but stays at 0", "this virtual machine (KVM) do not count"],
            &[],
        ),
        (
            "skl",
            Settings { behaviour: Behaviour::Silent, ..plain },
            "PAPI_LD_INS",
            &["this machine do not count"],
            &[],
        ),
        (
            "skl",
            Settings { behaviour: Behaviour::Jumps, ..plain },
            "PAPI_LD_INS",
            &["140737488355328 in 0.002 ms", "no processor can do"],
            &[],
        ),
    ];
    let bare = DESCRIPTIONS.iter().find(|described| described.driver.name == "none").unwrap();
    for (key, settings, event, has, has_not) in rows {
        let key = if key == BARE { bare.family.key } else { key };
        let told = sentence(key, settings, event);
        assert!(has.iter().all(|words| told.contains(words)), "{has:?}: {told}");
        assert!(has_not.iter().all(|words| !told.contains(words)), "not {has_not:?}: {told}");
    }
}

/// The watchdog is named where it runs.
#[test]
fn an_event_that_finds_no_counter_names_the_watchdog_only_if_it_runs() {
    let told = [false, true].map(|watchdog| {
        let settings = Settings { watchdog, ..Settings::default() };
        let machine = described("adl_glc").machine(settings, |_, _| 1);
        // Of the other kind of cores than the program is pinned to.
        let event = Event::parse("cpu_atom/event=0x3c/").unwrap();
        machine.play(|| definition(&event)).unwrap_err().to_string()
    });
    assert!(told.iter().all(|told| told.contains("opens but never runs")), "{told:?}");
    assert_eq!(told.map(|told| told.contains("nmi_watchdog")), [false, true]);
}

/// No refusal is taken for another on any family, whatever the preset.
#[test]
fn every_family_says_a_refusal_by_its_kind() {
    type Is = fn(&Refusal) -> bool;
    let kinds: [(i32, Is); 7] = [
        (libc::ENOENT, |r| matches!(r, Refusal::NoPmu)),
        (libc::EOPNOTSUPP, |r| matches!(r, Refusal::NoPmu)),
        (libc::EBUSY, |r| matches!(r, Refusal::Busy { .. })),
        (libc::ENOSPC, |r| matches!(r, Refusal::Busy { .. })),
        (libc::EMFILE, |r| matches!(r, Refusal::Invalid { why, .. } if why.contains("ulimit"))),
        (libc::EACCES, |r| matches!(r, Refusal::Sealed { .. })),
        (libc::ENOSYS, |r| matches!(r, Refusal::Sealed { .. })),
    ];
    let presets: Vec<Event> = Preset::all().map(Event::Preset).collect();
    for described in DESCRIPTIONS.iter() {
        for (errno, is) in kinds {
            let machine = described.machine(refusing(Refused::Everything, errno), |_, _| 0);
            for (event, found) in presets.iter().zip(machine.play(|| definitions(&presets))) {
                let refusal = found.unwrap_err();
                let last = match &refusal {
                    Refusal::Several(all) => all.last().unwrap(),
                    one => one,
                };
                let told = is(last) || matches!(refusal, Refusal::NotMapped { .. });
                assert!(told, "{} {event} {errno}: {refusal}", described.family.key);
            }
        }
        let strict = Settings { paranoid: 3, ..Settings::default() };
        let found = machine(described, strict).play(|| definition(&Event::TOT_INS)).unwrap_err();
        assert!(found.to_string().contains("paranoid is 3"), "{}: {found}", described.family.key);
    }
}

#[test]
fn a_refused_event_is_asked_for_once() {
    let machine = machine(described("skl"), refusing(Refused::Everything, libc::ENOSYS));
    assert!(machine.play(|| definition(&Event::TOT_CYC)).is_err());
    assert_eq!(machine.asked().len(), 1);
}

/// Without a PMU three openings are enough: the first event, cycles and instructions.
#[test]
fn without_a_pmu_no_more_events_are_asked_for_than_it_takes_to_know() {
    let bare = DESCRIPTIONS.iter().find(|described| described.driver.name == "none").unwrap();
    for events in [
        &[Event::L1_DCM, Event::LD_INS, Event::SR_INS, Event::TOT_CYC][..],
        &[Event::TOT_CYC, Event::TOT_INS],
        &[Event::L1_DCM],
    ] {
        for (described, settings) in [
            (bare, Settings { virtual_machine: Some("KVM"), ..Settings::default() }),
            (described("skl"), refusing(Refused::Hardware, libc::ENOENT)),
        ] {
            let machine = machine(described, settings);
            machine.play(|| {
                for found in Counting::open(events).definitions() {
                    let refusal = found.as_ref().unwrap_err();
                    let is_known =
                        matches!(refusal, Refusal::NoPmu | Refusal::NoPmuInVm(_) | Refusal::NotMapped { .. });
                    assert!(is_known, "{refusal}");
                }
            });
            assert!(machine.asked().len() <= 3, "{} for {events:?}", machine.asked().len());
        }
    }
}

/// An event of the cores' PMU by its name has the same reason as all others.
#[test]
fn without_a_pmu_its_events_by_name_say_so_too() {
    let bare = DESCRIPTIONS.iter().find(|described| described.driver.name == "none").unwrap();
    let machine = machine(bare, Settings { virtual_machine: Some("KVM"), ..Settings::default() });
    machine.play(|| {
        let refusal = definition(&Event::parse("cpu/event=0x03/").unwrap()).unwrap_err();
        assert!(matches!(refusal, Refusal::NoPmuInVm(_)), "{refusal}");
    });
}

/// The limit is met in the middle: the events before it still count.
#[test]
fn too_many_open_files_leave_the_other_events() {
    let machine = described("skl").machine(Settings { files: 2, ..Settings::default() }, |_, _| 1);
    machine.play(|| {
        let mut counting = Counting::open(&[Event::TOT_INS, Event::TOT_CYC, Event::REF_CYC]);
        let readings = counting.count(&mut || {}, &mut || machine.work(4)).unwrap();
        assert_eq!(readings[0].amount(), Some(4.0), "{readings:?}");
        assert!(readings[2].to_string().contains("ulimit -n"), "{readings:?}");
    });
}
