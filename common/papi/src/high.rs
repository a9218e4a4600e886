//! PAPI's high-level interfaces: the old one of counters and rates, and the new one of regions.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_float, c_int};
use std::sync::Once;

use crate::code::*;
use crate::library::{
    PAPI_get_real_nsec, PAPI_get_real_usec, PAPI_get_virt_usec, PAPI_is_initialized, PAPI_library_init,
    VERSION,
};
use crate::regions::{self, Figures, Place};
use crate::sets::{self, with};
use crate::{locked, report, session, thread};

/// The set that a thread counts with, and since when.
struct Started {
    set: c_int,
    codes: Vec<c_int>,
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

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
    /// The set of the new interface.
    static OPEN: Cell<Option<c_int>> = const { Cell::new(None) };
    static STACK: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

fn init() {
    if PAPI_is_initialized() == 0 {
        PAPI_library_init(VERSION);
    }
}

fn begin(codes: &[c_int], caller: usize) -> Coded<Started> {
    init();
    let set = sets::create();
    let add = |code: &c_int| with(set, |set| set.add(*code));
    if let Err(code) = codes.iter().try_for_each(add).and_then(|()| with(set, |set| set.start(caller))) {
        locked(&sets::SETS).remove(&set);
        return Err(code);
    }
    let (real_us, virtual_us) = (PAPI_get_real_usec(), PAPI_get_virt_usec());
    Ok(Started { set, codes: codes.to_vec(), real_us, virtual_us, last: (virtual_us, vec![0; codes.len()]) })
}

fn end(caller: usize) -> Coded<Vec<i64>> {
    let set = STARTED.take().ok_or(ENOTRUN)?.set;
    let figures = with(set, |set| set.stop(caller));
    locked(&sets::SETS).remove(&set);
    figures
}

extern "C" fn start_counters(codes: *mut c_int, count: c_int, caller: usize) -> c_int {
    number(STARTED.with_borrow_mut(|started| {
        if started.is_some() {
            return Err(EISRUN);
        }
        *started = Some(begin(list(codes, count)?, caller)?);
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
    let set = STARTED.with_borrow(|started| started.as_ref().map(|started| started.set)).ok_or(ENOTRUN)?;
    with(set, |set| {
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
            *started = Some(begin(wanted, 0)?);
        }
        let started = started.as_mut().filter(|started| started.codes == wanted).ok_or(EISRUN)?;
        let figures = if is_first { vec![0; wanted.len()] } else { with(started.set, |set| set.read())? };
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

/// The calling thread's set of events of named regions: those of PAPI_EVENTS, besides all figures of a model.
fn open_set() -> Coded<c_int> {
    if let Some(open) = OPEN.get() {
        return Ok(open);
    }
    let usual = if session::model().is_some() { "" } else { "PAPI_TOT_INS,PAPI_TOT_CYC" };
    let wanted = std::env::var("PAPI_EVENTS").unwrap_or_else(|_| usual.to_owned());
    let set = sets::create();
    for name in wanted.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if let Err(code) = sets::code(name).and_then(|code| with(set, |set| set.add(code))) {
            let (reason, _) = meaning(code).unwrap_or_default();
            eprintln!("lab: {name} of PAPI_EVENTS is left out: {reason}");
        }
    }
    if session::model().is_none() {
        static AT_EXIT: Once = Once::new();
        // SAFETY: a function without conditions on the time of its call.
        AT_EXIT.call_once(|| _ = unsafe { libc::atexit(report::write_regions) });
    }
    if !wanted.is_empty() {
        // Without a line: its region is reported by name.
        with(set, |set| set.start(0)).map_err(|_| ENOEVNT)?;
    }
    OPEN.set(Some(set));
    Ok(set)
}

/// The calling thread's number and its figures until now.
fn now() -> Coded<(usize, Figures)> {
    let figures = |set: &mut sets::Set| {
        let all = set.events.iter().zip(set.read()?);
        let counted =
            all.filter_map(|((_, event), figure)| Some((event.as_ref()?.name().to_owned(), figure)));
        Ok(counted.map(|(name, figure)| (name, figure.cast_unsigned())).collect::<Vec<_>>())
    };
    let counted = with(open_set()?, figures)?;
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
    if let Some(set) = OPEN.take() {
        let _ = with(set, |one| one.stop(0));
        locked(&sets::SETS).remove(&set);
    }
    Ok(())
}
