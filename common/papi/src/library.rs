//! The library's state, and PAPI's timers.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use system::clock;

use crate::code::*;
use crate::{session, thread};

/// `PAPI_is_initialized`: nothing, `PAPI_library_init`, and `PAPI_thread_init` were called.
pub(crate) const NOT_INITED: c_int = 0;
const LOW_LEVEL: c_int = 1;
pub(crate) const THREADS: c_int = 4;
pub(crate) static INITED: AtomicI32 = AtomicI32::new(NOT_INITED);

/// `PAPI_VERSION` of papi.h.
pub(crate) const VERSION: c_int = 7 << 24;

pub(crate) fn inited() -> Coded<()> {
    if INITED.load(Ordering::Relaxed) == NOT_INITED { Err(ENOINIT) } else { Ok(()) }
}

/// `PAPI_library_init`: accepts the header of any version from 3 on.
#[unsafe(no_mangle)]
pub extern "C" fn PAPI_library_init(version: c_int) -> c_int {
    if !(3..=7).contains(&(version >> 24)) {
        return number(Err::<(), _>(EINVAL));
    }
    if !session::is_native() && !thread::has_counted() {
        eprintln!(
            "lab: the program was not compiled by lab cc, so nothing can be counted: `make clean`, then build all of it with lab cc"
        );
        return number(Err::<(), _>(ESYS));
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
pub(crate) fn frequency() -> f64 {
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
