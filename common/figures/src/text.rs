//! Close matches of misspelt words, lists of numbers, and safe output of foreign text.

/// `text` from a file, a name or a command line, made safe to print: a control character,
/// which a terminal would execute, or one that changes the direction of writing (Unicode's
/// Bidi_Control) becomes U+FFFD, a line ending a blank.
pub fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_unprintable(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Whether a character is a control character or changes the direction of writing.
pub fn is_unprintable(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// [`clean`] text of at most `most` characters; a shortened one ends in `…`.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => clean(&text[..end]) + "…",
        None => clean(text),
    }
}

/// The digits of a whole number in groups of three: `1,234,567` with the sign `,`.
pub fn grouped(digits: &str, sign: &str) -> String {
    let groups = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok());
    Vec::from_iter(groups).join(sign)
}

/// `1 file`, `2 files`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Whether a file of keys and values is empty except for blank lines and comments.
pub fn says_nothing(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// `text` for a cell of a table that a spreadsheet may open: a possible formula gets an
/// apostrophe before it.
pub fn inert(text: &str) -> String {
    let formula = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    if text.starts_with(formula) && text.chars().nth(1).is_some() && text.parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// The separator in a line like `sep=;`, which spreadsheets write above a table.
pub fn separator(line: &str) -> Option<u8> {
    match line.trim_matches(['\r', '\n', ' ', '"']).as_bytes() {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign @ (b',' | b';' | b'\t' | b'|')] => Some(*sign),
        _ => None,
    }
}

/// Edits between two words, case ignored: letters to insert, to drop, to change,
/// or adjacent ones to swap (optimal string alignment).
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

/// The numbers of a list as the kernel writes it: `0-3,8`. Anything else is skipped.
pub fn listed(text: &str) -> Vec<usize> {
    text.trim()
        .split(',')
        .filter_map(|range| {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            Some(from.trim().parse::<usize>().ok()?..=to.trim().parse().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(
            ["=cmd()", "@x", "-3.5", "-3+x", "＝1+1", "ana", "-"].map(inert),
            ["'=cmd()", "'@x", "-3.5", "'-3+x", "'＝1+1", "ana", "-"]
        );
    }

    #[test]
    fn a_line_names_the_sign_between_cells() {
        for (line, sign) in [
            ("sep=;", Some(b';')),
            ("\"SEP=,\"\r\n", Some(b',')),
            ("sep=\t", Some(b'\t')),
            ("sep=", None),
            ("sep=x", None),
            ("separator=;", None),
        ] {
            assert_eq!(separator(line), sign, "{line}");
        }
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(listed("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert!(listed("").is_empty() && listed("x").is_empty());
    }

    #[test]
    fn terminal_escapes_are_not_printed() {
        for (text, shown) in [
            ("\u{1b}[31mred\u{7}", "\u{fffd}[31mred\u{fffd}"),
            ("a\u{202e}fdp.exe", "a\u{fffd}fdp.exe"),
            ("two\nlines\tand\u{9b}more", "two lines and\u{fffd}more"),
            ("שָׁלוֹם नमस्ते 😀", "שָׁלוֹם नमस्ते 😀"),
        ] {
            assert_eq!(clean(text), shown);
        }
        assert_eq!(shorten("äöüß", 4), "äöüß");
        assert_eq!(shorten("äöüß\u{1b}", 4), "äöüß…");
    }
}
