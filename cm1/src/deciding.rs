//! `--until-decided`: which cell would separate the caches that are left? Measure it, until one is left.

use common::clock;
use common::failure::Failure;
use common::measure::{Session, Walks};
use common::note::Note;
use common::record::{Record, Row};
use common::saved::Saved;
use common::sweep::Cell;
use geometry::{Answer, Confidence, Hint};

/// Largest number of rounds with extra cells: each at best halves the possible caches.
const ROUNDS: usize = 40;
/// Seconds after which no timed cell is repeated.
const REPEATING_S: f64 = 10.0;

/// Adds the cells that give new information. Other programs only add misses: where timed cells contradict each other,
/// all are timed again, and the least counts.
pub(crate) fn decide(session: &Session, walks: &mut Walks<'_>, record: &mut Record) -> Result<(), Failure> {
    let (from, mut repeated) = (clock::wall().0, 0);
    let mut answer = geometry::read(&Saved::of(record));
    for _ in 0..ROUNDS {
        let open = answer.verdict.as_ref().map_or(&[][..], |found| &found.decide);
        let cell = |&(size, stride): &(u64, u64)| Cell { size: size as usize, stride: stride as usize };
        if session.is_over() {
            break;
        } else if !open.is_empty() {
            session.sweep(walks, &open.iter().map(cell).collect::<Vec<_>>(), record)?;
        } else if walks.timer.is_some() && is_disturbed(&answer) && clock::wall().0 < from + REPEATING_S {
            repeat(session, walks, record)?;
            repeated += 1;
        } else {
            break;
        }
        answer = geometry::read(&Saved::of(record));
    }
    if repeated > 0 {
        let note =
            format!("cells were timed up to {} times; the least misses of each are given", repeated + 1);
        session.note(record, Note::Counts(note));
    }
    session.note(record, Note::Verdict(conclusion(&answer)));
    Ok(())
}

/// Times all cells again, and takes the rows that miss less.
fn repeat(session: &Session, walks: &mut Walks<'_>, record: &mut Record) -> Result<(), Failure> {
    let whole = |row: &Row, key: &str| row.whole(key).unwrap_or_default() as usize;
    let cell = |row: &Row| Cell { size: whole(row, "size_bytes"), stride: whole(row, "stride_bytes") };
    let mut again = Record { rows: Vec::new(), ..record.clone() };
    session.sweep(walks, &record.rows.iter().map(cell).collect::<Vec<_>>(), &mut again)?;
    for (row, other) in record.rows.iter_mut().zip(again.rows) {
        if other.amount("avg_misses") < row.amount("avg_misses") {
            *row = other;
        }
    }
    Ok(())
}

/// Whether another measurement may decide what these cells do not.
fn is_disturbed(answer: &Answer) -> bool {
    match &answer.verdict {
        Ok(found) => found.exact_ways().is_none() && found.ways.is_ok(),
        Err(why) => !matches!(why.hint, Some(Hint::LargerArrays | Hint::SmallerArrays)),
    }
}

/// What is decided, what is open and why, and what to try; no figure of it, which are for the reader to find.
fn conclusion(answer: &Answer) -> String {
    let open = match &answer.verdict {
        Ok(found) if found.exact_ways().is_some() && found.size == found.most => {
            return match found.confidence {
                Confidence::High => "line, size and ways are decided: one cache explains all cells",
                _ => {
                    "one cache explains all cells, but prefetchers or programs can make another look like it"
                }
            }
            .to_owned();
        }
        Ok(found) if found.line.is_err() => "the size is known up to an interval; line and ways are open",
        Ok(found) if found.ways.is_ok() => "the line is decided; size and ways are open",
        Ok(_) => "the line is decided, and the size up to an interval; the ways are open",
        Err(_) => "line, size and ways are open",
    };
    let hints =
        answer.verdict.as_ref().err().into_iter().chain(&answer.why).filter_map(|why| why.hint.as_ref());
    let why = match hints.into_iter().next() {
        Some(Hint::LargerArrays) => "no array is clearly larger than the cache; try a larger --max",
        Some(Hint::SmallerArrays) => "no array clearly fits into the cache; try a smaller --min",
        Some(Hint::SizesBetween) => "there are no cells of sizes between; add some with --sizes",
        Some(Hint::OtherEvent) => {
            "these figures are not the misses of one level; try another --event, or --counters timing"
        }
        Some(Hint::TimeDependent) => {
            "the misses do not double with the stride; other programs or prefetchers may change them. Close other \
             programs and measure again, or use --counters timing"
        }
        Some(Hint::Cells) => "the sweep ended before all cells were measured that would decide",
        Some(Hint::Exclusive) => "one cache explains all cells, unless it holds no lines of the level above",
        Some(Hint::OtherPages) => {
            "pages lie anywhere in physical memory, and that changes which lines share a set; no cell of a sweep shows it"
        }
        Some(Hint::MoreRuns) | None => {
            "no single cache explains all cells; other programs may have used it. Close them and measure again, or \
             choose another processor (--cpu)"
        }
    };
    format!("{open}: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sweep of a described cache leaves open, and the sentence for each; none has a figure in it.
    #[test]
    fn what_is_open_has_a_sentence_without_figures() {
        // lines and sets that an array of so many bytes fits into, and the share of misses that others add
        let sweep = |sizes: &[usize], size: usize, added: f64| {
            let mut text = String::new();
            for array in sizes.iter().map(|kib| kib << 10) {
                for stride in (0..).map(|power| 1_usize << power).take_while(|stride| stride * 2 <= array) {
                    let fits = array <= size || array / stride <= 8;
                    let misses = if fits { added } else { (stride as f64 / 64.0).min(1.0) };
                    text += &format!(
                        "cache_size={array}\tstride={stride}\tavg_misses={misses:.6}\tevent=PAPI_L1_DCM\tsource=timing\n"
                    );
                }
            }
            geometry::read(&Saved::parse(&text).unwrap())
        };
        for (answer, sentence, disturbed) in [
            (sweep(&[8, 16, 32, 64, 128], 32 << 10, 0.0), "before all cells were measured", true),
            (sweep(&[8, 16, 32, 33, 64, 128], 32 << 10, 0.0), "are decided", false),
            (sweep(&[8, 16, 32], 32 << 10, 0.0), "try a larger --max", false),
            (sweep(&[16, 32, 64], 8 << 10, 0.0), "try a smaller --min", false),
            (sweep(&[8, 16, 32, 64, 128], 32 << 10, 0.8), "Close other programs and measure again", true),
        ] {
            let text = conclusion(&answer);
            assert!(text.contains(sentence), "{text}: {answer:?}");
            assert_eq!(is_disturbed(&answer), disturbed, "{text}");
            assert!(!text.contains(|c: char| c.is_ascii_digit()), "{text}");
        }
    }
}
