//! PAPI's C interface. What has no meaning here returns PAPI's own "not supported".

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use events::{Event, Preset};
use system::clock;

use crate::code::*;
use crate::session::{self, locked};
use crate::sets::{self, Coded, Handler, SKIPPED, check, event, may_add, with};
use crate::thread;

/// `PAPI_is_initialized`: nothing, `PAPI_library_init`, and `PAPI_thread_init` were called.
const NOT_INITED: c_int = 0;
const LOW_LEVEL: c_int = 1;
const THREADS: c_int = 4;
static INITED: AtomicI32 = AtomicI32::new(NOT_INITED);

thread_local! {
    static LAST_ERROR: Cell<c_int> = const { Cell::new(OK) };
}

/// What a function of the interface returns.
pub(crate) fn number(result: Coded<c_int>) -> c_int {
    result.unwrap_or_else(|code| {
        LAST_ERROR.set(code);
        code
    })
}

pub(crate) fn inited() -> Coded<()> {
    if INITED.load(Ordering::Relaxed) == NOT_INITED { Err(ENOINIT) } else { Ok(()) }
}

/// What `place` points to.
pub(crate) fn at<'a, T>(place: *mut T) -> Coded<&'a mut T> {
    // SAFETY: the program gives a place of its own, or null.
    unsafe { place.as_mut() }.ok_or(EINVAL)
}

/// The program's list of `count` elements.
pub(crate) fn list<'a, T>(place: *mut T, count: c_int) -> Coded<&'a mut [T]> {
    let count = usize::try_from(count).ok().filter(|count| *count > 0).ok_or(EINVAL)?;
    // SAFETY: the program gives a list of that length.
    Ok(unsafe { std::slice::from_raw_parts_mut(at(place)?, count) })
}

/// The program's text.
pub(crate) fn text<'a>(place: *const c_char) -> Coded<&'a str> {
    if place.is_null() {
        return Err(EINVAL);
    }
    // SAFETY: the program gives a text that ends in 0.
    unsafe { CStr::from_ptr(place) }.to_str().map_err(|_| EINVAL)
}

/// Copies as much of `text` as fits, and a 0.
pub(crate) fn fill<const N: usize>(place: &mut [c_char; N], text: &str) {
    let bytes = text.bytes().take(N - 1).chain([0]);
    place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = c_char::from_ne_bytes([byte]));
}

/// Puts figures where the program wants them.
fn put(values: *mut i64, figures: &[i64]) -> Coded<()> {
    list(values, figures.len() as c_int)?.copy_from_slice(figures);
    Ok(())
}

/// `PAPI_library_init`: accepts the header of any version from 3 on.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_library_init(version: c_int) -> c_int {
    if !(3..=7).contains(&(version >> 24)) {
        return number(Err(EINVAL));
    }
    if !session::is_native() && !thread::has_counted() {
        eprintln!(
            "lab: the program was not compiled by lab cc, so nothing can be counted: `make clean`, then build all of it with lab cc"
        );
        return number(Err(ESYS));
    }
    if INITED.load(Ordering::Relaxed) == NOT_INITED {
        INITED.store(LOW_LEVEL, Ordering::Relaxed);
    }
    version
}

/// `PAPI_is_initialized`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_is_initialized() -> c_int {
    INITED.load(Ordering::Relaxed)
}

/// `PAPI_shutdown`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_shutdown() {
    let mut sets = locked(&sets::SETS);
    sets.values_mut().filter(|set| set.is_running).for_each(|set| set.end_region(None));
    sets.clear();
    INITED.store(NOT_INITED, Ordering::Relaxed);
}

