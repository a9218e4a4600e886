//! A student's program in a process of its own: calls of its function, whose accesses go to
//! the model in this process.

use std::io::{self, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cache::Replay;
use figures::random::{Random, mix};
use machine::Machine;

use crate::limits::{self, CPU_S, MEMORY};
use crate::wrong::{Reason, Wrong};

/// A function may make as many times the accesses of a solution.
pub(crate) const ACCESSES_OVER_SOLUTION: u64 = 100;
/// Seconds that a program may take by the clock.
const WALL_S: u64 = 60;

/// Numbers of the messages, and the distance of arrays: as in `harness`.
const ACCESSES: u64 = 1;
const MISSES: u64 = 2;
const END: u64 = 3;
const PANIC: u64 = 4;
const ARRAY_BITS: u64 = 24;

/// Elements of 8 bytes that a function is given, by rows.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) name: &'static str,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) words: Vec<u64>,
}

impl Data {
    /// A matrix with the elements that `value` says.
    pub(crate) fn new(
        name: &'static str,
        rows: usize,
        cols: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Data {
        let words = (0..rows * cols).map(|at| value(at / cols, at % cols).to_bits()).collect();
        Data { name, rows, cols, words }
    }

    /// Element (`i`, `j`); NaN outside.
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.words.get(i * self.cols + j).map_or(f64::NAN, |word| f64::from_bits(*word))
    }
}

/// What the model counted in a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) loads: u64,
    pub(crate) stores: u64,
    /// Misses of the first cache.
    pub(crate) misses: u64,
    /// The same for each array.
    pub(crate) by_array: Vec<u64>,
    /// The most loads that no store had followed yet: numbers that the function held elsewhere.
    pub(crate) held: u64,
}

/// A call of the function: its arguments, and the bounds of its accesses.
pub(crate) struct Call<'a> {
    /// Whose caches count; none if the function has no memory.
    pub(crate) machine: Option<&'a Machine>,
    pub(crate) arrays: &'a mut [Data],
    pub(crate) integers: &'a [u64],
    /// Accesses of a solution.
    pub(crate) solution: u64,
}

/// A program that was started.
pub(crate) struct Program {
    child: Child,
    channel: BufReader<UnixStream>,
    secret: u64,
    seed: u64,
    deadline: Instant,
    is_over: bool,
}

/// A call did not return.
enum Stop {
    /// The channel is closed, or nothing came in time.
    Channel,
    Wrong(Wrong),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::Channel
    }
}

impl Program {
    /// Starts the program; its output goes to standard error if `shows_output`. `seed` is what
    /// its data depends on.
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub(crate) fn start(path: &Path, seed: u64, shows_output: bool) -> Result<Program, Wrong> {
        let (own, other) = UnixStream::pair().map_err(Wrong::unmade)?;
        let output = || if shows_output { Stdio::from(io::stderr()) } else { Stdio::null() };
        let mut command = Command::new(path);
        command.env_clear().stdin(OwnedFd::from(other)).stdout(output()).stderr(output());
        limits::confine(&mut command);
        let child = command.spawn().map_err(|error| Wrong::unmade(format!("{}: {error}", path.display())))?;
        // The command has the other end of the channel: it must close before the child ends.
        drop(command);
        let secret = common::system::date::unlike_any_other() | 1 << 63;
        let deadline = Instant::now() + Duration::from_secs(WALL_S);
        let mut program = Program {
            child,
            channel: BufReader::with_capacity(1 << 16, own),
            secret,
            seed,
            deadline,
            is_over: false,
        };
        program.send(&[secret]).map_err(Wrong::unmade)?;
        Ok(program)
    }

    /// Values of elements: whole numbers, so that sums are exact. A function can only know
    /// them by loads.
    pub(crate) fn values(&self) -> impl Fn(usize) -> f64 + Copy + use<> {
        let seed = self.seed;
        move |at| (mix(seed.wrapping_add(at as u64)) % 10007) as f64
    }

