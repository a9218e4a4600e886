//! Reads the files of one submission from folders and archives, with limits: each file and
//! each archive once.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::{fs, io};

use common::encoding;
use common::system::files;
use common::text::shorten;
use zip::ZipArchive;

use super::exercises;
use super::reason::Reason;
use report::TOTAL_BYTES;

/// Largest page, and largest archive before it is unpacked, in bytes.
const PAGE_BYTES: u64 = 16 << 20;
/// Largest file of answers or record in bytes: a sweep's record has some 100 KiB.
const DATA_BYTES: u64 = 4 << 20;
/// Largest number of files and folders of a submission, those of its archives included.
const MAX_ENTRIES: usize = 10_000;
/// An archive may be in another one.
const MAX_LEVEL: usize = 2;
/// Copies of files that a Mac adds to archives.
const SKIPPED: &str = "__macosx";
/// The beginning of a zip archive, and of an empty one.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// Why a link is not read.
const LINK: &str = "it is a link or a device, which are not followed";

/// What a file may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Json,
    Page,
    Archive,
    /// A file of an exercise.
    Source,
    /// Another one, which is not read.
    Other,
}

/// Gives the name, kind and text of each file of a submission to `each`. Returns what was not
/// read although it may be part of the submission; `None` if there was no file at all.
pub(super) fn visit(paths: &[PathBuf], mut each: impl FnMut(&str, FileKind, &str)) -> Option<Vec<Reason>> {
    let mut walk =
        Walk { each: &mut each, entries: 0, left: TOTAL_BYTES, unread: Vec::new(), is_empty: true };
    paths.iter().for_each(|path| walk.path(path, true));
    (!walk.is_empty).then_some(walk.unread)
}

/// A walk through all files of one submission. Errors are clauses: why a file was not read.
struct Walk<'w> {
    each: &'w mut dyn FnMut(&str, FileKind, &str),
    entries: usize,
    /// Bytes that may still be read.
    left: u64,
    unread: Vec<Reason>,
    is_empty: bool,
}

