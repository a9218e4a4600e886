//! Operands as the text writes them: their symbols are not in the decoded instruction.

use std::collections::HashMap;
use std::sync::LazyLock;

use iced_x86::Register;

use crate::statements::is_prefix;

/// A memory operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operand<'t> {
    pub(crate) segment: Option<&'t str>,
    /// A number, a symbol, or a sum of them; empty for 0.
    pub(crate) displacement: &'t str,
    pub(crate) base: Register,
    pub(crate) index: Register,
    pub(crate) scale: u32,
}

static REGISTERS: LazyLock<HashMap<String, Register>> = LazyLock::new(|| {
    Register::values().map(|register| (format!("{register:?}").to_lowercase(), register)).collect()
});

fn register(text: &str) -> Option<Register> {
    let name = text.trim().strip_prefix('%')?;
    REGISTERS.get(name).or_else(|| REGISTERS.get(&name.to_lowercase())).copied()
}

/// The text without prefixes and mnemonic.
pub(crate) fn operands(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        let (word, after) = rest.split_once([' ', '\t', '\n']).unwrap_or((rest, ""));
        rest = after.trim_start();
        if !(is_prefix(word) || word.starts_with('{')) {
            return rest;
        }
    }
}

/// The memory operand of an instruction.
pub(crate) fn memory(statement: &str) -> Option<Operand<'_>> {
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

fn one(text: &str) -> Option<Operand<'_>> {
    let mut text = text.trim();
    if let Some(brace) = text.find('{') {
        text = text[..brace].trim_end();
    }
    text = text.trim_start_matches('*').trim_start();
    let mut segment = None;
    if let Some((before, after)) = text.split_once(':')
        && before.starts_with('%')
    {
        segment = Some(before[1..].trim_end());
        text = after.trim_start();
    }
    if text.is_empty() || text.starts_with(['$', '%', '{']) {
        return None;
    }
    let none = Register::None;
    let plain = Operand { segment, displacement: text, base: none, index: none, scale: 1 };
    let Some(open) = text.rfind('(').filter(|_| text.ends_with(')')) else { return Some(plain) };
    let mut parts = text[open + 1..text.len() - 1].split(',');
    let first = parts.next().unwrap_or("").trim();
    if !first.is_empty() && !first.starts_with('%') {
        return Some(plain); // an expression in parentheses
    }
    let base = register(first).unwrap_or(none);
    let index = parts.next().and_then(register).unwrap_or(none);
    let scale = parts.next().and_then(|scale| scale.trim().parse().ok()).unwrap_or(1);
    Some(Operand { segment, displacement: text[..open].trim(), base, index, scale })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read() {
        let read = |text| memory(text).map(|o| (o.segment, o.displacement, o.base, o.index, o.scale));
        let none = Register::None;
        for (text, expected) in [
            ("movl $1, a+4(%rip)", Some((None, "a+4", Register::RIP, none, 1))),
            ("lock addl $1, %fs:x@tpoff", Some((Some("fs"), "x@tpoff", none, none, 1))),
            ("call *8(%rax,%rbx,4)", Some((None, "8", Register::RAX, Register::RBX, 4))),
            ("vaddpd (,%rax,8){1to4}, %ymm1, %ymm2{%k1}{z}", Some((None, "", none, Register::RAX, 8))),
            (
                "vgatherdpd %ymm1, -8(%rax,%xmm2,8), %ymm0",
                Some((None, "-8", Register::RAX, Register::XMM2, 8)),
            ),
            ("movq %rax, %rbx", None),
            ("ret", None),
            ("movabsq table, %rax", Some((None, "table", none, none, 1))),
            ("movl (a+4), %eax", Some((None, "(a+4)", none, none, 1))),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
