//! The functions that the page calls. Texts are passed as UTF-8: the page asks for memory,
//! writes a request into it, and reads the answer at an address.

use std::cell::RefCell;

use crate::requests::Lab;
use crate::tab::Clock;

#[link(wasm_import_module = "tab")]
unsafe extern "C" {
    /// `performance.now()`: milliseconds.
    safe fn now() -> f64;
    /// Shows the progress of a measurement: costs measured so far.
    safe fn progress(costs: u32);
    /// Shows a point of the curve: bytes of a working set, nanoseconds per access.
    safe fn point(size: f64, nanos: f64);
}

thread_local! {
    static LAB: RefCell<Lab> = RefCell::new(Lab::new(Clock { now, progress, point }));
    /// The last answer, which the page copies before the next request.
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Memory for a request of `length` bytes.
#[unsafe(no_mangle)]
extern "C" fn allocate(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request in that memory; returns the length of the answer.
#[unsafe(no_mangle)]
extern "C" fn ask() -> usize {
    let request = REQUEST.take();
    let answer = LAB.with_borrow_mut(|lab| lab.answer(&String::from_utf8_lossy(&request)));
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// The address of the answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
