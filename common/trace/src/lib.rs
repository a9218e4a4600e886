//! Reads traces of memory accesses, line by line, in bounded memory.
//!
//! | form | a load, a store | addresses |
//! |---|---|---|
//! | [`Lackey`](Form::Lackey): `valgrind --tool=lackey --trace-mem=yes` | ` L 1ffeffe7e8,8`, ` S 1ffeffe7e0,8`, ` M 4c3a10,4` for both, `I  401000,3` for an instruction | hexadecimal |
//! | [`Din`](Form::Din): DineroIV's traditional form | `0 1ffeffe7e8`, `1 1ffeffe7e0`, `2 401000` for an instruction; the rest of a line is a comment | hexadecimal |
//! | [`Plain`](Form::Plain): for traces that people or short programs write | `r 0x7e8 8`, `w 2016 8`; the size may be missing: 1 byte | hexadecimal with 0x, else decimal |
//!
//! Empty lines, lines that begin with `#`, and valgrind's own (`==123== ...`, `--123-- ...`)
//! are skipped. The first access decides which form a trace has.

#![forbid(unsafe_code)]

use std::io::{BufRead, Read};

use figures::text::shorten;

/// Most bytes of one access: more than the largest instruction (XSAVE with all its state).
pub const MAX_BYTES: u64 = 1 << 16;
/// Longest line that is read.
const MAX_LINE: u64 = 4096;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// valgrind lackey's.
    Lackey,
    /// DineroIV's `din`: without sizes, so each access has one byte.
    Din,
    /// `r ADDRESS [SIZE]` and `w ADDRESS [SIZE]`.
    Plain,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads, then writes the same bytes.
    Modify,
}

/// One access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// What it does.
    pub kind: Kind,
    /// Its first byte.
    pub address: u64,
    /// Its bytes, 1 to [`MAX_BYTES`].
    pub bytes: u64,
}

/// The accesses of a trace, in order.
#[derive(Debug)]
pub struct Trace<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
    form: Option<Form>,
    instructions: u64,
}

impl<R: BufRead> Trace<R> {
    /// Reads from `input`, which should be buffered well.
    pub fn new(input: R) -> Trace<R> {
        Trace { input, buffer: Vec::new(), line: 0, form: None, instructions: 0 }
    }

    /// Lines read so far.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Instruction fetches skipped so far.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Its form; `None` before the first access.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// The next access; `None` at the end.
    /// Fails if a line is no access, or cannot be read; a clause that begins with the line.
    pub fn read(&mut self) -> Result<Option<Access>, String> {
        loop {
            self.buffer.clear();
            let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut self.buffer);
            match read {
                Ok(0) => return Ok(None),
                Ok(_) => self.line += 1,
                Err(error) => {
                    return Err(format!(
                        "after line {}: {error}; the file is incomplete or damaged: copy it, or make it again",
                        self.line
                    ));
                }
            }
            let number = self.line;
            let is_last = self.buffer.last() != Some(&b'\n');
            if is_last && self.buffer.len() as u64 == MAX_LINE {
                return Err(format!("line {number} has more than {MAX_LINE} bytes: this is no trace"));
            }
            let line = self.buffer.trim_ascii();
            let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            if line.is_empty() || matches!(line[0], b'#' | b'=' | b'-') {
                continue;
            }
            let text = || shorten(&String::from_utf8_lossy(line), 40);
            let (form, parsed) = match parse(line) {
                Some(found) => found,
                None if is_last && self.form.is_some() => {
                    return Err(format!(
                        "line {number}, the last, is cut off: '{}'; remove it, or make the trace again",
                        text()
                    ));
                }
                None => {
                    return Err(format!(
                        "line {number}: '{}' is no access; expected ' L 7ff0,8' (lackey), '0 7ff0' (din) or 'r 0x7ff0 8'",
                        text()
                    ));
                }
            };
            if *self.form.get_or_insert(form) != form {
                return Err(format!(
                    "line {number}: '{}' is in another form than the lines before it; give one trace at a time",
                    text()
                ));
            }
            match parsed {
                Ok(Some(access)) => return Ok(Some(access)),
                Ok(None) => self.instructions += 1,
                Err(reason) => return Err(format!("line {number}: '{}': {reason}", text())),
            }
        }
    }
}

