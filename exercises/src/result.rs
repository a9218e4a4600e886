//! What the check of all tasks prints as JSON.

use serde_json::Value;

/// Identifies the result.
pub const FORMAT: &str = "cache-lab-exercises/1";
/// Largest result that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The tasks that a result of `--format json` says are solved; `None` if it claims to be no
/// such result.
///
/// # Errors
///
/// If it is not one; a clause.
pub fn solved(json: &str) -> Option<Result<Vec<String>, String>> {
    // Most files that are looked at are none, and some are large.
    json.contains(FORMAT).then(|| {
        let wrong = || "it is not what `lab exercise --format json` prints".to_owned();
        let small = Some(json.trim_start_matches('\u{feff}')).filter(|json| json.len() <= MAX_BYTES);
        let scores: Value = small.and_then(|json| serde_json::from_str(json).ok()).ok_or_else(wrong)?;
        let tasks = scores["tasks"].as_array().filter(|_| scores["format"] == FORMAT).ok_or_else(wrong)?;
        let result = |task: &Value| Some((task["name"].as_str()?.to_owned(), task["passed"].as_bool()?));
        let results: Option<Vec<(String, bool)>> = tasks.iter().map(result).collect();
        let solved = results.ok_or_else(wrong)?.into_iter().filter(|(_, passed)| *passed);
        Ok(solved.map(|(name, _)| name).collect())
    })
}
