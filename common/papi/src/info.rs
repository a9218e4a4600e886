//! What programs can ask about events, the machine and themselves: the structures of `papi.h`.

use std::ffi::{c_char, c_float, c_int, c_uint, c_void};
use std::ptr::null;
use std::sync::OnceLock;

use events::Event;
use machine::Machine;
use system::clock;
use system::facts::Facts;

use crate::code::{ENOCMP, ENOEVNT};
use crate::interface::{PAPI_is_initialized, PAPI_num_counters, at, fill, text};
use crate::session;
use crate::sets::{Coded, check, event};

/// `PAPI_event_info_t`.
#[repr(C)]
pub struct EventInfo {
    code: c_uint,
    symbol: [c_char; 1024],
    short_description: [c_char; 64],
    description: [c_char; 1024],
    component: c_int,
    units: [c_char; 64],
    /// Location, types of data and value, scope of time, type and frequency of updates.
    kinds: [c_int; 6],
    /// Number of native events; 0 if it cannot be counted.
    count: c_uint,
    event_type: c_uint,
    derived: [c_char; 64],
    postfix: [c_char; 256],
    codes: [c_uint; 12],
    names: [[c_char; 256]; 12],
    note: [c_char; 1024],
}

fn describe_event(code: c_int, info: &mut EventInfo) -> Coded<()> {
    let event = event(code)?;
    // SAFETY: zeros are texts and numbers.
    *info = unsafe { std::mem::zeroed() };
    info.code = code.cast_unsigned();
    fill(&mut info.symbol, event.name());
    fill(&mut info.short_description, event.description());
    fill(&mut info.description, event.description());
    match check(&event) {
        Ok(()) => {
            info.count = 1;
            fill(&mut info.derived, "NOT_DERIVED");
            fill(&mut info.names[0], event.name());
        }
        Err((_, reason)) => fill(&mut info.note, &reason),
    }
    if matches!(event, Event::Native(_)) && info.count == 0 { Err(ENOEVNT) } else { Ok(()) }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct TlbInfo {
    kind: c_int,
    entries: c_int,
    page: c_int,
    ways: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CacheInfo {
    kind: c_int,
    size: c_int,
    line: c_int,
    lines: c_int,
    ways: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LevelInfo {
    tlb: [TlbInfo; 6],
    cache: [CacheInfo; 6],
}

/// `PAPI_hw_info_t`.
#[repr(C)]
pub struct HardwareInfo {
    /// Processors of a node, threads of a core, cores of a socket, sockets, nodes, all processors.
    processors: [c_int; 6],
    vendor: c_int,
    vendor_name: [c_char; 128],
    model: c_int,
    model_name: [c_char; 128],
    revision: c_float,
    /// Family, model and stepping.
    cpuid: [c_int; 3],
    max_mhz: c_int,
    min_mhz: c_int,
    levels: c_int,
    level: [LevelInfo; 4],
    is_virtual: c_int,
    virtual_vendor: [c_char; 128],
    virtual_version: [c_char; 128],
    mhz: c_float,
    clock_mhz: c_int,
    reserved: [c_int; 8],
}

static HARDWARE: OnceLock<HardwareInfo> = OnceLock::new();

/// `PAPI_get_hardware_info`: of the modelled machine, or of this one. The caches of a sealed machine
/// are not in it.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_get_hardware_info() -> *const HardwareInfo {
    if PAPI_is_initialized() == 0 {
        return null();
    }
    HARDWARE.get_or_init(|| match session::model() {
        Some(session) => hardware("model", &session.machine),
        None => {
            let host = system::machine::host();
            let host = host.unwrap_or_else(|why| system::machine::undescribed_host(&why));
            let vendor = Facts::of_host().vendor;
            let mut info = hardware(vendor.as_deref().unwrap_or("host"), &host);
            info.vendor = vendor.map_or(0, |vendor| vendor_number(&vendor));
            info
        }
    })
}

/// PAPI's number of a vendor: for Arm's designs that of the implementer, as the kernel prints it.
fn vendor_number(vendor: &str) -> c_int {
    match vendor {
        "GenuineIntel" => 1,
        "AuthenticAMD" => 2,
        _ => vendor.strip_prefix("0x").and_then(|hex| c_int::from_str_radix(hex, 16).ok()).unwrap_or(0),
    }
}

fn hardware(vendor: &str, machine: &Machine) -> HardwareInfo {
    // SAFETY: zeros are numbers and texts.
    let mut info: HardwareInfo = unsafe { std::mem::zeroed() };
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as c_int);
    info.processors = [processors, 1, processors, 1, 1, processors];
    fill(&mut info.vendor_name, vendor);
    fill(&mut info.model_name, &format!("{} ({})", machine.name, machine.description));
    let mhz = (machine.clock.unwrap_or_else(clock::tick_rate).0 / 1e6).round();
    (info.mhz, info.clock_mhz) = (mhz as c_float, mhz as c_int);
    (info.max_mhz, info.min_mhz) = (mhz as c_int, mhz as c_int);
    describe(&mut info, machine);
    info
}

/// `PAPI_component_info_t`.
#[repr(C)]
pub struct ComponentInfo {
    name: [c_char; 128],
    short_name: [c_char; 64],
    description: [c_char; 128],
    /// Its version, and those of its library and the kernel.
    versions: [[c_char; 64]; 3],
    disabled_reason: [c_char; 1024],
    disabled: c_int,
    initialized: c_int,
    index: c_int,
    counters: c_int,
    multiplexed_counters: c_int,
    presets: c_int,
    natives: c_int,
    /// Domains and granularities: the default, and all.
    scopes: [c_int; 4],
    signal: c_int,
    features: c_uint,
}

static COMPONENT: OnceLock<ComponentInfo> = OnceLock::new();

/// `PAPI_get_component_info`: there is one component, the processor.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_get_component_info(index: c_int) -> *const ComponentInfo {
    if index != 0 {
        return null();
    }
    COMPONENT.get_or_init(|| {
        // SAFETY: zeros are numbers and texts.
        let mut info: ComponentInfo = unsafe { std::mem::zeroed() };
        let name = if session::model().is_some() { "model" } else { "perf_event" };
        fill(&mut info.name, name);
        fill(&mut info.short_name, name);
        fill(&mut info.description, "the processor's core and its caches");
        info.initialized = 1;
        info.counters = PAPI_num_counters();
        info.multiplexed_counters = info.counters;
        info.presets = events::Preset::COUNT.into();
        info.scopes = [1; 4];
        info
    })
}

