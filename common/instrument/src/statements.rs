//! An assembler's text as statements.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `# 12 "file.S"`.
    Marker,
    Label,
    Directive,
    Instruction,
}

#[derive(Debug)]
pub(crate) struct Statement<'t> {
    pub(crate) kind: Kind,
    /// Without comments; a label without its colon.
    pub(crate) text: Cow<'t, str>,
    /// The line of the text, counted from 1.
    pub(crate) line: u32,
}

/// Prefixes that may be alone in a statement, as in `lock; addl ...`.
const PREFIXES: [&str; 14] = [
    "lock", "rep", "repz", "repe", "repne", "repnz", "notrack", "data16", "data32", "rex64", "bnd",
    "xacquire", "xrelease", "addr32",
];

pub(crate) fn is_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| prefix.eq_ignore_ascii_case(word))
}

pub(crate) fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'@')
}

/// The statements of a text in AT&T's syntax.
pub(crate) fn parse(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::with_capacity(text.len() / 16);
    let (mut is_comment, mut prefix) = (false, String::new());
    for (line, raw) in (1..).zip(text.lines()) {
        let start = raw.trim_start();
        if start.starts_with('#') && !is_comment {
            if start[1..].trim_start().starts_with(|first: char| first.is_ascii_digit()) {
                let text = Cow::Borrowed(start);
                statements.push(Statement { kind: Kind::Marker, text, line });
            }
            continue;
        }
        for piece in pieces(start, &mut is_comment) {
            let mut rest = match piece {
                Cow::Borrowed(piece) => Cow::Borrowed(piece.trim()),
                Cow::Owned(piece) => Cow::Owned(piece.trim().to_owned()),
            };
            while let Some(end) = label(&rest) {
                let name = rest[..end].to_owned();
                rest = Cow::Owned(rest[end..].trim_start()[1..].trim_start().to_owned());
                statements.push(Statement { kind: Kind::Label, text: Cow::Owned(name), line });
            }
            if rest.is_empty() {
                continue;
            }
            if is_prefix(&rest) {
                // In a line of its own, as it was: so it may come twice, and the linker sees the same.
                prefix = prefix + &rest + "\n";
                continue;
            }
            let kind = if rest.starts_with('.') || is_assignment(&rest) {
                Kind::Directive
            } else {
                Kind::Instruction
            };
            let text = if prefix.is_empty() || kind == Kind::Directive {
                rest
            } else {
                Cow::Owned(std::mem::take(&mut prefix) + &rest)
            };
            statements.push(Statement { kind, text, line });
        }
    }
    statements
}

/// The end of a label's name at the beginning of `text`.
fn label(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = if bytes.first() == Some(&b'"') {
        text[1..].find('"')? + 2
    } else {
        bytes.iter().position(|byte| !is_symbol(*byte)).filter(|end| *end > 0)?
    };
    let rest = text[end..].trim_start();
    (rest.starts_with(':') && !rest.starts_with("::")).then_some(end)
}

fn is_assignment(text: &str) -> bool {
    let end = text.bytes().position(|byte| !is_symbol(byte)).unwrap_or(text.len());
    let rest = text[end..].trim_start();
    end > 0 && rest.starts_with('=') && !rest.starts_with("==")
}

/// The parts of a line between semicolons, without comments.
fn pieces<'t>(line: &'t str, is_comment: &mut bool) -> Vec<Cow<'t, str>> {
    if !*is_comment && !line.bytes().any(|byte| matches!(byte, b';' | b'#' | b'/' | b'"')) {
        return vec![Cow::Borrowed(line)];
    }
    let (mut all, mut piece, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '*' if *is_comment && signs.peek() == Some(&'/') => {
                signs.next();
                *is_comment = false;
                piece.push(' ');
            }
            _ if *is_comment => {}
            '\\' if is_quoted => {
                piece.push(sign);
                piece.extend(signs.next());
            }
            '"' => {
                is_quoted = !is_quoted;
                piece.push(sign);
            }
            _ if is_quoted => piece.push(sign),
            '/' if signs.peek() == Some(&'*') => {
                signs.next();
                *is_comment = true;
            }
            '/' if piece.trim().is_empty() && all.is_empty() => break,
            '#' => break,
            ';' => all.push(Cow::Owned(std::mem::take(&mut piece))),
            _ => piece.push(sign),
        }
    }
    all.push(Cow::Owned(piece));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_in_lines() {
        let text = "\t#APP\n1:\tlock; addl $1, (%rax) # once\n.L2: movl $2, x;ret\n\t.ascii \"a;#\\\"b\"\nx = 4\n/* a\n b */ nop\n # 12 \"f.S\"\ndata16\ndata16\nrex64\ncall f\n";
        let all: Vec<(Kind, String, u32)> = parse(text)
            .into_iter()
            .map(|statement| (statement.kind, statement.text.into_owned(), statement.line))
            .collect();
        let expected = [
            (Kind::Label, "1", 2),
            (Kind::Instruction, "lock\naddl $1, (%rax)", 2),
            (Kind::Label, ".L2", 3),
            (Kind::Instruction, "movl $2, x", 3),
            (Kind::Instruction, "ret", 3),
            (Kind::Directive, ".ascii \"a;#\\\"b\"", 4),
            (Kind::Directive, "x = 4", 5),
            (Kind::Instruction, "nop", 7),
            (Kind::Marker, "# 12 \"f.S\"", 8),
            (Kind::Instruction, "data16\ndata16\nrex64\ncall f", 12),
        ];
        assert_eq!(all, expected.map(|(kind, text, line)| (kind, text.to_owned(), line)));
    }
}
