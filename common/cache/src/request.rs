//! What one level asks of the next, in eight bytes.

/// An access as the kernel made it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Access {
    pub(super) pointer: usize,
    pub(super) kind: u64,
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
