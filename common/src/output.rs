//! Results on their way out: printed, saved, drawn.

use std::path::Path;

use chart::Chart;
use records::record::Record;
use system::files;

use crate::cli::{Common, Format};
use crate::failure::Failure;

/// The record in `format`; `kit` is how the program itself prints it.
pub fn text(record: &Record, format: Format, kit: impl FnOnce(&Record) -> String) -> String {
    match format {
        Format::Kit => kit(record),
        Format::Csv => record.csv(),
        Format::Json => record.json() + "\n",
    }
}

/// Prints the record as asked for (`kit` gives the program's own lines) and
/// saves it and its chart where asked for.
///
/// # Errors
///
/// If a file cannot be written or the chart not be drawn.
pub fn finish(
    record: &Record,
    options: &Common,
    kit: impl FnOnce(&Record) -> String,
    chart: impl FnOnce() -> Chart,
) -> Result<(), Failure> {
    print!("{}", text(record, options.format, kit));
    if let Some(path) = &options.record {
        save(record, path)?;
    }
    match &options.chart {
        Some(path) => draw(&chart(), path),
        None => Ok(()),
    }
}

/// Saves the record as JSON.
///
/// # Errors
///
/// If the file cannot be written.
pub fn save(record: &Record, path: &Path) -> Result<(), Failure> {
    write(path, record.json().as_bytes())
}

/// Writes the chart as its file name's extension says, `.svg` or `.png`.
///
/// # Errors
///
/// On another extension, or a folder that cannot be written to.
pub fn draw(chart: &Chart, path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let bytes = match extension.to_ascii_lowercase().as_str() {
        "svg" => chart.svg().into_bytes(),
        "png" => chart.png().map_err(Failure::could_not)?,
        _ => {
            let name = path.display();
            return Err(Failure::usage(format!(
                "'{name}' is no name for a chart; give one that ends in .svg or .png"
            )));
        }
    };
    write(path, &bytes)
}

/// Writes a file, whole or not at all.
///
/// # Errors
///
/// If the folder cannot be written to; the sentence names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::write_atomically(path, bytes).map_err(Failure::could_not)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chart::Axis;

    #[test]
    fn the_file_name_decides_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let sweep =
            Chart::new("t", Axis::bytes("stride"), Axis::linear("misses")).curve("8 KiB", [(1.0, 0.5)]);
        let starts = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            draw(&sweep, &path).unwrap();
            std::fs::read(&path).unwrap().starts_with(bytes)
        };
        assert!(starts("a.svg", b"<svg"));
        assert!(starts("a.PNG", b"\x89PNG"));
        let wrong = draw(&sweep, &folder.path().join("a.jpeg")).unwrap_err();
        assert!(
            matches!(&wrong, Failure::Usage(line) if line.contains("a.jpeg") && line.contains(".svg or .png"))
        );
        let nowhere = draw(&sweep, &folder.path().join("none/a.svg")).unwrap_err();
        assert!(matches!(&nowhere, Failure::CouldNot(line) if line.contains("none/a.svg")));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }
}
