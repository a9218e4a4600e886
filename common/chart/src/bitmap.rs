//! The chart as PNG, with an embedded font: drawn at four times its size in whole pixels, then
//! averaged (anti-aliasing).

use std::sync::Once;

use ab_glyph::{Font, FontRef, GlyphId, ScaleFont, point};
use plotters::style::{FontStyle, register_font as register};
use plotters_bitmap::BitMapBackend;
use thiserror::Error;

use crate::chart::Chart;
use crate::draw::{self, FAMILY, FINE, Glyphs, Type};
use crate::layout;

const FONT: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
/// Plotters takes a size for ascent and descent, 1.362 em of this font. It omits the space
/// before each letter, which is of no matter for tick labels alone.
const TYPE: Type = Type { size: HEIGHT, down: 0.14, glyphs: Some(glyphs) };
const HEIGHT: f64 = 1.362;
/// Half the height of a small letter, in ems.
const HALF_X: f32 = 0.268;

/// The picture cannot be drawn or encoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot draw the chart: {0}; draw it as .svg")]
pub struct ChartError(String);

/// Registers the font that plotters looks for, also where an SVG names it.
pub(crate) fn register_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(register(FAMILY, FontStyle::Normal, FONT)));
}

impl Chart {
    /// The chart as a PNG file's bytes, for screens and slides: as many pixels as its size
    /// says, or twice the ordinary size for sharp print.
    ///
    /// # Errors
    ///
    /// If the picture cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        register_font();
        let chart = self.with_drawable_texts();
        let arranged = layout::arrange(&chart);
        let drawn = FINE as usize;
        let (width, height) = (arranged.width as usize * drawn, arranged.height.ceil() as usize * drawn);
        let mut dots = vec![0; width * height * 3];
        let backend = BitMapBackend::with_buffer(&mut dots, (width as u32, height as u32));
        draw::paint(backend, TYPE, &chart, &arranged).map_err(ChartError)?;
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

    fn with_drawable_texts(&self) -> Chart {
        let (undrawn, mut chart) = (self.undrawn(), self.clone());
        if undrawn.is_empty() {
            return chart;
        }
        let axes = [&mut chart.x, &mut chart.y]
            .into_iter()
            .flat_map(|axis| axis.names.iter_mut().chain([&mut axis.label]));
        let series = chart.series.iter_mut().flat_map(|series| [&mut series.name, &mut series.panel]);
        let places = chart.marks.iter_mut().map(|mark| &mut mark.label);
        let places = places.chain(chart.bands.iter_mut().map(|band| &mut band.label));
        for text in [&mut chart.title, &mut chart.caption].into_iter().chain(axes).chain(series).chain(places)
        {
            *text = text.replace(undrawn.as_slice(), "?");
        }
        chart
    }
}

/// Whether the font has a glyph for `c`; glyph 0 is the box for missing ones.
fn has(font: &FontRef<'_>, c: char) -> bool {
    c.is_whitespace() || font.glyph_id(c) != GlyphId(0)
}

/// A text in pixels, its middle that of the small letters.
fn glyphs(text: &str, em: f64) -> Glyphs {
    let Ok(font) = FontRef::try_from_slice(FONT) else { return Glyphs::default() };
    let font = font.as_scaled((em * HEIGHT) as f32);
    let (mut x, mut last) = (0.0f32, None);
    let mut dots = Vec::new();
    for c in text.chars() {
        let id = font.glyph_id(c);
        x += last.map_or(0.0, |last| font.kern(last, id));
        last = Some(id);
        let glyph = id.with_scale_and_position(font.scale(), point(x, HALF_X * em as f32));
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|across, down, dark| {
                dots.push((corner.x as i32 + across as i32, corner.y as i32 + down as i32, f64::from(dark)));
            });
        }
        x += font.h_advance(id);
    }
    Glyphs { width: f64::from(x), dots }
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
