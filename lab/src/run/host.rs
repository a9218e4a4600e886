//! The environment, as far as a reader of the report must know it.

use std::time::{SystemTime, UNIX_EPOCH};

use common::core_clock;
use common::counters::Platform;
use common::machine::Machine;
use common::system::facts::Facts;
use report::Host;

/// Looks round; what a system does not tell is left out.
pub(crate) fn look(machine: &Machine, here: bool) -> Host {
    let known = Facts::here();
    let name = known.host_name.unwrap_or_else(|| "unnamed".to_owned());
    let mut facts = vec![("Processor", processor(machine, here))];
    facts.extend(known.virtual_machine.map(|name| ("Virtual machine", virtual_machine(&name))));
    facts.push(("Page size", machine.page_size.to_string()));
    facts.push(("Core clock", format!("{} (measured)", core_clock::measure())));
    facts.extend(known.system.map(|system| ("System", system)));
    facts.extend(known.governor.map(|governor| ("Frequency governor", governor)));
    let paranoid = Platform::host().environment.paranoid;
    facts.extend(paranoid.map(|level| ("perf_event_paranoid", level.to_string())));
    facts.push(("Build", build()));
    Host { name, date: today(), facts }
}

/// The workstation and the machine that is measured, as one run must find them.
pub(crate) fn place(machine: &Machine) -> String {
    let host = Facts::here().host_name.unwrap_or_else(|| "unnamed".to_owned());
    format!("{host}, {}", machine.summary())
}

fn processor(machine: &Machine, here: bool) -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if here {
        format!("{}, {threads} logical processors available", machine.description)
    } else {
        format!("{} (described machine, not this one)", machine.description)
    }
}

/// The warning that goes with a virtual machine.
fn virtual_machine(name: &str) -> String {
    let make = if name == "virtual machine" { String::new() } else { format!(" ({name})") };
    format!("yes{make}: times may scatter, counters may be missing")
}

fn build() -> String {
    let profile = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    format!("lab {} for {}, {profile}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
}

fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days as i64);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01, by counting in years
/// that start in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_777), (2026, 11, 20));
    }
}