    /// The same items in an order that no function can know.
    pub(crate) fn shuffled<T>(&self, mut items: Vec<T>) -> Vec<T> {
        Random::new(self.seed).shuffle(&mut items);
        items
    }

    /// Calls the function. The arrays are as it left them; returns its result.
    ///
    /// # Errors
    ///
    /// If it crashes, does not end, or uses too much.
    pub(crate) fn call(&mut self, call: Call<'_>) -> Result<(u64, Counts), Wrong> {
        match self.answer(call) {
            Ok(answer) => Ok(answer),
            Err(Stop::Wrong(wrong)) => Err(wrong),
            Err(Stop::Channel) => Err(self.ended()),
        }
    }

    fn answer(&mut self, call: Call<'_>) -> Result<(u64, Counts), Stop> {
        let mut numbers = vec![call.arrays.len() as u64];
        numbers.extend(call.arrays.iter().flat_map(|array| [array.rows as u64, array.cols as u64]));
        numbers.push(call.integers.len() as u64);
        numbers.extend(call.integers);
        numbers.extend(call.arrays.iter().flat_map(|array| &array.words));
        self.send(&numbers)?;
        let mut model = match call.machine {
            Some(machine) => Some(Model::new(machine, call.arrays).map_err(Stop::Wrong)?),
            None => None,
        };
        let (mut counts, most) = (Counts::default(), ACCESSES_OVER_SOLUTION * call.solution.max(1));
        counts.by_array.resize(call.arrays.len(), 0);
        loop {
            match self.receive()? {
                ACCESSES => {
                    let count = self.receive()?;
                    for _ in 0..count {
                        let access = self.receive()?;
                        match &mut model {
                            Some(model) => model.access(access, &mut counts).map_err(Stop::Wrong)?,
                            None => counts.loads += 1,
                        }
                        if counts.loads + counts.stores > most {
                            return Err(Stop::Wrong(Wrong::of(
                                Reason::Accesses,
                                format!("your function did not end after {most} accesses, {ACCESSES_OVER_SOLUTION} times those of a solution"),
                            ).or_hint("Does a loop not end? What changes its condition?")));
                        }
                    }
                }
                MISSES => self.send(&[counts.misses])?,
                secret if secret == self.secret => break,
                _ => {
                    return Err(Stop::Wrong(Wrong::of(
                        Reason::Ended,
                        "your program wrote to its standard input, which belongs to the check",
                    )));
                }
            }
        }
        let (end, value) = (self.receive()?, self.receive()?);
        if end == PANIC {
            let mut text = vec![0; value.min(500) as usize];
            self.read(&mut text)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            return Err(Stop::Wrong(Wrong::of(
                Reason::Crash,
                format!("your function stopped with an error: {text}"),
            )));
        }
        if end != END {
            return Err(Stop::Channel);
        }
        for array in call.arrays {
            let mut bytes = vec![0; array.words.len() * 8];
            self.read(&mut bytes)?;
            for (word, bytes) in array.words.iter_mut().zip(bytes.chunks_exact(8)) {
                *word = number(bytes);
            }
        }
        Ok((value, counts))
    }

    /// Why there is no answer.
    fn ended(&mut self) -> Wrong {
        self.is_over = true;
        let ended = limits::wait(&self.child, self.deadline);
        let mebibytes = MEMORY >> 20;
        let hint = "Does it allocate in a loop, or call itself without an end?";
        let memory =
            Wrong::of(Reason::Memory, format!("your function used more than {mebibytes} MiB of memory"))
                .or_hint(hint);
        match ended.signal {
            _ if ended.is_late => {
                Wrong::of(Reason::Time, format!("your function did not end within {WALL_S} s"))
            }
            Some(libc::SIGXCPU | libc::SIGKILL) => Wrong::of(
                Reason::Time,
                format!("your function did not end within {CPU_S} s of processor time"),
            )
            .or_hint("Does a loop not end? What changes its condition?"),
            Some(libc::SIGSYS) => Wrong::of(
                Reason::Processes,
                "your function started a process or a thread, or tried to reach another one; that is not allowed",
            ),
            Some(libc::SIGXFSZ) => Wrong::of(Reason::Memory, "your function wrote a file of more than 1 MiB"),
            Some(_) if ended.peak > MEMORY * 6 / 10 => memory,
            Some(libc::SIGABRT) => Wrong::of(
                Reason::Crash,
                format!("your function was aborted: more than {mebibytes} MiB of memory, or calls too deep"),
            )
            .or_hint(hint),
            Some(libc::SIGSEGV | libc::SIGBUS) => Wrong::of(
                Reason::Crash,
                "your function crashed: an address without memory, or calls too deep",
            )
            .or_hint("Which indices do the loops reach? Does it call itself without an end?"),
            Some(libc::SIGFPE) => Wrong::of(Reason::Crash, "your function crashed: a division by zero"),
            Some(signal) => Wrong::of(Reason::Crash, format!("your function was ended by signal {signal}")),
            None if ended.peak > MEMORY * 6 / 10 => memory,
            None => Wrong::of(Reason::Ended, "your function ended the program; it must return"),
        }
    }

