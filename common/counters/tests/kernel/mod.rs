//! Counting on played kernels, of every processor family.

mod families;
mod kinds;
#[path = "../../../events/tests/it/makers.rs"]
mod makers;
mod opening;
mod products;
mod refusals;
mod samples;
mod simpler;
#[path = "../../../events/tests/it/units.rs"]
mod units;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use super::replayed::{DESCRIPTIONS, Described, Machine, Settings};
use crate::Counting;
use events::{Event, Family, Preset};
use figures::value::Reading;

fn described(key: &str) -> &'static Described {
    DESCRIPTIONS.iter().find(|described| described.family.key == key).unwrap()
}

fn preset(name: &str) -> Event {
    Event::Preset(Preset::named(name).unwrap())
}

/// The readings of `events` while `body` runs.
fn count(events: &[Event], body: impl FnMut()) -> Vec<Reading> {
    count_in(events, &mut 0, body)
}

/// The same, and the number of runs.
fn count_in(events: &[Event], runs: &mut usize, mut body: impl FnMut()) -> Vec<Reading> {
    Counting::open(events).count(&mut || *runs += 1, &mut body).unwrap()
}

/// What the vendors list, by family.
static LISTED: LazyLock<HashMap<&str, Vec<makers::Listed>>> = LazyLock::new(makers::listed);

/// A machine on which each event that its vendor or its driver lists happens a
/// number of times of its own in a turn, and any other never.
fn machine(described: &Described, settings: Settings) -> Machine {
    described.machine(settings, rate(described))
}

/// What [`machine`] counts in a turn of each config and config1.
fn rate(described: &Described) -> impl Fn(u64, u64) -> u64 + Send + use<> {
    let family: &'static Family = described.family;
    let table = LISTED.get(family.key).map_or(&[][..], Vec::as_slice);
    let driver = described.driver;
    let known: Mutex<HashMap<(u64, u64), bool>> = Mutex::default();
    move |code, with| {
        let mut known = known.lock().unwrap();
        let is_listed = *known.entry((code, with)).or_insert_with(|| {
            let response = (with != 0).then_some(with);
            let generic = driver.generic.iter().any(|(_, own)| *own == code);
            generic || makers::made_of(family, table, code, response).is_some()
        });
        // Fibonacci hashing: 1 to 1024.
        if is_listed { ((code ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) + 1 } else { 0 }
    }
}
