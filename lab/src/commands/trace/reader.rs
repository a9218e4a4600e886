//! Reads traces of memory accesses, line by line, in bounded memory.
//!
//! | form | a load, a store | addresses |
//! |---|---|---|
//! | [`Lackey`](Form::Lackey): `valgrind --tool=lackey --trace-mem=yes` | ` L 1ffeffe7e8,8`, ` S 1ffeffe7e0,8`, ` M 4c3a10,4` for both, `I  401000,3` for an instruction | hexadecimal |
//! | [`Din`](Form::Din): DineroIV's traditional form | `0 1ffeffe7e8`, `1 1ffeffe7e0`, `2 401000` for an instruction; the rest of a line is a comment | hexadecimal |
//! | [`Plain`](Form::Plain): what people or short programs write | `r 0x7e8 8`, `w 2016 8`; the size may be missing: 1 byte | hexadecimal with 0x, else decimal |
//!
//! Empty lines, lines that begin with `#`, and valgrind's own (`==123== ...`, `--123-- ...`)
//! are skipped. The first access decides which form a trace has.

use std::io::{BufRead, Read};

use common::text::shorten;

/// Most bytes of one access: more than the largest instruction (XSAVE with all its state).
const MAX_BYTES: u64 = 1 << 16;
/// Longest line that is read.
const MAX_LINE: u64 = 4096;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// valgrind lackey's.
    Lackey,
    /// DineroIV's `din`: without sizes, so each access has one byte.
    Din,
    /// `r ADDRESS [SIZE]` and `w ADDRESS [SIZE]`.
    Plain,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    /// Reads, then writes the same bytes.
    Modify,
}

/// One access: its first byte, and its bytes, 1 to [`MAX_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) kind: Kind,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

/// The accesses of a trace, in order.
pub(super) struct Trace<R> {
    input: R,
    /// Lines read so far.
    pub(super) line: u64,
    /// `None` before the first access.
    pub(super) form: Option<Form>,
    /// Instruction fetches skipped so far.
    pub(super) instructions: u64,
}

impl<R: BufRead> Trace<R> {
    /// Reads from `input`, which should be buffered well.
    pub(super) fn new(input: R) -> Trace<R> {
        Trace { input, line: 0, form: None, instructions: 0 }
    }

    /// The next access; `None` at the end.
    /// Fails if a line is no access, or cannot be read; a clause that begins with the line.
    pub(super) fn read(&mut self) -> Result<Option<Access>, String> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut buffer);
            if read.map_err(|error| format!("after line {}: {error}", self.line))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&buffer);
            let line = text.trim_start_matches('\u{feff}').trim();
            let failed = |why: &str| format!("line {}: '{}'{why}", self.line, shorten(line, 40));
            let is_last = !text.ends_with('\n');
            if is_last && buffer.len() as u64 == MAX_LINE {
                return Err(format!("line {} has more than {MAX_LINE} bytes: this is no trace", self.line));
            }
            if line.is_empty() || line.starts_with(['#', '=', '-']) {
                continue;
            }
            let Some((form, access)) = parse(line) else {
                return Err(failed(match is_last && self.form.is_some() {
                    true => " is cut off; remove this last line, or make the trace again",
                    false => " is no access; expected ' L 7ff0,8' (lackey), '0 7ff0' (din) or 'r 0x7ff0 8'",
                }));
            };
            if *self.form.get_or_insert(form) != form {
                return Err(failed(" is in another form than the lines before it; give one trace at a time"));
            }
            match access.map_err(|why| failed(&format!(": {why}")))? {
                Some(access) => return Ok(Some(access)),
                None => self.instructions += 1,
            }
        }
    }
}

