//! Reading counters without the kernel, where it allows that: `rdpmc` on x86,
//! the PMU's registers on arm64. The protocol is that of `linux/perf_event.h`
//! at `struct perf_event_mmap_page`.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

use perf_event::hooks::sys::bindings::perf_event_mmap_page as Page;

use super::{Count, Handle, Mapping};

/// The page in which the kernel says where an event's counter is. Not to be
/// sent to another thread, which would read a counter of its own processor.
#[derive(Debug)]
pub(crate) struct UserCounter {
    memory: Arc<Mapping>,
    here: PhantomData<*const ()>,
}

/// A field of the page, which the kernel may change at any time: hence volatile.
macro_rules! field {
    ($counter:ident . $name:ident) => {
        // SAFETY: the page is mapped as long as the counter lives; the address
        // is that of a field of it.
        unsafe { (&raw const (*$counter.page()).$name).read_volatile() }
    };
}

impl UserCounter {
    /// Maps the page; `None` if this kernel or machine lets no program read.
    pub(crate) fn map(event: &Handle) -> Option<UserCounter> {
        let memory = registers::AVAILABLE
            .then(|| event.map(system::pages::base().get(), false))
            .and_then(Result::ok)?;
        Some(UserCounter { memory, here: PhantomData })
    }

    fn page(&self) -> *const Page {
        self.memory.base().as_ptr().cast()
    }

    /// The count now; `None` while the event is not on a counter, or where the
    /// kernel does not let programs read.
    pub(crate) fn read(&self) -> Option<Count> {
        loop {
            let before = field!(self.lock);
            compiler_fence(Ordering::SeqCst);
            let count = self.attempt();
            compiler_fence(Ordering::SeqCst);
            if field!(self.lock) == before {
                return count;
            }
        }
    }

    fn attempt(&self) -> Option<Count> {
        let capabilities = {
            // SAFETY: the union of capabilities, whose words are one u64 of bits.
            unsafe { (&raw const (*self.page()).__bindgen_anon_1).cast::<u64>().read_volatile() }
        };
        let index = field!(self.index).checked_sub(1)?;
        let (may_read, has_time) = (capabilities & 1 << 2 != 0, capabilities & 1 << 3 != 0);
        if !may_read || !has_time {
            return None;
        }
        let width = u32::from(field!(self.pmc_width)).clamp(1, 64);
        let raw = registers::counter(index)?;
        // The counter is narrower than a word and may have started negative.
        let raw = ((raw << (64 - width)) as i64) >> (64 - width);
        let since = self.time_since_update(capabilities & 1 << 5 != 0);
        Some(Count {
            value: field!(self.offset).wrapping_add(raw) as u64,
            enabled: field!(self.time_enabled).wrapping_add(since),
            running: field!(self.time_running).wrapping_add(since),
        })
    }

    /// Nanoseconds from the page's times to now.
    fn time_since_update(&self, short: bool) -> u64 {
        let mut cycles = registers::time();
        if short {
            let from = field!(self.time_cycles);
            cycles = from.wrapping_add(cycles.wrapping_sub(from) & field!(self.time_mask));
        }
        let shift = field!(self.time_shift);
        let factor = u64::from(field!(self.time_mult));
        let (whole, rest) = (cycles >> shift, cycles & ((1 << shift) - 1));
        let scaled = whole.wrapping_mul(factor).wrapping_add(rest.wrapping_mul(factor) >> shift);
        scaled.wrapping_add(field!(self.time_offset))
    }
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::asm;

    pub(super) const AVAILABLE: bool = true;

    pub(super) fn counter(index: u32) -> Option<u64> {
        let (low, high): (u32, u32);
        // SAFETY: the kernel's page says that the program may read this counter.
        unsafe { asm!("rdpmc", in("ecx") index, out("eax") low, out("edx") high, options(nomem, nostack)) };
        Some(u64::from(high) << 32 | u64::from(low))
    }

    pub(super) fn time() -> u64 {
        // SAFETY: reads the time stamp counter, which Linux leaves readable.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
}

#[cfg(target_arch = "aarch64")]
mod registers {
    use std::arch::asm;

    pub(super) const AVAILABLE: bool = true;

    /// Index 31 is the cycle counter, the others are the event counters, whose
    /// number is part of the instruction.
    pub(super) fn counter(index: u32) -> Option<u64> {
        macro_rules! read {
            ($($number:literal)*) => {
                match index {
                    $($number => {
                        let value: u64;
                        // SAFETY: the kernel's page says that the program may
                        // read this counter.
                        unsafe { asm!(concat!("mrs {}, pmevcntr", $number, "_el0"), out(reg) value, options(nomem, nostack)) };
                        Some(value)
                    })*
                    31 => {
                        let value: u64;
                        // SAFETY: as above.
                        unsafe { asm!("mrs {}, pmccntr_el0", out(reg) value, options(nomem, nostack)) };
                        Some(value)
                    }
                    _ => None,
                }
            };
        }
        read!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
    }

    pub(super) fn time() -> u64 {
        let value: u64;
        // SAFETY: reads the virtual counter, which Linux leaves readable.
        unsafe { asm!("mrs {}, cntvct_el0", out(reg) value, options(nomem, nostack)) };
        value
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod registers {
    pub(super) const AVAILABLE: bool = false;

    pub(super) fn counter(_index: u32) -> Option<u64> {
        None
    }

    pub(super) fn time() -> u64 {
        0
    }
}
