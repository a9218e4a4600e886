//! The extract of the vendors' event tables, which `scripts/vendor_events.py` makes.

use std::collections::{BTreeSet, HashMap};

use events::Family;

/// An event of a vendor's table: name, config, `offcore_rsp`.
pub(crate) type Listed = (&'static str, u64, Option<u64>);

pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.splitn(4, ',').collect())
}

pub(crate) fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

/// The extract: the vendor's events of each family.
pub(crate) fn listed() -> HashMap<&'static str, Vec<Listed>> {
    let mut tables: HashMap<&str, Vec<Listed>> = HashMap::new();
    for row in lines(include_str!("../data/vendor_events.csv")) {
        let (config, response) =
            row[1].split_once('+').map_or((row[1], None), |(config, response)| (config, Some(hex(response))));
        for family in row[2].split(' ') {
            tables.entry(family).or_default().push((row[0], hex(config), response));
        }
    }
    tables
}

/// Bits that identify the event, and bits that change how it is counted (threshold, edge,
/// inversion), if unit masks can be combined.
pub(crate) fn fields(family: &Family) -> (u64, u64) {
    match family.key {
        key if key.starts_with("amd64") => (0xf_0000_00ff, 0),
        key if key.starts_with("sifive") => (0xff, 0),
        key if ["arm", "ampere", "apple", "nvidia"].iter().any(|start| key.starts_with(start)) => (!0, 0),
        _ => (0xff, 0xffff_0000),
    }
}

/// The vendor's names that make up the code: those with exactly that code, or those whose
/// unit masks are combined in it.
pub(crate) fn made_of(
    family: &Family,
    table: &[Listed],
    config: u64,
    response: Option<u64>,
) -> Option<Vec<&'static str>> {
    let (select, modifiers) = fields(family);
    let part = |(_, c, r): &&Listed| {
        (c ^ config) & select == 0
            && c & !config == 0
            && r.is_some() == response.is_some()
            && r.unwrap_or(0) & !response.unwrap_or(0) == 0
    };
    let parts: Vec<&Listed> = table.iter().filter(part).collect();
    let names =
        |of: Vec<&&Listed>| of.into_iter().map(|l| l.0).collect::<BTreeSet<_>>().into_iter().collect();
    for wanted in [config, config & !modifiers] {
        let exact: Vec<&&Listed> = parts.iter().filter(|l| (l.1, l.2) == (wanted, response)).collect();
        if !exact.is_empty() {
            return Some(names(exact));
        }
    }
    let plain: Vec<&&Listed> = parts.iter().filter(|l| l.1 & modifiers == 0).collect();
    let joined = plain.iter().fold((0, 0), |(c, r), l| (c | l.1, r | l.2.unwrap_or(0)));
    let within = |a: &Listed, b: &Listed| {
        (a.1, a.2) != (b.1, b.2) && a.1 & !b.1 == 0 && a.2.unwrap_or(0) & !b.2.unwrap_or(0) == 0
    };
    (joined == (config & !modifiers, response.unwrap_or(0)))
        .then(|| names(plain.iter().copied().filter(|a| !plain.iter().any(|b| within(a, b))).collect()))
}
