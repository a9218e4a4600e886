//! What the kernel would be asked to open for every preset of every x86 family
//! in the map, and how its refusals are told. The kernel is played by hooks:
//! no PMU is needed.

use std::collections::HashMap;
use std::os::fd::IntoRawFd;
use std::sync::{Arc, Mutex};

use perf_event::hooks::sys::bindings::perf_event_attr;
use perf_event::hooks::{Hooks, clear_thread_hooks, set_thread_hooks};

use super::{Handle, Opening};
use crate::{Definition, Origin, Platform, Refusal, survey};
use events::{Event, FAMILIES, Preset};

/// Family, preset, native event's place, type, config, config1.
type Row = (String, String, usize, u32, u64, u64);

/// The map as it was published, one line per event: made once from PAPI's own
/// table and libpfm's encodings, so that the kit's compact form is held
/// against it.
fn published() -> Vec<Row> {
    include_str!("../../../tests/data/x86_preset_encodings.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let f: Vec<&str> = line.split(',').collect();
            let hex = |digits| u64::from_str_radix(digits, 16).unwrap();
            (f[0].into(), f[1].into(), f[2].parse().unwrap(), f[3].parse().unwrap(), hex(f[4]), hex(f[5]))
        })
        .collect()
}

fn definition(family: &str, preset: &str) -> Result<Definition, Refusal> {
    let family = FAMILIES.iter().find(|f| f.key == family).unwrap();
    let preset = Event::Preset(Preset::named(preset).unwrap());
    Platform::of_family(family).definitions(&preset).map(|mut ways| ways.remove(0))
}

/// The events that were asked for, as the fake kernel saw them.
type Seen = Arc<Mutex<Vec<perf_event_attr>>>;

/// Answers each open with an error number, or with a descriptor of /dev/null.
struct Fake {
    seen: Seen,
    answer: fn(&perf_event_attr) -> i32,
}

impl Hooks for Fake {
    unsafe fn perf_event_open(
        &mut self,
        attrs: *mut perf_event_attr,
        _pid: i32,
        _cpu: i32,
        _group: i32,
        _flags: std::ffi::c_ulong,
    ) -> i32 {
        // SAFETY: the caller gives a whole attribute block.
        let attr = unsafe { *attrs };
        self.seen.lock().unwrap().push(attr);
        match (self.answer)(&attr) {
            0 => std::fs::File::open("/dev/null").unwrap().into_raw_fd(),
            errno => {
                // SAFETY: sets the calling thread's error number.
                unsafe { *libc::__errno_location() = errno };
                -1
            }
        }
    }

    unsafe fn ENABLE(&mut self, _fd: i32, _arg: u32) -> i32 {
        0
    }

    unsafe fn DISABLE(&mut self, _fd: i32, _arg: u32) -> i32 {
        0
    }
}

/// What `then` gives on a kernel that answers each opening with an error number, or
/// with an event of which nothing can be read, for 0; and what it was asked for.
pub(crate) fn played<T>(
    answer: fn(&perf_event_attr) -> i32,
    then: impl FnOnce() -> T,
) -> (T, Vec<perf_event_attr>) {
    let seen: Seen = Arc::default();
    // SAFETY: no event is open on this thread, and none outlives `then`.
    unsafe { set_thread_hooks(Box::new(Fake { seen: Arc::clone(&seen), answer })) };
    let result = then();
    // SAFETY: as above.
    unsafe { clear_thread_hooks() };
    let attrs = seen.lock().unwrap().clone();
    (result, attrs)
}

