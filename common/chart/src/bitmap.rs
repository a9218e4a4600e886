//! The chart as PNG: drawn at four times its size in whole dots, then averaged
//! down to twice its size, which smooths every edge.

use plotters_bitmap::BitMapBackend;

use super::canvas::Canvas;
use super::layout::WIDTH;
use super::{Chart, ChartError, draw, layout};

/// Dots per unit while drawing, along each axis.
const DRAWN: usize = 4;
/// Drawn dots per dot of the file, along each axis.
const AVERAGED: usize = 2;

/// The file's bytes.
pub(super) fn png(chart: &Chart) -> Result<Vec<u8>, ChartError> {
    let arranged = layout::arrange(chart);
    let (width, height) = (WIDTH as usize * DRAWN, arranged.height.ceil() as usize * DRAWN);
    let mut dots = vec![0; width * height * 3];
    let backend = BitMapBackend::with_buffer(&mut dots, (width as u32, height as u32));
    let mut canvas = Canvas::raster(backend, DRAWN as f64);
    draw::paint(&mut canvas, chart, &arranged);
    canvas.finish().map_err(ChartError)?;
    let small = averaged(&dots, width, height);
    encoded(&small, width / AVERAGED, height / AVERAGED).map_err(|error| ChartError(error.to_string()))
}

/// The mean of each square of dots.
fn averaged(dots: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mean = |row: usize, column: usize, channel: usize| {
        let square = (0..AVERAGED).flat_map(|dy| (0..AVERAGED).map(move |dx| (row + dy, column + dx)));
        let sum: usize = square.map(|(y, x)| usize::from(dots[(y * width + x) * 3 + channel])).sum();
        (sum / (AVERAGED * AVERAGED)) as u8
    };
    let rows = (0..height).step_by(AVERAGED);
    let columns = || (0..width).step_by(AVERAGED);
    rows.flat_map(|row| columns().flat_map(move |column| (0..3).map(move |c| (row, column, c))))
        .map(|(row, column, channel)| mean(row, column, channel))
        .collect()
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
