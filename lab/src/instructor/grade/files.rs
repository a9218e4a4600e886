//! Reads the files of one submission from folders and archives, with limits.

use std::cell::Cell;
use std::fs::{self, DirEntry};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use common::encoding;
use common::system::files;
use common::text::shorten;
use zip::ZipArchive;

use crate::handed_in::{MAX_FILES, TOTAL_BYTES};

use super::sentence::{Sentence, say};

/// Largest page, and largest archive before it is unpacked, in bytes.
const PAGE_BYTES: u64 = 16 << 20;
/// Largest file of answers, table or record in bytes: a sweep's record has some 100 KiB.
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
const ARCHIVES: [&str; 9] = ["7z", "rar", "tar", "gz", "tgz", "xz", "bz2", "zst", "jar"];

/// What a file may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileKind {
    Json,
    Page,
    Table,
}

/// A file's name and its text.
#[derive(Debug)]
pub(super) struct File<'t> {
    pub(super) name: &'t str,
    pub(super) kind: FileKind,
    pub(super) text: String,
    /// Time of the file, or of the archive that contains it, in seconds since 1970.
    pub(super) time: Option<i64>,
}

/// A file that may be read, and its location.
struct Candidate {
    /// Answers first, then records.
    order: (u8, usize, String),
    name: String,
    kind: FileKind,
    bytes: u64,
    time: Option<i64>,
    source: Source,
}

enum Source {
    Disk(PathBuf),
    /// The position of the archive in the list, and of the file in the archive.
    Archive(usize, usize),
}

/// All files of one submission.
struct Found {
    files: Vec<Candidate>,
    archives: Vec<ZipArchive<Cursor<Vec<u8>>>>,
    entries: usize,
    /// Bytes of archives that are in memory.
    packed: u64,
    /// Sentences on files that were not read although they may be part of the submission.
    notes: Vec<Sentence>,
    /// Names of other files: reported if there are no answers.
    others: Vec<String>,
}

/// Sentences on what was not read, and the names of files of other kinds.
#[derive(Debug, Default)]
pub(super) struct Unread {
    pub(super) notes: Vec<Sentence>,
    pub(super) others: Vec<String>,
}

