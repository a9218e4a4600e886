//! The kernel's ring buffer of samples, mapped into the program.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event::hooks::sys::bindings;

use super::{Handle, Record};

/// One page of state, then the records.
#[derive(Debug)]
pub(crate) struct Ring {
    base: NonNull<u8>,
    bytes: usize,
    page: usize,
}

// SAFETY: the mapping belongs to the ring alone; the kernel's side of it is
// reached through atomics only.
unsafe impl Send for Ring {}

/// What an ordinary user may lock by default, less the page of state.
const LARGEST_PAGES: usize = 128;

impl Ring {
    /// Maps the buffer of a sampling event, as large as the kernel allows.
    pub(crate) fn map(event: &Handle) -> io::Result<Ring> {
        let mut pages = LARGEST_PAGES;
        loop {
            match Ring::map_pages(event, pages) {
                Err(e) if pages > 1 && e.raw_os_error() == Some(libc::EPERM) => pages /= 2,
                other => return other,
            }
        }
    }

    fn map_pages(event: &Handle, pages: usize) -> io::Result<Ring> {
        let page = system::pages::base().get();
        let bytes = page * (1 + pages);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event.fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Ring { base, bytes, page })
    }

    /// One of the two positions in the state page that both sides move.
    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: an aligned u64 within the first page, which lives as long as
        // the ring; the kernel reads and writes it atomically.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    /// Hands over all records written since the last time, oldest first.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(Record)) {
        let head_at = std::mem::offset_of!(bindings::perf_event_mmap_page, data_head);
        let tail_at = std::mem::offset_of!(bindings::perf_event_mmap_page, data_tail);
        let head = self.position(head_at).load(Ordering::Acquire);
        let mut tail = self.position(tail_at).load(Ordering::Relaxed);
        while tail < head {
            // Header: type (u32), misc (u16), size (u16), little-endian as all
            // machines that this runs on.
            let header = self.word(tail);
            let size = header >> 48;
            match header as u32 {
                bindings::PERF_RECORD_SAMPLE => each(Record::Sample(self.word(tail + 8))),
                bindings::PERF_RECORD_LOST => each(Record::Lost(self.word(tail + 16))),
                bindings::PERF_RECORD_THROTTLE => each(Record::Throttled),
                _ => {}
            }
            // No other size can be; zero would hold the loop for ever.
            tail += (size & !7).max(8);
        }
        self.position(tail_at).store(head, Ordering::Release);
    }

    /// The word at a position of the stream, which wraps round the buffer.
    fn word(&self, position: u64) -> u64 {
        let data = (self.bytes - self.page) as u64;
        let offset = self.page + (position % data) as usize;
        // SAFETY: records are multiples of 8 bytes and so is the buffer: the
        // word lies within the mapping, and the kernel is done with it, since
        // it is before `data_head`.
        unsafe { self.base.as_ptr().add(offset).cast::<u64>().read() }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what was mapped; nobody holds a reference.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;
    const HEAD: usize = std::mem::offset_of!(bindings::perf_event_mmap_page, data_head);

    /// A ring of one page of records, which the test writes instead of the kernel.
    fn ring() -> Ring {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), 2 * PAGE, access, kind, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        Ring { base: NonNull::new(base.cast()).unwrap(), bytes: 2 * PAGE, page: PAGE }
    }

    /// Writes a record of a type, with its words behind the header.
    fn write(ring: &Ring, kind: u32, words: &[u64]) {
        let head = ring.position(HEAD).load(Ordering::Relaxed);
        let size = 8 * (1 + words.len() as u64);
        for (i, word) in std::iter::once(&(u64::from(kind) | size << 48)).chain(words).enumerate() {
            let offset = PAGE + (head as usize + 8 * i) % PAGE;
            // SAFETY: an aligned word within the mapping; nobody else reads it now.
            unsafe { ring.base.as_ptr().add(offset).cast::<u64>().write(*word) };
        }
        ring.position(HEAD).store(head + size, Ordering::Release);
    }

    fn drained(ring: &mut Ring) -> Vec<Record> {
        let mut records = Vec::new();
        ring.drain(|record| records.push(record));
        records
    }

    #[test]
    fn records_come_out_once_in_order_also_round_the_end() {
        let mut ring = ring();
        // 24 bytes each: the buffer's end falls inside of a record.
        for address in 0..1000 {
            write(&ring, bindings::PERF_RECORD_SAMPLE, &[address, 7]);
            assert_eq!(drained(&mut ring), [Record::Sample(address)]);
        }
        write(&ring, bindings::PERF_RECORD_LOST, &[3, 5]);
        write(&ring, bindings::PERF_RECORD_EXIT, &[1, 2, 3]);
        write(&ring, bindings::PERF_RECORD_THROTTLE, &[1, 2, 3]);
        write(&ring, bindings::PERF_RECORD_SAMPLE, &[9]);
        assert_eq!(drained(&mut ring), [Record::Lost(5), Record::Throttled, Record::Sample(9)]);
        assert_eq!(drained(&mut ring), []);
    }

    #[test]
    fn a_broken_size_ends_the_walk_at_the_head() {
        let mut ring = ring();
        let head = |ring: &Ring| ring.position(HEAD).load(Ordering::Relaxed);
        for size in [0, 1, 7, 9, 0xffff] {
            write(&ring, bindings::PERF_RECORD_EXIT, &[u64::from(bindings::PERF_RECORD_EXIT); 3]);
            let offset = PAGE + (head(&ring) as usize - 32) % PAGE;
            // SAFETY: the header just written.
            unsafe { ring.base.as_ptr().add(offset).cast::<u64>().write(size << 48) };
            assert_eq!(drained(&mut ring), [], "{size}");
        }
    }
}
