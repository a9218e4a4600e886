//! As much of Markdown as the handouts use: headings, paragraphs, lists, tables,
//! code, quotes, links and emphasis.

/// Where a link leads; `None`: its text stands alone.
pub(super) type Link<'l> = dyn Fn(&str) -> Option<String> + 'l;

/// A text as HTML.
pub(super) fn html(text: &str, link: &Link<'_>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let end = end_of_block(&lines, at);
        out += &block(&lines[at..end], link);
        at = end;
    }
    out
}

/// Rows from which on a table may be broken between two pages.
const LONG: usize = 20;

/// What a line begins.
#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Blank,
    Heading,
    Code,
    Table,
    Bullet,
    Number,
    Text,
}

fn kind(line: &str) -> Kind {
    let numbered =
        line.split_once(". ").is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    match line {
        _ if line.trim().is_empty() => Kind::Blank,
        _ if line.starts_with("```") => Kind::Code,
        _ if line.starts_with('#') => Kind::Heading,
        _ if line.starts_with('|') => Kind::Table,
        _ if line.starts_with("- ") => Kind::Bullet,
        _ if numbered => Kind::Number,
        _ => Kind::Text,
    }
}

/// The line behind the block that begins at `at`.
fn end_of_block(lines: &[&str], at: usize) -> usize {
    let first = kind(lines[at]);
    let rest = |stop: &dyn Fn(&str) -> bool| {
        lines[at + 1..].iter().position(|line| stop(line)).map_or(lines.len(), |n| at + 1 + n)
    };
    match first {
        Kind::Code => (rest(&|line| line.starts_with("```")) + 1).min(lines.len()),
        Kind::Blank | Kind::Heading => at + 1,
        Kind::Table => rest(&|line| kind(line) != Kind::Table),
        Kind::Bullet | Kind::Number => list_end(lines, at, first),
        Kind::Text => rest(&|line| kind(line) != Kind::Text),
    }
}

/// A list goes on through blank lines that another item or an indented line follows.
fn list_end(lines: &[&str], at: usize, first: Kind) -> usize {
    let belongs = |line: &str| kind(line) == first || line.starts_with("  ");
    let mut end = at + 1;
    while end < lines.len() {
        let blank = kind(lines[end]) == Kind::Blank;
        let next = lines[end..].iter().find(|line| kind(line) != Kind::Blank);
        if (blank && !next.is_some_and(|line| belongs(line)))
            || (!blank && !belongs(lines[end]) && kind(lines[end]) != Kind::Text)
        {
            break;
        }
        end += 1;
    }
    end
}

fn block(lines: &[&str], link: &Link<'_>) -> String {
    match kind(lines[0]) {
        Kind::Blank => String::new(),
        Kind::Heading => {
            let level = lines[0].bytes().take_while(|b| *b == b'#').count().min(6);
            format!("<h{level}>{}</h{level}>\n", inline(lines[0].trim_start_matches('#').trim(), link))
        }
        Kind::Code => {
            let code: Vec<&str> =
                lines[1..].iter().take_while(|line| !line.starts_with("```")).copied().collect();
            format!("<pre><code>{}</code></pre>\n", escaped(&code.join("\n")))
        }
        Kind::Table => table(lines, link),
        kind @ (Kind::Bullet | Kind::Number) => list(lines, kind, link),
        Kind::Text => format!("<p>{}</p>\n", inline(&lines.join("\n"), link)),
    }
}

fn list(lines: &[&str], of: Kind, link: &Link<'_>) -> String {
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        if kind(line) == of {
            let text = line.split_once(' ').map_or("", |(_, text)| text);
            items.push(text.to_owned());
        } else if let Some(item) = items.last_mut() {
            item.push('\n');
            item.push_str(line.trim());
        }
    }
    let name = if of == Kind::Bullet { "ul" } else { "ol" };
    let items: String =
        items.iter().map(|item| format!("<li>{}</li>\n", inline(item.trim(), link))).collect();
    format!("<{name}>\n{items}</{name}>\n")
}

