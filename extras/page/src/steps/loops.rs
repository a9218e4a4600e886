//! Loops over arrays, as a user writes them: `for i in 0..64 step 8: load a[i]`.

/// Bytes of an element, if no `array` line says otherwise: a C `int`.
const ELEMENT: u64 = 4;
/// Most loops inside each other.
const MAX_DEPTH: usize = 16;
/// Most iterations of all loops together.
const MAX_ITERATIONS: usize = 1_000_000;
const WORDS: [&str; 4] = ["for", "load", "store", "array"];

/// An array, as far as it was used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) name: String,
    /// Bytes per element.
    pub(super) element: u64,
    /// One more than the largest index.
    pub(super) length: u64,
}

/// A load or a store of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) array: usize,
    pub(super) index: u64,
    pub(super) store: bool,
    /// Line and column in the text.
    pub(super) place: (u32, u32),
}

/// The accesses of the loops, in order.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) arrays: Vec<Array>,
    pub(super) accesses: Vec<Access>,
    /// Whether there are more.
    pub(super) is_cut: bool,
    iterations: usize,
    variables: Vec<(String, i64)>,
}

enum Statement {
    For { name: String, from: Sum, to: Sum, step: Sum, body: Vec<Statement>, line: u32 },
    Access { array: usize, index: Sum, store: bool, place: (u32, u32) },
}

/// `i*64 + j - 1`: products, each with its sign.
type Sum = Vec<(i64, Vec<Factor>)>;

enum Factor {
    Number(i64),
    Variable(String),
}

/// Whether `text` begins as loops do.
pub(super) fn begins(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        WORDS.contains(&line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
    })
}

/// The first `most` accesses of the loops in `text`.
pub(super) fn run(text: &str, most: usize) -> Result<Run, String> {
    let mut run = Run::default();
    let mut parser = Parser { lines: lines(text)?, at: 0, depth: 0, arrays: &mut run.arrays };
    let statements = parser.block(0)?;
    run.all(&statements, most)?;
    Ok(run)
}

