//! The chart for documents: PNG by plotters' bitmap backend, and PDF. Both have an embedded font
//! with Latin and Greek letters; other characters are empty boxes.

use std::convert::Infallible;
use std::error::Error;
use std::io::Write;

use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve, Point, point};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Filter, Pdf, Rect, Ref};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use plotters_bitmap::{BitMapBackend, BitMapBackendError};
use png::PixelDimensions;

use crate::chart::Chart;
use crate::draw;
use crate::text::{SIZE_OF_EM, U};

const FONT: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
/// A point is 1/72 of an inch, a pixel 1/96.
const POINTS_PER_PIXEL: f32 = 0.75;
const PIXELS_PER_METRE: u32 = 3780;
/// Half the height of a small letter, and how far a baseline is below the top, in ems.
const HALF_X: f32 = 0.268;
const TOP: f32 = 0.76;

impl Chart {
    /// The picture for a file of that name, `.svg`, `.pdf` or `.png`; `-` is SVG.
    ///
    /// # Errors
    ///
    /// On another ending; the sentence names the file.
    pub fn picture(&self, name: &str) -> Result<Vec<u8>, String> {
        let failed = |error| format!("cannot draw the chart: {error}; draw it as .svg");
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            _ if name == "-" => Ok(self.svg().into_bytes()),
            Some("svg") => Ok(self.svg().into_bytes()),
            Some("pdf") => self.pdf().map_err(failed),
            Some("png") => self.png().map_err(failed),
            _ => Err(format!(
                "'{}' is not a chart: its name must end in .svg, .pdf or .png",
                figures::text::shorten(name, 40)
            )),
        }
    }

    /// A PNG file for slides and documents: four dots a pixel, which is 384 dots an inch.
    fn png(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let (width, height) = self.sides();
        let mut dots = vec![255; width as usize * height as usize * 3];
        let pixels = BitMapBackend::with_buffer(&mut dots, (width as u32, height as u32));
        draw::paint(Raster { pixels, font: FontRef::try_from_slice(FONT)? }, self)?;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        let (dots_per_metre, unit) = (U as u32 * PIXELS_PER_METRE, png::Unit::Meter);
        encoder.set_pixel_dims(Some(PixelDimensions { xppu: dots_per_metre, yppu: dots_per_metre, unit }));
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&dots)?;
        Ok(file)
    }

    /// A PDF file for papers: vectors, as large as the SVG, texts as outlines.
    fn pdf(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let (width, height) = self.sides();
        let scale = POINTS_PER_PIXEL / U as f32;
        let mut content = Content::new();
        content.transform([scale, 0.0, 0.0, -scale, 0.0, height as f32 * scale]);
        content.set_line_join(LineJoinStyle::RoundJoin);
        let font = FontRef::try_from_slice(FONT)?;
        draw::paint(Page { content: &mut content, font, size: (width as u32, height as u32) }, self)?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&content.finish())?;
        let [catalog, pages, page, stream] = [1, 2, 3, 4].map(Ref::new);
        let mut file = Pdf::new();
        file.catalog(catalog).pages(pages);
        file.pages(pages).kids([page]).count(1);
        let sides = Rect::new(0.0, 0.0, width as f32 * scale, height as f32 * scale);
        file.page(page).parent(pages).media_box(sides).contents(stream).resources();
        file.stream(stream, &packed.finish()?).filter(Filter::FlateDecode);
        Ok(file.finish())
    }
}

/// The page of a PDF, in plotters' whole numbers.
struct Page<'a> {
    content: &'a mut Content,
    font: FontRef<'static>,
    size: (u32, u32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

fn parts(BackendColor { rgb, .. }: BackendColor) -> [f32; 3] {
    [rgb.0, rgb.1, rgb.2].map(|part| f32::from(part) / 255.0)
}

impl Page<'_> {
    fn path(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        for (at, (x, y)) in points.into_iter().enumerate() {
            match at {
                0 => self.content.move_to(x as f32, y as f32),
                _ => self.content.line_to(x as f32, y as f32),
            };
        }
    }

    /// Fills the path, or draws it as a line.
    fn paint<S: BackendStyle>(&mut self, style: &S, fill: bool) -> Drawn {
        let [red, green, blue] = parts(style.color());
        if fill {
            self.content.set_fill_rgb(red, green, blue).fill_nonzero();
        } else {
            self.content.set_line_width(style.stroke_width() as f32);
            self.content.set_stroke_rgb(red, green, blue).stroke();
        }
        Ok(())
    }
}

