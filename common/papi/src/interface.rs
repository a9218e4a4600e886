//! PAPI's C interface. What has no meaning here returns PAPI's own "not supported".

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use events::{Event, Preset};

use crate::code::*;
use crate::library::{INITED, NOT_INITED, THREADS, VERSION, frequency, inited};
use crate::sets::{self, SKIPPED, check, event, may_add, with};
use crate::{high, locked, session};

/// Puts figures where the program wants them.
fn put(values: *mut i64, figures: &[i64]) -> Coded<()> {
    list(values, figures.len() as c_int)?.copy_from_slice(figures);
    Ok(())
}

/// `PAPI_shutdown`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_shutdown() {
    high::end_open_regions();
    locked(&sets::SETS).clear();
    INITED.store(NOT_INITED, Ordering::Relaxed);
}

functions! {
    PAPI_thread_init(identify: Option<extern "C" fn() -> c_ulong>) {
        identify.ok_or(EINVAL)?;
        INITED.fetch_or(THREADS, Ordering::Relaxed);
        Ok(())
    };
    PAPI_register_thread() Ok(());
    PAPI_unregister_thread() Ok(());
    PAPI_multiplex_init() Ok(());
    PAPI_create_eventset(set: *mut c_int) {
        let place = at(set)?;
        if *place != -1 {
            return Err(EINVAL);
        }
        let mut sets = locked(&sets::SETS);
        *place = (1..).find(|number| !sets.contains_key(number)).unwrap_or(1);
        sets.insert(*place, sets::Set::default());
        Ok(())
    };
    PAPI_cleanup_eventset(set: c_int) with(set, |set| {
        set.must_run(false)?;
        *set = sets::Set::default();
        Ok(())
    });
    PAPI_destroy_eventset(set: *mut c_int) {
        let place = at(set)?;
        with(*place, |set| {
            set.must_run(false)?;
            if set.events.is_empty() { Ok(()) } else { Err(EINVAL) }
        })?;
        locked(&sets::SETS).remove(place);
        *place = -1;
        Ok(())
    };
    PAPI_add_event(set: c_int, code: c_int) with(set, |set| set.add(code));
    PAPI_add_named_event(set: c_int, name: *const c_char) with(set, |set| set.add(named(name)?));
    PAPI_add_events(set: c_int, codes: *mut c_int, count: c_int) {
        each(codes, count, |code| with(set, |set| set.add(code)))
    };
    PAPI_remove_event(set: c_int, code: c_int) with(set, |set| set.remove(code));
    PAPI_remove_named_event(set: c_int, name: *const c_char) with(set, |set| set.remove(named(name)?));
    PAPI_remove_events(set: c_int, codes: *mut c_int, count: c_int) {
        each(codes, count, |code| with(set, |set| set.remove(code)))
    };
    PAPI_query_event(code: c_int) may_add(&event(code)?);
    PAPI_query_named_event(name: *const c_char) may_add(&event(sets::code(text(name)?)?)?);
    PAPI_read(set: c_int, values: *mut i64) with(set, |set| put(values, &set.read()?));
    PAPI_accum(set: c_int, values: *mut i64) with(set, |set| {
        let figures = set.read()?;
        let totals = list(values, figures.len() as c_int)?;
        totals.iter_mut().zip(figures).for_each(|(total, figure)| {
            *total = if figure == SKIPPED { SKIPPED } else { *total + figure };
        });
        set.reset()
    });
    PAPI_reset(set: c_int) with(set, sets::Set::reset);
    PAPI_state(set: c_int, status: *mut c_int) with(set, |set| {
        const STOPPED: c_int = 1;
        const RUNNING: c_int = 2;
        const MULTIPLEXING: c_int = 0x40;
        *at(status)? = if set.is_running { RUNNING } else { STOPPED }
            | if set.is_multiplexed { MULTIPLEXING } else { 0 };
        Ok(())
    });
    PAPI_num_events(set: c_int) with(set, |set| Ok(set.events.len() as c_int));
    PAPI_list_events(set: c_int, codes: *mut c_int, count: *mut c_int) with(set, |set| {
        let count = at(count)?;
        if *count > 0 && !codes.is_null() {
            let places = list(codes, *count)?;
            places.iter_mut().zip(&set.events).for_each(|(place, (code, _))| *place = *code);
        }
        *count = set.events.len() as c_int;
        Ok(())
    });
    PAPI_assign_eventset_component(set: c_int, component: c_int) {
        with(set, |_| if component == 0 { Ok(()) } else { Err(ENOCMP) })
    };
    PAPI_get_eventset_component(set: c_int) with(set, |_| Ok(0));
    PAPI_get_event_component(code: c_int) event(code).map(|_| 0);
    PAPI_set_multiplex(set: c_int) with(set, |set| {
        set.must_run(false)?;
        set.is_multiplexed = true;
        Ok(())
    });
    PAPI_get_multiplex(set: c_int) with(set, |set| Ok(c_int::from(set.is_multiplexed)));
    // Events are counted in user mode.
    PAPI_set_domain(domain: c_int) match domain {
        1..=15 if domain & 1 == 0 => Err(ENOSUPP),
        1..=15 => Ok(()),
        _ => Err(EINVAL),
    };
    PAPI_set_granularity(granularity: c_int) if granularity == 1 { Ok(()) } else { Err(EINVAL) };
    // The next preset that there is or, with PAPI_PRESET_ENUM_AVAIL, that can be counted.
    PAPI_enum_event(code: *mut c_int, modifier: c_int) {
        let code = at(code)?;
        let bits = code.cast_unsigned();
        if bits >> 31 == 0 {
            return Err(ENOEVNT);
        }
        let next = if modifier == 1 { 0 } else { bits as u8 + 1 };
        let counts = |preset: &Preset| modifier != 2 || check(&Event::Preset(*preset)).is_ok();
        let next = Preset::all().skip(next.into()).find(counts).ok_or(ENOEVNT)?;
        *code = next.code().cast_signed();
        Ok(())
    };
    PAPI_num_hwctrs() Ok(counters());
    PAPI_get_opt(option: c_int, _place: *mut c_void) match option {
        // Domain and granularity: user mode, and each thread its own.
        4 | 6 => Ok(1),
        MAX_MULTIPLEXED | MAX_HWCTRS => Ok(counters()),
        CLOCK_RATE => Ok((frequency() / 1e6).round() as c_int),
        MAX_CPUS => Ok(std::thread::available_parallelism().map_or(1, |count| count.get() as c_int)),
        LIB_VERSION => Ok(VERSION),
        _ => Err(ENOSUPP),
    };
}

