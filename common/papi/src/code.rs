//! PAPI's return codes and what they mean; arguments and results of its functions.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};

macro_rules! codes {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        $(#[allow(dead_code, reason = "the table is PAPI's")]
        pub(crate) const $name: c_int = $number;)*

        /// Name and meaning of a code.
        pub(crate) fn meaning(code: c_int) -> Option<(&'static str, &'static CStr)> {
            match code {
                $($number => Some((concat!("PAPI_", stringify!($name)), $text)),)*
                _ => None,
            }
        }
    };
}

codes! {
    OK = 0, c"No error";
    EINVAL = -1, c"Invalid argument";
    ENOMEM = -2, c"Insufficient memory";
    ESYS = -3, c"A System/C library call failed";
    ECMP = -4, c"Not supported by component";
    ECLOST = -5, c"Access to the counters was lost or interrupted";
    EBUG = -6, c"Internal error, please send mail to the developers";
    ENOEVNT = -7, c"Event does not exist";
    ECNFLCT = -8, c"Event exists, but cannot be counted due to counter resource limitations";
    ENOTRUN = -9, c"EventSet is currently not running";
    EISRUN = -10, c"EventSet is currently counting";
    ENOEVST = -11, c"No such EventSet available";
    ENOTPRESET = -12, c"Event in argument is not a valid preset";
    ENOCNTR = -13, c"Hardware does not support performance counters";
    EMISC = -14, c"Unknown error code";
    EPERM = -15, c"Permission level does not permit operation";
    ENOINIT = -16, c"PAPI hasn't been initialized yet";
    ENOCMP = -17, c"Component Index isn't set";
    ENOSUPP = -18, c"Not supported";
    ENOIMPL = -19, c"Not implemented";
    EBUF = -20, c"Buffer size exceeded";
    EINVAL_DOM = -21, c"EventSet domain is not supported for the operation";
    EATTR = -22, c"Invalid or missing event attributes";
    ECOUNT = -23, c"Too many events or attributes";
    ECOMBO = -24, c"Bad combination of features";
    ECMP_DISABLED = -25, c"Component containing event is disabled";
    EDELAY_INIT = -26, c"Delayed initialization component";
    EMULPASS = -27, c"Event exists, but cannot be counted due to multiple passes required by hardware";
}

/// A result with one of PAPI's codes as error.
pub(crate) type Coded<T> = Result<T, c_int>;

thread_local! {
    pub(crate) static LAST_ERROR: Cell<c_int> = const { Cell::new(OK) };
}

/// What a function gives that does not fail.
pub(crate) trait Number {
    fn number(self) -> c_int;
}

impl Number for () {
    fn number(self) -> c_int {
        OK
    }
}

impl Number for c_int {
    fn number(self) -> c_int {
        self
    }
}

/// What a function of the interface returns.
pub(crate) fn number<T: Number>(result: Coded<T>) -> c_int {
    result.map(Number::number).unwrap_or_else(|code| {
        LAST_ERROR.set(code);
        code
    })
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
