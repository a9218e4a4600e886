//! Misses of a product: the lecture's closed forms, and the cache model's count.

pub mod model;
pub mod theory;
