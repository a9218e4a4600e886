//! The chart as PNG, with an embedded font: drawn at four times its size in whole pixels, then
//! averaged (anti-aliasing).

use std::convert::Infallible;

use ab_glyph::{Font, FontRef, GlyphId, ScaleFont, point};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use thiserror::Error;

use crate::chart::Chart;
use crate::draw::{self, FINE, SIZE_OF_EM};

const FONT: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
/// Ascent and descent of the font, and half the height of a small letter, in ems.
const HEIGHT: f64 = 1.362;
const HALF_X: f64 = 0.268;

/// The picture cannot be drawn or encoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot draw the chart: {0}; draw it as .svg")]
pub struct ChartError(String);

impl Chart {
    /// The chart as a PNG file's bytes, for screens and slides: as many pixels as its size
    /// says, or twice the ordinary size for sharp print.
    ///
    /// # Errors
    ///
    /// If the picture cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        let failed = |error: &dyn std::error::Error| ChartError(error.to_string());
        let font = FontRef::try_from_slice(FONT).map_err(|error| failed(&error))?;
        let [width, height] = self.sides().map(|side| side as usize * FINE as usize);
        let mut dots = vec![255; width * height * 3];
        draw::paint(Raster { dots: &mut dots, size: (width, height), font }, self)
            .map_err(|error| failed(error.as_ref()))?;
        let side = if self.size.is_some() { FINE as usize } else { FINE as usize / 2 };
        encoded(&averaged(&dots, width, side), width / side, height / side).map_err(|error| failed(&error))
    }

    /// The characters that [`png`](Chart::png) draws as question marks, each once: the
    /// embedded font has Latin, Greek and Cyrillic letters. Viewers draw the characters of
    /// an SVG with their own fonts.
    pub fn undrawn(&self) -> Vec<char> {
        let mut found = Vec::new();
        let Ok(font) = FontRef::try_from_slice(FONT) else { return found };
        for c in self.clone().texts_mut().flat_map(|text| text.chars().collect::<Vec<_>>()) {
            if !has(&font, c) && !found.contains(&c) {
                found.push(c);
            }
        }
        found
    }
}

/// Whether the font has a glyph for `c`; glyph 0 is the box for missing ones.
fn has(font: &FontRef<'_>, c: char) -> bool {
    c.is_whitespace() || font.glyph_id(c) != GlyphId(0)
}

/// Pixels of three bytes each. Plotters makes lines and areas of them.
struct Raster<'a> {
    dots: &'a mut [u8],
    size: (usize, usize),
    font: FontRef<'a>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Raster<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.size.0 as u32, self.size.1 as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, BackendColor { alpha, rgb }: BackendColor) -> Drawn {
        let (width, height) = self.size;
        if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
            let at = (y as usize * width + x as usize) * 3;
            for (dot, new) in self.dots[at..at + 3].iter_mut().zip([rgb.0, rgb.1, rgb.2]) {
                *dot = (f64::from(*dot) * (1.0 - alpha) + f64::from(new) * alpha).round() as u8;
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = style.size() / SIZE_OF_EM;
        let (width, dots) = glyphs(&self.font, text, em);
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        // As the SVG backend places them.
        let baseline = em
            * match style.anchor().v_pos {
                VPos::Top => 0.76,
                VPos::Center => HALF_X,
                VPos::Bottom => -HALF_X,
            };
        let (left, baseline) = (x + left.round() as i32, y + baseline.round() as i32);
        for (across, down, dark) in dots {
            let BackendColor { alpha, rgb } = style.color();
            self.draw_pixel((left + across, baseline + down), BackendColor { alpha: alpha * dark, rgb })?;
        }
        Ok(())
    }
}

/// The width of a text, and its pixels from the start of its baseline: how dark each is, 0 to 1.
fn glyphs(font: &FontRef<'_>, text: &str, em: f64) -> (f64, Vec<(i32, i32, f64)>) {
    let mut dots = Vec::new();
    let scaled = font.as_scaled((em * HEIGHT) as f32);
    let mut x = 0.0f32;
    for c in text.chars() {
        let id = font.glyph_id(if has(font, c) { c } else { '?' });
        if let Some(outline) = font.outline_glyph(id.with_scale_and_position(scaled.scale(), point(x, 0.0))) {
            let corner = outline.px_bounds().min;
            outline.draw(|across, down, dark| {
                dots.push((corner.x as i32 + across as i32, corner.y as i32 + down as i32, f64::from(dark)));
            });
        }
        x += scaled.h_advance(id);
    }
    (f64::from(x), dots)
}

/// The mean of each square of `side` by `side` pixels.
fn averaged(dots: &[u8], width: usize, side: usize) -> Vec<u8> {
    let mean = |rows: &[u8], column: usize, channel: usize| {
        let dot = |row: usize, at: usize| u32::from(rows[(row * width + column * side + at) * 3 + channel]);
        let sum: u32 =
            (0..side).flat_map(|row| (0..side).map(move |at| (row, at))).map(|(r, a)| dot(r, a)).sum();
        (sum / (side * side) as u32) as u8
    };
    let rows = dots.chunks_exact(side * 3 * width);
    rows.flat_map(|rows| (0..width / side * 3).map(move |at| mean(rows, at / 3, at % 3))).collect()
}

fn encoded(dots: &[u8], width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(dots)?;
    Ok(file)
}
