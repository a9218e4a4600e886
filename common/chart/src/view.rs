//! Options of a view: ranges, scale, size, panels.

use std::str::FromStr;

use figures::units::Bytes;

use crate::axis::{Axis, Scale};
use crate::chart::Chart;
use crate::draw::is_in_range;

/// What a reader wants to see of a chart.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct View {
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The shown part of the horizontal axis.
    pub x_range: Option<Range>,
    /// The shown part of the vertical axis.
    pub y_range: Option<Range>,
    /// Width and height.
    pub size: Option<Size>,
    /// Whether each curve has a panel of its own.
    pub panels: bool,
}

/// The ends of an axis: `16:4K`, or `0:1.5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range(f64, f64);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        let number = |text: &str| match text.trim().parse::<f64>() {
            Ok(number) => Some(number).filter(|number| number.is_finite()),
            Err(_) => text.trim().parse::<Bytes>().ok().map(|bytes| bytes.0 as f64),
        };
        let ends = text.split_once(':').and_then(|(low, high)| Some((number(low)?, number(high)?)));
        match ends {
            Some((low, high)) if low < high => Ok(Range(low, high)),
            Some(_) => Err(format!("'{text}': the first number of a range must be below the second")),
            None => Err(format!("'{text}' is not a range; write two numbers with a colon, such as 16:4K")),
        }
    }
}

/// Width and height of a picture, in pixels: `1200x800`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(u32, u32);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            Some((width, height)) if (300..=5000).contains(&width) && (200..=5000).contains(&height) => {
                Ok(Size(width, height))
            }
            Some(_) => Err(format!("'{text}': a picture is 300x200 to 5000x5000 pixels")),
            None => {
                Err(format!("'{text}' is not a size; write width and height in pixels, such as 1200x800"))
            }
        }
    }
}

impl Chart {
    /// The chart as `view` describes it.
    ///
    /// # Errors
    ///
    /// If an axis cannot show the range, no point is in the ranges, or the size is too small
    /// for the plots; the sentence names the reason.
    pub fn viewed(mut self, view: &View) -> Result<Chart, String> {
        if view.log_y && self.y.scale == Scale::Linear {
            self.y.scale = Scale::Log10;
            self.y.range = None;
        }
        limit(&mut self.x, view.x_range, "horizontal")?;
        limit(&mut self.y, view.y_range, "vertical")?;
        self.size = view.size.map(|Size(width, height)| (width, height)).or(self.size);
        self.panels = view.panels && !self.x.is_named();
        if (view.x_range.is_some() || view.y_range.is_some()) && !self.is_empty() && !is_in_range(&self) {
            let extents = [true, false].into_iter().filter_map(|is_x| self.range_of(is_x));
            let extents = Vec::from_iter(extents).join("; ");
            return Err(format!("nothing of this chart is in that range; choose one within {extents}"));
        }
        match self.least_size().filter(|_| view.size.is_some()) {
            Some([width, height]) => {
                let [asked, high] = self.sides();
                Err(format!("{asked}x{high} is too small for this chart; give it at least {width}x{height}"))
            }
            None => Ok(self),
        }
    }
}

fn limit(axis: &mut Axis, range: Option<Range>, name: &str) -> Result<(), String> {
    let Some(Range(low, high)) = range else { return Ok(()) };
    if axis.is_named() {
        return Err(format!("the {name} axis of this chart has names, not numbers: it has no range"));
    }
    if !axis.shows(low) || !axis.shows(high) {
        return Err(format!("the {name} axis is logarithmic: its range must begin above 0, not at {low}"));
    }
    axis.range = Some((low, high));
    Ok(())
}
