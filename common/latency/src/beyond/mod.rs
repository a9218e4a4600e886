//! Properties of a core other than its caches: read bandwidth of each level, number of
//! misses in flight, prefetching, and the time to read back what was just stored.

mod bandwidth;
mod forwarding;
mod parallelism;
mod prefetch;
mod span;

pub use bandwidth::{Bandwidth, bandwidth};
pub use forwarding::forwarding;
pub use parallelism::{Parallelism, parallelism};
pub use prefetch::{Ahead, prefetch};
pub use span::Span;