fn table(lines: &[&str], link: &Link<'_>) -> String {
    let row = |line: &str, name: &str| {
        let cells = cells(line);
        let cells: String = cells.iter().map(|c| format!("<{name}>{}</{name}>", inline(c, link))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = lines.iter().skip(2).map(|line| row(line, "td")).collect();
    let long = if lines.len() > LONG { " class=\"long\"" } else { "" };
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table{long}>\n<thead>{}</thead>\n<tbody>\n{body}</tbody></table></div>\n",
        row(lines[0], "th")
    )
}

/// The cells of a row; a bar within code, or behind a backslash, is none.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let (mut found, mut cell, mut code, mut before) = (Vec::new(), String::new(), false, ' ');
    for c in line.chars() {
        match c {
            '|' if before == '\\' => {
                cell.pop();
                cell.push('|');
            }
            '|' if !code => found.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(c),
        }
        code ^= c == '`';
        before = c;
    }
    if !cell.trim().is_empty() {
        found.push(cell.trim().to_owned());
    }
    found
}

/// Marks within a line: code, strong, emphasis, links, pictures (their text).
pub(super) fn inline(text: &str, link: &Link<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((html, after)) = marked(rest, link) {
            out += &html;
            rest = after;
        } else {
            out += &escaped(&rest[..c.len_utf8()]);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The mark at the start of `text` as HTML, and what comes behind it.
fn marked<'t>(text: &'t str, link: &Link<'_>) -> Option<(String, &'t str)> {
    let between = |mark: &str| {
        let inner = text.strip_prefix(mark)?;
        let end = inner.find(mark).filter(|end| *end > 0)?;
        Some((&inner[..end], &inner[end + mark.len()..]))
    };
    if let Some((code, after)) = between("`") {
        return Some((format!("<code>{}</code>", escaped(code)), after));
    }
    if let Some((strong, after)) = between("**") {
        return Some((format!("<strong>{}</strong>", inline(strong, link)), after));
    }
    if let Some((em, after)) =
        between("*").filter(|(em, _)| !em.starts_with([' ', '\n']) && !em.ends_with([' ', '\n']))
    {
        return Some((format!("<em>{}</em>", inline(em, link)), after));
    }
    let bare = text.strip_prefix("![").or_else(|| text.strip_prefix('['))?;
    let (name, after) = bare.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    let name = inline(name, link);
    let place = link(target).filter(|_| text.starts_with('['));
    let html =
        place.map_or_else(|| name.clone(), |place| format!("<a href=\"{}\">{name}</a>", escaped(&place)));
    Some((html, after))
}

/// `text` as it stands in HTML, in attributes too.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        html(text, &|target| (target == "../cm1").then(|| "#cm1".to_owned()))
    }

    #[test]
    fn the_marks_of_the_handouts_become_html() {
        assert_eq!(made("# a `b`\n\ntwo\nlines"), "<h1>a <code>b</code></h1>\n<p>two\nlines</p>\n");
        assert_eq!(
            made("**Q.** *so\nmuch* 2 * 3 * 4 < 5"),
            "<p><strong>Q.</strong> <em>so\nmuch</em> 2 * 3 * 4 &lt; 5</p>\n"
        );
        assert_eq!(made("[cm1](../cm1) [x](no) ![p](c.svg)"), "<p><a href=\"#cm1\">cm1</a> x p</p>\n");
        assert_eq!(made("```c\na < b\n```\nend"), "<pre><code>a &lt; b</code></pre>\n<p>end</p>\n");
        assert_eq!(
            made("- one\n  more\n- two\n\nend"),
            "<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>\n<p>end</p>\n"
        );
        assert_eq!(made("1. one\n2. two"), "<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n");
        let table = made("| a | b |\n|---|---|\n| `x|y` | z\\|w |\n");
        assert!(table.contains("<td><code>x|y</code></td><td>z|w</td>"), "{table}");
    }
}
