//! Charts in the style of the lab guide: one curve per array size over a binary logarithmic
//! axis, distinguished by marker and dash as well as by colour, with the machine and the
//! units in the caption.
//!
//! ```
//! use chart::{Axis, Chart};
//! let chart = Chart::new("Array sweep", Axis::bytes("stride"), Axis::linear("misses per access").upto(1.0))
//!     .curve("64 KiB", [(32.0, 0.5), (64.0, 1.0), (128.0, 1.0)])
//!     .caption("Misses of a 32 KiB cache, source: model of i5-7500.");
//! assert!(chart.svg().starts_with("<svg"));
//! ```

mod axis;
mod bitmap;
mod canvas;
mod chart;
mod draw;
mod font;
mod ink;
mod label;
mod layout;
mod look;
mod panels;
mod plot;
mod sweep;

pub use axis::{Axis, Scale, Unit};
pub use bitmap::ChartError;
pub use chart::{Band, Chart, Mark, Series};
pub use sweep::sweep;

impl Chart {
    /// The chart as SVG text, for a file or inside a page.
    pub fn svg(&self) -> String {
        draw::svg(self)
    }

    /// The chart as a PNG file's bytes, for screens and slides.
    ///
    /// # Errors
    ///
    /// If the picture cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        bitmap::png(self)
    }
}

#[cfg(test)]
mod tests;
