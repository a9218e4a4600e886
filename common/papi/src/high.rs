//! PAPI's high-level interfaces: the old one of counters and rates, and the new one of regions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_float, c_int};
use std::sync::{Mutex, Once};

use events::Event;
use serde_json::{Map, Value, json};

use crate::code::*;
use crate::library::{
    PAPI_get_real_cyc, PAPI_get_real_nsec, PAPI_get_real_usec, PAPI_get_virt_usec, PAPI_is_initialized,
    PAPI_library_init, VERSION,
};
use crate::regions::{self, Figures, Place};
use crate::sets::{self, with};
use crate::{locked, session, thread};

/// The set that a thread counts with, and since when.
struct Started {
    set: c_int,
    codes: Vec<c_int>,
    real_us: i64,
    virtual_us: i64,
    /// Processor time and figures of the last call.
    last: (i64, Vec<i64>),
}

/// An open region: its name, its events' figures at its beginning, and those of the model.
struct Entered {
    name: String,
    figures: Values,
    /// With the thread's number.
    modelled: Option<(usize, Figures)>,
}

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
    /// The set of the new interface and the names of its events.
    static OPEN: RefCell<Option<(c_int, Vec<String>)>> = const { RefCell::new(None) };
    static STACK: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

/// Named figures.
type Values = BTreeMap<String, i64>;

/// Named regions: their passes and figures.
static DONE: Mutex<BTreeMap<String, (u64, Values)>> = Mutex::new(BTreeMap::new());

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

extern "C" fn rate_stop(caller: usize) -> c_int {
    number(end(caller).map(drop))
}

stub! { PAPI_start_counters, start_counters, 2 }
stub! { PAPI_stop_counters, stop_counters, 2 }
stub! { PAPI_rate_stop, rate_stop, 0 }

/// The figures since the last call, from zero again.
fn read_counters(place: *mut i64, count: c_int, put: fn(&mut i64, i64)) -> Coded<()> {
    let set = STARTED.with_borrow(|started| started.as_ref().map(|started| started.set)).ok_or(ENOTRUN)?;
    with(set, |set| {
        let figures = set.read()?;
        list(place, count)?.iter_mut().zip(figures).for_each(|(place, figure)| put(place, figure));
        set.reset()
    })
}

early! {
    PAPI_read_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place = figure)
    };
    PAPI_accum_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place += figure)
    };
}

