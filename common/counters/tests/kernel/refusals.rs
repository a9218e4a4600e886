//! Every refusal of the kernel, on every family.

use std::collections::HashSet;

use super::{described, machine};
use crate::kernel::replayed::{DESCRIPTIONS, Refused, Settings};
use crate::papi::{EventSet, query_event};
use crate::{Code, Refusal, survey};
use events::{Event, Preset};

fn sentence(key: &str, settings: Settings, event: &str) -> String {
    let machine = machine(described(key), settings);
    let event = Event::parse(event).unwrap();
    machine.play(|| survey(&[event])).pop().unwrap().unwrap_err().to_string()
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
        (all(libc::ENOSYS), "CONFIG_PERF_EVENTS"),
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
    assert_eq!(all(libc::EOPNOTSUPP), all(libc::ENOENT));
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
        (libc::ENOSYS, |r| matches!(r, Refusal::NoPerf)),
    ];
    let presets: Vec<Event> = Preset::all().map(Event::Preset).collect();
    for described in DESCRIPTIONS.iter() {
        for (errno, is) in kinds {
            let machine = described.machine(refusing(Refused::Everything, errno), |_, _| 0);
            for (event, found) in presets.iter().zip(machine.play(|| survey(&presets))) {
                let refusal = found.unwrap_err();
                let told = is(&refusal) || matches!(refusal, Refusal::NotMapped { .. });
                assert!(told, "{} {event} {errno}: {refusal}", described.family.key);
            }
        }
        let strict = Settings { paranoid: 3, ..Settings::default() };
        let found = machine(described, strict).play(|| query_event(&Event::TOT_INS)).unwrap_err();
        assert_eq!(found, Refusal::Paranoid { level: 3 }, "{}", described.family.key);
    }
}

#[test]
fn an_event_is_asked_for_by_itself() {
    let machine = machine(described("skl"), refusing(Refused::Everything, libc::ENOSYS));
    assert_eq!(machine.play(|| query_event(&Event::TOT_CYC)), Err(Refusal::NoPerf));
    assert_eq!(machine.asked().len(), 1);
}

/// The limit is met in the middle of a set, which still has what it had before.
#[test]
fn too_many_open_files_do_not_break_a_set() {
    let machine = described("skl").machine(Settings { files: 2, ..Settings::default() }, |_, _| 1);
    machine.play(|| {
        let mut set = EventSet::create();
        set.add_all(&[Event::TOT_INS, Event::TOT_CYC]).unwrap();
        let refused = set.add(&Event::REF_CYC).unwrap_err();
        assert!(refused.code == Code::Einval && refused.sentence.contains("ulimit -n"), "{refused}");
        set.start().unwrap();
        machine.work(4);
        assert!(set.stop().unwrap().iter().all(|reading| reading.amount() == Some(4.0)));
    });
}
