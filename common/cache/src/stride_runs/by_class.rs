//! Runs down columns that access the same lines as the run before, behind other lead-ins:
//! the lead-in's line keeps the whole state from recurring, but not what lies elsewhere.
//!
//! Sets do not see each other. Call lines congruent whose numbers are equal, modulo a common
//! divisor of all levels' numbers of sets: no set holds lines of two classes,
//! nor does a level ask another for a line of another class. So a class that one run left as
//! it was, the next one leaves so again, and counts the same, if nothing came to the class
//! between. (Of random pages, only the bits within a page are those that tell sets apart.)

use super::simulate::{joined, simulate_lead_in, simulate_pages};
use super::{RunDetector, Stream, StrideRun};
use crate::Modelled;
use crate::hierarchy::Hierarchy;
use crate::request::Access;
use crate::shifted::gcd;
use machine::{Machine, Prefetch, Replacement};

/// Classes below which there is little to leave out, and accesses of each; and most classes.
const FEWEST: usize = 8;
const MOST: u64 = 64;

/// What is known of the last run, class by class.
#[derive(Debug, Default)]
pub(super) struct ByClass {
    shift: u32,
    /// How many classes there are; fewer than [`FEWEST`] where they are of no use.
    classes: usize,
    /// Whether anything is known.
    known: bool,
    /// Whether that was of use since the last run on other lines.
    paid: bool,
    /// By class: the accesses of the loop.
    accesses: Vec<Vec<Access>>,
    /// Whether the last run left it as it was, and what that counted.
    steady: Vec<bool>,
    counts: Vec<Vec<u64>>,
    /// What all steady ones count.
    total: Vec<u64>,
}

impl ByClass {
    /// For `machine`.
    pub(super) fn new(machine: &Machine, hierarchy: &Hierarchy) -> ByClass {
        let shift = machine.levels[0].line.0.trailing_zeros();
        let alone = machine.levels.iter().all(|cache| {
            let random = matches!(cache.replacement, Replacement::Random { .. });
            !random && cache.prefetch == Prefetch::None && cache.line.0.trailing_zeros() == shift
        });
        let sets = hierarchy.levels.iter().map(|level| level.lines.count() as u64);
        let in_page = hierarchy.page_map.iter().map(|_| machine.page_size.0 >> shift);
        let classes = if alone { sets.chain(in_page).fold(MOST, gcd) as usize } else { 0 };
        ByClass { shift, classes, ..ByClass::default() }
    }

    /// Forgets the last run.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Whether runs on the lines of the last one were told apart by class.
    pub(super) fn has_paid(&mut self) -> bool {
        std::mem::take(&mut self.paid)
    }

    /// Whether a run of so many steps comes to all classes often enough.
    fn pays(&self, run: &StrideRun) -> bool {
        let span = (self.classes as u64) << self.shift;
        let spreads = |stream: &Stream| {
            let stride = stream.stride.unsigned_abs() as u64;
            stride >> self.shift > 0 && span / gcd(stride, span) >= FEWEST as u64
        };
        self.classes >= FEWEST
            && run.streams.len() * run.steps >= FEWEST * self.classes
            && run.streams.iter().all(spreads)
    }

    fn class(&self, access: Access, origin: usize) -> usize {
        (access.pointer.wrapping_sub(origin) >> self.shift) % self.classes
    }

    /// Begins anew, with so many steps, of whose counts nothing is known.
    fn begin(&mut self, mut streams: Vec<Stream>, steps: usize, origin: usize) {
        self.known = true;
        self.accesses.iter_mut().for_each(Vec::clear);
        self.accesses.resize(self.classes, Vec::new());
        for _ in 0..steps {
            for stream in &mut streams {
                let access = stream.access();
                let class = self.class(access, origin);
                self.accesses[class].push(access);
                stream.advance(1);
            }
        }
        self.steady = vec![false; self.classes];
        self.counts.resize(self.classes, Vec::new());
        self.total.clear();
    }

    /// From here on, the class must be simulated.
    fn disturb(&mut self, class: usize) {
        if std::mem::take(&mut self.steady[class]) {
            self.total.iter_mut().zip(&self.counts[class]).for_each(|(all, one)| *all -= one);
        }
    }

    /// Simulates the class.
    fn simulate(&mut self, model: &mut Modelled, class: usize) {
        let before = model.filter.hierarchy.counts();
        model.filter.hierarchy.start_journal();
        for access in &self.accesses[class] {
            model.look_up_line(access.pointer, access.kind);
        }
        model.report_all();
        if model.filter.hierarchy.unchanged() {
            let counts = model.filter.hierarchy.counted_since(before);
            self.total.resize(counts.len(), 0);
            self.total.iter_mut().zip(&counts).for_each(|(all, one)| *all += one);
            (self.counts[class], self.steady[class]) = (counts, true);
        }
    }
}

/// Whether it pays to look at runs like the current one by class.
pub(super) fn pays(model: &Modelled) -> bool {
    let RunDetector { current: run, by_class, .. } = &*model.runs;
    model.half.has_caches() && by_class.pays(run)
}

/// Does what the current run does, whose loop accesses the same lines as that of the last one.
pub(super) fn serve(model: &mut Modelled) {
    simulate_pages(model);
    let pages = std::mem::take(&mut model.recent_pages);
    let mut by_class = std::mem::take(&mut model.runs.by_class);
    let (run, origin) = (&model.runs.current, model.filter.origin);
    if !by_class.known {
        let joins = model.runs.resident.ways > 0;
        let streams = if joins { joined(&run.streams) } else { run.streams.clone() };
        by_class.begin(streams, run.steps, origin);
    }
    by_class.paid = true;
    for lead in &run.lead_in {
        by_class.disturb(by_class.class(lead.access(), origin));
    }
    simulate_lead_in(model);
    model.report_all();
    let mut steady = by_class.total.clone().into_iter();
    for class in 0..by_class.classes {
        if !by_class.steady[class] {
            by_class.simulate(model, class);
        }
    }
    model.filter.hierarchy.each_count(|count| *count += steady.next().unwrap_or(0));
    model.runs.by_class = by_class;
    model.recent_pages = pages;
}
