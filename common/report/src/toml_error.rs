//! Explains an error in a TOML text for people who write one by hand.

/// A clause with the line: `line 3: students is "three"; a whole number is expected`.
pub fn clause(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or_default();
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = 1 + text.get(..at).unwrap_or_default().matches('\n').count();
    // After a string that is not closed, the rest of the line, or the next line, is
    // misread.
    let open = (line.saturating_sub(1)..=line).filter(|line| *line > 0).find(|line| is_open(text, *line));
    if let Some(open) = open.filter(|_| !message.contains("unknown")) {
        return format!(
            "line {open}: a text is not closed; it ends with the quotation mark it begins with, on the same line"
        );
    }
    let types = ["invalid type: ", "invalid value: "].iter().find_map(|start| message.strip_prefix(start));
    match types.and_then(|types| types.split_once(", expected ")) {
        Some((found, expected)) => {
            let kinds = ["string ", "integer ", "floating point ", "boolean "];
            let found = kinds.iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(found);
            let key = text.lines().nth(line - 1).and_then(|line| line.split_once('='));
            let key = key.map_or(String::new(), |(key, _)| format!("{} is ", key.trim()));
            format!("line {line}: {key}{found}; {} is expected", kind(expected))
        }
        None => format!("line {line}: {message}"),
    }
}

/// Whether a line has a string that is not closed.
fn is_open(text: &str, line: usize) -> bool {
    let line = text.lines().nth(line - 1).unwrap_or_default();
    if line.contains("\"\"\"") || line.contains("'''") {
        return false;
    }
    let mut open = None;
    let mut escaped = false;
    for c in line.chars() {
        match (open, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (None, '#') => break,
            (None, '"' | '\'') => open = Some(c),
            (Some(mark), c) if c == mark => open = None,
            _ => {}
        }
    }
    open.is_some()
}

/// The name of a type.
fn kind(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i64" => "a whole number",
        "f64" | "f32" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text in quotation marks",
        "a sequence" => "a list in [ ]",
        other => other,
    }
}
