//! Explains a JSON parse error in one clause.

use serde_json::Error;
use serde_json::error::Category;

/// A clause about the file whose `text` gave this `error`.
pub fn explain(text: &str, error: &Error) -> String {
    match error.classify() {
        _ if text.trim().is_empty() => "it is empty".to_owned(),
        Category::Eof => format!("it breaks off in line {}", text.lines().count()),
        Category::Data => "it is JSON of another kind".to_owned(),
        Category::Syntax | Category::Io => format!("its line {} is not JSON", error.line()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn each_cut_of_a_record_is_reported_without_a_parsers_words() {
        let whole = Record::new("cm1", "a machine").set("event", "é").json();
        for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            let text = &whole[..end];
            let told = explain(text, &serde_json::from_str::<Record>(text).unwrap_err());
            let line = format!("it breaks off in line {}", text.lines().count());
            assert_eq!(told, if end == 0 { "it is empty" } else { &line }, "{text}");
        }
        for (text, told) in [("{]", "its line 1 is not JSON"), ("[]", "it is JSON of another kind")] {
            assert_eq!(explain(text, &serde_json::from_str::<Record>(text).unwrap_err()), told);
        }
    }
}
