//! Recognises files of other programs of the kit by texts that only they contain.

use figures::text::shorten;

use super::limits;

/// The kind of a file, and its content.
const KNOWN_FILES: [(&str, &[&str]); 17] = [
    ("a record of lab survey, for lab merge", &[SURVEY]),
    ("the output of mm1, mm2 or mm3", &["After resetting counter '"]),
    ("the output of mm1, mm2 or mm3", &["size,checksum,"]),
    ("the output of ge", &["Check: "]),
    ("the output of ge", &["variant,size,check,"]),
    ("the output of lab ge", &["variant\tsize\treal_time(s)"]),
    ("the output of dgemm", &["variant=", "gflops="]),
    ("the output of dgemm", &["variant", "GFLOP/s"]),
    ("the output of dgemm", &["variant,m,n,k,"]),
    ("the output of dgemm", &["\"variant\"", "\"gflops\""]),
    ("the output of flops", &["kernel=", "known_mflops="]),
    ("the output of flops", &["kernel,n,threads,"]),
    ("the output of flops", &["\"kernel\"", "\"operations\""]),
    ("the answer of lab infer", &["\"verdict\""]),
    ("the answer of lab discover", &["\"levels\"", "\"latency_ns\""]),
    ("a machine's description", &["[[cache]]"]),
    ("a sealed machine", &["sealed = \""]),
];

/// The schema of a file with records of several programs.
const SURVEY: &str = "cache-lab-kit/survey/";

/// How many bytes of the file are searched.
const LOOK: usize = 4096;

/// The kind of `text`, if another program wrote it.
pub(super) fn describe(text: &str) -> Option<String> {
    let end = (0..=LOOK.min(text.len())).rev().find(|&end| text.is_char_boundary(end))?;
    let head = &text[..end];
    if let (false, Some(program)) = (head.contains(SURVEY), program(head)) {
        return Some(format!("a record of {}", shorten(program, limits::NAME)));
    }
    let says = |signs: &[&str]| signs.iter().all(|sign| head.contains(sign));
    KNOWN_FILES.iter().find(|(_, signs)| says(signs)).map(|(name, _)| (*name).to_owned())
}

/// The program of a record that is not a sweep; records of spark and cm1 are damaged
/// sweeps.
fn program(head: &str) -> Option<&str> {
    let (_, rest) = head.trim_start().strip_prefix('{')?.split_once("\"program\"")?;
    let (program, _) =
        rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split_once('"')?;
    (!["spark", "cm1"].contains(&program)).then_some(program)
}