functions! {
    PAPI_thread_init(identify: Option<extern "C" fn() -> c_ulong>) {
        inited()?;
        identify.ok_or(EINVAL)?;
        INITED.fetch_or(THREADS, Ordering::Relaxed);
        Ok(())
    };
    PAPI_register_thread() inited();
    PAPI_unregister_thread() inited();
    PAPI_multiplex_init() inited();
    PAPI_create_eventset(set: *mut c_int) {
        inited()?;
        let place = at(set)?;
        if *place != -1 {
            return Err(EINVAL);
        }
        *place = sets::create();
        Ok(())
    };
    PAPI_cleanup_eventset(set: c_int) {
        inited()?;
        with(set, |set| {
            set.must_run(false)?;
            *set = sets::Set::default();
            Ok(())
        })
    };
    PAPI_destroy_eventset(set: *mut c_int) {
        inited()?;
        let place = at(set)?;
        with(*place, |set| {
            set.must_run(false)?;
            if set.events.is_empty() { Ok(()) } else { Err(EINVAL) }
        })?;
        locked(&sets::SETS).remove(place);
        *place = -1;
        Ok(())
    };
    PAPI_add_event(set: c_int, code: c_int) {
        inited()?;
        with(set, |set| set.add(code))
    };
    PAPI_add_named_event(set: c_int, name: *const c_char) {
        inited()?;
        let name = text(name)?;
        let code = sets::code(name).inspect_err(|_| unknown(name))?;
        with(set, |set| set.add(code))
    };
    PAPI_remove_event(set: c_int, code: c_int) {
        inited()?;
        with(set, |set| set.remove(code))
    };
    PAPI_remove_named_event(set: c_int, name: *const c_char) {
        inited()?;
        let code = sets::code(text(name)?)?;
        with(set, |set| set.remove(code))
    };
    PAPI_query_event(code: c_int) {
        inited()?;
        may_add(&event(code)?)
    };
    PAPI_query_named_event(name: *const c_char) {
        inited()?;
        may_add(&event(sets::code(text(name)?)?)?)
    };
    PAPI_read(set: c_int, values: *mut i64) {
        inited()?;
        with(set, |set| put(values, &set.read()?))
    };
    PAPI_read_ts(set: c_int, values: *mut i64, cycles: *mut i64) {
        inited()?;
        *at(cycles)? = PAPI_get_real_cyc();
        with(set, |set| put(values, &set.read()?))
    };
    PAPI_accum(set: c_int, values: *mut i64) {
        inited()?;
        with(set, |set| {
            let figures = set.read()?;
            let totals = list(values, figures.len() as c_int)?;
            totals.iter_mut().zip(figures).for_each(|(total, figure)| {
                *total = if figure == SKIPPED { SKIPPED } else { *total + figure };
            });
            set.reset()
        })
    };
    PAPI_reset(set: c_int) {
        inited()?;
        with(set, sets::Set::reset)
    };
    PAPI_write(_set: c_int, _values: *mut i64) Err(ECMP);
    PAPI_state(set: c_int, status: *mut c_int) {
        inited()?;
        let status = at(status)?;
        with(set, |set| {
            const STOPPED: c_int = 1;
            const RUNNING: c_int = 2;
            const MULTIPLEXING: c_int = 0x40;
            *status = if set.is_running { RUNNING } else { STOPPED };
            *status |= if set.is_multiplexed { MULTIPLEXING } else { 0 };
            Ok(())
        })
    };
    PAPI_list_events(set: c_int, codes: *mut c_int, count: *mut c_int) {
        inited()?;
        let count = at(count)?;
        with(set, |set| {
            if *count > 0 && !codes.is_null() {
                let places = list(codes, *count)?;
                places.iter_mut().zip(&set.events).for_each(|(place, (code, _))| *place = *code);
            }
            *count = set.events.len() as c_int;
            Ok(())
        })
    };
    PAPI_assign_eventset_component(set: c_int, component: c_int) {
        inited()?;
        if component != 0 {
            return Err(ENOCMP);
        }
        with(set, |_| Ok(()))
    };
    PAPI_set_multiplex(set: c_int) {
        inited()?;
        with(set, |set| {
            set.must_run(false)?;
            set.is_multiplexed = true;
            Ok(())
        })
    };
    PAPI_set_domain(domain: c_int) set_domain(domain);
    PAPI_set_cmp_domain(domain: c_int, _component: c_int) set_domain(domain);
    PAPI_set_granularity(granularity: c_int) set_granularity(granularity);
    PAPI_set_cmp_granularity(granularity: c_int, _component: c_int) set_granularity(granularity);
    PAPI_set_debug(level: c_int) {
        // Before the initialisation too.
        if (0..=2).contains(&level) { Ok(()) } else { Err(EINVAL) }
    };
    PAPI_overflow(set: c_int, code: c_int, threshold: c_int, _flags: c_int, handler: Option<Handler>) {
        inited()?;
        with(set, |set| set.overflow(code, threshold.into(), handler))
    };
    PAPI_get_overflow_event_index(set: c_int, events: i64, places: *mut c_int, count: *mut c_int) {
        inited()?;
        let (found, count) = (with(set, |set| Ok(set.events.len()))?, at(count)?);
        let places = list(places, *count)?;
        if events == 0 {
            return Err(EINVAL);
        }
        let numbers = (0..found.min(64) as c_int).filter(|number| events >> number & 1 == 1);
        *count = places.iter_mut().zip(numbers).map(|(place, number)| *place = number).count() as c_int;
        Ok(())
    };
    PAPI_event_code_to_name(code: c_int, place: *mut c_char) {
        let place = at(place.cast::<[c_char; 128]>())?;
        fill(place, event(code)?.name());
        Ok(())
    };
    PAPI_event_name_to_code(name: *const c_char, place: *mut c_int) {
        let place = at(place)?;
        let name = text(name)?;
        *place = sets::code(name).inspect_err(|_| unknown(name))?;
        Ok(())
    };
    PAPI_enum_event(code: *mut c_int, modifier: c_int) enumerate(code, modifier);
    PAPI_enum_cmp_event(code: *mut c_int, modifier: c_int, _component: c_int) enumerate(code, modifier);
    PAPI_get_thr_specific(tag: c_int, place: *mut *mut c_void) {
        *at(place)? = SPECIFIC.with(|all| all.get(tag as usize).map(Cell::get)).ok_or(EINVAL)?;
        Ok(())
    };
    PAPI_set_thr_specific(tag: c_int, value: *mut c_void) {
        SPECIFIC.with(|all| all.get(tag as usize).map(|place| place.set(value))).ok_or(EINVAL)
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
}

/// Locks by number.
static LOCKS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// A thread's own pointers, by PAPI's tags.
    static SPECIFIC: [Cell<*mut c_void>; 4] = const { [const { Cell::new(null_mut()) }; 4] };
}