/// Options of `PAPI_get_opt`.
const MAX_MULTIPLEXED: c_int = 11;
const CLOCK_RATE: c_int = 14;
const MAX_HWCTRS: c_int = 15;
const MAX_CPUS: c_int = 18;
const LIB_VERSION: c_int = 21;

early! {
    PAPI_set_debug(level: c_int) if (0..=2).contains(&level) { Ok(()) } else { Err(EINVAL) };
    PAPI_event_code_to_name(code: c_int, place: *mut c_char) {
        fill(at(place.cast::<[c_char; 128]>())?, event(code)?.name());
        Ok(())
    };
    PAPI_event_name_to_code(name: *const c_char, place: *mut c_int) {
        *at(place)? = named(name)?;
        Ok(())
    };
    PAPI_lock(number: c_int) {
        while LOCKS.fetch_or(1 << (number & 63), Ordering::Acquire) & 1 << (number & 63) != 0 {
            std::thread::yield_now();
        }
        Ok(())
    };
    PAPI_unlock(number: c_int) {
        LOCKS.fetch_and(!(1 << (number & 63)), Ordering::Release);
        Ok(())
    };
    PAPI_num_counters() Ok(counters());
    PAPI_num_components() Ok(1);
}

/// What has no meaning here, whatever the arguments.
macro_rules! unsupported {
    ($($name:ident)*) => { early! {$( $name() Err::<(), _>(ENOSUPP); )*} };
}

unsupported! {
    PAPI_write PAPI_overflow PAPI_get_overflow_event_index PAPI_profil PAPI_sprofil PAPI_attach PAPI_detach
    PAPI_set_opt PAPI_get_dmem_info PAPI_disable_component PAPI_disable_component_by_name PAPI_list_threads
    PAPI_get_component_index PAPI_read_ts PAPI_get_thr_specific PAPI_set_thr_specific
}

/// Structures that are not offered.
macro_rules! absent {
    ($($name:ident)*) => {$(
        /// As PAPI where it fails.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> *const c_void {
            std::ptr::null()
        }
    )*};
}

absent! { PAPI_get_component_info PAPI_get_executable_info PAPI_get_shared_lib_info }

/// Locks by number.
static LOCKS: AtomicU64 = AtomicU64::new(0);

/// The code of the event of that name; says on stderr that there is none, and which was meant.
fn named(name: *const c_char) -> Coded<c_int> {
    let name = text(name)?;
    sets::code(name).inspect_err(|_| {
        if let Err(error) = counters::event(name) {
            eprintln!("lab: {error}");
        }
    })
}

extern "C" fn start(set: c_int, caller: usize) -> c_int {
    number(inited().and_then(|()| with(set, |set| set.start(caller))))
}

extern "C" fn stop(set: c_int, values: *mut i64, caller: usize) -> c_int {
    let stopped = inited().and_then(|()| with(set, |set| set.stop(caller)));
    number(stopped.and_then(|figures| if values.is_null() { Ok(()) } else { put(values, &figures) }))
}

stub! { PAPI_start, start, 1 }
stub! { PAPI_stop, stop, 2 }

/// Events that the model counts at once: as many as one likes, so more than programs ask for.
const MODEL_COUNTERS: c_int = 64;

fn counters() -> c_int {
    if session::model().is_some() { MODEL_COUNTERS } else { counters::num_counters() as c_int }
}

/// PAPI's answer for lists: how many were done before one failed, or the code of the first.
fn each(codes: *mut c_int, count: c_int, mut action: impl FnMut(c_int) -> Coded<()>) -> Coded<c_int> {
    for (done, code) in (0..).zip(list(codes, count)?.iter()) {
        if let Err(error) = action(*code) {
            return if done > 0 { Ok(done) } else { Err(error) };
        }
    }
    Ok(OK)
}

/// `PAPI_thread_id`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_thread_id() -> c_ulong {
    // SAFETY: it has no conditions.
    unsafe { libc::pthread_self() as c_ulong }
}

/// `PAPI_strerror`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_strerror(code: c_int) -> *mut c_char {
    meaning(code).map_or(null_mut(), |(_, text)| text.as_ptr().cast_mut())
}

/// `PAPI_perror`: the last error of this thread, after `message`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_perror(message: *const c_char) {
    let (name, meaning) = meaning(LAST_ERROR.get()).unwrap_or(("PAPI_EMISC", c"Unknown error code"));
    eprintln!("{}: {} ({name})", text(message).unwrap_or("PAPI"), meaning.to_string_lossy());
}
