//! Accesses that a user writes as loops over arrays: `for i in 0..64 step 8: load a[i]; store b[2*i+1]`.

use super::Region;
use super::watcher::MAX_STEPS;

/// Bytes of an element: a C `int`.
const ELEMENT: u64 = 4;
/// Most loops inside each other, and most iterations of all of them.
const MAX_DEPTH: usize = 16;
const MAX_ITERATIONS: usize = 1_000_000;
/// Most bytes of all arrays.
const LARGEST: u64 = 64 << 20;
const WORDS: [&str; 3] = ["for", "load", "store"];
const FORM: &str = "write for example 'for i in 0..64 step 8: load a[i]'";

/// The first accesses of the loops in a text.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Each access: its first byte, whether it stores, and its line and column in the text.
    pub(super) accesses: Vec<(u64, bool, (u32, u32))>,
    /// Their arrays, one after the other, each from a multiple of 64 bytes on.
    pub(super) regions: Vec<Region>,
    /// Whether there are more accesses than are shown.
    pub(super) is_cut: bool,
}

/// Reads and runs the loops in `text`.
pub(super) fn read(text: &str) -> Result<Own, String> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split('#').next().unwrap_or_default().trim_end();
        let indent = code.len() - code.trim_start().len();
        lines.extend((!code.is_empty()).then_some((indent, Rest { number, code, at: 0 })));
    }
    let mut run = Run { lines, is_live: true, ..Run::default() };
    run.block(0, 0)?;
    if run.accesses.is_empty() {
        return Err(format!("there is no access: {FORM}"));
    }
    let (mut own, mut end) = (Own { is_cut: run.is_cut, ..Own::default() }, 0u64);
    for (name, length) in run.arrays {
        let start = end.next_multiple_of(64);
        end = start.saturating_add(length.saturating_mul(ELEMENT));
        if end > LARGEST {
            return Err(format!("the array {name} reaches beyond 64 MiB: use smaller indexes"));
        }
        let bytes = start as usize..end as usize;
        own.regions.push(Region { name: name.to_owned(), bytes, element: ELEMENT as usize, columns: 0 });
    }
    own.accesses.extend(run.accesses.into_iter().map(|(array, index, store, place)| {
        (own.regions[array].bytes.start as u64 + index * ELEMENT, store, place)
    }));
    Ok(own)
}

/// What of a line is not read yet.
#[derive(Clone, Copy)]
struct Rest<'a> {
    number: u32,
    code: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    /// The next word or sign; empty at the line's end.
    fn next(&mut self) -> &'a str {
        let after = &self.code[self.at..];
        let text = after.trim_start();
        self.at += after.len() - text.len();
        let word = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let sign = if text.starts_with("..") { 2 } else { text.chars().next().map_or(0, char::len_utf8) };
        let length = if word > 0 { word } else { sign };
        self.at += length;
        &text[..length]
    }

    fn peek(mut self) -> &'a str {
        self.next()
    }

    /// Whether `sign` is next; it is then taken.
    fn takes(&mut self, sign: &str) -> bool {
        self.peek() == sign && !self.next().is_empty()
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        let found = self.next();
        if found == expected { Ok(()) } else { Err(self.wrong(&format!("'{expected}'"), found)) }
    }

    fn wrong(&self, expected: &str, found: &str) -> String {
        let found = if found.is_empty() { "the line's end".to_owned() } else { format!("'{found}'") };
        self.says(format_args!("expected {expected}, not {found}; {FORM}"))
    }

    fn says(&self, what: impl std::fmt::Display) -> String {
        format!("line {}: {what}", self.number)
    }

    fn name(&mut self) -> Result<&'a str, String> {
        let name = self.next();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && !WORDS.contains(&name) { Ok(name) } else { Err(self.wrong("a name", name)) }
    }
}

