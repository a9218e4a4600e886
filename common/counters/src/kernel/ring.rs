//! The kernel's ring buffer of samples, mapped into the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event::hooks::sys::bindings;

use super::{Handle, Record};
use system::pages::Mapping;

/// Where in the page of state the kernel's end of the records is, and the program's.
pub(super) const HEAD: usize = std::mem::offset_of!(bindings::perf_event_mmap_page, data_head);
pub(super) const TAIL: usize = std::mem::offset_of!(bindings::perf_event_mmap_page, data_tail);

/// One page of state, then the records.
#[derive(Debug)]
pub(crate) struct Ring {
    pub(super) memory: Arc<Mapping>,
    pub(super) page: usize,
}

/// What an ordinary user may lock by default, less the page of state.
const LARGEST_PAGES: usize = 128;

/// More than any record that the kernel writes into it.
const LARGEST_RECORD: u64 = 64;

impl Ring {
    /// Maps the buffer of a sampling event, as large as the kernel allows.
    pub(crate) fn map(event: &Handle) -> io::Result<Ring> {
        let page = system::pages::base().get();
        let mut pages = LARGEST_PAGES;
        loop {
            match event.map(page * (1 + pages)) {
                Err(e) if pages > 1 && e.raw_os_error() == Some(libc::EPERM) => pages /= 2,
                mapped => return mapped.map(|memory| Ring { memory, page }),
            }
        }
    }

    /// One of the two positions in the state page that both sides move.
    pub(super) fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: an aligned u64 within the first page, which lives as long as
        // the ring; the kernel reads and writes it atomically.
        unsafe { AtomicU64::from_ptr(self.memory.base().as_ptr().add(offset).cast()) }
    }

    /// Hands over all records written since the last time, oldest first; true if
    /// the buffer was full, so that there may have been more.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(Record)) -> bool {
        let head = self.position(HEAD).load(Ordering::Acquire);
        let mut tail = self.position(TAIL).load(Ordering::Relaxed);
        let full = self.capacity() < head.wrapping_sub(tail).saturating_add(LARGEST_RECORD);
        while tail < head {
            // Header: type (u32), misc (u16), size (u16), little-endian as all
            // machines that this runs on.
            let header = self.word(tail);
            match header as u32 {
                bindings::PERF_RECORD_SAMPLE => each(Record::Sample(self.word(tail + 8))),
                bindings::PERF_RECORD_THROTTLE => each(Record::Throttled),
                _ => {}
            }
            tail += header >> 48;
        }
        self.position(TAIL).store(head, Ordering::Release);
        full
    }

    /// Bytes of records that it holds.
    pub(super) fn capacity(&self) -> u64 {
        (self.memory.bytes() - self.page) as u64
    }

    /// The word at a position of the stream, which wraps round the buffer.
    fn word(&self, position: u64) -> u64 {
        // SAFETY: records are multiples of 8 bytes and so is the buffer: the
        // word lies within the mapping, and the kernel is done with it, since
        // it is before `data_head`.
        unsafe { self.place(position).read_volatile() }
    }

    /// Where the word at a position of the stream is, within the mapping.
    pub(super) fn place(&self, position: u64) -> *mut u64 {
        let offset = self.page + (position % self.capacity()) as usize;
        self.memory.base().as_ptr().wrapping_add(offset).cast()
    }
}

/// The kernel's side, which tests play.
#[cfg(test)]
impl Ring {
    /// Writes a record of a type, with its words behind the header.
    pub(super) fn write(&self, kind: u32, words: &[u64]) {
        let head = self.position(HEAD).load(Ordering::Relaxed);
        let size = 8 * (1 + words.len() as u64);
        let header = u64::from(kind) | size << 48;
        for (place, word) in (head..).step_by(8).zip(std::iter::once(&header).chain(words)) {
            // SAFETY: an aligned word within the mapping, before which the reader
            // stops until the head is moved.
            unsafe { self.place(place).write_volatile(*word) };
        }
        self.position(HEAD).store(head + size, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;

    /// A ring of one page of records, which the test writes instead of the kernel.
    fn ring() -> Ring {
        Ring { memory: Arc::new(Mapping::new(2 * PAGE).unwrap()), page: PAGE }
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
            ring.write(bindings::PERF_RECORD_SAMPLE, &[address, 7]);
            assert_eq!(drained(&mut ring), [Record::Sample(address)]);
        }
        ring.write(bindings::PERF_RECORD_LOST, &[3, 5]);
        ring.write(bindings::PERF_RECORD_EXIT, &[1, 2, 3]);
        ring.write(bindings::PERF_RECORD_THROTTLE, &[1, 2, 3]);
        ring.write(bindings::PERF_RECORD_SAMPLE, &[9]);
        assert_eq!(drained(&mut ring), [Record::Throttled, Record::Sample(9)]);
        assert_eq!(drained(&mut ring), []);
    }
}
