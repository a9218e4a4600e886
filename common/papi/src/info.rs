//! What programs can ask about events and the machine: the structures of `papi.h`.

use std::ffi::{c_char, c_float, c_int, c_uint};
use std::ptr::null;
use std::sync::OnceLock;

use machine::Machine;
use system::facts::Facts;

use crate::code::{at, fill};
use crate::library::PAPI_is_initialized;
use crate::session;
use crate::sets::{check, event};

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

early! {
    PAPI_get_event_info(code: c_int, info: *mut EventInfo) {
        let (info, event) = (at(info)?, event(code)?);
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
        Ok(())
    };
}

/// `PAPI_mh_level_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct LevelInfo {
    /// Kind, entries, bytes of a page, ways.
    tlb: [[c_int; 4]; 6],
    /// Kind, bytes, bytes of a line, lines, ways.
    cache: [[c_int; 5]; 6],
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
            hardware(Facts::of_host().vendor.as_deref().unwrap_or("host"), &host)
        }
    })
}

fn hardware(vendor: &str, machine: &Machine) -> HardwareInfo {
    // PAPI's numbers for what a cache or TLB holds.
    const DATA: c_int = 2;
    const UNIFIED: c_int = 3;
    // SAFETY: zeros are numbers and texts.
    let mut info: HardwareInfo = unsafe { std::mem::zeroed() };
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as c_int);
    info.processors = [processors, 1, processors, 1, 1, processors];
    info.vendor = ["GenuineIntel", "AuthenticAMD"]
        .iter()
        .position(|name| *name == vendor)
        .map_or(0, |at| at as c_int + 1);
    fill(&mut info.vendor_name, vendor);
    fill(&mut info.model_name, &format!("{} ({})", machine.name, machine.description));
    let mhz = (machine.clock.unwrap_or_else(system::clock::tick_rate).0 / 1e6).round();
    (info.mhz, info.clock_mhz) = (mhz as c_float, mhz as c_int);
    (info.max_mhz, info.min_mhz) = (mhz as c_int, mhz as c_int);
    let levels = machine.visible_levels();
    info.levels = levels.len().min(info.level.len()) as c_int;
    for (place, cache) in info.level.iter_mut().zip(levels) {
        let kind = if cache.level == 1 { DATA } else { UNIFIED };
        let [size, line, lines, ways] = [cache.size.0, cache.line.0, cache.lines() as u64, cache.ways as u64];
        place.cache[0] = [kind, size as c_int, line as c_int, lines as c_int, ways as c_int];
    }
    let tlbs = if machine.sealed() { &[][..] } else { &machine.tlbs };
    for (place, tlb) in info.level.iter_mut().zip(tlbs) {
        place.tlb[0] = [DATA, tlb.entries as c_int, machine.page_size.0 as c_int, tlb.ways as c_int];
    }
    info
}
