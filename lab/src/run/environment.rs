//! The environment of a run, as far as a reader of the report needs it.

use common::core_clock;
use common::counters::Platform;
use common::machine::Machine;
use common::system::{date, facts::Facts};
use report::Host;

/// Reads it; what the system does not report is omitted. `processors` is the number that the
/// program could use before it chose one.
pub(crate) fn look(machine: &Machine, here: bool, processors: usize) -> Host {
    let known = Facts::of_host();
    let processor = match (here, processors) {
        (false, _) => format!("{} (described machine, not this one)", machine.description),
        (true, 1) => format!("{}, 1 logical processor available", machine.description),
        (true, _) => format!("{}, {processors} logical processors available", machine.description),
    };
    let mut facts = vec![("Processor", processor)];
    let warned = |name| ("Virtual machine", format!("{name}: times may scatter, counters may be missing"));
    facts.extend(known.virtual_machine.map(warned));
    facts.push(("Page size", machine.page_size.to_string()));
    facts.push(("Core clock", format!("{} (measured)", core_clock::measure())));
    facts.extend(known.system.map(|system| ("System", system)));
    facts.extend(known.governor.map(|governor| ("Frequency governor", governor)));
    let paranoid = Platform::host().environment.paranoid;
    facts.extend(paranoid.map(|level| ("perf_event_paranoid", level.to_string())));
    let profile = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    facts.push(("Build", format!("lab {} for {}, {profile}", common::VERSION, std::env::consts::ARCH)));
    let date = date::now()[..10].to_owned();
    Host { name: known.host_name.unwrap_or_else(|| "unnamed".to_owned()), date, facts }
}