/// Says once that there is no such event, and which was meant.
fn unknown(name: &str) {
    if let Err(error) = counters::event(name) {
        eprintln!("lab: {error}");
    }
}

/// The next preset that there is or, with PAPI_PRESET_ENUM_AVAIL, that can be counted; or the next
/// native event that can be counted.
fn enumerate(code: *mut c_int, modifier: c_int) -> Coded<()> {
    inited()?;
    let code = at(code)?;
    let bits = code.cast_unsigned();
    if bits >> 31 == 0 {
        *code = match (bits >> 30, modifier) {
            (1, 0) => sets::native_after(Some(*code))?,
            (1, 1) => sets::native_after(None)?,
            _ => return Err(ENOEVNT),
        };
        return Ok(());
    }
    let next = if modifier == 1 { 0 } else { bits as u8 + 1 };
    let counts = |preset: &Preset| modifier != 2 || check(&Event::Preset(*preset)).is_ok();
    let next = Preset::all().skip(next.into()).find(counts).ok_or(ENOEVNT)?;
    *code = next.code().cast_signed();
    Ok(())
}

extern "C" fn start(set: c_int, caller: usize) -> c_int {
    number(inited().and_then(|()| with(set, |set| set.start(caller))).map(|()| OK))
}

extern "C" fn stop(set: c_int, values: *mut i64, caller: usize) -> c_int {
    let stopped = inited().and_then(|()| with(set, |set| Ok((set.stop(caller)?, set.take_calls()))));
    let put = |(figures, calls): (Vec<i64>, _)| {
        sets::make(calls, set);
        if values.is_null() { Ok(()) } else { put(values, &figures) }
    };
    number(stopped.and_then(put).map(|()| OK))
}

stub! { PAPI_start, start, 1 }
stub! { PAPI_stop, stop, 2 }

/// Events that the model counts at once: as many as one likes, so more than programs ask for.
const MODEL_COUNTERS: c_int = 64;

fn counters() -> c_int {
    if session::model().is_some() { MODEL_COUNTERS } else { counters::num_counters() as c_int }
}

numbers! {
    PAPI_add_events(set: c_int, codes: *mut c_int, count: c_int) {
        each(codes, count, |code| with(set, |set| set.add(code)))
    };
    PAPI_remove_events(set: c_int, codes: *mut c_int, count: c_int) {
        each(codes, count, |code| with(set, |set| set.remove(code)))
    };
    PAPI_num_events(set: c_int) {
        inited()?;
        with(set, |set| Ok(set.events.len() as c_int))
    };
    PAPI_get_multiplex(set: c_int) {
        inited()?;
        with(set, |set| Ok(c_int::from(set.is_multiplexed)))
    };
    PAPI_num_hwctrs() inited().map(|()| counters());
    // Without the initialisation too.
    PAPI_num_counters() Ok(counters());
    PAPI_num_cmp_hwctrs(_component: c_int) Ok(counters());
    PAPI_num_components() Ok(1);
    PAPI_get_event_component(code: c_int) {
        inited()?;
        event(code).map(|_| 0)
    };
    PAPI_get_eventset_component(set: c_int) {
        inited()?;
        with(set, |_| Ok(0))
    };
    PAPI_get_opt(option: c_int, _place: *mut c_void) option_of(option);
    PAPI_get_cmp_opt(option: c_int, _place: *mut c_void, _component: c_int) option_of(option);
}

