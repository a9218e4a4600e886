//! An answer as plain text: small letters without accents and markup; one form of each
//! digit and sign.

use super::words::WORDS;

/// `text` in the form from which tokens are read.
pub(super) fn plain(text: &str) -> String {
    let mut text = text.to_lowercase();
    let (entities, signs) = WORDS
        .replaced
        .split_at(WORDS.replaced.iter().position(|(from, _)| from == "<=").unwrap_or(WORDS.replaced.len()));
    text = replaced(&text, entities);
    text = characters(&without_tags(&text));
    text = replaced(&text, signs);
    text = powers(&text);
    intervals(&text)
}

fn replaced(text: &str, what: &[(String, String)]) -> String {
    what.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from.as_str(), to))
}

/// `<b>16 KiB</b>` is `16 KiB`.
fn without_tags(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let named = tag.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic());
        let adjacent = tag.find(['<', '>']).filter(|end| named && tag[*end..].starts_with('>'));
        kept.push_str(&rest[..at]);
        match adjacent {
            Some(end) => {
                kept.push(' ');
                rest = &tag[end + 1..];
            }
            None => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept + rest
}

fn characters(text: &str) -> String {
    let mut out = String::new();
    let mut raised = false;
    for c in text.chars() {
        let c = match c {
            // combining marks, and invisible characters
            '\u{300}'..='\u{334}'
            | '\u{339}'..='\u{36f}'
            | '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => continue,
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c).to_ascii_lowercase(),
            _ => c,
        };
        let over = WORDS.superscripts.chars().position(|digit| digit == c);
        if let Some(digit) = over.or((c == '⁻').then_some(10)) {
            if !raised && !out.ends_with(|c: char| c.is_ascii_digit() || c == ')') {
                // a footnote mark, not a power
                if c != '¹' {
                    out.push(c);
                }
                continue;
            }
            if !raised {
                out.push('^');
            }
            raised = true;
            out.push(b"0123456789-"[digit].into());
            continue;
        }
        raised = false;
        let below = WORDS.subscripts.chars().position(|digit| digit == c);
        if let Some(digit) = below.filter(|_| out.ends_with(char::is_alphabetic)) {
            out.push(b"0123456789"[digit].into()); // of a name: L₁
        } else if let Some(fraction) = WORDS.fractions.get(&c) {
            // "1½": the lexer adds the fraction after a digit
            out.push_str(&format!("\u{1}{fraction} "));
        } else if c == '\t' {
            out.push_str("  "); // none between groups of digits
        } else if c == '|' {
            out.push(';');
        } else {
            out.push(digit(c).unwrap_or_else(|| WORDS.character(c)));
        }
    }
    out
}

/// The value of a digit of any script.
fn digit(c: char) -> Option<char> {
    if c.is_ascii() || !c.is_numeric() {
        return None;
    }
    let off =
        WORDS.zeros.chars().filter_map(|zero| (c as u32).checked_sub(zero as u32)).find(|off| *off < 10)?;
    char::from_digit(off, 10)
}

/// `2**14` is a power, `**16**` is bold.
fn powers(text: &str) -> String {
    let parts: Vec<&str> = text.split("**").collect();
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            let digit = |c: char| c.is_ascii_digit();
            let power = out.trim_end().ends_with(digit) && part.trim_start().starts_with(digit);
            out.push(if power { '^' } else { ' ' });
        }
        out.push_str(part);
    }
    out
}

/// The comma in `[16,24)` separates two numbers: replaced by a semicolon.
fn intervals(text: &str) -> String {
    let mut out: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < out.len() {
        let open = out[at];
        if matches!(open, '[' | ']' | '(')
            && let Some(end) = (at + 1..out.len()).find(|i| matches!(out[*i], '[' | ']' | '(' | ')'))
            && out[end] != '('
            && (open != '(' || out[end] != ')')
        {
            let inner = at + 1..end;
            let commas: Vec<usize> = inner.clone().filter(|i| out[*i] == ',').collect();
            let spaced: Vec<usize> = commas.iter().copied().filter(|i| out[*i + 1] == ' ').collect();
            let between = if commas.len() == 1 { &commas } else { &spaced };
            if let [comma] = between[..]
                && !inner.clone().any(|i| matches!(out[i], ';' | '…'))
            {
                out[comma] = ';';
            }
            at = end;
        }
        at += 1;
    }
    out.into_iter().collect()
}
