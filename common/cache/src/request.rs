//! What one level asks of the next, in eight bytes.

/// A byte address, what is done there, and the array it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request(u64);

const KIND: u64 = 0xf;
const REGION: u32 = 56;

impl Request {
    /// Caused by a store instruction.
    pub(super) const STORE: u64 = 1;
    /// Carries data to be kept: the line that takes it is then dirty.
    pub(super) const DATA: u64 = 2;
    /// A replaced line on its way down.
    pub(super) const BACK: u64 = 4;
    /// Nobody asked for it yet.
    pub(super) const PREFETCH: u64 = 8;

    /// `kind` at `address`, of no array in particular.
    #[inline(always)]
    pub(super) fn new(address: u64, kind: u64) -> Request {
        Request(address << 4 | kind)
    }

    #[inline(always)]
    pub(super) fn address(self) -> u64 {
        (self.0 & ((1 << REGION) - 1)) >> 4
    }

    #[inline(always)]
    pub(super) fn is(self, kind: u64) -> bool {
        self.0 & kind != 0
    }

    /// Index of the array it belongs to.
    #[inline(always)]
    pub(super) fn region(self) -> usize {
        (self.0 >> REGION) as usize
    }

    #[inline(always)]
    pub(super) fn with_region(self, region: u8) -> Request {
        Request(self.0 & ((1 << REGION) - 1) | u64::from(region) << REGION)
    }

    /// All bits that are set in one of `row`'s addresses.
    #[inline(always)]
    pub(super) fn reach(row: &[Request]) -> u64 {
        Request(row.iter().fold(0, |bits, request| bits | request.0)).address()
    }

    /// The same at another address.
    pub(super) fn moved_to(self, address: u64) -> Request {
        Request(self.0 & !((1 << REGION) - 1) | address << 4 | self.0 & KIND)
    }

    /// The line is wanted, whatever then happens to it.
    #[inline(always)]
    pub(super) fn fetch(self) -> Request {
        Request(self.0 & !Request::DATA)
    }
}
