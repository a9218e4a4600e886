//! Which kind of core presets are counted on, where a processor has several: an
//! event counts on one kind alone.

use figures::numbers::listed;

use super::pmu::Pmu;

/// Why it is that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The program may run on no other: `--cpu`, `taskset` or a container says so.
    Only,
    /// Of those that it may run on, it is the fastest.
    Fastest,
    /// It was on such a core when it asked, and the system reports no speeds.
    Present,
}

impl Choice {
    /// For people, and what takes another.
    pub fn description(self) -> &'static str {
        match self {
            Choice::Only => "the only kind of core that this program may run on",
            Choice::Fastest => "the fastest kind of core; --cpu N or `taskset -c N` takes the kind of CPU N",
            Choice::Present => {
                "the kind of core that the program is on; --cpu N or `taskset -c N` takes the kind of CPU N"
            }
        }
    }
}

/// The place among `pmus` of the one whose cores are taken, by a program that may
/// run on `allowed` (empty: not reported) and runs on `now`; `None` where all cores are the
/// same.
pub(crate) fn chosen(pmus: &[Pmu], allowed: &[usize], now: usize) -> Option<(usize, Choice)> {
    let cores: Vec<(usize, &Pmu, Vec<usize>)> = pmus
        .iter()
        .enumerate()
        .filter(|(_, pmu)| pmu.is_core())
        .map(|(place, pmu)| (place, pmu, listed(pmu.cpus.as_deref().unwrap_or_default())))
        .collect();
    if cores.len() < 2 {
        return None;
    }
    let within = |cpus: &[usize]| allowed.iter().all(|cpu| cpus.contains(cpu));
    if let Some((place, ..)) = cores.iter().find(|(.., cpus)| !allowed.is_empty() && within(cpus)) {
        return Some((*place, Choice::Only));
    }
    let reached = |cpus: &[usize]| allowed.is_empty() || allowed.iter().any(|cpu| cpus.contains(cpu));
    let speed = |(_, pmu, _): &&(usize, &Pmu, Vec<usize>)| (pmu.name == "cpu_core", pmu.capacity);
    let fastest = cores.iter().filter(|(.., cpus)| reached(cpus)).max_by_key(speed)?;
    if speed(&fastest) > (false, None) {
        return Some((fastest.0, Choice::Fastest));
    }
    let present = cores.iter().find(|(.., cpus)| cpus.contains(&now)).unwrap_or(fastest);
    Some((present.0, Choice::Present))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PMUs by name, CPUs and capacity.
    fn taken<'p>(pmus: &'p [(&'p str, &str, Option<u64>)], allowed: &[usize]) -> Option<(&'p str, Choice)> {
        let described: Vec<Pmu> =
            pmus.iter().map(|(name, cpus, capacity)| Pmu::of_cores(name, cpus, *capacity)).collect();
        chosen(&described, allowed, 0).map(|(place, choice)| (pmus[place].0, choice))
    }

    #[test]
    fn of_several_kinds_the_only_one_the_fastest_or_the_present_one_is_taken() {
        let arm = [
            ("armv8_cortex_a55", "0-3", Some(300)),
            ("armv8_cortex_a76", "4-6", Some(800)),
            ("armv8_cortex_x1", "7", Some(1024)),
        ];
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(taken(&arm, &all), Some(("armv8_cortex_x1", Choice::Fastest)));
        assert_eq!(taken(&arm, &[]), Some(("armv8_cortex_x1", Choice::Fastest)));
        assert_eq!(taken(&arm, &all[..6]), Some(("armv8_cortex_a76", Choice::Fastest)));
        assert_eq!(taken(&arm, &[1, 2]), Some(("armv8_cortex_a55", Choice::Only)));
        assert_eq!(taken(&arm, &[5]), Some(("armv8_cortex_a76", Choice::Only)));
        let untold = arm.map(|(name, cpus, _)| (name, cpus, None));
        assert_eq!(taken(&untold, &all), Some(("armv8_cortex_a55", Choice::Present)));
        let x86 = [("cpu_atom", "8-15", None), ("cpu_core", "0-7", None)];
        let all: Vec<usize> = (0..16).collect();
        assert_eq!(taken(&x86, &all), Some(("cpu_core", Choice::Fastest)));
        assert_eq!(taken(&x86, &[12]), Some(("cpu_atom", Choice::Only)));
        assert_eq!(taken(&[("armv8_pmuv3_0", "0-7", None)], &[2]), None);
    }
}
