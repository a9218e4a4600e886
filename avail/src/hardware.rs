//! The hardware header, in the layout of papi_avail.

use common::counters::{self, Platform};
use common::system::facts::Facts;
use common::units::Hertz;
use serde::Serialize;

use crate::page::Page;

/// The machine's properties that matter for counting.
#[derive(Debug, Serialize)]
pub(crate) struct Hardware {
    kernel: String,
    vendor: String,
    model: String,
    cpuid: Option<String>,
    family: Option<&'static str>,
    family_key: Option<&'static str>,
    max_mhz: Option<u64>,
    min_mhz: Option<u64>,
    logical_cpus: usize,
    cores: usize,
    sockets: usize,
    virtual_machine: Option<String>,
    container: Option<String>,
    perf_event_paranoid: Option<i32>,
    core_pmus: Vec<String>,
    counted_on: Option<String>,
    counters: usize,
}

impl Hardware {
    pub(crate) fn host() -> Hardware {
        let platform = Platform::host();
        let facts = Facts::of_host();
        let (logical_cpus, cores, sockets) = facts.counts();
        let mhz = |clock: Option<Hertz>| clock.map(|clock| (clock.0 / 1e6) as u64);
        let or_unknown = |word: Option<String>| word.unwrap_or_else(|| "unknown".into());
        Hardware {
            kernel: or_unknown(facts.system),
            vendor: or_unknown(facts.vendor),
            model: or_unknown(facts.name),
            cpuid: facts.identity.map(|id| id.to_string()),
            family: platform.family.map(|f| f.title),
            family_key: platform.family.map(|f| f.key),
            max_mhz: mhz(facts.clock.1),
            min_mhz: mhz(facts.clock.0),
            logical_cpus,
            cores,
            sockets,
            virtual_machine: platform.environment.virtual_machine.clone(),
            container: platform.environment.container.clone(),
            perf_event_paranoid: platform.environment.paranoid,
            core_pmus: platform.core_pmus().map(|p| p.name.clone()).collect(),
            counted_on: platform.core_type_description(),
            counters: counters::num_counters(),
        }
    }

    /// Adds the header to a page.
    pub(crate) fn write_to(&self, page: &mut Page) {
        let or_unknown = |value: Option<u64>| value.map_or("unknown".into(), |v| v.to_string());
        let or_no = |value: &Option<String>| value.clone().unwrap_or_else(|| "no".into());
        page.rule();
        page.line(
            "PAPI version",
            format_args!("none; its presets, counted by this kit {}", env!("CARGO_PKG_VERSION")),
        );
        page.line("Operating system", &self.kernel);
        page.line("Vendor string", &self.vendor);
        page.line("Model string", &self.model);
        page.line("CPU revision", "the stepping, in the next line");
        page.line("CPUID", self.cpuid.as_deref().unwrap_or("unknown"));
        page.line("Family in the preset map", self.family.unwrap_or("none: generic events are used"));
        page.line("CPU Max MHz", or_unknown(self.max_mhz));
        page.line("CPU Min MHz", or_unknown(self.min_mhz));
        page.line("Total cores", self.cores);
        page.line("SMT threads per core", self.logical_cpus.checked_div(self.cores).unwrap_or(1));
        page.line("Cores per socket", self.cores.checked_div(self.sockets).unwrap_or(self.cores));
        page.line("Sockets", self.sockets);
        page.line("Cores per NUMA region", "not read; `lscpu` lists the regions and their cores");
        page.line("NUMA regions", "not read; counts are of one core, the same in each region");
        page.line("Running in a VM", if self.virtual_machine.is_some() { "yes" } else { "no" });
        page.line("VM Vendor", or_no(&self.virtual_machine));
        page.line("Running in a container", or_no(&self.container));
        let level = self.perf_event_paranoid.map_or("no perf events".into(), |level| level.to_string());
        page.line("perf_event_paranoid", level);
        let pmus = if self.core_pmus.is_empty() { "none".into() } else { self.core_pmus.join(", ") };
        page.line("PMUs of the cores", pmus);
        if let Some(cores) = &self.counted_on {
            page.line("Presets are counted on", cores);
        }
        page.line("Number Hardware Counters", self.counters);
        page.line("Max Multiplex Counters", "no limit: more events than counters take turns");
        page.line("Fast counter read (rdpmc)", "not used: counts are read through the kernel");
        page.rule();
    }
}
