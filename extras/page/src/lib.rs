#![doc = include_str!("../README.md")]

#[cfg(target_arch = "wasm32")]
mod abi;
mod explore;
mod kernels;
mod requests;
mod steps;
mod sweep;
mod tab;

pub use kernels::Kernel;
pub use requests::Lab;
pub use steps::{Outcome, Step, Steps};
pub use tab::Clock;

/// The page, with a placeholder for each of its parts, for `/* core.wasm */` (this crate, compiled
/// to WebAssembly) and for `/* glossary.md */`.
pub const PAGE: &str = include_str!("../page/index.html");
/// The placeholders of the parts, and their texts.
pub const PARTS: [(&str, &str); 12] = [
    ("/* style.css */", include_str!("../page/style.css")),
    ("/* core.js */", include_str!("../page/core.js")),
    ("/* worker.js */", include_str!("../page/worker.js")),
    ("/* pointer.js */", chart::POINTER_SCRIPT),
    ("/* store.js */", report::STORE),
    ("/* dom.js */", include_str!("../page/dom.js")),
    ("/* here.js */", include_str!("../page/here.js")),
    ("/* machine.js */", include_str!("../page/machine.js")),
    ("/* any.js */", include_str!("../page/any.js")),
    ("/* inside.js */", include_str!("../page/inside.js")),
    ("/* mystery.js */", include_str!("../page/mystery.js")),
    ("/* main.js */", include_str!("../page/main.js")),
];
