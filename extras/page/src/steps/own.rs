//! Accesses that the user describes: a trace, or loops over arrays.

use trace::{Kind, Trace};

use super::Region;
use super::loops;
use super::watcher::MAX_STEPS;

/// Largest memory of all pieces, and smallest piece: arrays keep the distances of their lines.
const LARGEST: u64 = 64 << 20;
const PIECE: u64 = 1 << 20;

/// One access to one line.
#[derive(Debug)]
pub(super) struct Access {
    /// Place in the pieces.
    pub(super) at: usize,
    pub(super) store: bool,
    /// Line and column in the text.
    pub(super) place: (u32, u32),
}

/// The accesses, with the memory that they need: pieces of the address space, one after the
/// other.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) accesses: Vec<Access>,
    pub(super) regions: Vec<Region>,
    pub(super) pieces: Vec<u64>,
    /// Bytes of a piece, whole ways of the cache.
    pub(super) piece: u64,
    /// Bytes of a line.
    line: u64,
    /// Whether there are more accesses than are shown.
    pub(super) is_cut: bool,
}

/// Reads `text` for a cache of `sets` sets with lines of `line` bytes.
pub(super) fn read(text: &str, line: u64, sets: u64) -> Result<Own, String> {
    let piece = PIECE.max(line * sets);
    let mut own =
        Own { accesses: Vec::new(), regions: Vec::new(), pieces: Vec::new(), piece, line, is_cut: false };
    if loops::begins(text) {
        own.loops(text)?
    } else {
        own.trace(text)?
    }
    if own.accesses.is_empty() {
        return Err("there is no access: write lines like 'r 0x1f40', or 'for i in 0..64 step 8: load a[i]'"
            .to_owned());
    }
    Ok(own)
}

impl Own {
    /// Loops: their arrays lie one after the other, each from a multiple of 64 bytes on.
    fn loops(&mut self, text: &str) -> Result<(), String> {
        let run = loops::run(text, MAX_STEPS)?;
        self.is_cut = run.is_cut;
        let mut end = 0u64;
        for array in run.arrays {
            let start = end.next_multiple_of(64);
            end = start.saturating_add(array.length.saturating_mul(array.element));
            if end > LARGEST {
                return Err(format!("the array {} reaches beyond 64 MiB: use smaller indexes", array.name));
            }
            self.regions.push(Region {
                name: array.name,
                bytes: start as usize..end as usize,
                element: array.element as usize,
                columns: 0,
            });
        }
        // all pieces, in order: the places of the arrays are their addresses
        self.pieces = (0..end).step_by(self.piece as usize).collect();
        for access in run.accesses {
            let Region { bytes, element, .. } = &self.regions[access.array];
            let (first, element) = (bytes.start as u64, *element as u64);
            self.add(first + access.index * element, element, access.store, access.place)?;
        }
        Ok(())
    }

    fn trace(&mut self, text: &str) -> Result<(), String> {
        let (mut lines, mut before, mut written) = (text.lines(), 0, "");
        let mut trace = Trace::new(text.as_bytes());
        while let Some(access) = trace.read()? {
            let number = trace.line() as usize;
            if number > before {
                written = lines.nth(number - before - 1).unwrap_or_default();
                before = number;
            }
            let place = (number as u32, (written.len() - written.trim_start().len()) as u32 + 1);
            let stores: &[bool] = match access.kind {
                Kind::Load => &[false],
                Kind::Store => &[true],
                Kind::Modify => &[false, true],
            };
            for &store in stores {
                self.add(access.address, access.bytes, store, place)?;
            }
            if self.accesses.len() > MAX_STEPS {
                break; // which says that there are more
            }
        }
        Ok(())
    }

    /// An access of `bytes` bytes: one for each line that it touches.
    fn add(&mut self, address: u64, bytes: u64, store: bool, place: (u32, u32)) -> Result<(), String> {
        let last = address.saturating_add(bytes - 1) / self.line;
        for number in address / self.line..=last {
            let at = self.at(address.max(number * self.line))?;
            self.accesses.push(Access { at, store, place });
        }
        Ok(())
    }

    /// The place of an address, in a new piece if there is none for it yet.
    fn at(&mut self, address: u64) -> Result<usize, String> {
        let first = address - address % self.piece;
        let number = self.pieces.iter().position(|piece| *piece == first);
        let number = number.unwrap_or(self.pieces.len());
        if number == self.pieces.len() {
            if (number as u64 + 1) * self.piece > LARGEST.max(self.piece) {
                return Err(format!(
                    "the accesses up to {address:#x} touch more than 64 MiB, counted in pieces of 1 MiB: show fewer of them"
                ));
            }
            self.pieces.push(first);
        }
        Ok(number * self.piece as usize + (address - first) as usize)
    }
}
