//! PAPI's high-level interfaces: the old one of counters and rates, and the new one of regions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_float, c_int};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use crate::code::*;
use crate::interface::{
    PAPI_get_real_cyc, PAPI_get_real_nsec, PAPI_get_real_usec, PAPI_get_virt_usec, PAPI_is_initialized,
    PAPI_library_init, VERSION, list, number, text,
};
use crate::regions::{Figures, Place};
use crate::session::{self, locked};
use crate::sets::{self, Coded, with};
use crate::thread;

const FP_INS: c_int = 0x34 | PRESET;
const FP_OPS: c_int = 0x66 | PRESET;
const TOT_INS: c_int = 0x32 | PRESET;
const TOT_CYC: c_int = 0x3b | PRESET;
const PRESET: c_int = c_int::MIN;

/// The set that a thread counts with, and since when.
#[derive(Default)]
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
    figures: Vec<i64>,
    /// With the thread's number.
    modelled: Option<(usize, Figures)>,
}

/// A named region's passes and figures.
#[derive(Default)]
struct Done {
    passes: u64,
    figures: BTreeMap<String, i64>,
}

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
    /// The set of the new interface, the names of its events, and the open regions with the figures
    /// at their beginnings.
    static OPEN: RefCell<Option<(c_int, Vec<String>)>> = const { RefCell::new(None) };
    static STACK: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

static DONE: Mutex<BTreeMap<String, Done>> = Mutex::new(BTreeMap::new());

fn done(result: Coded<()>) -> c_int {
    number(result.map(|()| OK))
}

fn begin(codes: &[c_int], caller: usize) -> Coded<Started> {
    if PAPI_is_initialized() == 0 {
        PAPI_library_init(VERSION);
    }
    let set = sets::create();
    let started = codes
        .iter()
        .try_for_each(|code| with(set, |set| set.add(*code)))
        .and_then(|()| with(set, |set| set.start(caller)));
    if let Err(code) = started {
        locked(&sets::SETS).remove(&set);
        return Err(code);
    }
    let (real_us, virtual_us) = (PAPI_get_real_usec(), PAPI_get_virt_usec());
    Ok(Started { set, codes: codes.to_vec(), real_us, virtual_us, last: (virtual_us, vec![0; codes.len()]) })
}

fn end(started: &Started, caller: usize) -> Coded<Vec<i64>> {
    let figures = with(started.set, |set| set.stop(caller));
    locked(&sets::SETS).remove(&started.set);
    figures
}

extern "C" fn start_counters(codes: *mut c_int, count: c_int, caller: usize) -> c_int {
    done(STARTED.with_borrow_mut(|started| {
        if started.is_some() {
            return Err(EISRUN);
        }
        *started = Some(begin(list(codes, count)?, caller)?);
        Ok(())
    }))
}

extern "C" fn stop_counters(place: *mut i64, count: c_int, caller: usize) -> c_int {
    done(STARTED.with_borrow_mut(|started| {
        let figures = end(&started.take().ok_or(ENOTRUN)?, caller)?;
        list(place, count)?.iter_mut().zip(figures).for_each(|(place, figure)| *place = figure);
        Ok(())
    }))
}

stub! { PAPI_start_counters, start_counters, 2 }
stub! { PAPI_stop_counters, stop_counters, 2 }

/// The figures since the last call, from zero again.
fn read_counters(place: *mut i64, count: c_int, put: fn(&mut i64, i64)) -> Coded<()> {
    STARTED.with_borrow(|started| {
        let set = started.as_ref().ok_or(ENOTRUN)?.set;
        let figures = with(set, |set| set.read())?;
        list(place, count)?.iter_mut().zip(figures).for_each(|(place, figure)| put(place, figure));
        with(set, sets::Set::reset)
    })
}

functions! {
    PAPI_read_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place = figure)
    };
    PAPI_accum_counters(place: *mut i64, count: c_int) {
        read_counters(place, count, |place, figure| *place += figure)
    };
}

/// Times since the first call, figures since then, and the first figure's rate since the last
/// call: by microsecond, or by the second figure.
fn rate(
    wanted: &[c_int],
    [real, virt]: [*mut c_float; 2],
    counts: &[*mut i64],
    rate: *mut c_float,
    caller: usize,
) -> c_int {
    done(STARTED.with_borrow_mut(|started| {
        if started.as_ref().is_some_and(|started| started.codes != wanted) {
            return Err(EISRUN);
        }
        let is_first = started.is_none();
        if is_first {
            *started = Some(begin(wanted, caller)?);
        }
        let Some(started) = started else { return Err(EBUG) };
        let figures = if is_first { vec![0; wanted.len()] } else { with(started.set, |set| set.read())? };
        let now = PAPI_get_virt_usec();
        let put = |place: *mut c_float, value: f64| {
            // SAFETY: the program gives places of its own, or null.
            if let Some(place) = unsafe { place.as_mut() } {
                *place = value as c_float;
            }
        };
        put(real, if is_first { 0.0 } else { (PAPI_get_real_usec() - started.real_us) as f64 / 1e6 });
        put(virt, if is_first { 0.0 } else { (now - started.virtual_us) as f64 / 1e6 });
        for (place, figure) in counts.iter().zip(&figures) {
            // SAFETY: the same.
            if let Some(place) = unsafe { place.as_mut() } {
                *place = *figure;
            }
        }
        let done = (figures[0] - started.last.1[0]) as f64;
        let by = figures.get(1).map_or(now - started.last.0, |figure| figure - started.last.1[1]);
        put(rate, if is_first || by <= 0 { 0.0 } else { done / by as f64 });
        started.last = (now, figures);
        Ok(())
    }))
}