/// The form of a line, and its access; `None` for the fetch of an instruction.
type Parsed = Option<(Form, Result<Option<Access>, &'static str>)>;

fn parse(line: &[u8]) -> Parsed {
    let (&label, rest) = line.split_first()?;
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if blanks == 0 {
        return None;
    }
    let rest = &rest[blanks..];
    let (form, kind) = match label {
        b'L' => (Form::Lackey, Some(Kind::Load)),
        b'S' => (Form::Lackey, Some(Kind::Store)),
        b'M' => (Form::Lackey, Some(Kind::Modify)),
        b'I' => (Form::Lackey, None),
        b'0' => (Form::Din, Some(Kind::Load)),
        b'1' => (Form::Din, Some(Kind::Store)),
        b'2' => (Form::Din, None),
        b'3' | b'4' => return Some((Form::Din, Err("escape records (labels 3 and 4) are not read"))),
        b'r' | b'R' => (Form::Plain, Some(Kind::Load)),
        b'w' | b'W' => (Form::Plain, Some(Kind::Store)),
        _ => return None,
    };
    let place = match form {
        Form::Lackey => lackey(rest)?,
        Form::Din => {
            let address = rest.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            hexadecimal(address).map(|address| (address, 1))
        }
        Form::Plain => plain(rest)?,
    };
    Some((form, place.and_then(within).map(|(address, bytes)| Some(Access { kind: kind?, address, bytes }))))
}

type Place = Result<(u64, u64), &'static str>;

fn lackey(rest: &[u8]) -> Option<Place> {
    let comma = rest.iter().position(|byte| *byte == b',')?;
    let (address, bytes) = (hexadecimal(&rest[..comma]), decimal(&rest[comma + 1..]));
    Some(address.and_then(|address| Ok((address, bytes?))))
}

fn plain(rest: &[u8]) -> Option<Place> {
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let address = words.next()?;
    let bytes = words.next().map_or(Ok(1), decimal);
    if words.next().is_some() {
        return None;
    }
    let address = match number(address, 10) {
        _ if address.contains(&b',') => Err("put a blank, not a comma, before the size"),
        Some(address) => Ok(address),
        None if address.starts_with(b"0x") || address.starts_with(b"0X") => hexadecimal(address),
        None => Err("the address is not decimal, or too large (hexadecimal ones begin with 0x)"),
    };
    Some(address.and_then(|address| Ok((address, bytes?))))
}

fn within((address, bytes): (u64, u64)) -> Place {
    match bytes {
        0 => Err("an access has at least 1 byte"),
        1..=MAX_BYTES if address.checked_add(bytes - 1).is_none() => {
            Err("the access goes beyond the last address")
        }
        1..=MAX_BYTES => Ok((address, bytes)),
        _ => Err("an access has at most 65536 bytes"),
    }
}

/// An address, with 0x or without.
fn hexadecimal(digits: &[u8]) -> Result<u64, &'static str> {
    const WRONG: &str = "the address is no hexadecimal number of at most 64 bits";
    let digits = digits.strip_prefix(b"0x").or_else(|| digits.strip_prefix(b"0X")).unwrap_or(digits);
    number(digits, 16).ok_or(WRONG)
}

fn decimal(digits: &[u8]) -> Result<u64, &'static str> {
    number(digits, 10).ok_or("the size is not a decimal number")
}