/// Statements are run as they are read.
#[derive(Default)]
struct Run<'a> {
    /// Lines with code, and their indentation.
    lines: Vec<(usize, Rest<'a>)>,
    /// The arrays, with their elements up to the last one that was used.
    arrays: Vec<(&'a str, u64)>,
    /// Array and index, whether it stores, and its place.
    accesses: Vec<(usize, u64, bool, (u32, u32))>,
    /// The variables of the loops around the present place.
    variables: Vec<(&'a str, i64)>,
    /// Whether statements have an effect: all are read, also those of a loop without iterations.
    is_live: bool,
    is_cut: bool,
    iterations: usize,
}

impl<'a> Run<'a> {
    /// Runs the lines from number `at` on that are indented by `indent` or more; returns the number of the next.
    fn block(&mut self, mut at: usize, indent: usize) -> Result<usize, String> {
        while let Some(&(own, rest)) = self.lines.get(at).filter(|line| line.0 >= indent) {
            at = self.line(at, own, rest)?;
        }
        Ok(at)
    }

    /// Runs what is left of line `at`, and the body of a loop that it begins.
    fn line(&mut self, at: usize, indent: usize, mut rest: Rest<'a>) -> Result<usize, String> {
        loop {
            let word = rest.next();
            let place = (rest.number, (rest.at - word.len()) as u32 + 1);
            match word {
                "for" => return self.repeat(at, indent, rest),
                "load" | "store" => {
                    let array = rest.name()?;
                    let array = self.array(array);
                    rest.expect("[")?;
                    let index = self.sum(&mut rest)?;
                    rest.expect("]")?;
                    self.access(array, index, word == "store", place)?;
                }
                other => return Err(rest.wrong("'for', 'load' or 'store'", other)),
            }
            if rest.peek().is_empty() {
                return Ok(at + 1);
            }
            rest.expect(";")?;
        }
    }

    /// A loop, after its first word.
    fn repeat(&mut self, at: usize, indent: usize, mut rest: Rest<'a>) -> Result<usize, String> {
        let name = rest.name()?;
        rest.expect("in")?;
        let mut i = self.sum(&mut rest)?;
        rest.expect("..")?;
        let to = self.sum(&mut rest)?;
        let step = if rest.takes("step") { self.sum(&mut rest)? } else { 1 };
        rest.expect(":")?;
        if self.is_live && step < 1 {
            return Err(rest.says(format_args!("a step of {step} never ends: take 1 or more")));
        }
        if self.variables.len() == MAX_DEPTH {
            return Err(rest.says(format_args!("more than {MAX_DEPTH} loops are inside each other")));
        }
        let was_live = self.is_live;
        loop {
            self.is_live = was_live && !self.is_cut && i < to;
            self.iterations += usize::from(self.is_live);
            if self.iterations > MAX_ITERATIONS {
                return Err(rest.says(format_args!("the loops have more than {MAX_ITERATIONS} iterations")));
            }
            let (is_last, is_block) = (!self.is_live, rest.peek().is_empty());
            self.variables.push((name, i));
            let next = if is_block { self.block(at + 1, indent + 1)? } else { self.line(at, indent, rest)? };
            self.variables.pop();
            if is_block && next == at + 1 {
                return Err(rest.says("the loop does nothing: indent the lines below it"));
            }
            if is_last {
                self.is_live = was_live && !self.is_cut;
                return Ok(next);
            }
            i = i.saturating_add(step);
        }
    }

    fn access(&mut self, array: usize, index: i64, store: bool, place: (u32, u32)) -> Result<(), String> {
        self.is_cut |= self.is_live && self.accesses.len() == MAX_STEPS;
        if self.is_live && !self.is_cut {
            let (name, length) = &mut self.arrays[array];
            let wrong = |_| format!("line {}: {name}[{index}]: an index is 0 or more", place.0);
            let index = u64::try_from(index).map_err(wrong)?;
            *length = (*length).max(index.saturating_add(1));
            self.accesses.push((array, index, store, place));
        }
        Ok(())
    }

    /// The value of `i*64 + j - 1`.
    fn sum(&self, rest: &mut Rest<'a>) -> Result<i64, String> {
        let (mut sum, mut sign) = (Some(0i64), if rest.takes("-") { -1 } else { 1 });
        loop {
            let mut product = i64::checked_mul(sign, self.factor(rest)?);
            while rest.takes("*") {
                let factor = self.factor(rest)?;
                product = product.and_then(|product| product.checked_mul(factor));
            }
            sum = sum.zip(product).and_then(|(sum, product)| sum.checked_add(product));
            sign = match rest.peek() {
                "+" => 1,
                "-" => -1,
                _ if !self.is_live => return Ok(sum.unwrap_or(0)),
                _ => return sum.ok_or_else(|| rest.says("a number is too large")),
            };
            rest.next();
        }
    }

    fn factor(&self, rest: &mut Rest<'a>) -> Result<i64, String> {
        let digits = rest.peek();
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            rest.next();
            return digits.parse().map_err(|_| rest.wrong("a whole number", digits));
        }
        let name = rest.name()?;
        let variable = self.variables.iter().rev().find(|(other, _)| *other == name);
        let unknown = || rest.says(format_args!("no loop around it has the variable '{name}'"));
        variable.map(|(_, value)| *value).ok_or_else(unknown)
    }

    fn array(&mut self, name: &'a str) -> usize {
        self.arrays.iter().position(|array| array.0 == name).unwrap_or_else(|| {
            self.arrays.push((name, 0));
            self.arrays.len() - 1
        })
    }
}
