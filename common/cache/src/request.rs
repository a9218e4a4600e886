//! What one level asks of the next.

/// Bits of [`Request::kind`].
pub(crate) mod kind {
    /// Caused by a store instruction.
    pub(crate) const STORE: u8 = 1;
    /// Carries data: the write-back line that takes it is then dirty.
    pub(crate) const DATA: u8 = 2;
    /// A victim of the level above.
    pub(crate) const VICTIM: u8 = 4;
    /// A prefetch: no instruction asked for it yet.
    pub(crate) const PREFETCH: u8 = 8;
    /// A victim of the very level that sends it, not one that passes through.
    pub(crate) const EVICTED: u8 = 16;
}

/// A byte address, what is done there, and the array that the access was made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) address: u64,
    pub(crate) kind: u8,
    pub(crate) array: u8,
    /// Whether `address` is a physical one.
    pub(crate) physical: bool,
}

impl Request {
    /// Whether one of `bits` is set.
    #[inline(always)]
    pub(crate) fn is(self, bits: u8) -> bool {
        self.kind & bits != 0
    }

    /// The same without `bits`.
    #[inline(always)]
    pub(crate) fn without(self, bits: u8) -> Request {
        Request { kind: self.kind & !bits, ..self }
    }
}
