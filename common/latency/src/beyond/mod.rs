//! What a core does in addition to finding lines in its caches: how fast it reads from
//! each level, for how many misses it waits at once, what it fetches ahead of
//! need, and how long it takes to read back what it has just stored.

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
