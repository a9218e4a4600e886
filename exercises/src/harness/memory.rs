//! What your function is given. All data is in a [`Memory`]; a function reads and writes it
//! by [`Memory::load`] and [`Memory::store`], and each call is one access of the cache model.
//!
//! The program `exercises` compiles this file together with yours. Your code runs in a process of
//! its own; the model is in the other process, which is sent the accesses.

#![allow(dead_code)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The memory of the task: its arrays, and the accesses that were made.
pub struct Memory {
    arrays: Vec<Vec<u64>>,
    accesses: Vec<u8>,
    channel: File,
}

/// An element of an array: where it is. Only [`Memory::load`] gives its value.
#[derive(Clone, Copy)]
pub struct Place {
    array: usize,
    index: usize,
}

/// Elements one after the other.
#[derive(Clone, Copy)]
pub struct Array {
    array: usize,
    first: usize,
    len: usize,
}

/// A matrix stored row by row.
#[derive(Clone, Copy)]
pub struct Matrix {
    array: usize,
    rows: usize,
    cols: usize,
}

impl Array {
    /// Number of elements.
    pub fn len(self) -> usize {
        self.len
    }

    /// Element `i`: `mem.load(x.at(i))` is `x[i]`.
    pub fn at(self, i: usize) -> Place {
        assert!(i < self.len, "no element {i} in an array of {} elements", self.len);
        Place { array: self.array, index: self.first + i }
    }
}

impl Matrix {
    /// Number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(self) -> usize {
        self.cols
    }

    /// Element (`i`, `j`): `mem.load(a.at(i, j))` is `a[i][j]`.
    pub fn at(self, i: usize, j: usize) -> Place {
        assert!(
            i < self.rows && j < self.cols,
            "no element ({i}, {j}) in a matrix of {} rows and {} columns",
            self.rows,
            self.cols
        );
        Place { array: self.array, index: i * self.cols + j }
    }

    /// Row `i`.
    pub fn row(self, i: usize) -> Array {
        assert!(i < self.rows, "no row {i} in a matrix of {} rows", self.rows);
        Array { array: self.array, first: i * self.cols, len: self.cols }
    }
}

impl Memory {
    /// Reads an element.
    pub fn load(&mut self, place: Place) -> f64 {
        self.access(place, 0);
        f64::from_bits(self.arrays[place.array][place.index])
    }

    /// Writes an element.
    pub fn store(&mut self, place: Place, value: f64) {
        self.access(place, 1);
        self.arrays[place.array][place.index] = value.to_bits();
    }

    /// The misses of all accesses so far.
    pub fn misses(&mut self) -> u64 {
        self.flush();
        self.send(&[MISSES]);
        self.receive()
    }

    fn access(&mut self, place: Place, store: u64) {
        let offset = (place.array << ARRAY_BITS | place.index * 8) as u64;
        self.accesses.extend((offset << 8 | 8 << 1 | store).to_le_bytes());
        if self.accesses.len() >= 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let count = self.accesses.len() as u64 / 8;
        if count > 0 {
            self.send(&[ACCESSES, count]);
            let accesses = std::mem::take(&mut self.accesses);
            self.write(&accesses);
        }
    }

    fn send(&mut self, numbers: &[u64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.write(&bytes);
    }

    /// Without the other process there is nothing to do.
    fn write(&mut self, bytes: &[u8]) {
        if self.channel.write_all(bytes).is_err() {
            std::process::exit(0);
        }
    }

    fn receive(&mut self) -> u64 {
        let mut bytes = [0; 8];
        if self.channel.read_exact(&mut bytes).is_err() {
            std::process::exit(0);
        }
        u64::from_le_bytes(bytes)
    }
}

/// Arrays are this far apart, as powers of two, in the numbers that are sent.
const ARRAY_BITS: u64 = 24;
const ACCESSES: u64 = 1;
const MISSES: u64 = 2;
const END: u64 = 3;
const PANIC: u64 = 4;

/// A line in a full set of a cache. Times are numbers of the cache's accesses.
#[derive(Clone, Copy)]
pub struct Way {
    /// When it was fetched.
    pub filled: u64,
    /// When it was last used.
    pub used: u64,
    /// How often it was used since it was fetched.
    pub uses: u64,
}

/// The arguments of one call.
pub struct Arguments {
    shapes: Vec<(usize, usize)>,
    integers: Vec<u64>,
    ways: Vec<Way>,
}

impl Arguments {
    pub fn array(&self, array: usize) -> Array {
        let (rows, cols) = self.shapes[array];
        Array { array, first: 0, len: rows * cols }
    }

    pub fn matrix(&self, array: usize) -> Matrix {
        let (rows, cols) = self.shapes[array];
        Matrix { array, rows, cols }
    }

    pub fn integer(&self, at: usize) -> usize {
        self.integers[at] as usize
    }

    pub fn float(&self, at: usize) -> f64 {
        f64::from_bits(self.integers[at])
    }

    pub fn ways(&self) -> &[Way] {
        &self.ways
    }
}

/// Answers calls until the other process ends.
pub fn serve(mut call: impl FnMut(&mut Memory, &Arguments) -> u64) {
    let Ok(channel) = std::io::stdin().as_fd().try_clone_to_owned() else { return };
    let mut mem = Memory { arrays: Vec::new(), accesses: Vec::new(), channel: File::from(channel) };
    let secret = mem.receive();
    std::panic::set_hook(Box::new(|_| {}));
    loop {
        let arrays = mem.receive();
        let shapes: Vec<_> = (0..arrays).map(|_| (mem.receive() as usize, mem.receive() as usize)).collect();
        let count = mem.receive();
        let integers = (0..count).map(|_| mem.receive()).collect();
        mem.arrays = shapes
            .iter()
            .map(|&(rows, cols)| {
                let mut bytes = vec![0; rows * cols * 8];
                if mem.channel.read_exact(&mut bytes).is_err() {
                    std::process::exit(0);
                }
                let word =
                    |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                bytes.chunks_exact(8).map(word).collect()
            })
            .collect();
        let ways = mem.arrays.first().map_or(&[][..], |words| words);
        let ways =
            ways.chunks_exact(3).map(|way| Way { filled: way[0], used: way[1], uses: way[2] }).collect();
        let arguments = Arguments { shapes, integers, ways };
        let called = catch_unwind(AssertUnwindSafe(|| call(&mut mem, &arguments)));
        mem.flush();
        match called {
            Ok(result) => {
                mem.send(&[secret, END, result]);
                for array in std::mem::take(&mut mem.arrays) {
                    mem.send(&array);
                }
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text =
                    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
                let text = &text.as_bytes()[..text.len().min(500)];
                mem.send(&[secret, PANIC, text.len() as u64]);
                mem.write(text);
            }
        }
    }
}
