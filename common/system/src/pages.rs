//! Memory whose pages are known: a block from the system, with huge pages or
//! without, and an honest answer which of the two was granted.

use std::ptr::NonNull;

use figures::units::Bytes;
use memory::OutOfMemory;

/// Size of a huge page on x86-64, and on Arm and RISC-V with 4 KiB base pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// Which pages to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// As large as the system gives them: few TLB misses, and physical
    /// neighbours are neighbours.
    Huge,
    /// The base page only, as a small program's data have it.
    Base,
}

/// A zeroed block, aligned to a huge page, every page touched.
#[derive(Debug)]
pub struct Room {
    mapping: NonNull<u8>,
    mapped: usize,
    block: NonNull<u8>,
    len: usize,
    huge: bool,
}

impl Room {
    /// A block of at least `bytes` bytes.
    ///
    /// # Errors
    ///
    /// If the system has no such block.
    pub fn new(bytes: usize, pages: Pages) -> Result<Room, OutOfMemory> {
        let refused = || OutOfMemory(Bytes(bytes as u64));
        let len = bytes.max(1).checked_next_multiple_of(HUGE_PAGE).ok_or_else(refused)?;
        let mapped = len.checked_add(HUGE_PAGE).ok_or_else(refused)?;
        // SAFETY: an anonymous private mapping at a place of the system's
        // choice touches no existing memory.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(refused());
        }
        let mapping = NonNull::new(mapping.cast::<u8>()).ok_or_else(refused)?;
        let skip = mapping.as_ptr().align_offset(HUGE_PAGE);
        // SAFETY: `skip` is below HUGE_PAGE, which was mapped beyond `len`.
        let block = unsafe { mapping.add(skip) };
        let mut room = Room { mapping, mapped, block, len, huge: false };
        room.advise(pages);
        for offset in (0..room.len).step_by(4096) {
            // SAFETY: inside the block, which nobody else has.
            unsafe { room.block.as_ptr().add(offset).write_volatile(0) };
        }
        room.huge = pages == Pages::Huge && granted(room.block.as_ptr() as usize, room.len);
        Ok(room)
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn advise(&mut self, pages: Pages) {
        let advice = match pages {
            Pages::Huge => libc::MADV_HUGEPAGE,
            Pages::Base => libc::MADV_NOHUGEPAGE,
        };
        // SAFETY: the range is our own mapping; advice changes no content. A
        // refusal is no error here: `granted` looks at what came of it.
        unsafe { libc::madvise(self.block.as_ptr().cast(), self.len, advice) };
    }

    #[cfg(any(not(target_os = "linux"), miri))]
    fn advise(&mut self, _pages: Pages) {}

    /// Bytes in the block.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a block has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the whole block lies in huge pages.
    pub fn huge(&self) -> bool {
        self.huge
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.block.as_ptr()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length; nothing borrows it.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapped) };
    }
}

/// Whether the kernel reports the block as huge pages throughout.
fn granted(start: usize, len: usize) -> bool {
    std::fs::read_to_string("/proc/self/smaps").is_ok_and(|maps| huge_bytes(&maps, start) >= len)
}

/// Bytes of huge pages in the mapping that holds `start`, from the text of
/// `/proc/PID/smaps`.
fn huge_bytes(smaps: &str, start: usize) -> usize {
    let mut inside = false;
    for line in smaps.lines() {
        let first = line.split_whitespace().next().unwrap_or("");
        if let Some((low, high)) = first.split_once('-') {
            let range = (usize::from_str_radix(low, 16), usize::from_str_radix(high, 16));
            if let (Ok(low), Ok(high)) = range {
                inside = (low..high).contains(&start);
            }
        } else if inside && let Some(kib) = line.strip_prefix("AnonHugePages:") {
            return kib.trim().trim_end_matches("kB").trim().parse::<usize>().unwrap_or(0) << 10;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_aligned_and_writable_to_its_end() {
        for pages in [Pages::Huge, Pages::Base] {
            let room = Room::new(3 << 20, pages).unwrap();
            assert_eq!((room.base() as usize % HUGE_PAGE, room.len()), (0, 4 << 20));
            assert!(!(pages == Pages::Base && room.huge()));
        }
        assert!(Room::new(usize::MAX - 4096, Pages::Base).is_err());
    }

    #[test]
    fn smaps_tells_what_was_granted() {
        let text =
            "1000-3000 rw-p 0\nRss: 8 kB\nAnonHugePages:      4 kB\n3000-5000 rw-p\nAnonHugePages: 2048 kB\n";
        assert_eq!(huge_bytes(text, 0x1800), 4096);
        assert_eq!(huge_bytes(text, 0x3000), 2 << 20);
        assert_eq!(huge_bytes(text, 0x9000), 0);
    }
}
