//! Colours, strokes and text styles, as plotters' backends need them. (The crate `plotters`
//! has them too, but adds all browser interfaces to every WebAssembly.)

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, FontFamily, FontStyle};

use super::font;

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Colour {
    /// The colour with opacity `alpha`, from 0 (invisible) to 1.
    pub(super) fn at(self, alpha: f64) -> BackendColor {
        BackendColor { alpha, rgb: (self.0, self.1, self.2) }
    }
}

impl BackendStyle for Colour {
    fn color(&self) -> BackendColor {
        self.at(1.0)
    }
}

/// The alignment of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The style of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    pub(super) em: f64,
    pub(super) bold: bool,
    pub(super) colour: Colour,
}

/// A line's colour and width in pixels.
pub(super) struct Stroke(pub(super) Colour, pub(super) u32);

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.0.at(1.0)
    }

    fn stroke_width(&self) -> u32 {
        self.1
    }
}

/// A text that the backend writes itself.
pub(super) struct Lettering {
    pub(super) set: Type,
    pub(super) anchor: Anchor,
    /// Font size (em) in pixels.
    pub(super) em: f64,
}

impl BackendTextStyle for Lettering {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        self.set.colour.at(1.0)
    }

    fn size(&self) -> f64 {
        // the backend writes the size divided by this into the SVG
        self.em * 1.24
    }

    fn style(&self) -> FontStyle {
        if self.set.bold { FontStyle::Bold } else { FontStyle::Normal }
    }

    fn anchor(&self) -> Pos {
        let horizontal = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(horizontal, VPos::Center)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(font::FAMILY)
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (font::width(text, self.em, self.set.bold) as i32, self.em as i32)))
    }

    /// For surfaces of pixels [`font::set`] draws texts.
    fn draw<E, F>(&self, _: &str, _: BackendCoord, _: F) -> Result<Result<(), E>, Infallible>
    where
        F: FnMut(i32, i32, BackendColor) -> Result<(), E>,
    {
        Ok(Ok(()))
    }
}