    fn send(&mut self, numbers: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let left = self.left()?;
        self.channel.get_mut().set_write_timeout(Some(left))?;
        self.channel.get_mut().write_all(&bytes)
    }

    fn receive(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        if self.channel.buffer().len() >= bytes.len() {
            self.channel.read_exact(&mut bytes)?;
        } else {
            self.read(&mut bytes)?;
        }
        Ok(number(&bytes))
    }

    /// Fills `bytes` before the deadline, however they come.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < bytes.len() {
            let left = self.left()?;
            self.channel.get_mut().set_read_timeout(Some(left))?;
            match self.channel.read(&mut bytes[filled..])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
        }
        Ok(())
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.is_over {
            limits::wait(&self.child, Instant::now());
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The model, and where the arrays lie in its memory: one after the other.
struct Model {
    replay: Replay,
    arrays: Vec<(&'static str, u64, u64, u64)>,
}

impl Model {
    fn new(machine: &Machine, arrays: &[Data]) -> Result<Model, Wrong> {
        /// Arrays begin at the start of a line.
        const ALIGNMENT: u64 = 128;
        let replay = Replay::new(machine, arrays.iter().map(|array| array.name).collect());
        let (mut next, mut placed) = (ALIGNMENT, Vec::new());
        for array in arrays {
            let bytes = 8 * array.words.len() as u64;
            placed.push((array.name, next, bytes, array.cols as u64));
            next = (next + bytes).next_multiple_of(ALIGNMENT);
        }
        Ok(Model { replay: replay.map_err(Wrong::unmade)?, arrays: placed })
    }

    /// Counts one access, as the program sends it: its place, its bytes, whether it stores.
    fn access(&mut self, sent: u64, counts: &mut Counts) -> Result<(), Wrong> {
        let (place, bytes, store) = (sent >> 8, (sent >> 1) & 0x7f, sent & 1 == 1);
        let (array, offset) = ((place >> ARRAY_BITS) as usize, place & ((1 << ARRAY_BITS) - 1));
        let Some(&(name, start, len, cols)) = self.arrays.get(array) else {
            return Err(Wrong::of(Reason::Crash, "an index left its array, and is after all of them"));
        };
        if offset + bytes > len {
            let (element, len) = (offset / 8, len / 8);
            let found = if len == cols {
                format!("element {element} of `{name}`, which has {len}")
            } else {
                let (i, j, rows) = (element / cols, element % cols, len / cols);
                format!("`{name}[{i}][{j}]`, and there are {rows} rows of {cols}")
            };
            return Err(Wrong::of(Reason::Crash, format!("an index left its array: {found}")));
        }
        let missed = self.replay.access(start + offset, bytes, store, array as u8).map_err(Wrong::unmade)?;
        counts.misses += missed;
        if let Some(own) = counts.by_array.get_mut(array) {
            *own += missed;
        }
        *if store { &mut counts.stores } else { &mut counts.loads } += 1;
        counts.held = counts.held.max(counts.loads.saturating_sub(counts.stores));
        Ok(())
    }
}
