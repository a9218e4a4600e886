//! Prints a machine as a description.

use std::fmt::{self, Write as _};

use super::{CacheLevel, Machine, Mapping};
use figures::text::clean;
use figures::units::{Bytes, Seconds};

impl Machine {
    /// The machine as a description that reads back as the same machine; unknown values are
    /// comments. A sealed machine is not printed.
    pub fn to_toml(&self) -> String {
        if self.sealed() {
            return format!("# {}: its description is sealed\n", clean(&self.name));
        }
        let mut text =
            format!("name = {}\ndescription = {}\n", quoted(&self.name), quoted(&self.description));
        for unknown in &self.unknown {
            text += &format!("# not known: {}\n", clean(unknown));
        }
        if let Some(clock) = self.clock {
            text += &format!("clock = \"{} MHz\"\n", clock.0 * 1e-6);
        }
        if let Some(latency) = self.memory_latency {
            text += &format!("\n[memory]\nlatency = {}\n", time(latency));
        }
        text += &format!("\n[pages]\nsize = {}\n", size(self.page_size));
        if let Mapping::Random { seed } = self.mapping {
            text += &format!("mapping = \"random\"\nseed = {seed}\n");
        }
        if let Some(walk) = self.walk {
            text += &format!("walk = \"L{}\"\nwalk_levels = {}\n", walk.cache, walk.levels);
        }
        let core = &self.core;
        let (store, step, pass) = (time(core.store), time(core.step), time(core.pass));
        text += &format!("\n[core]\nin_flight = {:?}\n", core.in_flight);
        text += &format!("store = {store}\nstep = {step}\npass = {pass}\n");
        self.levels.iter().for_each(|cache| text += &level(cache));
        for tlb in &self.tlbs {
            let (number, entries, ways) = (tlb.level, tlb.entries, tlb.ways);
            text += &format!("\n[[tlb]]\nlevel = {number}\nentries = {entries}\nways = {ways}\n");
            text += &format!("index = {}\n", quoted(&tlb.index));
            text += &tlb.penalty.map_or(String::new(), |penalty| format!("penalty = {}\n", time(penalty)));
        }
        text
    }
}

/// What may be shown: no message has a sealed machine's fields.
impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_toml())
    }
}

fn level(cache: &CacheLevel) -> String {
    let mut text = format!("\n[[cache]]\nlevel = {}\nsize = {}\n", cache.level, size(cache.size));
    let mut key = |name: &str, value: String| _ = writeln!(text, "{name} = {value}");
    key("line", cache.line.0.to_string());
    key("ways", cache.ways.to_string());
    key("replacement", quoted(&cache.replacement));
    key("write", quoted(&cache.write));
    key("allocate", cache.allocate.to_string());
    key("inclusion", quoted(&cache.inclusion));
    key("index", quoted(&cache.index));
    key("shared_by", cache.shared_by.to_string());
    if let Some(latency) = cache.latency {
        key("latency", time(latency));
    }
    text
}

/// A text, or the name of a policy, in TOML.
pub fn quoted(word: &(impl serde::Serialize + ?Sized)) -> String {
    let text = toml::Value::try_from(word);
    let escaped = |sign: char| match sign {
        '"' | '\\' => format!("\\{sign}"),
        sign if sign.is_ascii_control() => format!("\\u{:04X}", u32::from(sign)),
        sign => sign.to_string(),
    };
    let text = text.as_ref().ok().and_then(toml::Value::as_str).unwrap_or_default();
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fn size(bytes: Bytes) -> String {
    match bytes.0 {
        b if b.is_multiple_of(1 << 20) => format!("\"{}M\"", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("\"{}K\"", b >> 10),
        b => b.to_string(),
    }
}

fn time(time: Seconds) -> String {
    let picos = time.0 * 1e12;
    // Below a picosecond every digit is written, so that a small value does not become 0.
    format!("\"{} ns\"", if picos < 1.0 { picos } else { picos.round() } / 1e3)
}
