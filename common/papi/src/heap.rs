//! Memory: the blocks of `malloc` and `new` at places that are the same in each run, each with
//! the line that made it; and the library's own memory, which must not move them.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use libc::c_void;

use crate::session::refuse;

/// First address of the blocks: far from where systems place programs, libraries and stacks,
/// and small enough for processors with 39 bits of address.
pub(crate) const START: usize = 0x10_0000_0000;
/// Addresses for blocks below and from [`LARGE`] bytes.
const SMALL_AREA: usize = 8 << 30;
const LARGE_AREA: usize = 24 << 30;
/// End of both.
pub(crate) const END: usize = START + SMALL_AREA + LARGE_AREA;
/// From this size on glibc takes whole pages for a block, and so does this heap; they are zero.
pub(crate) const LARGE: usize = 128 << 10;
/// Alignment of blocks, and the unit of their sizes.
const UNIT: usize = 16;
/// Bytes before a block: its size in units and its site, 32 bits each; as much as glibc's.
const HEADER: usize = 8;
const PAGE: usize = 4096;

/// A lock that may be taken in any state of the process.
#[derive(Debug)]
struct Lock(AtomicBool);

impl Lock {
    fn with<T>(&self, action: impl FnOnce() -> T) -> T {
        while self.0.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        let result = action();
        self.0.store(false, Ordering::Release);
        result
    }
}

/// New zeroed memory at `wish` or, without one, anywhere; null if there is none.
fn pages(wish: usize, bytes: usize) -> *mut u8 {
    let fixed = if wish > 0 { libc::MAP_FIXED_NOREPLACE } else { 0 };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: it replaces no memory.
    let found = unsafe { libc::mmap(wish as *mut c_void, bytes, protection, flags, -1, 0) };
    if found == libc::MAP_FAILED || wish > 0 && found as usize != wish { null_mut() } else { found.cast() }
}

/// The blocks of the program.
struct Blocks {
    next: usize,
    next_large: usize,
    /// Free small blocks by their size in units: the first of a list through their first words.
    free: [usize; LARGE / UNIT + 2],
    /// A bit for each unit of the small area: whether a block starts there.
    starts: *mut u64,
    /// Large blocks by address: their pages and sites.
    large: Vec<(Range<usize>, u32)>,
    free_large: Vec<Range<usize>>,
    sites: HashMap<usize, u32>,
    /// Return addresses of the calls that made blocks, in order of their first.
    callers: Vec<usize>,
}

struct Shared(UnsafeCell<Option<Blocks>>);

// SAFETY: it is used under `LOCK` alone.
unsafe impl Sync for Shared {}

static LOCK: Lock = Lock(AtomicBool::new(false));
static BLOCKS: Shared = Shared(UnsafeCell::new(None));

fn with<T>(action: impl FnOnce(&mut Blocks) -> T) -> T {
    LOCK.with(|| {
        // SAFETY: the lock is held.
        let blocks = unsafe { &mut *BLOCKS.0.get() };
        action(blocks.get_or_insert_with(Blocks::open))
    })
}

impl Blocks {
    fn open() -> Blocks {
        let starts: *mut u64 = pages(0, SMALL_AREA / UNIT / 8).cast();
        if starts.is_null() || pages(START, SMALL_AREA + LARGE_AREA).is_null() {
            refuse(
                2,
                "there are no 33 GiB of addresses for the program's blocks (little of it is used): raise `ulimit -v`, or allow overcommitment of memory",
            );
        }
        Blocks {
            next: START + HEADER,
            next_large: START + SMALL_AREA,
            free: [0; LARGE / UNIT + 2],
            starts,
            large: Vec::new(),
            free_large: Vec::new(),
            sites: HashMap::new(),
            callers: Vec::new(),
        }
    }

    fn site(&mut self, caller: usize) -> u32 {
        let next = self.callers.len() as u32;
        *self.sites.entry(caller).or_insert_with(|| {
            self.callers.push(caller);
            next
        })
    }

    fn allocate(&mut self, bytes: usize, align: usize, caller: usize) -> usize {
        if bytes > LARGE_AREA || align > LARGE_AREA {
            return 0;
        }
        let site = self.site(caller);
        if bytes >= LARGE || align > PAGE {
            self.large(bytes, align, site)
        } else {
            self.small(bytes, align, site)
        }
    }