/// What has no meaning here, whatever the arguments.
macro_rules! unsupported {
    ($($name:ident)*) => { numbers! { $($name() Err(ENOSUPP);)* } };
}

unsupported! {
    PAPI_profil PAPI_sprofil PAPI_attach PAPI_detach PAPI_set_opt PAPI_get_dmem_info
    PAPI_disable_component PAPI_disable_component_by_name PAPI_list_threads
}

/// Events are counted in user mode.
fn set_domain(domain: c_int) -> Coded<()> {
    inited()?;
    match domain {
        1..=15 if domain & 1 == 0 => Err(ENOSUPP),
        1..=15 => Ok(()),
        _ => Err(EINVAL),
    }
}

fn set_granularity(granularity: c_int) -> Coded<()> {
    inited()?;
    if granularity == 1 { Ok(()) } else { Err(EINVAL) }
}

/// PAPI's answer for lists: how many were done before one failed, or the code of the first.
fn each(codes: *mut c_int, count: c_int, mut action: impl FnMut(c_int) -> Coded<()>) -> Coded<c_int> {
    inited()?;
    for (done, code) in (0..).zip(list(codes, count)?.iter()) {
        if let Err(error) = action(*code) {
            return if done > 0 { Ok(done) } else { Err(error) };
        }
    }
    Ok(OK)
}

/// Versions, defaults, and what numbers there are of counters, clock and events.
fn option_of(option: c_int) -> Coded<c_int> {
    const DEFAULT_DOMAIN: c_int = 4;
    const DEFAULT_GRANULARITY: c_int = 6;
    const MAX_MULTIPLEXED: c_int = 11;
    const CLOCK_RATE: c_int = 14;
    const MAX_HWCTRS: c_int = 15;
    const MAX_CPUS: c_int = 18;
    const LIB_VERSION: c_int = 21;
    inited()?;
    match option {
        // User mode, and each thread its own.
        DEFAULT_DOMAIN | DEFAULT_GRANULARITY => Ok(1),
        LIB_VERSION => Ok(VERSION),
        CLOCK_RATE => Ok((frequency() / 1e6).round() as c_int),
        MAX_HWCTRS | MAX_MULTIPLEXED => Ok(counters()),
        MAX_CPUS => Ok(std::thread::available_parallelism().map_or(1, |count| count.get() as c_int)),
        _ => Err(ENOSUPP),
    }
}

/// `PAPI_VERSION` of papi.h.
pub(crate) const VERSION: c_int = 7 << 24;

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

/// `PAPI_descr_error`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_descr_error(code: c_int) -> *mut c_char {
    PAPI_strerror(code)
}

/// `PAPI_perror`: the last error of this thread, after `message`.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_perror(message: *const c_char) {
    let (name, meaning) = meaning(LAST_ERROR.get()).unwrap_or(("PAPI_EMISC", c"Unknown error code"));
    eprintln!("{}: {} ({name})", text(message).unwrap_or("PAPI"), meaning.to_string_lossy());
}

/// Seconds of the calling thread: estimated under the model, unless the clock is asked for.
fn seconds(clock: fn() -> figures::units::Seconds) -> f64 {
    session::IS_TIMED.store(true, Ordering::Relaxed);
    let modelled = session::model().filter(|session| session.clock.is_none()).and_then(|session| {
        let cycles = thread::with_own(|walker| walker.cycles(session))?.ok()?;
        Some(cycles / frequency())
    });
    modelled.unwrap_or_else(|| clock().0)
}

/// Cycles a second.
fn frequency() -> f64 {
    let modelled = session::model().filter(|session| session.clock.is_none());
    modelled.and_then(|session| session.machine.clock).unwrap_or_else(clock::tick_rate).0
}

macro_rules! timers {
    ($($name:ident: $clock:path, $unit:expr;)*) => {$(
        /// As PAPI documents it.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> i64 {
            // The clock's rate is measured before the time is read.
            let unit = $unit;
            (seconds($clock) * unit) as i64
        }
    )*};
}

timers! {
    PAPI_get_real_cyc: clock::wall, frequency();
    PAPI_get_real_nsec: clock::wall, 1e9;
    PAPI_get_real_usec: clock::wall, 1e6;
    PAPI_get_virt_cyc: clock::thread_cpu, frequency();
    PAPI_get_virt_nsec: clock::thread_cpu, 1e9;
    PAPI_get_virt_usec: clock::thread_cpu, 1e6;
}
