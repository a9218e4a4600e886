//! Operands as the text writes them: their symbols are not in the decoded instruction.

use crate::statements::is_prefix;

/// The text without prefixes and mnemonic.
fn operands(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        let (word, after) = rest.split_once([' ', '\t', '\n']).unwrap_or((rest, ""));
        rest = after.trim_start();
        if !(is_prefix(word) || word.starts_with('{')) {
            return rest;
        }
    }
}

/// The displacement of an instruction's memory operand: a number, a symbol, or a sum of them; empty for 0.
pub(crate) fn displacement(statement: &str) -> Option<&str> {
    let text = operands(statement);
    let (mut depth, mut start) = (0_i32, 0);
    for (at, sign) in text.char_indices().chain([(text.len(), ',')]) {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                if let Some(found) = one(&text[start..at]) {
                    return Some(found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

fn one(text: &str) -> Option<&str> {
    let text = text.split('{').next()?.trim().trim_start_matches('*').trim_start();
    let segment = text.split_once(':').filter(|_| text.starts_with('%'));
    let text = segment.map_or(text, |(_, after)| after.trim_start());
    if text.is_empty() || text.starts_with(['$', '%']) {
        return None;
    }
    let open = text.rfind('(').filter(|_| text.ends_with(')'));
    // Registers, or an expression in parentheses.
    let registers = open.filter(|open| text[open + 1..].trim_start().starts_with(['%', ',', ')']));
    Some(registers.map_or(text, |open| text[..open].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displacements_are_read() {
        for (text, expected) in [
            ("movl $1, a+4(%rip)", Some("a+4")),
            ("lock addl $1, %fs:x@tpoff", Some("x@tpoff")),
            ("call *8(%rax,%rbx,4)", Some("8")),
            ("vaddpd (,%rax,8){1to4}, %ymm1, %ymm2{%k1}{z}", Some("")),
            ("vgatherdpd %ymm1, -8(%rax,%xmm2,8), %ymm0", Some("-8")),
            ("movq %rax, %rbx", None),
            ("ret", None),
            ("movabsq table, %rax", Some("table")),
            ("movl (a+4), %eax", Some("(a+4)")),
        ] {
            assert_eq!(displacement(text), expected, "{text}");
        }
    }
}
