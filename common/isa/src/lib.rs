//! What depends on the processor's instructions, and on nothing else: the
//! machine's own memory, and SIMD registers.

mod native;

pub use native::Native;
