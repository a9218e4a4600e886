//! The chart as PNG, with an embedded font: drawn at four times its size in whole pixels, then
//! averaged (anti-aliasing).

use ab_glyph::{Font, FontRef, GlyphId, ScaleFont, point};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use plotters_bitmap::BitMapBackend;
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
        let [width, height] = self.sides().map(|side| side as usize * FINE as usize);
        let drawn = FINE as usize;
        let mut dots = vec![0; width * height * 3];
        let backend = BitMapBackend::with_buffer(&mut dots, (width as u32, height as u32));
        draw::paint(Raster(backend), self).map_err(|error| ChartError(error.to_string()))?;
        let side = if self.size.is_some() { drawn } else { drawn / 2 };
        let small = averaged(&dots, width, side);
        encoded(&small, width / side, height / side).map_err(|error| ChartError(error.to_string()))
    }

    /// The characters that [`png`](Chart::png) draws as question marks, each once: the
    /// embedded font has Latin, Greek and Cyrillic letters. Viewers draw the characters of
    /// an SVG with their own fonts.
    pub fn undrawn(&self) -> Vec<char> {
        let mut found = Vec::new();
        let Ok(font) = FontRef::try_from_slice(FONT) else { return found };
        for c in self.texts().flat_map(|text| text.chars()) {
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

/// Plotters' pixels, with texts drawn in the embedded font.
struct Raster<'a>(BitMapBackend<'a>);

type Drawn = Result<(), DrawingErrorKind<<BitMapBackend<'static> as DrawingBackend>::ErrorType>>;

impl DrawingBackend for Raster<'_> {
    type ErrorType = <BitMapBackend<'static> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn {
        self.0.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn {
        self.0.draw_pixel(at, colour)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.0.draw_rect(from, to, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = style.size() / SIZE_OF_EM;
        let (width, dots) = glyphs(text, em);
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
            let colour = style.color();
            let colour = BackendColor { alpha: colour.alpha * dark, ..colour };
            self.draw_pixel((left + across, baseline + down), colour)?;
        }
        Ok(())
    }
}

/// The width of a text, and its pixels from the start of its baseline: how dark each is, 0 to 1.
fn glyphs(text: &str, em: f64) -> (f64, Vec<(i32, i32, f64)>) {
    let mut dots = Vec::new();
    let Ok(font) = FontRef::try_from_slice(FONT) else { return (0.0, dots) };
    let scaled = font.as_scaled((em * HEIGHT) as f32);
    let (mut x, mut last) = (0.0f32, None);
    for c in text.chars() {
        let id = font.glyph_id(if has(&font, c) { c } else { '?' });
        x += last.map_or(0.0, |last| scaled.kern(last, id));
        last = Some(id);
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

/// The mean of each square of `side` by `side` pixels, three bytes each.
fn averaged(dots: &[u8], width: usize, side: usize) -> Vec<u8> {
    let mut small = Vec::with_capacity(dots.len() / (side * side));
    for rows in dots.chunks_exact(side * 3 * width) {
        for column in 0..width / side {
            for channel in 0..3 {
                let dot = |row: usize, at: usize| {
                    usize::from(rows[(row * width + column * side + at) * 3 + channel])
                };
                let sum: usize = (0..side).flat_map(|row| (0..side).map(move |at| dot(row, at))).sum();
                small.push((sum / (side * side)) as u8);
            }
        }
    }
    small
}

fn encoded(dots: &[u8], width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(dots)?;
    writer.finish()?;
    Ok(file)
}
