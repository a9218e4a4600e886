//! PAPI's high-level interfaces: the old one of counters and rates, and the new one of regions.

use std::cell::RefCell;
use std::ffi::{c_char, c_float, c_int};
use std::mem::ManuallyDrop;
use std::sync::Once;

use crate::code::*;
use crate::library::{
    PAPI_get_real_nsec, PAPI_get_real_usec, PAPI_get_virt_usec, PAPI_is_initialized, PAPI_library_init,
    VERSION,
};
use crate::regions::{self, Figures, Place};
use crate::sets::{self, Set};
use crate::{report, session, thread};

/// The set that a thread counts with, and since when.
struct Started {
    set: Set,
    real_us: i64,
    virtual_us: i64,
    /// Processor time and figures of the last call.
    last: (i64, Vec<i64>),
}

/// An open region: its name, its thread, and the figures at its beginning.
struct Entered {
    name: String,
    thread: usize,
    figures: Figures,
}

// Never dropped: destructors of the program may call these functions, too.
thread_local! {
    static STARTED: RefCell<Option<ManuallyDrop<Started>>> = const { RefCell::new(None) };
    /// The set of the new interface.
    static OPEN: RefCell<Option<ManuallyDrop<Set>>> = const { RefCell::new(None) };
    static STACK: RefCell<ManuallyDrop<Vec<Entered>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Ends the regions of this thread, but that of the old interface where a signal interrupted it.
pub(crate) fn end_open_regions() {
    sets::end_open_regions();
    let open = STARTED.with(|started| started.try_borrow_mut().ok().and_then(|mut started| started.take()));
    open.into_iter().for_each(|mut started| started.set.end_region(None));
}

fn init() {
    if PAPI_is_initialized() == 0 {
        PAPI_library_init(VERSION);
    }
}

fn begin(codes: &[c_int], caller: usize) -> Coded<Started> {
    init();
    let mut set = Set::default();
    codes.iter().try_for_each(|code| set.add(*code)).and_then(|()| set.start(caller))?;
    let (real_us, virtual_us) = (PAPI_get_real_usec(), PAPI_get_virt_usec());
    Ok(Started { set, real_us, virtual_us, last: (virtual_us, vec![0; codes.len()]) })
}

fn end(caller: usize) -> Coded<Vec<i64>> {
    ManuallyDrop::into_inner(STARTED.take().ok_or(ENOTRUN)?).set.stop(caller)
}

extern "C" fn start_counters(codes: *mut c_int, count: c_int, caller: usize) -> c_int {
    number(STARTED.with_borrow_mut(|started| {
        if started.is_some() {
            return Err(EISRUN);
        }
        *started = Some(ManuallyDrop::new(begin(list(codes, count)?, caller)?));
        Ok(())
    }))
}

extern "C" fn stop_counters(place: *mut i64, count: c_int, caller: usize) -> c_int {
    number(end(caller).and_then(|figures| {
        list(place, count)?.iter_mut().zip(figures).for_each(|(place, figure)| *place = figure);
        Ok(())
    }))
}

stub! { PAPI_start_counters, start_counters, 2 }
stub! { PAPI_stop_counters, stop_counters, 2 }

/// The figures since the last call, from zero again.
fn read_counters(place: *mut i64, count: c_int, put: fn(&mut i64, i64)) -> Coded<()> {
    STARTED.with_borrow_mut(|started| {
        let set = &mut started.as_mut().ok_or(ENOTRUN)?.set;
        let figures = set.read()?;
        list(place, count)?.iter_mut().zip(figures).for_each(|(place, figure)| put(place, figure));
        set.reset()
    })
}

/// Times since the first call, the first figure since then, and its rate since the last call: by
/// microsecond, or by the second figure.
fn rate(wanted: &[c_int], [real, virt, rate]: [*mut c_float; 3], count: *mut i64) -> Coded<()> {
    STARTED.with_borrow_mut(|started| {
        let is_first = started.is_none();
        if is_first {
            *started = Some(ManuallyDrop::new(begin(wanted, 0)?));
        }
        let is_same =
            |started: &&mut ManuallyDrop<Started>| started.set.events.iter().map(|(code, _)| code).eq(wanted);
        let started = started.as_mut().filter(is_same).ok_or(EISRUN)?;
        let figures = if is_first { vec![0; wanted.len()] } else { started.set.read()? };
        let now = PAPI_get_virt_usec();
        let put = |place: *mut c_float, value: f64| {
            // SAFETY: the program gives places of its own, or null.
            if let Some(place) = unsafe { place.as_mut() } {
                *place = if is_first { 0.0 } else { value as c_float };
            }
        };
        put(real, (PAPI_get_real_usec() - started.real_us) as f64 / 1e6);
        put(virt, (now - started.virtual_us) as f64 / 1e6);
        // SAFETY: the same.
        if let Some(place) = unsafe { count.as_mut() } {
            *place = figures[0];
        }
        let done = (figures[0] - started.last.1[0]) as f64;
        let by = figures.get(1).map_or(now - started.last.0, |figure| figure - started.last.1[1]);
        put(rate, if by <= 0 { 0.0 } else { done / by as f64 });
        started.last = (now, figures);
        Ok(())
    })
}

early! {
    PAPI_read_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place = figure)
    };
    PAPI_accum_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place += figure)
    };
    PAPI_rate_stop() end(0).map(drop);
    PAPI_flops(real: *mut c_float, virt: *mut c_float, count: *mut i64, by: *mut c_float) {
        rate(&[sets::code("PAPI_FP_OPS")?], [real, virt, by], count)
    };
    PAPI_flips(real: *mut c_float, virt: *mut c_float, count: *mut i64, by: *mut c_float) {
        rate(&[sets::code("PAPI_FP_INS")?], [real, virt, by], count)
    };
    PAPI_ipc(real: *mut c_float, virt: *mut c_float, count: *mut i64, by: *mut c_float) {
        rate(&[sets::code("PAPI_TOT_INS")?, sets::code("PAPI_TOT_CYC")?], [real, virt, by], count)
    };
    PAPI_flops_rate(
        code: c_int,
        real: *mut c_float,
        virt: *mut c_float,
        count: *mut i64,
        by: *mut c_float
    ) rate(&[code], [real, virt, by], count);
}

