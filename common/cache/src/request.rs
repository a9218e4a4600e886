//! What one level asks of the next, in eight bytes.

/// An access as the kernel made it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Access {
    pub(super) pointer: usize,
    /// What is done there; above that, how many bytes it is of, if it may cross the end of
    /// a line.
    pub(super) kind: u64,
}

impl Access {
    const BYTES: u32 = 32;

    /// One of so many bytes.
    #[inline(always)]
    pub(super) fn wide(pointer: usize, bytes: usize, kind: u64) -> Access {
        Access { pointer, kind: kind | (bytes as u64) << Access::BYTES }
    }

    /// How many bytes it is of, 0 if it surely is in one line.
    #[inline(always)]
    pub(super) fn bytes(self) -> usize {
        (self.kind >> Access::BYTES) as usize
    }

    /// Whether it stores.
    #[inline(always)]
    pub(super) fn stores(self) -> bool {
        self.kind & Request::STORE != 0
    }

    /// The same as an access of each line of `1 << shift` bytes that it comes to.
    #[inline(always)]
    pub(super) fn lines(self, shift: u32) -> impl Iterator<Item = Access> {
        let Access { pointer, kind } = self;
        let (first, last) = (pointer >> shift, (pointer + self.bytes().max(1) - 1) >> shift);
        (first..=last).map(move |line| Access {
            pointer: pointer.max(line << shift),
            kind: kind & ((1 << Access::BYTES) - 1),
        })
    }

    /// Whether it comes to as many lines of `1 << shift` bytes each time it has moved by
    /// `stride`.
    #[inline(always)]
    pub(super) fn crosses_alike(self, stride: isize, shift: u32) -> bool {
        let (bytes, line) = (self.bytes(), 1 << shift);
        let whole = |unit: usize| stride.unsigned_abs().is_multiple_of(unit);
        // One that lies on a multiple of its bytes crosses no line of more of them.
        let is_aligned = |bytes: usize| bytes.is_power_of_two() && self.pointer.is_multiple_of(bytes);
        bytes == 0 || whole(line) || bytes <= line && is_aligned(bytes) && whole(bytes)
    }
}

/// A byte address, what is done there, and the array it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request(u64);

const KIND_BITS: u32 = 5;
const KIND: u64 = (1 << KIND_BITS) - 1;
const ARRAY: u32 = 56;

impl Request {
    /// Caused by a store instruction.
    pub(super) const STORE: u64 = 1;
    /// Carries data: the write-back line that takes it is then dirty.
    pub(super) const DATA: u64 = 2;
    /// A victim on its way down.
    pub(super) const VICTIM: u64 = 4;
    /// A prefetch: no instruction asked for it yet.
    pub(super) const PREFETCH: u64 = 8;
    /// A victim of the very level that sends it, not one passing through.
    pub(super) const EVICTED: u64 = 16;

    /// No request.
    pub(super) const NONE: Request = Request(u64::MAX);

    /// `kind` at `address`, of no array in particular.
    #[inline(always)]
    pub(super) fn new(address: u64, kind: u64) -> Request {
        Request(address << KIND_BITS | kind)
    }

    #[inline(always)]
    pub(super) fn address(self) -> u64 {
        (self.0 & ((1 << ARRAY) - 1)) >> KIND_BITS
    }

    #[inline(always)]
    pub(super) fn is(self, kind: u64) -> bool {
        self.0 & kind != 0
    }

    /// Index of the array it belongs to.
    #[inline(always)]
    pub(super) fn array(self) -> usize {
        (self.0 >> ARRAY) as usize
    }

    #[inline(always)]
    pub(super) fn with_array(self, array: u8) -> Request {
        Request(self.0 & ((1 << ARRAY) - 1) | u64::from(array) << ARRAY)
    }

    /// All bits that are set in one of `batch`'s addresses.
    #[inline(always)]
    pub(super) fn reach(batch: &[Request]) -> u64 {
        Request(batch.iter().fold(0, |bits, request| bits | request.0)).address()
    }

    /// The same at another address.
    pub(super) fn moved_to(self, address: u64) -> Request {
        Request(self.0 & !((1 << ARRAY) - 1) | address << KIND_BITS | self.0 & KIND)
    }

    /// A victim that passes through a level.
    #[inline(always)]
    pub(super) fn passing(self) -> Request {
        Request(self.0 & !Request::EVICTED)
    }

    /// The fetch of the line, whatever is then done to it.
    #[inline(always)]
    pub(super) fn fetch(self) -> Request {
        Request(self.0 & !Request::DATA)
    }
}