impl DrawingBackend for Page<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.path(path);
        self.paint(style, false)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        one: BackendCoord,
        other: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.path([one, (other.0, one.1), other, (one.0, other.1)]);
        self.content.close_path();
        self.paint(style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.path(path);
        self.paint(style, true)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let (font, whole) = (self.font.clone(), units(&self.font));
        for (glyph, em, left, baseline) in letters(&font, text, style, at) {
            let at = |Point { x, y }: Point| (left + x * em / whole, baseline - y * em / whole);
            let mut end = None;
            for curve in font.outline(glyph).into_iter().flat_map(|outline| outline.curves) {
                let (start, one, two, stop) = match curve {
                    OutlineCurve::Line(a, b) => (a, a, b, b),
                    // A quadratic curve as a cubic one.
                    OutlineCurve::Quad(a, b, c) => {
                        let third =
                            |end: Point| Point { x: (end.x + 2.0 * b.x) / 3.0, y: (end.y + 2.0 * b.y) / 3.0 };
                        (a, third(a), third(c), c)
                    }
                    OutlineCurve::Cubic(a, b, c, d) => (a, b, c, d),
                };
                if end != Some(start) {
                    let (x, y) = at(start);
                    self.content.move_to(x, y);
                }
                let [(a, b), (c, d), (x, y)] = [one, two, stop].map(at);
                self.content.cubic_to(a, b, c, d, x, y);
                end = Some(stop);
            }
        }
        self.paint(&style.color(), true)
    }
}

/// The font's units that make an em.
fn units(font: &FontRef<'_>) -> f32 {
    font.units_per_em().unwrap_or(1000.0)
}

/// The letters of a text: glyph, em, left edge and baseline of each.
fn letters<S: BackendTextStyle>(
    font: &FontRef<'_>,
    text: &str,
    style: &S,
    (x, y): BackendCoord,
) -> Vec<(GlyphId, f32, f32, f32)> {
    let em = (style.size() / SIZE_OF_EM) as f32;
    let glyphs = text.chars().map(|c| font.glyph_id(c));
    let advance = |glyph: GlyphId| em / units(font) * font.h_advance_unscaled(glyph);
    let width: f32 = glyphs.clone().map(advance).sum();
    let share = match style.anchor().h_pos {
        HPos::Left => 0.0,
        HPos::Center => 0.5,
        HPos::Right => 1.0,
    };
    let baseline = y as f32 + em * if matches!(style.anchor().v_pos, VPos::Top) { TOP } else { HALF_X };
    let mut next = x as f32 - share * width;
    let place = |glyph| {
        let left = next;
        next += advance(glyph);
        (glyph, em, left, baseline)
    };
    glyphs.map(place).collect()
}

/// A picture of pixels, with letters of its own: plotters' are not at their places.
struct Raster<'a> {
    pixels: BitMapBackend<'a>,
    font: FontRef<'static>,
}

impl DrawingBackend for Raster<'_> {
    type ErrorType = BitMapBackendError;

    fn get_size(&self) -> (u32, u32) {
        self.pixels.get_size()
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.pixels.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.pixels.present()
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        colour: BackendColor,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.pixels.draw_pixel(at, colour)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let BackendColor { alpha, rgb } = style.color();
        for (glyph, em, left, baseline) in letters(&self.font.clone(), text, style, at) {
            // The scale of ab_glyph is the height of the font, not its em.
            let scale = em * self.font.height_unscaled() / units(&self.font);
            let glyph = glyph.with_scale_and_position(scale, point(left, baseline));
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|across, down, dark| {
                let at = (corner.x as i32 + across as i32, corner.y as i32 + down as i32);
                let _ = self.draw_pixel(at, BackendColor { alpha: alpha * f64::from(dark), rgb });
            });
        }
        Ok(())
    }
}
