//! Charts of measurements, drawn by plotters as SVG, PNG and PDF.
//!
//! A [`sweep`] is one picture, as in the lab guide: a curve for each array size, from light to
//! dark in the order of size, with the size at its end. An SVG contains the values of its
//! points, which [`POINTER_SCRIPT`] shows in a page.

mod axis;
mod bitmap;
mod chart;
mod draw;
mod labels;
mod pdf;
mod style;

pub use axis::Axis;
pub use chart::{Chart, Series, View, WORDS, sweep};

/// Shows the values of a chart's points in a page, under the pointer or by arrow keys. A page
/// includes it once; it finds all charts, also later ones, and needs nothing else.
pub const POINTER_SCRIPT: &str = include_str!("pointer.js");

#[cfg(test)]
mod tests;