/// Gives each file of a submission to `each`, those with answers first; reads only files of
/// the `kinds`.
pub(super) fn visit(paths: &[PathBuf], kinds: &[FileKind], mut each: impl FnMut(File<'_>)) -> Unread {
    let mut found = Found {
        files: Vec::new(),
        archives: Vec::new(),
        entries: 0,
        packed: 0,
        notes: Vec::new(),
        others: Vec::new(),
    };
    for path in paths {
        found.walk(path, 0);
    }
    let Found { mut files, mut archives, mut notes, others, packed, .. } = found;
    files.sort_by(|a, b| a.order.cmp(&b.order));
    if files.len() > MAX_FILES {
        notes.push(say!(
            "There are {} files to read; the first {} were, answers first.",
            files.len(),
            MAX_FILES
        ));
    }
    let left = Cell::new(TOTAL_BYTES.saturating_sub(packed));
    for file in files.iter().take(MAX_FILES).filter(|file| kinds.contains(&file.kind)) {
        let most = if file.kind == FileKind::Page { PAGE_BYTES } else { DATA_BYTES };
        let name = shorten(&file.name, 60);
        let read = match file.bytes {
            bytes if bytes > most => Err(too_large(most)),
            bytes if bytes > left.get() => Err(spent()),
            _ => file.source.read(&mut archives, most.min(left.get())),
        };
        match read {
            Ok(bytes) => {
                left.set(left.get().saturating_sub(bytes.len() as u64));
                each(File { name: &file.name, kind: file.kind, text: decoded(&bytes), time: file.time });
            }
            Err(why) => notes.push(say!("{} was not read: {}.", name, why)),
        }
    }
    if notes.len() > MAX_NOTES {
        let more = notes.len() - MAX_NOTES + 1;
        notes.truncate(MAX_NOTES - 1);
        notes.push(say!("{} more were not read.", more));
    }
    Unread { notes, others }
}

fn too_large(most: u64) -> String {
    format!("it is larger than {} MiB", most >> 20)
}

fn spent() -> String {
    format!("the submission is larger than {} MiB", TOTAL_BYTES >> 20)
}

impl Source {
    fn read(&self, archives: &mut [ZipArchive<Cursor<Vec<u8>>>], most: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        match self {
            Source::Disk(path) => {
                bytes = files::read_at_most(path, most + 1).map_err(|error| error.to_string())?;
            }
            Source::Archive(archive, place) => {
                let damaged = "its archive is damaged there";
                let archive = archives.get_mut(*archive).ok_or(damaged)?;
                let file = archive.by_index(*place).map_err(|error| error.to_string())?;
                file.take(most + 1).read_to_end(&mut bytes).map_err(|_| damaged)?;
            }
        }
        if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
    }
}

impl Found {
    fn note(&mut self, name: &str, why: &str) {
        self.notes.push(say!("{} was not read: {}.", shorten(name, 60), why));
    }

    /// Whether one more file or folder may be looked at.
    fn more(&mut self) -> bool {
        self.entries += 1;
        if self.entries == MAX_ENTRIES + 1 {
            self.notes
                .insert(0, say!("There are more than {} files; the others were not read.", MAX_ENTRIES));
        }
        self.entries <= MAX_ENTRIES
    }

    fn walk(&mut self, path: &Path, depth: usize) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Ok(there) = fs::symlink_metadata(path) else { return self.note(&name, "it cannot be opened") };
        if there.is_symlink() {
            let of_interest = kind(&name).is_some() || ["", "zip"].contains(&&*ending(&name));
            return if of_interest {
                self.note(&name, "it is a link, and links are not followed")
            };
        }
        if there.is_dir() {
            return self.folder(path, &name, depth);
        }
        if !there.is_file() {
            return self.note(&name, "it is not a file");
        }
        let time =
            there.modified().ok().and_then(super::times::seconds).filter(|at| super::times::possible(*at));
        if ending(&name) == "zip" {
            return self.archive(path, &name, there.len(), time);
        }
        match kind(&name) {
            Some(kind) => {
                let order = order(&path.to_string_lossy(), kind, depth);
                let source = Source::Disk(path.to_owned());
                self.files.push(Candidate { order, name, kind, bytes: there.len(), time, source });
            }
            None => self.other(&name),
        }
    }

    fn folder(&mut self, path: &Path, name: &str, depth: usize) {
        if depth > 0 && (name.starts_with('.') || SKIPPED.contains(&&*name.to_lowercase())) {
            return;
        }
        if depth > MAX_DEPTH {
            return self.note(name, &format!("it is deeper than {MAX_DEPTH} folders"));
        }
        let Ok(entries) = fs::read_dir(path) else {
            return self.note(name, "this folder may not be opened");
        };
        let room = MAX_ENTRIES.saturating_sub(self.entries) + 1;
        let mut paths: Vec<PathBuf> =
            entries.take(room).filter_map(Result::ok).map(|entry: DirEntry| entry.path()).collect();
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
        if ARCHIVES.contains(&&*ending(name)) {
            self.note(name, "archives of this kind are not supported; hand in a .zip");
        } else if self.others.len() <= MAX_NOTES {
            self.others.push(shorten(name, 60));
        }
    }

    fn archive(&mut self, path: &Path, name: &str, bytes: u64, time: Option<i64>) {
        if bytes > PAGE_BYTES {
            return self.note(name, &too_large(PAGE_BYTES));
        }
        if self.packed + bytes > TOTAL_BYTES {
            return self.note(name, &spent());
        }
        let Ok(bytes) = files::read_at_most(path, PAGE_BYTES) else {
            return self.note(name, "it cannot be opened");
        };
        if entries(&bytes) > MAX_ARCHIVED {
            return self.note(name, &format!("it has more than {MAX_ARCHIVED} files"));
        }
        self.packed += bytes.len() as u64;
        let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
            return self.note(name, "it is not a whole zip archive");
        };
        for place in 0..archive.len() {
            if !self.more() {
                break;
            }
            let Ok(file) = archive.by_index_raw(place) else { continue };
            if file.is_dir() {
                continue;
            }
            let raw = || String::from_utf8_lossy(file.name_raw()).into_owned();
            let inner = file.name().map_or_else(|_| raw(), |name| name.into_owned()).replace('\\', "/");
            let (encrypted, link, bytes) = (file.encrypted(), file.is_symlink(), file.size());
            drop(file);
            self.archived(name, &inner, (encrypted, link, bytes), time, place);
        }
        self.archives.push(archive);
    }

    /// A file in an archive, by its path there.
    fn archived(
        &mut self,
        archive: &str,
        path: &str,
        (encrypted, link, bytes): (bool, bool, u64),
        time: Option<i64>,
        place: usize,
    ) {
        let parts: Vec<&str> = path.split('/').collect();
        let (name, folders) = parts.split_last().map_or(("", &[][..]), |(name, folders)| (*name, folders));
        let skipped =
            |part: &&str| part.starts_with('.') && *part != ".." || SKIPPED.contains(&&*part.to_lowercase());
        if folders.iter().any(skipped) || name.starts_with('.') {
            return;
        }
        let kind = match kind(name) {
            Some(kind) => kind,
            None if ending(name) == "zip" => {
                return self.note(name, &format!("it is an archive within {}", shorten(archive, 60)));
            }
            None => return self.other(name),
        };
        let why = if encrypted {
            "it is encrypted; hand it in without a password"
        } else if link {
            "it is a link, and links are not followed"
        } else if folders.contains(&"..") || path.starts_with('/') {
            "its path leads out of the archive"
        } else {
            let source = Source::Archive(self.archives.len(), place);
            let order = order(path, kind, folders.len() + 1);
            self.files.push(Candidate { order, name: name.to_owned(), kind, bytes, time, source });
            return;
        };
        self.note(name, why);
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
        FileKind::Table if name.starts_with("answers") => 1,
        FileKind::Json if folders.ends_with("records") => 2,
        FileKind::Json => 3,
        FileKind::Page | FileKind::Table => 4,
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
        "csv" => Some(FileKind::Table),
        _ => None,
    }
}