fn number(digits: &[u8], base: u32) -> Option<u64> {
    let digit = |number: u64, byte: &u8| {
        let digit = char::from(*byte).to_digit(base)?;
        number.checked_mul(u64::from(base))?.checked_add(u64::from(digit))
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, digit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Access>, String> {
        let mut trace = Trace::new(text.as_bytes());
        std::iter::from_fn(|| trace.read().transpose()).collect()
    }

    fn access(kind: Kind, address: u64, bytes: u64) -> Access {
        Access { kind, address, bytes }
    }

    #[test]
    fn each_form_is_read() {
        use Kind::{Load, Modify, Store};
        let lackey = "==1== Lackey\n--1-- note\nI  04001a20,3\n L 1ffeffe7e8,8\r\n S 1ffeffe7e0,4\n M 10,1";
        let expected =
            [access(Load, 0x1f_feff_e7e8, 8), access(Store, 0x1f_feff_e7e0, 4), access(Modify, 16, 1)];
        assert_eq!(read(lackey).unwrap(), expected);
        assert_eq!(
            read("\u{feff}0 7ff0 4\n\n2 400\n1 0x7FF8 # here\n").unwrap(),
            [access(Load, 0x7ff0, 1), access(Store, 0x7ff8, 1)]
        );
        let plain = "# mine\nr 0x10 8\nw 16\n  R\t0XFF   4  \n";
        assert_eq!(read(plain).unwrap(), [access(Load, 16, 8), access(Store, 16, 1), access(Load, 255, 4)]);
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn what_is_no_access_is_named_with_its_line() {
        for (text, says) in [
            ("r 0x10 8\nhello\n", "line 2: 'hello' is no access"),
            (" L 10,1\nI  040", "line 2, the last, is cut off: 'I  040'"),
            ("4 10", "escape records"),
            ("r 0x7ff0,8", "put a blank"),
            ("r 0x7ff0 0x8", "the size is not a decimal number"),
            ("L10,1", "line 1: 'L10,1' is no access"),
            (" L 10", "is no access"),
            (" L 1g,4", "line 1: 'L 1g,4': the address is no hexadecimal"),
            (" L 11112222333344445,4", "at most 64 bits"),
            (" L ,4", "no hexadecimal"),
            (" S 10,0", "at least 1 byte"),
            (" S 10,65537", "at most 65536 bytes"),
            (" S ffffffffffffffff,2", "beyond the last address"),
            (" S 10,4,4", "not a decimal"),
            ("r 7ff0 8", "begin with 0x"),
            ("r 0x10 8 9", "is no access"),
            ("r", "is no access"),
            ("r -1", "not decimal"),
            ("5 10", "is no access"),
            ("0 10\n L 10,4", "line 2: 'L 10,4' is in another form"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
        assert!(
            read(&format!("# {}\n", "x".repeat(5000)))
                .unwrap_err()
                .contains("line 1 has more than 4096 bytes")
        );
        assert_eq!(read(&format!("# {}\nr 1", "x".repeat(4093))).unwrap().len(), 1);
    }

    #[test]
    fn any_mixture_of_the_forms_is_read_or_refused_with_its_line() {
        const PIECES: [&str; 20] = [
            " L ",
            " S ",
            "I  ",
            "r ",
            "W ",
            "0 ",
            "0x",
            "7ff0",
            ",",
            "8",
            " 4",
            "\n",
            "\r\n",
            "#",
            "==1==",
            "ffffffffffffffff",
            "65537",
            "\u{feff}",
            "é",
            "-",
        ];
        let mut random = figures::random::Random::new(1);
        for _ in 0..50_000 {
            let count = random.below(12);
            let text = String::from_iter((0..count).map(|_| PIECES[random.below(PIECES.len())]));
            match read(&text) {
                Ok(all) => {
                    assert!(all.iter().all(|one| one.address.checked_add(one.bytes - 1).is_some()), "{text}")
                }
                Err(error) => assert!(error.starts_with("line ") && error.len() < 400, "{text:?}: {error}"),
            }
        }
    }
}