impl Run {
    /// Runs statements; stops after `most` accesses.
    fn all(&mut self, statements: &[Statement], most: usize) -> Result<(), String> {
        for statement in statements {
            if self.is_cut {
                break;
            }
            match statement {
                Statement::Access { array, index, store, place } => {
                    if self.accesses.len() == most {
                        self.is_cut = true;
                        break;
                    }
                    let index = self.value(index, place.0)?;
                    let name = &self.arrays[*array].name;
                    let index = u64::try_from(index)
                        .map_err(|_| format!("line {}: {name}[{index}]: an index is 0 or more", place.0))?;
                    let array_used = &mut self.arrays[*array];
                    array_used.length = array_used.length.max(index.saturating_add(1));
                    self.accesses.push(Access { array: *array, index, store: *store, place: *place });
                }
                Statement::For { name, from, to, step, body, line } => {
                    let [from, to, step] =
                        [self.value(from, *line)?, self.value(to, *line)?, self.value(step, *line)?];
                    if step < 1 {
                        return Err(format!("line {line}: a step of {step} never ends: take 1 or more"));
                    }
                    let mut i = from;
                    while i < to && !self.is_cut {
                        self.iterations += 1;
                        if self.iterations > MAX_ITERATIONS {
                            return Err(format!(
                                "line {line}: the loops have more than {MAX_ITERATIONS} iterations"
                            ));
                        }
                        self.variables.push((name.clone(), i));
                        self.all(body, most)?;
                        self.variables.pop();
                        i = i.saturating_add(step);
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&self, sum: &Sum, line: u32) -> Result<i64, String> {
        let mut value = 0i64;
        for (sign, factors) in sum {
            let mut product = *sign;
            for factor in factors {
                let factor = match factor {
                    Factor::Number(number) => *number,
                    Factor::Variable(name) => {
                        let found = self.variables.iter().rev().find(|(other, _)| other == name);
                        found
                            .ok_or_else(|| {
                                format!("line {line}: no loop around it has the variable '{name}'")
                            })?
                            .1
                    }
                };
                product = product.checked_mul(factor).ok_or_else(|| too_large(line))?;
            }
            value = value.checked_add(product).ok_or_else(|| too_large(line))?;
        }
        Ok(value)
    }
}

fn too_large(line: u32) -> String {
    format!("line {line}: a number is too large")
}

/// A line as words and signs, each with its column.
struct Line {
    number: u32,
    indent: usize,
    tokens: Vec<(String, u32)>,
}

fn lines(text: &str) -> Result<Vec<Line>, String> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split('#').next().unwrap_or_default();
        let mut tokens: Vec<(String, u32)> = Vec::new();
        let mut word_goes_on = false;
        for (column, c) in (1..).zip(code.chars()) {
            match tokens.last_mut() {
                Some((word, _)) if word_goes_on && is_word(c) => word.push(c),
                Some((word, _)) if c == '.' && word == "." => word.push(c),
                _ if c.is_whitespace() => {}
                _ if is_word(c) || "+-*()[]:;.".contains(c) => tokens.push((c.to_string(), column)),
                _ => return Err(format!("line {number}: '{c}' has no meaning; {FORM}")),
            }
            word_goes_on = is_word(c);
        }
        let indent = code.chars().take_while(|c| c.is_whitespace()).count();
        if !tokens.is_empty() {
            all.push(Line { number, indent, tokens });
        }
    }
    Ok(all)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

const FORM: &str = "write for example 'for i in 0..64 step 8: load a[i]'";

struct Parser<'a> {
    lines: Vec<Line>,
    at: usize,
    /// Loops around the present line.
    depth: usize,
    arrays: &'a mut Vec<Array>,
}

/// The rest of a line.
struct Rest {
    number: u32,
    indent: usize,
    tokens: std::iter::Peekable<std::vec::IntoIter<(String, u32)>>,
}

impl Rest {
    fn next(&mut self) -> String {
        self.tokens.next().map(|token| token.0).unwrap_or_default()
    }

    fn peek(&mut self) -> &str {
        self.tokens.peek().map_or("", |token| &token.0)
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        let found = self.next();
        if found == expected { Ok(()) } else { Err(self.wrong(&format!("'{expected}'"), &found)) }
    }

    fn wrong(&self, expected: &str, found: &str) -> String {
        let found = if found.is_empty() { "the line's end".to_owned() } else { format!("'{found}'") };
        format!("line {}: expected {expected}, not {found}; {FORM}", self.number)
    }

    fn name(&mut self) -> Result<String, String> {
        let name = self.next();
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !WORDS.contains(&name.as_str())
        {
            return Ok(name);
        }
        Err(self.wrong("a name", &name))
    }

    fn sum(&mut self) -> Result<Sum, String> {
        let mut sum = Vec::new();
        let mut sign = 1;
        if self.peek() == "-" {
            self.next();
            sign = -1;
        }
        loop {
            let mut factors = vec![self.factor()?];
            while self.peek() == "*" {
                self.next();
                factors.push(self.factor()?);
            }
            sum.push((sign, factors));
            sign = match self.peek() {
                "+" => 1,
                "-" => -1,
                _ => return Ok(sum),
            };
            self.next();
        }
    }

    fn factor(&mut self) -> Result<Factor, String> {
        if self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            let digits = self.next();
            let number = match digits.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            return number.map(Factor::Number).map_err(|_| self.wrong("a whole number", &digits));
        }
        if self.peek() == "(" {
            let says = "an index has no parentheses: write a[i*2 + 2], not a[(i+1)*2]";
            return Err(format!("line {}: {says}", self.number));
        }
        self.name().map(Factor::Variable)
    }
}

impl Parser<'_> {
    /// The lines that are indented by `indent` or more.
    fn block(&mut self, indent: usize) -> Result<Vec<Statement>, String> {
        let mut statements = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at).filter(|line| line.indent >= indent) {
            let tokens = std::mem::take(&mut line.tokens).into_iter().peekable();
            let mut rest = Rest { number: line.number, indent: line.indent, tokens };
            self.at += 1;
            self.line(&mut rest, &mut statements)?;
        }
        Ok(statements)
    }

    /// The statements on the rest of a line, and the body of a loop that it begins.
    fn line(&mut self, rest: &mut Rest, statements: &mut Vec<Statement>) -> Result<(), String> {
        loop {
            let column = rest.tokens.peek().map_or(1, |token| token.1);
            match &*rest.next() {
                "for" => {
                    statements.push(self.repeated(rest)?);
                    return Ok(());
                }
                word @ ("load" | "store") => {
                    let name = rest.name()?;
                    rest.expect("[")?;
                    let index = rest.sum()?;
                    rest.expect("]")?;
                    let array = self.array(name);
                    let place = (rest.number, column);
                    statements.push(Statement::Access { array, index, store: word == "store", place });
                }
                "array" => {
                    let name = rest.name()?;
                    rest.expect("of")?;
                    let bytes = rest.next();
                    let array = self.array(name);
                    self.arrays[array].element = match bytes.parse() {
                        Ok(bytes @ 1..=4096) => bytes,
                        _ => return Err(rest.wrong("1 to 4096 bytes", &bytes)),
                    };
                    rest.expect("bytes")?;
                }
                other => return Err(rest.wrong("'for', 'load', 'store' or 'array'", other)),
            }
            match &*rest.next() {
                "" => return Ok(()),
                ";" if rest.peek().is_empty() => return Ok(()),
                ";" => {}
                other => return Err(rest.wrong("';' or the line's end", other)),
            }
        }
    }

    /// A loop, after its first word.
    fn repeated(&mut self, rest: &mut Rest) -> Result<Statement, String> {
        let name = rest.name()?;
        rest.expect("in")?;
        let from = rest.sum()?;
        rest.expect("..")?;
        let to = rest.sum()?;
        let mut step = vec![(1, Vec::new())];
        if rest.peek() == "step" {
            rest.next();
            step = rest.sum()?;
        }
        rest.expect(":")?;
        let line = rest.number;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("line {line}: more than {MAX_DEPTH} loops are inside each other"));
        }
        let mut body = Vec::new();
        if rest.peek().is_empty() {
            body = self.block(rest.indent + 1)?;
        } else {
            self.line(rest, &mut body)?;
        }
        self.depth -= 1;
        if body.is_empty() {
            return Err(format!("line {line}: the loop does nothing: indent the lines below it"));
        }
        Ok(Statement::For { name, from, to, step, body, line })
    }

    fn array(&mut self, name: String) -> usize {
        if let Some(known) = self.arrays.iter().position(|array| array.name == name) {
            return known;
        }
        self.arrays.push(Array { name, element: ELEMENT, length: 0 });
        self.arrays.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accesses(text: &str) -> String {
        let run = run(text, 9).unwrap_or_else(|error| panic!("{text}: {error}"));
        let word = |access: &Access| {
            let sign = if access.store { "w" } else { "r" };
            format!("{sign} {}{}", run.arrays[access.array].name, access.index)
        };
        run.accesses.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn loops_are_walked_in_order() {
        for (text, expected) in [
            ("for i in 0..64 step 8: load a[i]", "r a0, r a8, r a16, r a24, r a32, r a40, r a48, r a56"),
            (
                "for i in 0..2: for j in 0..2: load a[i*8+j]; store b[j]",
                "r a0, w b0, r a1, w b1, r a8, w b0, r a9, w b1",
            ),
            (
                "for i in 1..3: # outer\n  load a[2*i-1]\n  for j in i..3:\n    store a[j]\nload b[7]",
                "r a1, w a1, w a2, r a3, w a2, r b7",
            ),
            ("for i in 3..3: load a[i]", ""),
            ("load x[0]", "r x0"),
            ("for i in 0..0x2: load a[i*0x10];", "r a0, r a16"),
        ] {
            assert_eq!(accesses(text), expected, "{text}");
        }
        let cut = run("for i in 0..4000000000000000000: store a[0]", 3).unwrap();
        assert!(cut.is_cut && cut.accesses.len() == 3);
        assert_eq!(
            run("array a of 8 bytes\nload a[2]", 3).unwrap().arrays,
            [Array { name: "a".into(), element: 8, length: 3 }]
        );
        assert_eq!(run("for i in 0..1:\n  load a[i]; store a[i]", 3).unwrap().accesses[1].place, (2, 14));
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_line() {
        for (text, says) in [
            ("for i in 0..4: load a[j]", "line 1: no loop around it has the variable 'j'"),
            ("load a[0]\nfor i in 0..4 step 0: load a[i]", "line 2: a step of 0 never ends"),
            ("load a[1-2]", "line 1: a[-1]: an index is 0 or more"),
            ("for i in 0..4:", "the loop does nothing"),
            ("for i in 0..4\n  load a[i]", "line 1: expected ':', not the line's end"),
            ("for i in 0..4: load a", "expected '[', not the line's end"),
            ("for i = 0..4: load a[i]", "'=' has no meaning"),
            ("for i in 0..4: jump a[i]", "expected 'for', 'load', 'store' or 'array', not 'jump'"),
            ("for i in 0..4: load a[(i+1)*2]", "line 1: an index has no parentheses"),
            ("load a[i][j]", "expected ';' or the line's end, not '['"),
            ("load a[99999999999999999999]", "expected a whole number"),
            ("for i in 0..9: load a[9223372036854775807*i]", "a number is too large"),
            ("array a of 0 bytes\nload a[0]", "1 to 4096 bytes"),
            ("for i in 0..9000000: for j in 0..0: load a[i]", "more than 1000000 iterations"),
        ] {
            let error = run(text, 9).map(|_| ()).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
        let deep = "for i in 0..1: ".repeat(100_000);
        assert!(run(&deep, 9).map(|_| ()).unwrap_err().contains("more than 16 loops"));
    }
}