/// Times since the first call, the first figure since then, and its rate since the last call: by
/// microsecond, or by the second figure.
fn rate(
    wanted: &[c_int],
    [real, virt, rate]: [*mut c_float; 3],
    count: *mut i64,
    caller: usize,
) -> Coded<()> {
    STARTED.with_borrow_mut(|started| {
        let is_first = started.is_none();
        if is_first {
            *started = Some(begin(wanted, caller)?);
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

macro_rules! rates {
    ($($stub:ident $name:ident $place:tt ($($code:ident)?): $($event:expr),*;)*) => {$(
        extern "C" fn $name(
            $($code: c_int,)?
            real: *mut c_float,
            virt: *mut c_float,
            count: *mut i64,
            by: *mut c_float,
            caller: usize,
        ) -> c_int {
            number([$($event),*].into_iter().collect::<Coded<Vec<c_int>>>()
                .and_then(|codes| rate(&codes, [real, virt, by], count, caller)))
        }
        stub! { $stub, $name, $place }
    )*};
}

rates! {
    PAPI_flops flops 4 (): sets::code(Event::FP_OPS.name());
    PAPI_flips flips 4 (): sets::code(Event::FP_INS.name());
    PAPI_ipc ipc 4 (): sets::code(Event::TOT_INS.name()), sets::code(Event::TOT_CYC.name());
    PAPI_flops_rate flops_rate 5 (code): Ok(code);
}

/// The set of named regions: the events of PAPI_EVENTS, or else loads and misses.
fn open_set() -> Coded<(c_int, Vec<String>)> {
    if let Some(open) = OPEN.with_borrow(Clone::clone) {
        return Ok(open);
    }
    init();
    let usual = if session::model().is_some() {
        "PAPI_L1_DCM,PAPI_LD_INS,PAPI_SR_INS"
    } else {
        "PAPI_TOT_INS,PAPI_TOT_CYC"
    };
    let wanted = std::env::var("PAPI_EVENTS").unwrap_or_else(|_| usual.to_owned());
    let set = sets::create();
    let mut names = Vec::new();
    for name in wanted.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match sets::code(name).and_then(|code| with(set, |set| set.add(code))) {
            Ok(()) => names.push(name.to_owned()),
            Err(code) => {
                let (reason, _) = meaning(code).unwrap_or_default();
                eprintln!("lab: {name} of PAPI_EVENTS is left out: {reason}");
            }
        }
    }
    extern "C" fn at_exit() {
        PAPI_hl_print_output();
    }
    static AT_EXIT: Once = Once::new();
    // SAFETY: a function without conditions on the time of its call.
    AT_EXIT.call_once(|| _ = unsafe { libc::atexit(at_exit) });
    // Without a line: its region is reported by name.
    with(set, |set| set.start(0)).map_err(|_| ENOEVNT)?;
    OPEN.set(Some((set, names.clone())));
    Ok((set, names))
}

/// Times and events of the calling thread until now, by name.
fn now() -> Coded<Values> {
    let (set, names) = open_set()?;
    let times = [("real_time_nsec", PAPI_get_real_nsec()), ("cycles", PAPI_get_real_cyc())];
    let times = times.map(|(name, time)| (name.to_owned(), time));
    Ok(times.into_iter().chain(names.into_iter().zip(with(set, |set| set.read())?)).collect())
}

early! {
    PAPI_hl_init() {
        PAPI_library_init(VERSION);
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
        let (name, figures) = (text(region)?.to_owned(), now()?);
        let modelled = session::model()
            .and_then(|session| thread::with_own(|walker| (walker.number, walker.figures(session))));
        STACK.with_borrow_mut(|stack| stack.push(Entered { name, figures, modelled }));
        Ok(())
    };
    // Of the region that was begun last.
    PAPI_hl_region_end(region: *const c_char) {
        let region = text(region)?;
        add(STACK.with_borrow_mut(|stack| stack.pop_if(|open| open.name == region)).ok_or(EINVAL)?)
    };
    // A figure within a region is in the region's sum at its end.
    PAPI_hl_read(region: *const c_char) {
        let region = text(region)?;
        let is_open = STACK.with_borrow(|stack| stack.iter().any(|open| open.name == region));
        if is_open { Ok(()) } else { Err(EINVAL) }
    };
    PAPI_hl_stop() stop_regions();
    PAPI_hl_cleanup_thread() stop_regions();
    PAPI_hl_finalize() {
        PAPI_hl_print_output();
        stop_regions()
    };
}

fn add(entered: Entered) -> Coded<()> {
    let figures = now()?;
    if let (Some(session), Some((number, before))) = (session::model(), entered.modelled)
        && let Some(now) = thread::with_own(|walker| walker.figures(session))
    {
        regions::add(number, Place::Named(entered.name.clone()), &now, &before);
    }
    let mut done = locked(&DONE);
    let (passes, sums) = done.entry(entered.name).or_default();
    *passes += 1;
    for (name, now) in figures {
        let before = entered.figures.get(&name).copied().unwrap_or(0);
        *sums.entry(name).or_default() += now - before;
    }
    Ok(())
}

fn stop_regions() -> Coded<()> {
    if let Some((set, _)) = OPEN.take() {
        let _ = with(set, |one| one.stop(0));
        locked(&sets::SETS).remove(&set);
    }
    Ok(())
}

/// `PAPI_hl_print_output`: writes the regions' figures as PAPI does, into
/// `papi_hl_output/rank_000000.json` below PAPI_OUTPUT_DIRECTORY.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_hl_print_output() {
    let done = locked(&DONE);
    if done.is_empty() {
        return;
    }
    let mut regions = Map::new();
    for (number, (name, (passes, figures))) in done.iter().enumerate() {
        let text = |value: &dyn ToString| Value::from(value.to_string());
        let mut fields = Map::from_iter(figures.iter().map(|(name, figure)| (name.clone(), text(figure))));
        fields.extend([("name".to_owned(), text(name)), ("region_count".to_owned(), text(passes))]);
        regions.insert(number.to_string(), Value::Object(fields));
    }
    let all = json!({
        "papi_version": "7.0.0.0",
        "cpu_info": session::model().map_or("host", |session| &session.machine.name),
        "threads": { "0": { "regions": regions } },
    });
    let folder = std::env::var_os("PAPI_OUTPUT_DIRECTORY").unwrap_or_default();
    let folder = std::path::Path::new(&folder).join("papi_hl_output");
    let made = std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()));
    let write =
        || system::files::write_atomically(&folder.join("rank_000000.json"), format!("{all:#}\n").as_bytes());
    if let Err(error) = made.and_then(|()| write().map_err(|error| error.to_string())) {
        eprintln!("lab: {error}");
    }
}
