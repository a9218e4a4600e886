//! The `[[cache]]` and `[[tlb]]` tables of a description.

use serde::Deserialize;
use toml::Spanned;

use super::checked::{Checked, Given, LARGEST, bytes, refuse, time, ways};
use crate::{CacheLevel, Inclusion, Index, Replacement, Tlb, TlbIndex, Write};
use figures::units::{Bytes, Hertz};

/// Largest number of lines of a cache: a model stores 8 to 24 bytes for each.
const MOST_LINES: u64 = 1 << 23;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cache {
    level: Spanned<u8>,
    size: Given,
    line: Given,
    ways: Given,
    replacement: Option<Spanned<Replacement>>,
    write: Option<Write>,
    allocate: Option<bool>,
    inclusion: Option<Spanned<Inclusion>>,
    index: Option<Index>,
    shared_by: Option<usize>,
    latency: Option<Given>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TlbEntry {
    level: Spanned<u8>,
    entries: Spanned<usize>,
    ways: Given,
    index: Option<Spanned<TlbIndex>>,
    penalty: Option<Given>,
}

impl Cache {
    pub(super) fn check(&self, above: &[CacheLevel], clock: Option<Hertz>) -> Checked<CacheLevel> {
        let level = next_level("cache.level", &self.level, above.len())?;
        let line = self.line()?;
        let size = self.size(line)?;
        let ways = self.ways((size.0 / line.0) as usize)?;
        let above = above.last();
        self.fits_under(above, size, line)?;
        Ok(CacheLevel {
            level,
            size,
            line,
            ways,
            shared_by: self.shared_by.unwrap_or(1),
            replacement: self.replacement(ways)?,
            write: self.write.unwrap_or(Write::Back),
            allocate: self.allocate.unwrap_or(true),
            inclusion: self.inclusion.as_ref().map_or(Inclusion::Neither, |i| *i.get_ref()),
            index: self.index.unwrap_or(if level == 1 { Index::Virtual } else { Index::Physical }),
            latency: self.latency.as_ref().map(|l| time("cache.latency", l, clock)).transpose()?,
        })
    }

    fn line(&self) -> Checked<Bytes> {
        let line = bytes("cache.line", &self.line)?;
        if !line.0.is_power_of_two() || !(1..=4096).contains(&line.0) {
            let reason = format!("{line} is no line size; take a power of two from 1 B to 4 KiB");
            return refuse("cache.line", &self.line, reason);
        }
        Ok(line)
    }

    fn size(&self, line: Bytes) -> Checked<Bytes> {
        let size = bytes("cache.size", &self.size)?;
        let reason = if size < line {
            format!("{size} is less than one line of {line}")
        } else if size > LARGEST {
            format!("{size} is more than the {LARGEST} that can be modelled; is the unit right?")
        } else if size.0 / line.0 > MOST_LINES {
            format!(
                "{size} in lines of {line} are {} lines, more than the {MOST_LINES} that can be modelled; is the unit \
                 right?",
                size.0 / line.0
            )
        } else if !size.0.is_multiple_of(line.0) {
            format!("{size} is not a whole number of lines of {line}")
        } else {
            return Ok(size);
        };
        refuse("cache.size", &self.size, reason)
    }

    fn ways(&self, lines: usize) -> Checked<usize> {
        let ways = ways("cache.ways", &self.ways, lines)?;
        if ways > 4096 {
            let reason = format!("{ways} ways are more than the 4096 that can be searched");
            return refuse("cache.ways", &self.ways, reason);
        }
        Ok(ways)
    }

    fn replacement(&self, ways: usize) -> Checked<Replacement> {
        match &self.replacement {
            None => Ok(Replacement::Lru),
            Some(given)
                if *given.get_ref() == Replacement::Plru && (!ways.is_power_of_two() || ways > 64) =>
            {
                let reason = format!("\"plru\" needs 1, 2, 4 ... 64 ways, this cache has {ways}");
                refuse("cache.replacement", given, reason)
            }
            Some(given) => Ok(*given.get_ref()),
        }
    }

    fn fits_under(&self, above: Option<&CacheLevel>, size: Bytes, line: Bytes) -> Checked<()> {
        let inclusion = self.inclusion.as_ref().map_or(Inclusion::Neither, |inclusion| *inclusion.get_ref());
        let refuse_inclusion = |reason: String| match &self.inclusion {
            Some(given) => refuse("cache.inclusion", given, reason),
            None => Ok(()),
        };
        let Some(above) = above else {
            return match inclusion {
                Inclusion::Neither => Ok(()),
                _ => refuse_inclusion("level 1 has no level above it to include or exclude".to_owned()),
            };
        };
        if line < above.line {
            let reason = format!("{line} is shorter than the {} of the level above", above.line);
            return refuse("cache.line", &self.line, reason);
        }
        match inclusion {
            Inclusion::Exclusive if line != above.line => refuse_inclusion(format!(
                "an exclusive level needs the line of the level above, {}",
                above.line
            )),
            Inclusion::Inclusive | Inclusion::Neither if size < above.size => {
                let reason = format!("{size} is smaller than the {} of the level above", above.size);
                refuse("cache.size", &self.size, reason)
            }
            _ => Ok(()),
        }
    }
}

impl TlbEntry {
    pub(super) fn check(&self, above: usize, clock: Option<Hertz>) -> Checked<Tlb> {
        let level = next_level("tlb.level", &self.level, above)?;
        let entries = *self.entries.get_ref();
        if !(1..=65536).contains(&entries) {
            return refuse("tlb.entries", &self.entries, "must be from 1 to 65536");
        }
        let ways = ways("tlb.ways", &self.ways, entries)?;
        let index = self.index.as_ref().map_or(TlbIndex::Modulo, |index| *index.get_ref());
        if let (TlbIndex::Xor, Some(given)) = (index, &self.index)
            && !(entries / ways).is_power_of_two()
        {
            let reason = format!("\"xor\" needs 2, 4, 8 ... sets, this TLB has {}", entries / ways);
            return refuse("tlb.index", given, reason);
        }
        let penalty = self.penalty.as_ref().map(|p| time("tlb.penalty", p, clock)).transpose()?;
        Ok(Tlb { level, entries, ways, index, penalty })
    }
}

/// Levels are described in order: 1, 2, 3.
fn next_level(key: &'static str, given: &Spanned<u8>, above: usize) -> Checked<u8> {
    if usize::from(*given.get_ref()) != above + 1 || above >= 4 {
        let reason =
            format!("is {}, expected {}; describe levels 1 to 4 in order", given.get_ref(), above + 1);
        return refuse(key, given, reason);
    }
    Ok(*given.get_ref())
}
