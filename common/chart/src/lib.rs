//! Charts of measurements, drawn by plotters as SVG, PNG and PDF.
//!
//! A [`sweep`] is one picture, as in the lab guide: a curve for each array size, and a legend in their
//! order. An SVG contains the values of its
//! points, which [`POINTER_SCRIPT`] shows in a page.

mod axis;
mod chart;
mod draw;
mod print;
mod style;
mod text;

pub use axis::Axis;
pub use chart::{Chart, Series, View, odd, sweep};

/// Shows the values of a chart's points in a page, under the pointer or by arrow keys. A page
/// includes it once; it finds all charts, also later ones, and needs nothing else.
pub const POINTER_SCRIPT: &str = include_str!("pointer.js");

#[cfg(test)]
mod tests;
