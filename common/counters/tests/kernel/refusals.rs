//! Every refusal of the kernel: the obstacle, the kernel's state, and the sentence.

use super::{described, machine};
use crate::definition;
use crate::kernel::played::{Behaviour, Described, Refused, Settings};
use events::Event;

fn refusing(what: Refused, errno: i32) -> Settings {
    Settings { refuses: Some((what, errno)), ..Settings::default() }
}

/// A family whose machines have no PMU.
fn bare() -> Described {
    described("apple_m3")
}

/// The words that the sentence about a family's event has; and, behind `but not`, has not.
type Row = (&'static str, Settings, &'static str, &'static str);

/// The sentences have all the words, and none that cannot help.
#[test]
fn every_known_obstacle_is_named_and_only_what_can_help() {
    use Refused::{Everything, Hardware, Instructions};
    use libc::{E2BIG, EACCES, EBUSY, EINVAL, EMFILE, ENOENT, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM};
    let plain = Settings::default();
    let at = |paranoid| Settings { paranoid, ..plain };
    let kvm = |paranoid| Settings { virtual_machine: Some("KVM"), ..at(paranoid) };
    let wsl = Settings { virtual_machine: Some("WSL2"), ..plain };
    let docker = |paranoid| Settings { container: Some("docker"), ..at(paranoid) };
    let root = |paranoid| Settings { privileged: true, ..at(paranoid) };
    let refuse = |what, errno, settings| Settings { refuses: Some((what, errno)), ..settings };
    let behave = |behaviour, settings| Settings { behaviour, ..settings };
    let rows: &[Row] = &[
        ("skl", refusing(Hardware, ENOENT), "cycles", "no performance counters"),
        ("skl", refusing(Hardware, EOPNOTSUPP), "cycles", "no performance counters"),
        ("skl", refusing(Instructions, ENOENT), "instructions", "cycles but no instructions"),
        ("skl", refusing(Instructions, EINVAL), "instructions", "in this form"),
        ("skl", plain, "LLC-stores", "no counter for LLC-stores"),
        ("skl", refusing(Hardware, EBUSY), "cycles", "reserved by another program"),
        ("skl", refusing(Hardware, ENOSPC), "cycles", "reserved by another program"),
        ("skl", refusing(Hardware, EMFILE), "cycles", "Too many open files"),
        ("skl", refusing(Hardware, E2BIG), "cycles", "errno 7"),
        ("skl", refusing(Hardware, EACCES), "cycles", "a sandbox or a security module"),
        ("skl", refusing(Hardware, EPERM), "cycles", "a sandbox or a security module"),
        ("skl", refusing(Hardware, ENOSYS), "cycles", "a sandbox or a security module, but not CONFIG_PERF"),
        ("skl", at(3), "cycles", "paranoid is 3, sysctl, but not on the host"),
        ("skl", at(2), "context-switches", "inside the kernel"),
        ("sifive_u74", at(2), "cycles", "always counts the kernel's work too"),
        // A setting cannot give a machine the PMU that it does not have.
        ("", kvm(4), "cycles", "no hardware counters, in addition; kernel.perf_event_paranoid is 4"),
        ("", kvm(4), "task-clock", "paranoid is 4, but not no hardware"),
        ("", kvm(2), "cycles", "no hardware counters, but not sysctl"),
        ("", kvm(2), "cpu/event=0x03/", "no hardware counters"),
        (
            "",
            refuse(Everything, EPERM, Settings { container: Some("docker"), ..kvm(1) }),
            "cycles",
            "no hardware counters, in addition; this container (docker), but not sysctl",
        ),
        (
            "",
            refuse(Everything, EINVAL, Settings { privileged: true, ..kvm(2) }),
            "cycles",
            "no hardware counters, but not sysctl, in this form",
        ),
        // Root may do what the setting forbids to others.
        ("skl", refuse(Everything, EINVAL, root(2)), "cycles", "in this form, but not sysctl, paranoid"),
        ("skl", refuse(Everything, EACCES, root(4)), "cycles", "security module, but not sysctl, paranoid"),
        // A filter answers before the kernel's setting does, so both forbid.
        (
            "skl",
            refuse(Everything, EPERM, docker(3)),
            "cycles",
            "seccomp, in addition, paranoid is 3, on the host",
        ),
        ("skl", refuse(Everything, ENOSYS, docker(1)), "cycles", "seccomp, but not CONFIG_PERF"),
        ("skl", docker(3), "cycles", "paranoid is 3, on the host, but not seccomp"),
        // WSL2 passes a PMU through by default.
        (
            "",
            wsl,
            "cycles",
            "by default, hardwarePerformanceCounters=false, but not PerformanceCounters=true",
        ),
        // Counters that open but cannot be right.
        (
            "skl",
            behave(Behaviour::Silent, kvm(1)),
            "PAPI_L1_DCM",
            "PAPI_TOT_CYC opens but stays at 0, this virtual machine (KVM) do not count",
        ),
        ("skl", behave(Behaviour::Silent, plain), "PAPI_LD_INS", "this machine do not count"),
        (
            "skl",
            behave(Behaviour::Jumps, plain),
            "PAPI_LD_INS",
            "140737488355328 in 0.002 ms, no processor can do",
        ),
        // Presets that a family does not count.
        ("amd64_fam17h_zen2", plain, "PAPI_FP_INS", "Zen 2: PAPI's event counts every MMX"),
        ("hsw", plain, "PAPI_FP_OPS", "Intel Haswell: the processor has no floating-point events"),
        ("apple_m3", plain, "PAPI_VEC_INS", "Apple publishes no event table, none of the kernel's"),
    ];
    for (key, settings, event, words) in rows {
        let family = if key.is_empty() { bare() } else { described(key) };
        let event = Event::parse(event).unwrap();
        let sentence = machine(&family, *settings).play(|| definition(&event)).unwrap_err().sentence;
        let (has, has_not) = words.split_once(", but not ").unwrap_or((words, ""));
        for words in has.split(", ") {
            assert!(sentence.contains(&words.replace(';', ",")), "{words}: {sentence}");
        }
        for words in has_not.split(", ").filter(|words| !words.is_empty()) {
            assert!(!sentence.contains(words), "not {words}: {sentence}");
        }
    }
}

/// The watchdog is named where it runs.
#[test]
fn an_event_that_finds_no_counter_names_the_watchdog_only_if_it_runs() {
    let sentences = [false, true].map(|watchdog| {
        let settings = Settings { watchdog, ..Settings::default() };
        let machine = described("adl_glc").machine(settings, |_, _| 1);
        // Of the other kind of cores than the program is pinned to.
        let event = Event::parse("cpu_atom/event=0x3c/").unwrap();
        machine.play(|| definition(&event)).unwrap_err().sentence
    });
    assert!(sentences.iter().all(|sentence| sentence.contains("opens but never runs")), "{sentences:?}");
    assert_eq!(sentences.map(|sentence| sentence.contains("nmi_watchdog")), [false, true]);
}
