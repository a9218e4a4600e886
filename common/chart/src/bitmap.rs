//! The chart as PNG: drawn at four times its size in whole pixels, then averaged to twice
//! its size (anti-aliasing).

use plotters_bitmap::BitMapBackend;
use thiserror::Error;

use super::canvas::Canvas;
use super::layout::WIDTH;
use super::{Chart, draw, layout};

/// Drawn pixels per unit, along each axis.
const DRAWN: usize = 4;
/// Drawn pixels per pixel of the file, along each axis.
const AVERAGED: usize = 2;

/// The picture cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot draw the chart: {0}; draw it as .svg")]
pub struct ChartError(String);

/// The file's bytes.
pub(super) fn png(chart: &Chart) -> Result<Vec<u8>, ChartError> {
    let arranged = layout::arrange(chart);
    let (width, height) = (WIDTH as usize * DRAWN, arranged.height.ceil() as usize * DRAWN);
    let mut dots = vec![0; width * height * 3];
    let backend = BitMapBackend::with_buffer(&mut dots, (width as u32, height as u32));
    let mut canvas = Canvas::raster(backend, DRAWN as f64);
    draw::paint(&mut canvas, chart, &arranged);
    canvas.finish().map_err(ChartError)?;
    let small = averaged(&dots, width);
    encoded(&small, width / AVERAGED, height / AVERAGED).map_err(|error| ChartError(error.to_string()))
}

/// The mean of each square of two by two pixels, three bytes each.
fn averaged(dots: &[u8], width: usize) -> Vec<u8> {
    let mut small = Vec::with_capacity(dots.len() / (AVERAGED * AVERAGED));
    for rows in dots.chunks_exact(AVERAGED * 3 * width) {
        let (upper, lower) = rows.split_at(3 * width);
        for (upper, lower) in upper.chunks_exact(AVERAGED * 3).zip(lower.chunks_exact(AVERAGED * 3)) {
            for channel in 0..3 {
                let dot = |row: &[u8], at: usize| u16::from(row[at]);
                let sum = dot(upper, channel)
                    + dot(upper, channel + 3)
                    + dot(lower, channel)
                    + dot(lower, channel + 3);
                small.push((sum / 4) as u8);
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