#[test]
fn every_x86_preset_opens_what_the_map_says() {
    let mut families: HashMap<String, usize> = HashMap::new();
    let mut overridden = 0;
    for (family, preset, place, kind, config, config1) in published() {
        *families.entry(family.clone()).or_default() += 1;
        let Ok(definition) = definition(&family, &preset) else {
            overridden += 1;
            continue;
        };
        if !matches!(definition.origin, Origin::Table(f) if f.key == family) {
            overridden += 1;
            continue;
        }
        let encoding = definition.parts[place].encoding;
        let (opened, attrs) = played(|_| libc::ENOENT, || Handle::open(encoding, Opening::default(), None));
        assert!(opened.is_err());
        let attr = attrs[0];
        let name = format!("{family} {preset} {}", definition.parts[place].name);
        // SAFETY: the kit fills this union as config1, and all its parts are plain numbers.
        let attr_config1 = unsafe { attr.__bindgen_anon_3.config1 };
        assert_eq!((attr.type_, attr.config, attr_config1), (kind, config, config1), "{name}");
        assert_eq!((attr.exclude_kernel(), attr.exclude_hv(), attr.exclude_user()), (1, 1, 0), "{name}");
        assert_eq!((attr.exclude_host(), attr.exclude_guest(), attr.exclude_idle()), (0, 0, 0), "{name}");
        assert_eq!((attr.disabled(), attr.pinned(), attr.precise_ip()), (1, 0, 0), "{name}");
        assert_eq!(attr.size as usize, size_of::<perf_event_attr>(), "{name}");
    }
    assert_eq!(families.len(), 16);
    assert!(overridden < published().len() / 4, "{overridden} of PAPI's events are not opened");
}

#[test]
fn a_preset_that_is_not_counted_says_why() {
    let why = definition("amd64_fam17h_zen2", "PAPI_FP_INS").unwrap_err().to_string();
    assert!(why.contains("Zen 2: PAPI's event counts every MMX"), "{why}");
    let why = definition("hsw", "PAPI_FP_OPS").unwrap_err().to_string();
    assert!(why.contains("Intel Haswell: the processor has no floating-point events"), "{why}");
    let why = definition("apple_m3", "PAPI_VEC_INS").unwrap_err().to_string();
    assert!(why.contains("Apple publishes no event table") && why.contains("none of the kernel's"), "{why}");
    let generic = definition("apple_m3", "PAPI_TOT_INS").unwrap();
    assert_eq!(generic.origin, Origin::Generic);
    // Its own events, and the kernel's where they have a counter of their own.
    assert!(matches!(definition("sifive_u74", "PAPI_BR_CN").unwrap().origin, Origin::Kit(_)));
    assert_eq!(definition("sifive_u74", "PAPI_TOT_CYC").unwrap().origin, Origin::Generic);
}

fn refusal(answer: fn(&perf_event_attr) -> i32, event: &str) -> String {
    let event = Event::parse(event).unwrap();
    let (mut survey, _) = played(answer, || survey(&[event]));
    survey.pop().unwrap().unwrap_err().to_string()
}

#[test]
fn each_error_of_the_kernel_has_its_own_sentence() {
    let sentences = [
        refusal(|_| libc::ENOENT, "instructions"),
        refusal(|a| if a.type_ == 0 && a.config == 0 { 0 } else { libc::ENOENT }, "instructions"),
        refusal(|a| if a.type_ == 0 { 0 } else { libc::EOPNOTSUPP }, "L1-dcache-load-misses"),
        refusal(|_| libc::ENOSYS, "cycles"),
        refusal(|_| libc::EBUSY, "cycles"),
        refusal(|_| libc::EINVAL, "cycles"),
        refusal(|_| libc::EMFILE, "cycles"),
        refusal(|_| libc::E2BIG, "cycles"),
        refusal(|_| libc::EACCES, "cycles"),
        // Opens; a read of /dev/null gives nothing, as an event in error does.
        refusal(|_| 0, "cycles"),
    ];
    for (words, sentence) in [
        ("no hardware counters", 0),
        ("cycles but no instructions", 1),
        ("no counter for L1-dcache-load-misses", 2),
        ("CONFIG_PERF_EVENTS", 3),
        ("reserved by another program", 4),
        ("cannot leave the kernel out", 5),
        ("ulimit -n", 6),
        ("errno 7", 7),
        ("opens but never runs", 9),
    ] {
        // On a bare machine the sentence is about the kernel, not the hypervisor.
        let told = &sentences[sentence];
        assert!(told.contains(words) || sentence == 0 && told.contains("no performance counters"), "{told}");
    }
    let distinct: std::collections::HashSet<&String> = sentences.iter().collect();
    assert_eq!(distinct.len(), sentences.len(), "{sentences:#?}");
}
