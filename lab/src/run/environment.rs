//! The environment of a run, as far as a reader of the report needs it.

use common::core_clock;
use common::counters::Platform;
use common::machine::Machine;
use common::system::{date, facts::Facts};
use report::Host;

/// Reads it; what the system does not report is omitted.
pub(crate) fn look(machine: &Machine, here: bool, processors: usize) -> Host {
    let known = Facts::of_host();
    let name = known.host_name.unwrap_or_else(|| "unnamed".to_owned());
    let mut facts = vec![("Processor", processor(machine, here, processors))];
    facts.extend(known.virtual_machine.map(|name| ("Virtual machine", virtual_machine(&name))));
    facts.push(("Page size", machine.page_size.to_string()));
    facts.push(("Core clock", format!("{} (measured)", core_clock::measure())));
    facts.extend(known.system.map(|system| ("System", system)));
    facts.extend(known.governor.map(|governor| ("Frequency governor", governor)));
    let paranoid = Platform::host().environment.paranoid;
    facts.extend(paranoid.map(|level| ("perf_event_paranoid", level.to_string())));
    facts.push(("Build", build()));
    Host { name, date: date::today(), facts }
}

/// The workstation and the measured machine; a resumed run must find the same.
pub(crate) fn place(machine: &Machine) -> String {
    let host = Facts::of_host().host_name.unwrap_or_else(|| "unnamed".to_owned());
    format!("{host}, {}", machine.summary())
}

/// Also has the processors that the program could use before it chose one.
fn processor(machine: &Machine, here: bool, processors: usize) -> String {
    if here {
        let available = if processors == 1 {
            "1 logical processor".to_owned()
        } else {
            format!("{processors} logical processors")
        };
        format!("{}, {available} available", machine.description)
    } else {
        format!("{} (described machine, not this one)", machine.description)
    }
}

/// The warning about a virtual machine.
fn virtual_machine(name: &str) -> String {
    let make = if name == "virtual machine" { String::new() } else { format!(" ({name})") };
    format!("yes{make}: times may scatter, counters may be missing")
}

fn build() -> String {
    let profile = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    format!("lab {} for {}, {profile}", common::VERSION, std::env::consts::ARCH)
}
