//! The one reading of a curve: the plateaus of its levels, and where it rises from one to the next.

use figures::stats;

/// From one size to the next the cost may grow by this factor on a plateau: times of a level scatter so much on virtual
/// machines (Zen 4, Emerald Rapids).
const FLAT: f64 = 1.1;
/// Two sizes alone, two in each doubling, are a plateau if their costs are this close; on a rise they never were.
pub(crate) const SAME: f64 = 1.02;
/// A new level costs at least this factor more (a64fx: 37 cycles after 5; Skylake's L3: 50 after 14). A TLB that misses in
/// part costs less.
const STEP: f64 = 1.5;
/// A third level begins where a second ends, and the smallest second level of a machine with three has so many bytes
/// (Loongson, Nehalem). Of few pages that lie anywhere, the places of single ones make plateaus.
const THIRD: u64 = 256 << 10;

/// Share of the rise below which an array fits in the first level: 17 lines in a set of 16 ways with random replacement
/// miss 0.19.
pub(crate) const FITS: f64 = 0.1;
/// The same in a level behind small pages: the i5-7500's L2 of four ways misses 0.18 with an array of half its size.
pub(crate) const FITS_BEHIND_PAGES: f64 = 0.2;
/// Share of the rise from which nothing is left of an array when it comes round again, but by chance.
pub(crate) const GONE: f64 = 0.85;

/// Sizes that one level serves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// Smallest size on it.
    pub from: u64,
    /// Largest size on it.
    pub to: u64,
    /// Nanoseconds per access: the median.
    pub cost: f64,
}

/// A plateau that ends at this many times the size where it begins is memory's: no level is so much larger than the one
/// above and then seen to its end only.
const LONG: u64 = 4;

impl Plateau {
    /// Whether these working sets are memory's, and not those of a level that is larger than all arrays measured.
    pub fn is_memory(&self) -> bool {
        self.to >= LONG * self.from
    }
}

/// The plateaus of a curve (size and cost), fastest first. Two sizes alone are one if they differ by less than the factor
/// `pair`.
pub(crate) fn plateaus(curve: &[(u64, f64)], pair: f64) -> Vec<Plateau> {
    let mut found: Vec<Plateau> = Vec::new();
    let mut start = 0;
    while start < curve.len() {
        let mut end = start;
        while end + 1 < curve.len() && curve[end + 1].1 < FLAT * median(&curve[start..=end]) {
            end += 1;
        }
        let cost = median(&curve[start..=end]);
        let sizes = end - start + 1;
        let flat = sizes > 2 || sizes == 2 && curve[end].1 < pair * curve[start].1 || end + 1 == curve.len();
        let higher = found.last().is_none_or(|last| cost > STEP * last.cost);
        if flat && higher && (found.len() < 2 || curve[end].0 >= THIRD) {
            found.push(Plateau { from: curve[start].0, to: curve[end].0, cost });
        } else if flat
            && !higher
            && let Some(last) = found.last_mut()
        {
            last.to = curve[end].0;
        }
        start = end + 1;
    }
    found
}

fn median(part: &[(u64, f64)]) -> f64 {
    stats::median(&part.iter().map(|point| point.1).collect::<Vec<_>>()).unwrap_or(f64::NAN)
}

/// Where a curve rises from one plateau to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rise {
    /// The largest size that fits; none if the smallest does not.
    pub(crate) fits: Option<u64>,
    /// The size after that.
    pub(crate) next: Option<u64>,
    /// The first size of which most misses.
    pub(crate) most_misses: Option<u64>,
    /// The first size of which nothing is left.
    pub(crate) gone: Option<u64>,
}

/// Reads a curve that rises: a size fits up to the value `fits`, and nothing of it is left from the value `gone` on.
pub(crate) fn rise(curve: &[(u64, f64)], fits: f64, most: f64, gone: f64) -> Rise {
    let last = curve.iter().rposition(|point| point.1 <= fits);
    let larger = &curve[last.map_or(0, |last| last + 1)..];
    let first = |above: f64| larger.iter().find(|point| point.1 >= above).map(|point| point.0);
    Rise {
        fits: last.map(|last| curve[last].0),
        next: larger.first().map(|point| point.0),
        most_misses: first(most),
        gone: first(gone),
    }
}
