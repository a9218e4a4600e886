//! Reads the files of one submission from folders and archives, with limits: each file and
//! each archive once.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use common::encoding;
use common::system::files;
use common::text::shorten;
use zip::{CompressionMethod, ZipArchive};

use super::reason::Reason;
use crate::handed_in::{MAX_FILES, TOTAL_BYTES};

/// Largest page, and largest archive before it is unpacked, in bytes.
const PAGE_BYTES: u64 = 16 << 20;
/// Largest file of answers or record in bytes: a sweep's record has some 100 KiB.
const DATA_BYTES: u64 = 4 << 20;
/// Largest number of files and folders of a submission that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Largest number of files in an archive.
const MAX_ARCHIVED: usize = 10_000;
/// Largest depth of folders within folders.
const MAX_DEPTH: usize = 24;
/// Largest number of sentences about files that were not read.
const MAX_NOTES: usize = 6;
/// Folders that programs make: they contain no answers.
const SKIPPED: [&str; 5] = ["target", "vendor", "node_modules", "__macosx", "pictures"];
const OTHER_ARCHIVES: [&str; 9] = ["7z", "rar", "tar", "gz", "tgz", "xz", "bz2", "zst", "lz4"];
/// The beginning of a zip archive, and of an empty one.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// What a file may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileKind {
    Json,
    Page,
}

/// A file's name and its text.
#[derive(Debug)]
pub(super) struct File<'t> {
    pub(super) name: &'t str,
    pub(super) kind: FileKind,
    pub(super) text: String,
}

/// A file that may be read, and its location.
struct Candidate {
    /// Answers first, then records.
    order: (u8, usize, String),
    name: String,
    kind: FileKind,
    bytes: u64,
    source: Source,
}

enum Source {
    Disk(PathBuf),
    /// The position of the archive in the list, and of the file in the archive.
    Archive(usize, usize),
}

/// All files of one submission.
#[derive(Default)]
struct Found {
    files: Vec<Candidate>,
    archives: Vec<ZipArchive<Cursor<Vec<u8>>>>,
    entries: usize,
    /// Bytes of archives that are in memory.
    packed: u64,
    /// Why files were not read although they may be part of the submission.
    notes: Vec<Reason>,
    /// Names of other files: reported if there are no answers.
    others: Vec<String>,
}

/// What was not read, and the names of files of other kinds.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Unread {
    pub(super) notes: Vec<Reason>,
    pub(super) others: Vec<String>,
}

