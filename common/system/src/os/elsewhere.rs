//! Systems with a clock and memory only, such as WASI.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;

use figures::units::{Bytes, Seconds};

use super::Os;
use crate::facts::Facts;

pub(crate) struct Elsewhere;

/// Pages of WebAssembly have 64 KiB, but are no unit of translation: memory is aligned as
/// on other systems.
const ALIGNMENT: usize = 4096;

impl Os for Elsewhere {
    fn wall() -> Seconds {
        static START: OnceLock<Instant> = OnceLock::new();
        Seconds(START.get_or_init(Instant::now).elapsed().as_secs_f64())
    }

    /// Wall-clock time: there is no clock of processor time.
    fn process_cpu() -> Seconds {
        Elsewhere::wall()
    }

    /// Wall-clock time, as above.
    fn thread_cpu() -> Seconds {
        Elsewhere::wall()
    }

    fn page_size() -> Option<Bytes> {
        None
    }

    fn map(bytes: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        if let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGNMENT) {
            // SAFETY: allocated by `map` with this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    fn facts(_cpu: usize) -> Facts {
        Facts::default()
    }
}