    fn small(&mut self, bytes: usize, align: usize, site: u32) -> usize {
        let units = (bytes + HEADER).div_ceil(UNIT).max(2);
        let mut block = self.free[units];
        if block > 0 && block.is_multiple_of(align) {
            // SAFETY: a free block holds the next one in its first word.
            self.free[units] = unsafe { *(block as *const usize) };
        } else {
            block = (self.next + HEADER).next_multiple_of(align.max(UNIT));
            let end = block + units * UNIT - HEADER;
            if end > START + SMALL_AREA {
                return 0;
            }
            self.next = end;
            let unit = (block - START) / UNIT;
            // SAFETY: the bitmap has a bit for each unit of the area.
            unsafe { *self.starts.add(unit / 64) |= 1 << (unit % 64) };
        }
        self.label(block, units as u32, site)
    }

    fn large(&mut self, bytes: usize, align: usize, site: u32) -> usize {
        let gap = align.max(UNIT);
        let length = (bytes + gap).next_multiple_of(PAGE) + if align > PAGE { align } else { 0 };
        let fits = |free: &Range<usize>| free.len() >= length;
        let start = match self.free_large.iter().position(fits) {
            Some(at) => {
                let start = self.free_large[at].start;
                self.free_large[at].start += length;
                if self.free_large[at].is_empty() {
                    self.free_large.remove(at);
                }
                start
            }
            None if self.next_large + length > END => return 0,
            None => {
                self.next_large += length;
                self.next_large - length
            }
        };
        let at = self.large.partition_point(|(range, _)| range.start < start);
        self.large.insert(at, (start..start + length, site));
        self.label((start + gap).next_multiple_of(gap), 0, site)
    }

    fn label(&mut self, block: usize, units: u32, site: u32) -> usize {
        // SAFETY: the header lies before each block of this heap.
        unsafe { *((block - HEADER) as *mut [u32; 2]) = [units, site] };
        block
    }

    fn free(&mut self, block: usize) {
        // SAFETY: the caller gives a block of this heap.
        let [units, _] = unsafe { *((block - HEADER) as *const [u32; 2]) };
        if units > 0 {
            // SAFETY: a block has two words at least.
            unsafe { *(block as *mut usize) = self.free[units as usize] };
            self.free[units as usize] = block;
            return;
        }
        let Some(at) = self.large.iter().position(|(range, _)| range.contains(&block)) else { return };
        let (mut range, _) = self.large.remove(at);
        // SAFETY: these are the block's own pages; the next block there finds zeros, or does not care.
        unsafe { libc::madvise(range.start as *mut c_void, range.len(), libc::MADV_DONTNEED) };
        let at = self.free_large.partition_point(|free| free.start < range.start);
        if self.free_large.get(at).is_some_and(|next| next.start == range.end) {
            range.end = self.free_large.remove(at).end;
        }
        match at.checked_sub(1).map(|before| &mut self.free_large[before]) {
            Some(before) if before.end == range.start => before.end = range.end,
            _ => self.free_large.insert(at, range),
        }
    }

    /// Usable bytes of a block.
    fn size(&self, block: usize) -> usize {
        // SAFETY: the caller gives a block of this heap.
        let [units, _] = unsafe { *((block - HEADER) as *const [u32; 2]) };
        if units > 0 {
            return units as usize * UNIT - HEADER;
        }
        self.large_at(block).map_or(0, |(range, _)| range.end - block)
    }

    fn large_at(&self, address: usize) -> Option<&(Range<usize>, u32)> {
        let after = self.large.partition_point(|(range, _)| range.start <= address);
        self.large.get(after.checked_sub(1)?).filter(|(range, _)| range.contains(&address))
    }
}

/// A block of `bytes` bytes for the line of `caller`; null if there is no more memory.
pub(crate) fn allocate(bytes: usize, align: usize, caller: usize) -> *mut u8 {
    let block = with(|blocks| blocks.allocate(bytes, align, caller));
    if block == 0 {
        // SAFETY: the thread's own number of the last error.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
    }
    block as *mut u8
}

/// Whether `block` is one of this heap.
pub(crate) fn is_own(block: usize) -> bool {
    (START..END).contains(&block)
}

/// Frees a block; null and foreign ones stay.
pub(crate) fn free(block: usize) {
    if is_own(block) {
        with(|blocks| blocks.free(block));
    }
}

/// Usable bytes of a block.
pub(crate) fn size(block: usize) -> usize {
    if is_own(block) { with(|blocks| blocks.size(block)) } else { 0 }
}

