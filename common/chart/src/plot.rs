//! The rectangle that curves are drawn in.

use super::axis::Span;
use super::canvas::Point;

/// Distance between the frame and the outermost points.
pub(super) const INNER: f64 = 14.0;

/// The rectangle of the curves.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Span,
    pub(super) y: Span,
    /// Space below the lowest point, unless it is on the axis itself.
    pub(super) floor: f64,
    /// Names below the horizontal axis alternate between this many rows if one has no
    /// space.
    pub(super) rows: usize,
}

impl Plot {
    /// The position of a point; `None` if an axis cannot show it.
    pub(super) fn place(&self, x: f64, y: f64) -> Option<Point> {
        Some((self.across(self.x.share(x)?), self.up(self.y.share(y)?)))
    }

    /// The x coordinate of a share of the horizontal axis.
    pub(super) fn across(&self, share: f64) -> f64 {
        self.left + INNER + share * (self.right - self.left - 2.0 * INNER)
    }

    /// The y coordinate of a share of the vertical axis.
    pub(super) fn up(&self, share: f64) -> f64 {
        self.bottom - self.floor - share * (self.bottom - self.floor - self.top - INNER)
    }
}
