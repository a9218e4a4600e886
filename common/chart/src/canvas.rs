//! A drawing surface with fractional coordinates on plotters' backends, which have whole
//! pixels only: everything is drawn enlarged.

use plotters_backend::DrawingBackend;

use super::font;
use super::ink::{Anchor, Colour, Lettering, Stroke, Type};

/// A position, in units of the chart.
pub(super) type Point = (f64, f64);

/// A surface to draw on; the first error is stored until the end.
pub(super) struct Canvas<B: DrawingBackend> {
    backend: B,
    enlarged: f64,
    /// Whether this module draws text and line joins itself, pixel by pixel, instead of the
    /// backend.
    dots: bool,
    error: Option<String>,
}

impl<B: DrawingBackend> Canvas<B> {
    /// A surface whose backend writes texts itself, as SVG does.
    pub(super) fn vector(backend: B, enlarged: f64) -> Canvas<B> {
        Canvas { backend, enlarged, dots: false, error: None }
    }

    /// A surface of pixels.
    pub(super) fn raster(backend: B, enlarged: f64) -> Canvas<B> {
        Canvas { backend, enlarged, dots: true, error: None }
    }

    /// Finishes the drawing.
    pub(super) fn finish(mut self) -> Result<(), String> {
        if let Err(error) = self.backend.present() {
            self.error.get_or_insert_with(|| error.to_string());
        }
        self.error.map_or(Ok(()), Err)
    }

    pub(super) fn rectangle(&mut self, (left, top): Point, (right, bottom): Point, colour: Colour) {
        let (from, to) = (self.dot((left, top)), self.dot((right, bottom)));
        let drawn = self.backend.draw_rect(from, to, &colour, true);
        self.note(drawn);
    }

    pub(super) fn line(&mut self, points: &[Point], width: f64, colour: Colour) {
        let style = Stroke(colour, ((width * self.enlarged).round() as u32).max(1));
        let dots: Vec<(i32, i32)> = points.iter().map(|p| self.dot(*p)).collect();
        if !self.dots {
            let drawn = self.backend.draw_path(dots, &style);
            return self.note(drawn);
        }
        for pair in dots.windows(2) {
            let drawn = self.backend.draw_path(pair.iter().copied(), &style);
            self.note(drawn);
        }
        for corner in dots.iter().skip(1).take(dots.len().saturating_sub(2)) {
            let drawn = self.backend.draw_circle(*corner, style.1 / 2, &colour, true);
            self.note(drawn);
        }
    }

    pub(super) fn polygon(&mut self, points: &[Point], colour: Colour) {
        let dots: Vec<(i32, i32)> = points.iter().map(|p| self.dot(*p)).collect();
        let drawn = self.backend.fill_polygon(dots, &colour);
        self.note(drawn);
    }

    pub(super) fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        let centre = self.dot(centre);
        let drawn = self.backend.draw_circle(centre, (radius * self.enlarged).round() as u32, &colour, true);
        self.note(drawn);
    }

    /// Writes `text`; the middle of its small letters is at the height of `at`.
    pub(super) fn text(&mut self, text: &str, at: Point, anchor: Anchor, set: Type) {
        let em = set.em * self.enlarged;
        if !self.dots {
            return self.vector_text(text, at, anchor, set);
        }
        let before = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => font::width(text, em, set.bold) / 2.0,
            Anchor::End => font::width(text, em, set.bold),
        };
        let place = (at.0 * self.enlarged - before, at.1 * self.enlarged);
        let (width, height) = self.backend.get_size();
        font::set(text, em, set.bold, place, |x, y, coverage| {
            if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
                let drawn = self.backend.draw_pixel((x, y), set.colour.at(coverage));
                if let Err(error) = drawn {
                    self.error.get_or_insert_with(|| error.to_string());
                }
            }
        });
    }

    fn vector_text(&mut self, text: &str, at: Point, anchor: Anchor, set: Type) {
        let style = Lettering { set, anchor, em: set.em * self.enlarged };
        let place = self.dot(at);
        let drawn = self.backend.draw_text(text, &style, place);
        self.note(drawn);
    }

    fn dot(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.enlarged).round() as i32, (y * self.enlarged).round() as i32)
    }

    fn note<E: std::fmt::Display>(&mut self, drawn: Result<(), E>) {
        if let Err(error) = drawn {
            self.error.get_or_insert_with(|| error.to_string());
        }
    }
}
