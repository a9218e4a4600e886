//! `lab book`: all handouts in one page.

pub(crate) mod markdown;

use std::path::PathBuf;

use common::failure::Failure;
use common::machine::{CacheLevel, Machine, catalogue};
use common::output;
use common::units::Seconds;

/// Write all handouts, the glossary and the tables into one page, for reading offline
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write this page
    #[arg(short, long, value_name = "PAGE.html", default_value = "book.html")]
    output: PathBuf,
}

/// A handout: its folder, which links use as its name, and its text.
struct Chapter {
    name: &'static str,
    text: &'static str,
}

/// The handouts in the order of the course.
const CHAPTERS: [Chapter; 13] = [
    Chapter { name: "kit", text: include_str!("../../../README.md") },
    Chapter { name: "spark", text: spark::HANDOUT },
    Chapter { name: "cm1", text: cm1::HANDOUT },
    Chapter { name: "mm1", text: mm1::HANDOUT },
    Chapter { name: "mm2", text: mm2::HANDOUT },
    Chapter { name: "mm3", text: mm3::HANDOUT },
    Chapter { name: "ge", text: ge::HANDOUT },
    Chapter { name: "dgemm", text: dgemm::HANDOUT },
    Chapter { name: "flops", text: flops::HANDOUT },
    Chapter { name: "avail", text: avail::HANDOUT },
    Chapter { name: "lab", text: include_str!("../../README.md") },
    Chapter { name: "background", text: include_str!("../../../docs/background.md") },
    Chapter { name: "glossary", text: common::glossary::TEXT },
];

/// Where the table of latencies is inserted: a comment, so that the Markdown itself shows
/// nothing.
const LATENCIES: &str = "<!-- latencies -->\n";

/// The picture of the kit's own page in the README, and the word that replaces it.
const PICTURE: (&str, &str) =
    ("![Misses per access against stride, one curve per array size](cm1/chart.svg)", "CHART-OF-CM1");

/// Writes the book.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::write(&args.output, page().as_bytes())?;
    output::say_written(&args.output, &format!("{} handouts in {}", CHAPTERS.len(), args.output.display()))
}

fn page() -> String {
    let mut contents = String::new();
    let mut body = String::new();
    for Chapter { name, text } in &CHAPTERS {
        let first = text.lines().next().unwrap_or_default();
        let title = first.strip_prefix('#').map_or("Glossary", str::trim);
        contents += &format!("<li><a href=\"#{name}\">{}</a></li>\n", markdown::inline(title, &link));
        let text = without_badges(text);
        let text = if *name == "background" { text.replace(LATENCIES, &latencies()) } else { text };
        let heading = if first.starts_with('#') { "" } else { "<h1>Glossary</h1>\n" };
        let html = markdown::html(&text.replace(PICTURE.0, PICTURE.1), &link);
        let html = html.replace(PICTURE.1, &format!("</p>\n<figure>{}</figure>\n<p>", cm1::CHART));
        body += &format!("<section id=\"{name}\">\n{heading}{html}</section>\n");
    }
    let style = include_str!("style.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>Cache lab kit: the handouts</title>\n<style>\n{style}</style>\n\
         </head>\n<body>\n<nav aria-label=\"handouts\"><h1>Cache lab kit: the handouts</h1><ol>\n{contents}</ol></nav>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// A handout without badges.
fn without_badges(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("[![")).map(|line| format!("{line}\n")).collect()
}

/// Where a link of a handout leads within the book: to another handout, to the
/// network, or nowhere.
fn link(target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return Some(target.to_owned());
    }
    if target.ends_with("/lab.html") {
        // The site has it next to the book.
        return Some("lab.html".to_owned());
    }
    let path = target.split('#').next().unwrap_or_default();
    let name = path.trim_start_matches("../").trim_end_matches('/').trim_end_matches("/README.md");
    let name = if name.ends_with("glossary.md") { "glossary" } else { name };
    let name = match name {
        "docs/background.md" => "background",
        "README.md" => "kit",
        name => name,
    };
    CHAPTERS.iter().find(|chapter| chapter.name == name).map(|chapter| format!("#{}", chapter.name))
}

/// The catalogue's machines and their latencies, as a table.
fn latencies() -> String {
    let mut text = String::from("| machine | clock | L1 | L2 | L3 | memory |\n|---|---|---|---|---|---|\n");
    for entry in catalogue() {
        let Ok(machine) = Machine::named(entry.name) else { continue };
        let clock = machine.clock.map_or_else(|| "–".to_owned(), |clock| clock.to_string());
        let latency = |time: Option<Seconds>| match (time, machine.clock) {
            (Some(time), Some(clock)) => {
                format!("{:.1} ns, {:.0} cycles", time.0 * 1e9, time.0 * clock.0)
            }
            (Some(time), None) => format!("{:.1} ns", time.0 * 1e9),
            (None, _) => "–".to_owned(),
        };
        let level = |number| latency(machine.level(number).and_then(|cache: &CacheLevel| cache.latency));
        text += &format!(
            "| {} | {clock} | {} | {} | {} | {} |\n",
            machine.name,
            level(1),
            level(2),
            level(3),
            latency(machine.memory_latency)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handout_is_a_chapter_and_every_link_within_leads_to_one() {
        let page = page();
        for Chapter { name, .. } in CHAPTERS {
            assert_eq!(page.matches(&format!(" id=\"{name}\"")).count(), 1, "{name}");
        }
        for target in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(page.contains(&format!(" id=\"{target}\"")), "{target}");
        }
        assert!(page.matches("<svg").count() == 1 && !page.contains("latencies --"));
        for outside in ["src=", "<link", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(
            page.contains("golden-cove") && page.contains("1.6 ns, 5 cycles"),
            "the catalogue's latencies"
        );
        assert!(!page.contains("```") && !page.contains("\n|"), "all of the handouts' marks are known");
    }
}
