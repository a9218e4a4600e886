//! The six orders of the three loops, one file each.

pub mod ijk;
pub mod ikj;
pub mod jik;
pub mod jki;
pub mod kij;
pub mod kji;

/// The names and the texts of their files.
pub const FILES: [(&str, &str); 6] = [
    ("dgemm/src/rungs/orders/ijk.rs", include_str!("ijk.rs")),
    ("dgemm/src/rungs/orders/jik.rs", include_str!("jik.rs")),
    ("dgemm/src/rungs/orders/ikj.rs", include_str!("ikj.rs")),
    ("dgemm/src/rungs/orders/kij.rs", include_str!("kij.rs")),
    ("dgemm/src/rungs/orders/jki.rs", include_str!("jki.rs")),
    ("dgemm/src/rungs/orders/kji.rs", include_str!("kji.rs")),
];