/// Gives each file of a submission to `each`, those with answers first.
pub(super) fn visit(paths: &[PathBuf], mut each: impl FnMut(File<'_>)) -> Unread {
    let mut found = Found::default();
    for path in paths {
        found.walk(path, 0);
    }
    let Found { mut files, mut archives, mut notes, others, packed, .. } = found;
    files.sort_by(|a, b| a.order.cmp(&b.order));
    if files.len() > MAX_FILES {
        notes.push(Reason::TooManyFiles(files.len().to_string(), MAX_FILES.to_string()));
    }
    let mut left = TOTAL_BYTES.saturating_sub(packed);
    for file in files.iter().take(MAX_FILES) {
        let most = if file.kind == FileKind::Page { PAGE_BYTES } else { DATA_BYTES };
        let name = shorten(&file.name, 60);
        let read = match file.bytes {
            bytes if bytes > most => Err(too_large(name, most)),
            bytes if bytes > left => Err(spent(name)),
            _ => file.source.read(&mut archives, name, most.min(left)),
        };
        match read {
            Ok(bytes) => {
                left = left.saturating_sub(bytes.len() as u64);
                each(File { name: &file.name, kind: file.kind, text: decoded(&bytes) });
            }
            Err(why) => notes.push(why),
        }
    }
    if notes.len() > MAX_NOTES {
        let more = notes.len() - MAX_NOTES + 1;
        notes.truncate(MAX_NOTES - 1);
        notes.push(Reason::OthersUnread(more.to_string()));
    }
    Unread { notes, others }
}

fn too_large(name: String, most: u64) -> Reason {
    Reason::TooLarge(name, (most >> 20).to_string())
}

fn spent(name: String) -> Reason {
    Reason::SubmissionTooLarge(name, (TOTAL_BYTES >> 20).to_string())
}

impl Source {
    fn read(
        &self,
        archives: &mut [ZipArchive<Cursor<Vec<u8>>>],
        name: String,
        most: u64,
    ) -> Result<Vec<u8>, Reason> {
        let bytes = match self {
            Source::Disk(path) => files::read_at_most(path, most + 1).ok(),
            Source::Archive(archive, place) => {
                let Some(archive) = archives.get_mut(*archive) else {
                    return Err(Reason::DamagedEntry(name));
                };
                let Some(bytes) = entry(archive, *place, most + 1) else {
                    return Err(Reason::DamagedEntry(name));
                };
                Some(bytes)
            }
        };
        match bytes {
            None => Err(Reason::CannotOpen(name)),
            Some(bytes) if bytes.len() as u64 > most => Err(too_large(name, most)),
            Some(bytes) => Ok(bytes),
        }
    }
}

/// At most `most` bytes of a file in an archive; `None` if it is damaged.
fn entry(archive: &mut ZipArchive<Cursor<Vec<u8>>>, place: usize, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    archive.by_index(place).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether a file's content begins as that of a zip archive: its name may be any.
fn is_zip(bytes: &[u8]) -> bool {
    ZIP.iter().any(|sign| bytes.starts_with(sign))
}

impl Found {
    /// Whether one more file or folder may be looked at.
    fn more(&mut self) -> bool {
        self.entries += 1;
        if self.entries == MAX_ENTRIES + 1 {
            self.notes.insert(0, Reason::TooManyEntries(MAX_ENTRIES.to_string()));
        }
        self.entries <= MAX_ENTRIES
    }

    fn walk(&mut self, path: &Path, depth: usize) {
        let full = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = shorten(&full, 60);
        let Ok(there) = fs::symlink_metadata(path) else { return self.notes.push(Reason::CannotOpen(name)) };
        if there.is_symlink() {
            return self.notes.push(Reason::Link(name));
        }
        if there.is_dir() {
            return self.folder(path, &full, depth);
        }
        if !there.is_file() {
            return self.notes.push(Reason::NotAFile(name));
        }
        let Ok(begin) = files::read_at_most(path, 4) else {
            return self.notes.push(Reason::CannotOpen(name));
        };
        if is_zip(&begin) {
            let bytes = match there.len() {
                bytes if bytes > PAGE_BYTES => Err(too_large(name.clone(), PAGE_BYTES)),
                bytes if self.packed + bytes > TOTAL_BYTES => Err(spent(name.clone())),
                _ => files::read_at_most(path, PAGE_BYTES).map_err(|_| Reason::CannotOpen(name.clone())),
            };
            return match bytes {
                Ok(bytes) => self.archive(bytes, &name, 1),
                Err(why) => self.notes.push(why),
            };
        }
        match kind(&full) {
            Some(kind) => {
                let order = order(&path.to_string_lossy(), kind, depth);
                let source = Source::Disk(path.to_owned());
                self.files.push(Candidate { order, name: full, kind, bytes: there.len(), source });
            }
            None => self.other(&full),
        }
    }

    fn folder(&mut self, path: &Path, name: &str, depth: usize) {
        if depth > 0 && (name.starts_with('.') || SKIPPED.contains(&&*name.to_lowercase())) {
            return;
        }
        if depth > MAX_DEPTH {
            return self.notes.push(Reason::TooDeep(shorten(name, 60), MAX_DEPTH.to_string()));
        }
        let Ok(entries) = fs::read_dir(path) else {
            return self.notes.push(Reason::CannotOpen(shorten(name, 60)));
        };
        let most = MAX_ENTRIES.saturating_sub(self.entries) + 1;
        let mut paths: Vec<PathBuf> =
            entries.take(most).filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !hidden && !self.more() {
                return;
            }
            if !hidden {
                self.walk(&path, depth + 1);
            }
        }
    }

    /// A file of another kind.
    fn other(&mut self, name: &str) {
        let ending = ending(name);
        let name = shorten(name, 60);
        if ending == "zip" {
            self.notes.push(Reason::DamagedArchive(name));
        } else if OTHER_ARCHIVES.contains(&&*ending) {
            self.notes.push(Reason::OtherArchive(name));
        } else if self.others.len() <= MAX_NOTES {
            self.others.push(name);
        }
    }

    /// The files of an archive; one that is in another has the `level` 2.
    fn archive(&mut self, bytes: Vec<u8>, name: &str, level: usize) {
        if entries(&bytes) > MAX_ARCHIVED {
            return self.notes.push(Reason::LongArchive(name.to_owned(), MAX_ARCHIVED.to_string()));
        }
        self.packed += bytes.len() as u64;
        let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
            return self.notes.push(Reason::DamagedArchive(name.to_owned()));
        };
        let mut inner = Vec::new();
        for place in 0..archive.len() {
            if !self.more() {
                break;
            }
            match self.archived(&mut archive, place, level) {
                Ok(Some(nested)) => inner.push(nested),
                Ok(None) => {}
                Err(why) => self.notes.push(why),
            }
        }
        self.archives.push(archive);
        for (bytes, name) in inner {
            self.archive(bytes, &name, level + 1);
        }
    }

    /// A file in an archive; the content and the name of one that is an archive itself.
    fn archived(
        &mut self,
        archive: &mut ZipArchive<Cursor<Vec<u8>>>,
        place: usize,
        level: usize,
    ) -> Result<Option<(Vec<u8>, String)>, Reason> {
        let Ok(file) = archive.by_index_raw(place) else { return Ok(None) };
        let raw = || String::from_utf8_lossy(file.name_raw()).into_owned();
        let path = file.name().map_or_else(|_| raw(), |name| name.into_owned()).replace('\\', "/");
        let (encrypted, link, folder) = (file.encrypted(), file.is_symlink(), file.is_dir());
        let (bytes, method) = (file.size(), file.compression());
        drop(file);
        let parts: Vec<&str> = path.split('/').collect();
        let (full, folders) = parts.split_last().map_or(("", &[][..]), |(name, folders)| (*name, folders));
        let skipped =
            |part: &&str| part.starts_with('.') && *part != ".." || SKIPPED.contains(&&*part.to_lowercase());
        if folder || folders.iter().any(skipped) || full.starts_with('.') {
            return Ok(None);
        }
        let name = shorten(full, 60);
        if encrypted {
            return Err(Reason::Encrypted(name));
        }
        if link {
            return Err(Reason::Link(name));
        }
        if folders.contains(&"..") || path.starts_with('/') {
            return Err(Reason::LeadsOut(name));
        }
        if ![CompressionMethod::Stored, CompressionMethod::Deflated].contains(&method) {
            return Err(Reason::Compression(name));
        }
        let kind = kind(full);
        let begin = entry(archive, place, 4);
        if begin.as_deref().is_some_and(is_zip) {
            return match bytes {
                _ if level > 1 => Err(Reason::NestedArchive(name)),
                bytes if bytes > PAGE_BYTES => Err(too_large(name, PAGE_BYTES)),
                bytes if self.packed + bytes > TOTAL_BYTES => Err(spent(name)),
                _ => match entry(archive, place, PAGE_BYTES) {
                    Some(bytes) => Ok(Some((bytes, name))),
                    None => Err(Reason::DamagedEntry(name)),
                },
            };
        }
        match kind {
            Some(kind) => {
                // Archives that another one contains follow it in the list.
                let source = Source::Archive(self.archives.len(), place);
                let order = order(&path, kind, folders.len() + 1);
                self.files.push(Candidate { order, name: full.to_owned(), kind, bytes, source });
            }
            None => self.other(full),
        }
        Ok(None)
    }
}

