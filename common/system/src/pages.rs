//! Memory with known pages: a block from the system, with or without huge pages, that says
//! which of the two it has.

use std::io;
use std::ptr::NonNull;

use figures::units::Bytes;
use memory::OutOfMemory;

use crate::os;

pub use crate::os::PageKind;

/// Size of a huge page on x86-64, and on Arm and RISC-V with 4 KiB base pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// The smallest page of any system.
const SMALLEST_PAGE: usize = 4096;

/// Size of a base page in bytes; 4 KiB if the system does not report it.
pub fn base() -> Bytes {
    os::page_size().unwrap_or(Bytes(SMALLEST_PAGE as u64))
}

/// Pages from the system; dropped, they are gone.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: any thread may unmap it. Its users reach the memory by `base` alone, and answer for that.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// New zeroed pages.
    /// Fails if the system has none.
    pub fn new(bytes: usize) -> io::Result<Mapping> {
        Ok(Mapping { base: os::map(bytes)?, bytes })
    }

    /// The first `bytes` of an open file, shared with the kernel.
    /// Fails if the system refuses it.
    #[cfg(unix)]
    pub fn of_file(file: std::os::fd::RawFd, bytes: usize) -> io::Result<Mapping> {
        Ok(Mapping { base: os::map_file(bytes, file)?, bytes })
    }

    /// The first byte.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what was mapped; nobody holds a reference.
        unsafe { os::unmap(self.base, self.bytes) };
    }
}

/// A zeroed block, aligned to a huge page, with every page accessed once.
#[derive(Debug)]
pub struct PageBlock {
    _mapping: Mapping,
    block: NonNull<u8>,
    len: usize,
    huge: bool,
}

impl PageBlock {
    /// A block of at least `bytes` bytes.
    /// Fails if the system has no such block.
    pub fn new(bytes: usize, kind: PageKind) -> Result<PageBlock, OutOfMemory> {
        let refused = || OutOfMemory(Bytes(bytes as u64));
        let len = bytes.max(1).checked_next_multiple_of(HUGE_PAGE).ok_or_else(refused)?;
        let mapped = len.checked_add(HUGE_PAGE).ok_or_else(refused)?;
        let mapping = Mapping::new(mapped).map_err(|_| refused())?;
        let skip = mapping.base.as_ptr().align_offset(HUGE_PAGE);
        // SAFETY: `skip` is below HUGE_PAGE, which was mapped beyond `len`.
        let block = unsafe { mapping.base.add(skip) };
        os::advise(block, len, kind);
        for offset in (0..len).step_by(SMALLEST_PAGE) {
            // SAFETY: inside the block, which nothing else uses.
            unsafe { block.as_ptr().add(offset).write_volatile(0) };
        }
        let huge = kind == PageKind::Huge && os::huge_bytes(block.as_ptr() as usize) >= len;
        Ok(PageBlock { _mapping: mapping, block, len, huge })
    }

    /// Size of the block in bytes.
    pub fn bytes(&self) -> usize {
        self.len
    }

    /// Whether the whole block is in huge pages.
    pub fn huge(&self) -> bool {
        self.huge
    }

    /// The whole block as words.
    pub fn words(&mut self) -> &mut [u64] {
        // SAFETY: the whole block is mapped and initialised (the system gives zeros) and
        // aligned to a huge page, and only this reference borrows it.
        unsafe { std::slice::from_raw_parts_mut(self.block.as_ptr().cast(), self.len / size_of::<u64>()) }
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.block.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_aligned_and_writable_to_its_end() {
        for kind in [PageKind::Huge, PageKind::Base] {
            let mut room = PageBlock::new(3 << 20, kind).unwrap();
            assert_eq!((room.base() as usize % HUGE_PAGE, room.bytes()), (0, 4 << 20));
            let words = room.words();
            assert!(words.len() == (4 << 20) / 8 && words.iter().all(|word| *word == 0));
            words.fill(7);
            assert!(!(kind == PageKind::Base && room.huge()));
        }
        assert!(PageBlock::new(usize::MAX - 4096, PageKind::Base).is_err());
    }
}