/// The block at `address` and its site: a number below [`callers`]'s length.
pub(crate) fn block_at(address: usize) -> Option<(Range<usize>, usize)> {
    with(|blocks| {
        if let Some((range, site)) = blocks.large_at(address) {
            return Some((range.clone(), *site as usize));
        }
        if address >= blocks.next {
            return None;
        }
        let mut unit = (address - START) / UNIT;
        // SAFETY: the bitmap has a bit for each unit of the area.
        let word = |at: usize| unsafe { *blocks.starts.add(at / 64) };
        // The last start up to this unit.
        loop {
            let upto = word(unit) << (63 - unit % 64);
            if upto != 0 {
                unit -= upto.leading_zeros() as usize;
                break;
            }
            unit = (unit - unit % 64).checked_sub(1)?;
        }
        let block = START + unit * UNIT;
        // SAFETY: a block starts there.
        let [units, site] = unsafe { *((block - HEADER) as *const [u32; 2]) };
        Some((block..block + units as usize * UNIT - HEADER, site as usize))
    })
}

/// The return addresses of the calls that made blocks.
pub(crate) fn callers() -> Vec<usize> {
    with(|blocks| blocks.callers.clone())
}

/// The library's own memory: sizes are powers of two; freed pieces are used again.
pub(crate) struct Own;

static OWN_LOCK: Lock = Lock(AtomicBool::new(false));

struct Pieces(UnsafeCell<([usize; 64], Range<usize>)>);

// SAFETY: it is used under `OWN_LOCK` alone.
unsafe impl Sync for Pieces {}

static PIECES: Pieces = Pieces(UnsafeCell::new(([0; 64], 0..0)));
/// From this size on pieces are pages of their own.
const OWN_LARGE: usize = 1 << 20;

fn own_size(layout: Layout) -> usize {
    layout.size().max(layout.align()).max(UNIT).next_power_of_two()
}

// SAFETY: pieces do not overlap, and are aligned to their sizes (up to a page).
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = own_size(layout);
        if size >= OWN_LARGE {
            return pages(0, size);
        }
        OWN_LOCK.with(|| {
            // SAFETY: the lock is held.
            let (free, rest) = unsafe { &mut *PIECES.0.get() };
            let list = &mut free[size.trailing_zeros() as usize];
            if *list > 0 {
                let piece = *list;
                // SAFETY: a free piece holds the next one in its first word.
                *list = unsafe { *(piece as *const usize) };
                return piece as *mut u8;
            }
            let mut piece = rest.start.next_multiple_of(size);
            if piece + size > rest.end {
                piece = pages(0, 2 * OWN_LARGE) as usize;
                if piece == 0 {
                    return null_mut();
                }
                *rest = piece..piece + 2 * OWN_LARGE;
                piece = piece.next_multiple_of(size);
            }
            rest.start = piece + size;
            piece as *mut u8
        })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let size = own_size(layout);
        if size >= OWN_LARGE {
            // SAFETY: the pages of this piece alone.
            unsafe { libc::munmap(piece.cast(), size) };
            return;
        }
        OWN_LOCK.with(|| {
            // SAFETY: the lock is held, and the piece has a word at least.
            unsafe {
                let (free, _) = &mut *PIECES.0.get();
                let list = &mut free[size.trailing_zeros() as usize];
                *piece.cast::<usize>() = *list;
                *list = piece as usize;
            }
        });
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() && own_size(layout) < OWN_LARGE {
            // SAFETY: the piece has that size; new pages are zero already.
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_as_glibc_places_them_and_are_found_by_any_address() {
        let small = [24, 24, 100, 1].map(|bytes| allocate(bytes, UNIT, 7) as usize);
        assert_eq!([small[1] - small[0], small[2] - small[1], small[3] - small[2]], [32, 32, 112]);
        let large = [LARGE, 3 * LARGE].map(|bytes| allocate(bytes, UNIT, 9) as usize);
        assert_eq!([large[0] % PAGE, large[1] - large[0]], [UNIT, LARGE + PAGE]);
        for (block, bytes, caller) in [(small[0], 24, 7), (small[2], 100, 7), (large[1], 3 * LARGE, 9)] {
            for address in [block, block + 1, block + bytes - 1] {
                let (range, site) = block_at(address).unwrap();
                assert!(range.contains(&address) && callers()[site] == caller, "{address:#x} {range:x?}");
            }
            assert!(size(block) >= bytes);
        }
        free(small[1]);
        assert_eq!(allocate(17, UNIT, 8) as usize, small[1]);
        free(large[0]);
        free(large[1]);
        assert_eq!(allocate(4 * LARGE, UNIT, 8) as usize, large[0], "neighbours are joined");
        let aligned = [64, 4096, 1 << 20].map(|align| allocate(100, align, 3) as usize % align);
        assert_eq!(aligned, [0; 3]);
        assert!(allocate(usize::MAX / 2, UNIT, 3).is_null());
    }
}
