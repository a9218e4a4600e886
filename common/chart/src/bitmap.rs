//! The chart as PNG, with an embedded font: drawn at four times its size in whole pixels, then
//! averaged (anti-aliasing).

use std::convert::Infallible;
use std::error::Error;

use ab_glyph::{Font, FontRef, ScaleFont, point};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use crate::chart::Chart;
use crate::draw::{self, HALF_X, SIZE_OF_EM, TOP};
use crate::labels::U;

const FONT: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
/// Ascent and descent of the font, in ems.
const HEIGHT: f64 = 1.362;

impl Chart {
    /// The chart as a PNG file's bytes, for screens and slides: as many pixels as its size
    /// says, or twice the ordinary size for sharp print. The embedded font has Latin and Greek
    /// letters; other characters are empty boxes.
    ///
    /// # Errors
    ///
    /// If the picture cannot be encoded; the sentence names the reason.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        self.encoded().map_err(|error| format!("cannot draw the chart: {error}; draw it as .svg"))
    }

    fn encoded(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let size = self.sides();
        let (width, height) = (size.0 as usize, size.1 as usize);
        let mut dots = vec![255; width * height * 3];
        let font = FontRef::try_from_slice(FONT)?;
        draw::paint(Raster { dots: &mut dots, size, font }, self)?;
        let side = if self.view.size.is_some() { U as usize } else { U as usize / 2 };
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, (width / side) as u32, (height / side) as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&averaged(&dots, width, side))?;
        Ok(file)
    }
}

/// The mean of each square of `side` by `side` pixels.
fn averaged(dots: &[u8], width: usize, side: usize) -> Vec<u8> {
    let mut means = Vec::new();
    for rows in dots.chunks_exact(side * 3 * width) {
        let mut sums = vec![0; width / side * 3];
        for row in rows.chunks_exact(3 * width) {
            for (sums, square) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * side)) {
                for dot in square.chunks_exact(3) {
                    sums.iter_mut().zip(dot).for_each(|(sum, part)| *sum += u32::from(*part));
                }
            }
        }
        means.extend(sums.into_iter().map(|sum| (sum / (side * side) as u32) as u8));
    }
    means
}

/// Pixels of three bytes each. Plotters makes lines and areas of them.
struct Raster<'a> {
    dots: &'a mut [u8],
    size: (i32, i32),
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
        if (0..self.size.0).contains(&x) && (0..self.size.1).contains(&y) {
            let at = (y * self.size.0 + x) as usize * 3;
            let (dots, new) = (&mut self.dots[at..at + 3], [rgb.0, rgb.1, rgb.2]);
            if alpha >= 1.0 {
                dots.copy_from_slice(&new);
                return Ok(());
            }
            for (dot, new) in dots.iter_mut().zip(new) {
                *dot = (f64::from(*dot) * (1.0 - alpha) + f64::from(new) * alpha).round() as u8;
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = style.size() / SIZE_OF_EM;
        let (font, BackendColor { alpha, rgb }) = (self.font.clone(), style.color());
        let font = font.as_scaled((em * HEIGHT) as f32);
        let width: f32 = text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum();
        let share = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => 0.5,
            HPos::Right => 1.0,
        };
        let down = if matches!(style.anchor().v_pos, VPos::Top) { TOP } else { HALF_X };
        let (mut left, baseline) = (x as f32 - share * width, y as f32 + (em * down) as f32);
        for id in text.chars().map(|c| font.glyph_id(c)) {
            let glyph = id.with_scale_and_position(font.scale(), point(left.round(), baseline.round()));
            if let Some(outline) = font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|across, down, dark| {
                    let at = (corner.x as i32 + across as i32, corner.y as i32 + down as i32);
                    // A pixel of this picture cannot fail.
                    let _ = self.draw_pixel(at, BackendColor { alpha: alpha * f64::from(dark), rgb });
                });
            }
            left += font.h_advance(id);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signs of the kit's own texts, in all its languages, and of names.
    #[test]
    fn every_sign_the_kit_prints_is_in_the_font() {
        let font = FontRef::try_from_slice(FONT).unwrap();
        let known = (' '..='~').chain("µ²³×·–—…±áâãàçéêíóôõúÁÂÃÀÇÉÊÍÓÔÕÚñöüßąłΔλπ".chars());
        let missing = String::from_iter(known.filter(|sign| font.glyph_id(*sign).0 == 0));
        assert_eq!(missing, "");
        assert_eq!(font.glyph_id('漢').0, 0, "an empty box");
    }
}