/// The largest number of files that any zip end record in `bytes` gives: the list is read
/// as a whole, so a long one is refused first.
fn entries(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub((1 << 16) + 22)..];
    let number = |end: &[u8]| Some(usize::from(u16::from_le_bytes([*end.get(10)?, *end.get(11)?])));
    let ends = tail.windows(4).enumerate().filter(|(_, sign)| *sign == b"PK\x05\x06");
    ends.filter_map(|(at, _)| number(&tail[at..])).max().unwrap_or(0)
}

/// A file's rank in the order of reading.
fn order(path: &str, kind: FileKind, depth: usize) -> (u8, usize, String) {
    let path = path.to_lowercase().replace('\\', "/");
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let rank = match kind {
        FileKind::Json if name.starts_with("answers") => 0,
        _ if folders.split('/').any(|folder| folder == "earlier") => 5,
        FileKind::Page if name.starts_with("report") => 1,
        FileKind::Json if folders.ends_with("records") => 2,
        FileKind::Json => 3,
        FileKind::Page => 4,
    };
    (rank, depth, path)
}

pub(super) fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// What a file of that name may contain; some browsers save `answers.json.txt`.
fn kind(name: &str) -> Option<FileKind> {
    let shown = name.len() > 4 && ending(name) == "txt";
    let name = if shown { &name[..name.len() - 4] } else { name };
    match ending(name).as_str() {
        "json" => Some(FileKind::Json),
        "html" | "htm" => Some(FileKind::Page),
        _ => None,
    }
}

/// A text. Students also hand in Latin-1, which is read as such: answers are numbers and
/// ASCII signs, which related encodings share.
fn decoded(bytes: &[u8]) -> String {
    let latin = || bytes.iter().map(|byte| char::from(*byte)).collect();
    encoding::decode(bytes).unwrap_or_else(|_| latin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_first() {
        let mut paths = [
            ("a.json", FileKind::Json),
            ("zz/report/answers.json", FileKind::Json),
            ("report.html", FileKind::Page),
            ("earlier/report-1.html", FileKind::Page),
            ("records/cm1.json", FileKind::Json),
        ];
        paths.sort_by_key(|(path, kind)| order(path, *kind, 0));
        let sorted: Vec<&str> = paths.iter().map(|(path, _)| *path).collect();
        assert_eq!(
            sorted,
            ["zz/report/answers.json", "report.html", "records/cm1.json", "a.json", "earlier/report-1.html"]
        );
        assert_eq!(
            [kind("answers.json.txt"), kind("é.txt"), kind("txt")],
            [Some(FileKind::Json), None, None]
        );
    }
}
