//! A request of one level to the next.

/// Bits of a [`Request`]'s kind.
pub(crate) mod kind {
    /// Caused by a store instruction.
    pub(crate) const STORE: u8 = 1;
    /// Carries data: a write-back level that takes them makes the line dirty.
    pub(crate) const DATA: u8 = 2;
    /// A line that the level above evicted.
    pub(crate) const VICTIM: u8 = 4;
    /// A line evicted by the level that sends the request, not passed on from above.
    pub(crate) const EVICTED: u8 = 8;
    /// The address is physical.
    pub(crate) const PHYSICAL: u8 = 16;
}

/// A byte address, and whose access it is of what kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) address: u64,
    pub(crate) kind: u8,
    pub(crate) array: u8,
}

impl Request {
    /// Whether one of `bits` is set.
    #[inline(always)]
    pub(crate) fn is(self, bits: u8) -> bool {
        self.kind & bits != 0
    }

    /// The request with `bits` set.
    #[inline(always)]
    pub(crate) fn with(self, bits: u8) -> Request {
        Request { kind: self.kind | bits, ..self }
    }

    /// The request with `bits` cleared.
    #[inline(always)]
    pub(crate) fn without(self, bits: u8) -> Request {
        Request { kind: self.kind & !bits, ..self }
    }
}
