//! A request of one level to the next.

/// Bits of a [`Request`]'s kind.
pub(crate) mod kind {
    /// Caused by a store instruction.
    pub(crate) const STORE: u64 = 1;
    /// Carries data: a write-back level that takes them makes the line dirty.
    pub(crate) const DATA: u64 = 2;
    /// A line that the level above evicted.
    pub(crate) const VICTIM: u64 = 4;
    /// A prefetch: no instruction has accessed the line yet.
    pub(crate) const PREFETCH: u64 = 8;
    /// A line evicted by the level that sends the request, not passed on from above.
    pub(crate) const EVICTED: u64 = 16;
    /// The address is physical.
    pub(crate) const PHYSICAL: u64 = 32;
}

const KIND_BITS: u32 = 6;
const ARRAY: u32 = 56;

/// A byte address, the kind, and the array of the access; in one word, which is written and
/// read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request(u64);

impl Request {
    #[inline(always)]
    pub(crate) fn new(address: u64, kind: u64, array: u8) -> Request {
        Request(u64::from(array) << ARRAY | address << KIND_BITS | kind)
    }

    #[inline(always)]
    pub(crate) fn address(self) -> u64 {
        (self.0 & ((1 << ARRAY) - 1)) >> KIND_BITS
    }

    #[inline(always)]
    pub(crate) fn array(self) -> usize {
        (self.0 >> ARRAY) as usize
    }

    /// Whether one of `bits` is set.
    #[inline(always)]
    pub(crate) fn is(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// The same with `bits` set.
    #[inline(always)]
    pub(crate) fn with(self, bits: u64) -> Request {
        Request(self.0 | bits)
    }

    /// The same with `bits` cleared.
    #[inline(always)]
    pub(crate) fn without(self, bits: u64) -> Request {
        Request(self.0 & !bits)
    }

    /// The same with another address.
    #[inline(always)]
    pub(crate) fn at(self, address: u64) -> Request {
        let rest = !(((1 << (ARRAY - KIND_BITS)) - 1) << KIND_BITS);
        Request(self.0 & rest | address << KIND_BITS)
    }
}
