//! What native events include although their names do not say so, on which families, and
//! the vendor's statement about it.

use std::sync::LazyLock;

use super::Family;

/// A note on a native event.
#[derive(Debug, PartialEq, Eq)]
pub struct Note {
    /// The text, which ends with its source in parentheses.
    pub text: &'static str,
    event: &'static str,
    families: Vec<&'static str>,
}

/// Columns: event, with `*` for any text; families (empty: all that have an event of that name); the note.
static NOTES: LazyLock<Vec<Note>> =
    LazyLock::new(|| include_str!("notes.csv").lines().skip(1).filter_map(note).collect());

fn note(line: &'static str) -> Option<Note> {
    let mut fields = line.splitn(3, ',');
    let event = fields.next()?;
    let families = fields.next()?.split_whitespace().collect();
    Some(Note { text: fields.next()?.trim_matches('"'), event, families })
}

/// Whether `name` is `pattern`, in which `*` means any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut tail) = name.strip_prefix(head) else { return false };
    loop {
        if matches(rest, tail) {
            return true;
        }
        let mut characters = tail.chars();
        if characters.next().is_none() {
            return false;
        }
        tail = characters.as_str();
    }
}

/// The notes on a family's native event of that name.
pub fn of_native(family: &'static Family, name: &str) -> impl Iterator<Item = &'static Note> {
    NOTES.iter().filter(move |note| {
        matches(note.event, name)
            && (note.families.is_empty() || note.families.iter().any(|key| family.is_like(key)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(family: &str, event: &str) -> Vec<&'static str> {
        of_native(Family::keyed(family).unwrap(), event).map(|n| n.text).collect()
    }

    #[test]
    fn every_note_is_read_and_names_its_source() {
        assert_eq!(NOTES.len(), include_str!("notes.csv").lines().count() - 1);
        for note in NOTES.iter() {
            let source = note.text.rsplit_once('(').map(|(_, source)| source).unwrap_or_default();
            let sources = ["Intel event table", "AMD event table", "Arm PMU data", "Linux", "SiFive"];
            assert!(sources.iter().any(|m| source.starts_with(m)) && source.ends_with(')'), "{}", note.text);
            assert!(note.families.iter().all(|key| Family::keyed(key).is_some()), "{}", note.text);
        }
    }

    #[test]
    fn stars_mean_any_text() {
        assert!(matches("A*", "A") && matches("A*", "ABC") && matches("*_SPEC", "LD_SPEC"));
        assert!(matches("A*HIT*", "A:X_HIT_Y") && !matches("A*HIT*", "A:MISS") && !matches("A", "AB"));
    }

    #[test]
    fn the_same_event_has_its_vendors_note_on_each_family() {
        for (family, event, words) in [
            ("skl", "ix86arch::LLC_REFERENCES", "prefetch"),
            ("arm_n1", "LD_SPEC", "speculation"),
            ("arm_ac76", "L2D_CACHE_REFILL", "prefetches into level 2 are left out"),
            ("arm_n1", "L2D_CACHE_REFILL", "instructions and prefetches"),
            ("hsw", "L2_RQSTS:ALL_DEMAND_DATA_RD", "prefetchers count as demand"),
        ] {
            assert!(texts(family, event)[0].contains(words), "{family} {event}");
        }
        assert_eq!(texts("arm_ac53", "SW_INCR").len(), 0);
        assert!(!texts("arm_ac76", "L1D_CACHE_REFILL")[0].contains("stores and prefetches"));
        assert!(texts("arm_ac77", "L1D_CACHE_REFILL") == texts("arm_ac76", "L1D_CACHE_REFILL"));
        assert!(!texts("spr", "L2_RQSTS:ALL_DEMAND_DATA_RD")[0].contains("prefetchers"));
    }
}