/// A text. Students also hand in Latin-1, which is read as such: answers are numbers and
/// ASCII signs, which related encodings share.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let latin = || bytes.iter().map(|byte| char::from(*byte)).collect();
    encoding::decode(bytes).unwrap_or_else(|_| latin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        for bytes in [
            "0,6 µs".as_bytes().to_vec(),
            [b"\xef\xbb\xbf", "0,6 µs".as_bytes()].concat(),
            b"0,6 \xb5s".to_vec(),
            b"\xff\xfe0\0,\x006\0 \0\xb5\0s\0".to_vec(),
            b"\xfe\xff\x000\0,\x006\0 \0\xb5\0s".to_vec(),
        ] {
            assert_eq!(decoded(&bytes), "0,6 µs");
        }
    }

    #[test]
    fn answers_are_read_first() {
        let mut paths = [
            ("a.json", FileKind::Json),
            ("zz/report/answers.json", FileKind::Json),
            ("report.html", FileKind::Page),
            ("earlier/report-1.html", FileKind::Page),
            ("records/cm1.json", FileKind::Json),
            ("a.csv", FileKind::Table),
        ];
        paths.sort_by_key(|(path, kind)| order(path, *kind, 0));
        let sorted: Vec<&str> = paths.iter().map(|(path, _)| *path).collect();
        assert_eq!(
            sorted,
            [
                "zz/report/answers.json",
                "report.html",
                "records/cm1.json",
                "a.json",
                "a.csv",
                "earlier/report-1.html"
            ]
        );
        assert_eq!(
            [kind("answers.json.txt"), kind("é.txt"), kind("txt")],
            [Some(FileKind::Json), None, None]
        );
    }
}