/// `PAPI_get_executable_info`: not known here.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_get_executable_info() -> *const c_void {
    null()
}

/// `PAPI_get_shared_lib_info`: not known here.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_get_shared_lib_info() -> *const c_void {
    null()
}

functions! {
    PAPI_get_component_index(name: *const c_char) {
        if ["model", "perf_event", "cpu"].contains(&text(name)?) { Ok(()) } else { Err(ENOCMP) }
    };
    PAPI_get_event_info(code: c_int, info: *mut EventInfo) describe_event(code, at(info)?);
}

/// PAPI's numbers for what a cache or TLB holds.
const DATA: c_int = 2;
const UNIFIED: c_int = 3;

fn describe(info: &mut HardwareInfo, machine: &Machine) {
    let levels = machine.visible_levels();
    info.levels = levels.len().min(info.level.len()) as c_int;
    for (place, cache) in info.level.iter_mut().zip(levels) {
        place.cache[0] = CacheInfo {
            kind: if cache.level == 1 { DATA } else { UNIFIED },
            size: cache.size.0 as c_int,
            line: cache.line.0 as c_int,
            lines: cache.lines() as c_int,
            ways: cache.ways as c_int,
        };
    }
    let tlbs = if machine.sealed() { &[][..] } else { &machine.tlbs };
    for (place, tlb) in info.level.iter_mut().zip(tlbs) {
        let page = machine.page_size.0 as c_int;
        place.tlb[0] = TlbInfo { kind: DATA, entries: tlb.entries as c_int, page, ways: tlb.ways as c_int };
    }
}