impl Walk<'_> {
    fn note(&mut self, name: &str, read: Result<(), String>) {
        self.unread.extend(read.err().map(|why| Reason::Unread(shorten(name, 60), why)));
    }

    /// Whether one more file or folder may be looked at.
    fn more(&mut self) -> bool {
        self.entries += 1;
        if self.entries == MAX_ENTRIES + 1 {
            self.note("the rest", Err(format!("there are more than {MAX_ENTRIES} files")));
        }
        self.entries <= MAX_ENTRIES
    }

    /// A file or folder on disk. Links are not followed.
    fn path(&mut self, path: &Path, is_top: bool) {
        let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cannot = |_| "it cannot be opened".to_owned();
        let there = fs::symlink_metadata(path).map_err(cannot);
        self.is_empty &= there.as_ref().is_ok_and(fs::Metadata::is_dir);
        let read = there.and_then(|there| {
            if there.is_file() {
                return self
                    .file(&full, there.len(), 0, |most| files::read_at_most(path, most).map_err(cannot));
            } else if !there.is_dir() {
                return Err(LINK.to_owned());
            } else if !is_top && is_skipped(&full) {
                return Ok(());
            }
            let paths = children(path, MAX_ENTRIES + 1).map_err(cannot);
            self.is_empty &= paths.is_ok();
            for path in paths? {
                if !self.more() {
                    break;
                }
                self.path(&path, false);
            }
            Ok(())
        });
        self.note(&full, read);
    }

    /// A file that is in `level` archives; `read` gives at most so many bytes of it.
    fn file(
        &mut self,
        full: &str,
        bytes: u64,
        level: usize,
        mut read: impl FnMut(u64) -> Result<Vec<u8>, String>,
    ) -> Result<(), String> {
        // The name of an archive may be any.
        let begin = read(4)?;
        let is_zip = ZIP.iter().any(|sign| begin.starts_with(sign));
        let kind = if is_zip { FileKind::Archive } else { kind(full) };
        if kind == FileKind::Other {
            if ending(full) == "zip" {
                return Err("it is not a whole archive".to_owned());
            }
            (self.each)(full, kind, "");
            return Ok(());
        }
        let limit = if kind == FileKind::Json { DATA_BYTES } else { PAGE_BYTES };
        let most = limit.min(self.left);
        let content = if bytes <= most { read(most + 1)? } else { Vec::new() };
        let bytes = bytes.max(content.len() as u64);
        if bytes > most {
            let (what, limit) = if bytes > limit { ("it", limit) } else { ("the submission", TOTAL_BYTES) };
            return Err(format!("{what} is larger than {} MiB", limit >> 20));
        }
        self.left -= bytes;
        if kind == FileKind::Archive {
            return self.archive(content, level + 1);
        }
        let text = match encoding::decode(&content) {
            // It may be a comment in an older encoding.
            Err(_) if kind == FileKind::Source => String::from_utf8_lossy(&content).into_owned(),
            text => text?,
        };
        (self.each)(full, kind, &text);
        Ok(())
    }

    fn archive(&mut self, bytes: Vec<u8>, level: usize) -> Result<(), String> {
        if level > MAX_LEVEL {
            return Err("it is an archive in an archive in an archive".to_owned());
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        for place in 0..archive.len() {
            if !self.more() {
                break;
            }
            self.archived(&mut archive, place, level);
        }
        Ok(())
    }

    /// One file of an archive.
    fn archived(&mut self, archive: &mut ZipArchive<Cursor<Vec<u8>>>, place: usize, level: usize) {
        let file = match archive.by_index_raw(place) {
            Ok(file) => file,
            Err(error) => return self.note("a file of an archive", Err(damaged(error))),
        };
        let raw = || String::from_utf8_lossy(file.name_raw()).into_owned();
        let path = file.name().map_or_else(|_| raw(), |name| name.into_owned()).replace('\\', "/");
        // Nothing is written, so a path cannot lead anywhere.
        let (folders, full) = path.rsplit_once('/').unwrap_or(("", &path));
        if file.is_dir() || folders.split('/').any(is_skipped) || full.starts_with('.') {
            return;
        }
        let (bytes, is_link) = (file.size(), file.is_symlink());
        drop(file);
        let read = |most: u64| {
            let mut bytes = Vec::new();
            let file = archive.by_index(place).map_err(damaged)?;
            file.take(most).read_to_end(&mut bytes).map_err(damaged)?;
            Ok(bytes)
        };
        let read = if is_link { Err(LINK.to_owned()) } else { self.file(full, bytes, level, read) };
        self.note(full, read);
    }
}

/// Why an archive, or a file in it, cannot be read: damaged, encrypted, compressed in an unusual way.
fn damaged(error: impl std::fmt::Display) -> String {
    format!("{error}; a usual .zip without a password can be read")
}

/// At most `most` files and folders of a folder, sorted; hidden ones are left out.
pub(super) fn children(folder: &Path, most: usize) -> io::Result<Vec<PathBuf>> {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.take(most).collect();
    let mut paths: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')));
    paths.sort();
    Ok(paths)
}

/// Whether a folder is hidden, or has a Mac's copies.
fn is_skipped(folder: &str) -> bool {
    folder.starts_with('.') && ![".", ".."].contains(&folder) || folder.eq_ignore_ascii_case(SKIPPED)
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// What a file of that name may contain; some browsers save `answers.json.txt`.
fn kind(name: &str) -> FileKind {
    let shown = if ending(name) == "txt" { &name[..name.len() - 4] } else { name };
    match ending(shown).as_str() {
        _ if exercises::is_source(name) => FileKind::Source,
        "json" => FileKind::Json,
        "html" | "htm" => FileKind::Page,
        _ => FileKind::Other,
    }
}