/// The set of events of named regions: those of PAPI_EVENTS, besides all figures of a model.
fn open_set() -> Coded<Set> {
    let usual = if session::model().is_some() { "" } else { "PAPI_TOT_INS,PAPI_TOT_CYC" };
    let wanted = std::env::var("PAPI_EVENTS").unwrap_or_else(|_| usual.to_owned());
    let mut set = Set::default();
    for name in wanted.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        // An event that cannot be added says so itself.
        match sets::code(name) {
            Ok(code) => _ = set.add(code),
            Err(_) => eprintln!("lab: PAPI_EVENTS: there is no event {name}"),
        }
    }
    if session::model().is_none() {
        static AT_EXIT: Once = Once::new();
        // SAFETY: a function without conditions on the time of its call.
        AT_EXIT.call_once(|| _ = unsafe { libc::atexit(report::write_regions) });
    }
    if !wanted.is_empty() {
        // Without a line: its region is reported by name.
        set.start(0).map_err(|_| ENOEVNT)?;
    }
    Ok(set)
}

/// The calling thread's number and its figures until now.
fn now() -> Coded<(usize, Figures)> {
    let counted = OPEN.with_borrow_mut(|open| -> Coded<Vec<(String, u64)>> {
        let set = match open {
            Some(set) => set,
            None => open.insert(ManuallyDrop::new(open_set()?)),
        };
        let all = set.events.iter().zip(set.read()?);
        let named = all.filter_map(|((_, event), figure)| Some((event.as_ref()?.name().to_owned(), figure)));
        Ok(named.map(|(name, figure)| (name, figure.cast_unsigned())).collect())
    })?;
    let (thread, mut figures) = match session::model() {
        Some(session) => thread::with_own(|walker| (walker.number, walker.figures(session))).ok_or(ESYS)?,
        None => (0, Figures(vec![("nanoseconds".to_owned(), PAPI_get_real_nsec().cast_unsigned())])),
    };
    figures.0.extend(counted);
    Ok((thread, figures))
}

early! {
    PAPI_hl_init() {
        init();
        Ok(())
    };
    // Instead of the variable PAPI_EVENTS.
    PAPI_hl_set_events(events: *const c_char) {
        let events = text(events)?;
        // SAFETY: as C's setenv: no other thread may use the environment meanwhile.
        unsafe { std::env::set_var("PAPI_EVENTS", events) };
        stop_regions()
    };
    PAPI_hl_region_begin(region: *const c_char) {
        init();
        let (name, (thread, figures)) = (text(region)?.to_owned(), now()?);
        STACK.with_borrow_mut(|stack| stack.push(Entered { name, thread, figures }));
        Ok(())
    };
    // Of the region that was begun last.
    PAPI_hl_region_end(region: *const c_char) {
        let (region, (_, now)) = (text(region)?, now()?);
        let open = STACK.with_borrow_mut(|stack| stack.pop_if(|open| open.name == region)).ok_or(EINVAL)?;
        regions::add(open.thread, Place::Named(open.name), &now, &open.figures);
        Ok(())
    };
    // A figure within a region is in the region's sum at its end.
    PAPI_hl_read(region: *const c_char) {
        let region = text(region)?;
        let is_open = STACK.with_borrow(|stack| stack.iter().any(|open| open.name == region));
        if is_open { Ok(()) } else { Err(EINVAL) }
    };
    PAPI_hl_stop() stop_regions();
    PAPI_hl_cleanup_thread() stop_regions();
    PAPI_hl_finalize() stop_regions();
    // At the program's end they are reported anyway.
    PAPI_hl_print_output() Ok(());
}

fn stop_regions() -> Coded<()> {
    let open = OPEN.take().map(ManuallyDrop::into_inner);
    open.filter(|set| set.is_running).map_or(Ok(()), |mut set| set.stop(0).map(drop))
}