/// The form of a line, and its access; `None` for the fetch of an instruction.
fn parse(line: &str) -> Option<(Form, Result<Option<Access>, &'static str>)> {
    let (label, rest) = line.split_once(|c: char| c.is_ascii_whitespace())?;
    let rest = rest.trim_start();
    let (form, kind) = match label {
        "L" => (Form::Lackey, Some(Kind::Load)),
        "S" => (Form::Lackey, Some(Kind::Store)),
        "M" => (Form::Lackey, Some(Kind::Modify)),
        "I" => (Form::Lackey, None),
        "0" => (Form::Din, Some(Kind::Load)),
        "1" => (Form::Din, Some(Kind::Store)),
        "2" => (Form::Din, None),
        "3" | "4" => return Some((Form::Din, Err("escape records (labels 3 and 4) are not read"))),
        "r" | "R" => (Form::Plain, Some(Kind::Load)),
        "w" | "W" => (Form::Plain, Some(Kind::Store)),
        _ => return None,
    };
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let (address, bytes) = match (form, &*words) {
        (Form::Lackey, _) => rest.split_once(',')?,
        (Form::Din, _) => (words[0], "1"),
        (Form::Plain, [address]) => (*address, "1"),
        (Form::Plain, [address, bytes]) => (*address, *bytes),
        (Form::Plain, _) => return None,
    };
    Some((
        form,
        place(form, address, bytes).map(|(address, bytes)| Some(Access { kind: kind?, address, bytes })),
    ))
}

fn place(form: Form, address: &str, bytes: &str) -> Result<(u64, u64), &'static str> {
    let digits = address.strip_prefix("0x").or_else(|| address.strip_prefix("0X"));
    let address = match (form, digits) {
        (Form::Plain, _) if address.contains(',') => return Err("put a blank, not a comma, before the size"),
        (Form::Plain, None) => number(address, 10)
            .ok_or("the address is not decimal, or too large (hexadecimal ones begin with 0x)")?,
        _ => number(digits.unwrap_or(address), 16)
            .ok_or("the address is no hexadecimal number of at most 64 bits")?,
    };
    match number(bytes, 10).ok_or("the size is not a decimal number")? {
        0 => Err("an access has at least 1 byte"),
        bytes if bytes > MAX_BYTES => Err("an access has at most 65536 bytes"),
        bytes if address.checked_add(bytes - 1).is_none() => Err("the access goes beyond the last address"),
        bytes => Ok((address, bytes)),
    }
}

fn number(digits: &str, base: u32) -> Option<u64> {
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, base).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Access>, String> {
        let mut trace = Trace::new(text.as_bytes());
        std::iter::from_fn(|| trace.read().transpose()).collect()
    }

    #[test]
    fn each_form_is_read() {
        use Kind::{Load, Modify, Store};
        for (text, expected) in [
            (
                "==1== Lackey\n--1-- note\nI  04001a20,3\n L 1ffeffe7e8,8\r\n S 1ffeffe7e0,4\n M 10,1",
                &[(Load, 0x1f_feff_e7e8, 8), (Store, 0x1f_feff_e7e0, 4), (Modify, 16, 1)][..],
            ),
            ("\u{feff}0 7ff0 4\n\n2 400\n1 0x7FF8 # here\n", &[(Load, 0x7ff0, 1), (Store, 0x7ff8, 1)]),
            ("# mine\nr 0x10 8\nw 16\n  R\t0XFF   4  \n", &[(Load, 16, 8), (Store, 16, 1), (Load, 255, 4)]),
            ("", &[]),
        ] {
            let found: Vec<_> =
                read(text).unwrap().iter().map(|one| (one.kind, one.address, one.bytes)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_access_is_named_with_its_line() {
        for (text, says) in [
            ("r 0x10 8\nhello\n", "line 2: 'hello' is no access"),
            (" L 10,1\nI  040", "line 2: 'I  040' is cut off"),
            ("4 10", "escape records"),
            ("r 0x7ff0,8", "put a blank"),
            ("r 0x7ff0 0x8", "the size is not a decimal number"),
            ("L10,1", "line 1: 'L10,1' is no access"),
            (" L 1g,4", "line 1: 'L 1g,4': the address is no hexadecimal"),
            (" L 11112222333344445,4", "at most 64 bits"),
            (" S 10,0", "at least 1 byte"),
            (" S 10,65537", "at most 65536 bytes"),
            (" S ffffffffffffffff,2", "beyond the last address"),
            ("r 7ff0 8", "begin with 0x"),
            ("r 0x10 8 9", "is no access"),
            ("0 10\n L 10,4", "line 2: 'L 10,4' is in another form"),
            (&format!("# {}\n", "x".repeat(5000)), "line 1 has more than 4096 bytes"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