macro_rules! rates {
    ($($stub:ident $name:ident: $($code:ident)*;)*) => {$(
        extern "C" fn $name(
            real: *mut c_float,
            virt: *mut c_float,
            count: *mut i64,
            by_time: *mut c_float,
            caller: usize,
        ) -> c_int {
            rate(&[$($code),*], [real, virt], &[count], by_time, caller)
        }
        stub! { $stub, $name, 4 }
    )*};
}

rates! {
    PAPI_flops flops: FP_OPS;
    PAPI_flips flips: FP_INS;
    PAPI_ipc ipc: TOT_INS TOT_CYC;
}

extern "C" fn rate_of(
    code: c_int,
    real: *mut c_float,
    virt: *mut c_float,
    count: *mut i64,
    mega: *mut c_float,
    caller: usize,
) -> c_int {
    rate(&[code], [real, virt], &[count], mega, caller)
}

stub! { PAPI_flops_rate, rate_of, 5 }
stub! { PAPI_flips_rate, rate_of, 5 }

extern "C" fn rate_stop(caller: usize) -> c_int {
    done(STARTED.with_borrow_mut(|started| end(&started.take().ok_or(ENOTRUN)?, caller).map(drop)))
}

stub! { PAPI_rate_stop, rate_stop, 0 }

/// The set of named regions: the events of PAPI_EVENTS, or else loads and misses of each level.
fn regions() -> Coded<(c_int, Vec<String>)> {
    if let Some(open) = OPEN.with_borrow(Clone::clone) {
        return Ok(open);
    }
    if PAPI_is_initialized() == 0 {
        PAPI_library_init(VERSION);
    }
    let usual = if session::model().is_some() {
        "PAPI_L1_DCM,PAPI_LD_INS,PAPI_SR_INS"
    } else {
        "PAPI_TOT_INS,PAPI_TOT_CYC"
    };
    let wanted = std::env::var("PAPI_EVENTS").unwrap_or_else(|_| usual.to_owned());
    let set = sets::create();
    let mut names = Vec::new();
    for name in wanted.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let added = sets::code(name).and_then(|code| with(set, |set| set.add(code)));
        match added {
            Ok(()) => names.push(name.to_owned()),
            Err(code) => eprintln!(
                "lab: {name} of PAPI_EVENTS is left out: {}",
                meaning(code).map_or("?", |(name, _)| name)
            ),
        }
    }
    with(set, |set| set.start_unlisted()).map_err(|_| ENOEVNT)?;
    OPEN.set(Some((set, names.clone())));
    Ok((set, names))
}

fn now() -> Coded<(Vec<String>, Vec<i64>)> {
    let (set, names) = regions()?;
    let times = [PAPI_get_real_nsec(), PAPI_get_real_cyc()];
    let figures = with(set, |set| set.read())?;
    let names = ["real_time_nsec".to_owned(), "cycles".to_owned()].into_iter().chain(names).collect();
    Ok((names, times.into_iter().chain(figures).collect()))
}

functions! {
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
        let name = text(region)?.to_owned();
        let (_, figures) = now()?;
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
    let (names, figures) = now()?;
    if let (Some(session), Some((number, before))) = (session::model(), entered.modelled)
        && let Some(now) = thread::with_own(|walker| walker.figures(session))
    {
        session.add_region(number, Place::Named(entered.name.clone()), &now, &before);
    }
    let mut done = locked(&DONE);
    let done = done.entry(entered.name).or_default();
    done.passes += 1;
    for (name, (now, before)) in names.into_iter().zip(figures.into_iter().zip(entered.figures)) {
        *done.figures.entry(name).or_default() += now - before;
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
    let region = |(number, (name, done)): (usize, (&String, &Done))| {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!(name));
        fields.insert("region_count".to_owned(), json!(done.passes.to_string()));
        fields.extend(done.figures.iter().map(|(name, figure)| (name.clone(), json!(figure.to_string()))));
        (number.to_string(), Value::Object(fields))
    };
    let regions: Map<String, Value> = done.iter().enumerate().map(region).collect();
    let all = json!({
        "papi_version": "7.0.0.0",
        "cpu_info": session::model().map_or("host".to_owned(), |session| session.machine.name.clone()),
        "threads": { "0": { "regions": regions } },
    });
    let folder =
        std::env::var_os("PAPI_OUTPUT_DIRECTORY").map_or_else(Default::default, std::path::PathBuf::from);
    let folder = folder.join("papi_hl_output");
    let path = folder.join("rank_000000.json");
    let made = std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()));
    let text = format!("{all:#}\n");
    if let Err(error) =
        made.and_then(|()| system::files::write_atomically(&path, text.as_bytes()).map_err(|e| e.to_string()))
    {
        eprintln!("lab: {error}");
    }
}
