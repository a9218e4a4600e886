//! The size of a level by the likelihood of a whole curve: every hypothesis predicts which share
//! of a walk misses at each working set, all points are compared with it, and the answer is all
//! sizes within given odds of the best.
//!
//! Behind pages that lie anywhere, and where a hash of the address picks the set, sets fill
//! at random: of a working set that fits some sets have too many lines.

/// Sizes whose odds against the best are worse than 1 to this are excluded.
pub(super) const ODDS: f64 = 1000.0;
/// Sizes in each doubling.
const STEPS: u64 = 8;
/// Ways that levels behind the first have.
const WAYS: [u64; 8] = [1, 2, 4, 6, 8, 12, 16, 20];
/// Levels behind the first with fewer ways than four are so much rarer.
const FEW_WAYS: u64 = 4;
const RARE: f64 = 30.0;
/// Points that are off by more than this many times their noise, on the average, are no curve of one level.
pub(super) const UNEXPLAINED: f64 = 3.0;
/// Pages lie in clumps, not one by one: the variance of their counts is so many times that of independent ones
/// (1.6 if all pages in pieces of 2 MiB of a virtual machine are drawn; the experiments draw few of each).
pub const CLUMPED: f64 = 1.5;

/// A miss costs this share of a hit more, at the least.
const SMALLEST: f64 = 0.5;
/// Others hold parts of each cache, more or less of them: a point may be off by this share of the rise
/// between the points around it.
const STEEP: f64 = 0.25;
/// Terms of a cost: a hit, a miss, its growth with the working set, a miss of the next level too.
const TERMS: usize = 4;
/// Ways of the next level: of so many, few more or less differ little.
const NEXT_WAYS: u64 = 12;
type Terms = [f64; TERMS];
/// Times that each coefficient of a fit is improved.
const ROUNDS: usize = 200;
/// The next level's size over that of the level, where its end is seen.
const NEXT: [f64; 10] = [f64::INFINITY, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0, 22.0, 32.0];

/// How far a hypothesis is off and its costs; it, and how much larger the next level is.
type Scored = ((f64, f64, Terms), Hypothesis, f64);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Hypothesis {
    size: u64,
    ways: u64,
    /// Bytes that share one random choice of their sets: a page, or a line if a hash of the address picks the set.
    piece: u64,
}

/// One working set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its size in bytes.
    pub bytes: u64,
    /// Cost, or misses per access.
    pub value: f64,
    /// How far that may be off (standard deviation), without the chance of where pages lie.
    pub noise: f64,
    /// Times that pages were drawn.
    pub draws: usize,
}

/// Sizes that the points allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizes {
    /// The smallest, in bytes.
    pub low: u64,
    /// The largest, in bytes.
    pub high: u64,
    /// Whether only sets picked by a hash explain the points.
    pub hashed: bool,
    /// The next level, if none of the sizes explains the points without one that ends too.
    pub next: Option<Next>,
    /// Whether some of the sizes do with such a level.
    pub may_have_next: bool,
}

/// The level behind the one of which walks were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Next {
    /// Its size in bytes: the smallest, if it stores none of the lines of the level above, and the largest.
    pub sizes: (f64, f64),
    /// What a miss in the level above costs, if it hits this one: the least and the most.
    pub steps: (f64, f64),
    /// The likeliest such cost.
    pub step: f64,
}

/// Smallest and largest size, and cost, of the next level in a hypothesis that has one.
fn next_of((off, h, times): &Scored) -> Option<((f64, f64), f64)> {
    let [_, step, grown, beyond] = off.2;
    // walks of half of it show what it costs
    let doublings = (times / 2.0).log2().max(0.0);
    let size = h.size as f64;
    (times.is_finite() && beyond > 0.0)
        .then(|| ((size * (times - 1.0), size * times), step + grown * doublings))
}

fn range(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    values.clone().reduce(f64::min).zip(values.reduce(f64::max))
}

impl Hypothesis {
    /// Bytes of which each is in a set of its own, picked at random, and sets of such.
    fn bins(self) -> (u64, f64) {
        let piece = self.piece.min(self.size / self.ways);
        (piece, self.size as f64 / (self.ways * piece) as f64)
    }

    /// Share of the accesses to `bytes` that go to sets with more lines than ways.
    fn misses(self, bytes: u64) -> f64 {
        let (piece, bins) = self.bins();
        let others = (bytes as f64 / piece as f64 - 1.0).max(0.0);
        if bins <= 1.0 {
            return if bytes > self.size { 1.0 } else { 0.0 };
        }
        let chance = 1.0 / bins;
        let mut exactly = (others * (-chance).ln_1p()).exp();
        let mut at_most = 0.0;
        for k in 0..self.ways {
            at_most += exactly;
            exactly *= (others - k as f64).max(0.0) / (k + 1) as f64 * chance / (1.0 - chance);
        }
        (1.0 - at_most).clamp(0.0, 1.0)
    }

    /// The share of accesses that miss in a next level `times` times as large.
    fn next_misses(self, bytes: u64, times: f64) -> f64 {
        if times.is_infinite() {
            return 0.0;
        }
        let size = (self.size as f64 * times) as u64;
        Hypothesis { size, ways: NEXT_WAYS, ..self }.misses(bytes)
    }

    /// How far the points are off: the sum of squares, each over its variance, and what larger variances
    /// and small chances are to pay. Sets fill at random, so what few sets are expected to miss is most
    /// often nothing at all.
    fn off(self, points: &[Point], hit: Option<f64>, next: f64) -> (f64, f64, Terms) {
        let columns: Vec<Terms> = points
            .iter()
            .map(|point| {
                let misses = self.misses(point.bytes);
                let grown = (point.bytes as f64 / self.size as f64).log2().max(0.0);
                [1.0, misses, misses * grown, self.next_misses(point.bytes, next)]
            })
            .collect();
        let fit = |weights: &[f64]| match hit {
            None => [0.0, 1.0, 0.0, 0.0],
            Some(_) => least_squares(&columns, points, weights),
        };
        let noise: Vec<f64> = points.iter().map(|point| 1.0 / (point.noise * point.noise)).collect();
        let [_, step, _, next_step] = fit(&noise);
        let bins = self.bins().1;
        let weights: Vec<f64> = points
            .iter()
            .zip(&columns)
            .map(|(point, [_, misses, _, next])| {
                let chance =
                    step * step * misses * (1.0 - misses) + next_step * next_step * next * (1.0 - next);
                1.0 / (point.noise * point.noise + chance * CLUMPED / bins.max(1.0) / point.draws as f64)
            })
            .collect();
        let fit = fit(&weights);
        if hit.is_some_and(|hit| fit[1] < SMALLEST * hit) {
            return (f64::INFINITY, 0.0, fit);
        }
        let likelier = points.iter().zip(&columns).zip(&weights).map(|((point, columns), weight)| {
            let [hit, misses, _, next] = *columns;
            // the chance that no set has more lines than ways, in all draws
            let none_full =
                if bins <= 1.0 { 1.0 - misses } else { (-bins * misses * point.draws as f64).exp() };
            let off = |columns: &Terms, weight: f64, chance: f64| {
                let off = point.value - predicted(columns, fit);
                (weight * off * off, -weight.ln() - 2.0 * chance.ln())
            };
            let full = off(columns, *weight, 1.0 - none_full);
            let none = off(&[hit, 0.0, 0.0, next], point.noise.powi(-2), none_full);
            if full.0 + full.1 < none.0 + none.1 { full } else { none }
        });
        likelier.fold((0.0, 0.0, fit), |all, one| (all.0 + one.0, all.1 + one.1, fit))
    }
}

fn predicted(columns: &Terms, fit: Terms) -> f64 {
    columns.iter().zip(fit).map(|(x, c)| x * c).sum()
}

/// Coefficients of at least 0 that make the weighted squares least: each in turn, while the others stay
/// (coordinate descent).
fn least_squares(columns: &[Terms], points: &[Point], weights: &[f64]) -> Terms {
    let product = |i: usize, other: &dyn Fn(usize) -> f64| -> f64 {
        columns.iter().zip(weights).enumerate().map(|(at, (row, weight))| weight * row[i] * other(at)).sum()
    };
    let right: Terms = std::array::from_fn(|i| product(i, &|at| points[at].value));
    let products: [Terms; TERMS] =
        std::array::from_fn(|i| std::array::from_fn(|j| product(i, &|at| columns[at][j])));
    let mut fit = [0.0; TERMS];
    for at in (0..TERMS).cycle().take(ROUNDS * TERMS).filter(|at| products[*at][*at] > 0.0) {
        let left = right[at] - predicted(&products[at], fit);
        fit[at] = (fit[at] + left / products[at][at]).max(0.0);
    }
    fit
}

/// How much likelier a hypothesis is than all others together, by the logarithms of their likelihoods.
pub fn odds(best: f64, others: impl Iterator<Item = f64>) -> f64 {
    // a sum of none is -0
    1.0 / others.map(|other| (other - best).exp()).fold(0.0, |all, one| all + one)
}

/// The sizes that hypotheses have.
fn all_sizes() -> impl Iterator<Item = u64> {
    (10..40).flat_map(|k| (STEPS..2 * STEPS).map(move |m| (1_u64 << k) * m / STEPS))
}

/// The next larger size that a hypothesis has.
pub fn next_size(size: u64) -> u64 {
    all_sizes().find(|other| *other > size).unwrap_or(u64::MAX)
}

/// The sizes from `low` to `high` bytes that the points allow, behind pages of `page` bytes and
/// with lines of `line` bytes; `None` if no hypothesis explains them. The points are the shares of the
/// accesses that miss; or costs, about `hit` where all hits, and more where all misses, which may grow
/// with the working set.
pub fn sizes(
    points: &[Point],
    (low, high): (u64, u64),
    (page, line): (u64, u64),
    hit: Option<f64>,
) -> Option<Sizes> {
    let steep = if hit.is_none() { 0.0 } else { STEEP };
    let disturbed = |(at, point): (usize, &Point)| {
        let [before, after] =
            [at.saturating_sub(1), (at + 1).min(points.len() - 1)].map(|at| points[at].value);
        Point { noise: point.noise.max(steep * (after - before).abs()), ..*point }
    };
    let points = &points.iter().enumerate().map(disturbed).collect::<Vec<_>>()[..];
    let all = all_sizes().filter(|size| (low..=high).contains(size)).flat_map(|size| {
        WAYS.into_iter().flat_map(move |ways| [page, line].map(|piece| Hypothesis { size, ways, piece }))
    });
    let nexts = if hit.is_none() { &NEXT[..1] } else { &NEXT };
    let scored: Vec<Scored> = all
        .flat_map(|h| nexts.iter().map(move |next| (h, *next)))
        .map(|(h, next)| (h.off(points, hit, next), h, next))
        .filter(|(off, ..)| off.0.is_finite())
        .collect();
    let ((squares, ..), ..) = scored.iter().min_by(|a, b| (a.0.0 + a.0.1).total_cmp(&(b.0.0 + b.0.1)))?;
    // what the best leaves says how far the noise was underestimated
    let excess = (squares / points.len() as f64).max(1.0);
    if excess > UNEXPLAINED * UNEXPLAINED {
        return None;
    }
    let odds = |((squares, variances, _), h, _): &Scored| {
        (squares / excess + variances) / 2.0 + if h.ways < FEW_WAYS { RARE.ln() } else { 0.0 }
    };
    let best = scored.iter().map(odds).fold(f64::INFINITY, f64::min);
    let allowed = || scored.iter().filter(|one| odds(one) - best <= ODDS.ln());
    let within = || allowed().map(|one| one.1);
    let likeliest = allowed().min_by(|a, b| odds(a).total_cmp(&odds(b)))?;
    Some(Sizes {
        low: within().map(|h| h.size).min()?,
        high: within().map(|h| h.size).max()?,
        hashed: within().all(|h| h.piece == line),
        next: allowed().map(next_of).collect::<Option<Vec<_>>>().and_then(|all| {
            Some(Next {
                sizes: (range(all.iter().map(|one| one.0.0))?.0, range(all.iter().map(|one| one.0.1))?.1),
                steps: range(all.iter().map(|one| one.1))?,
                step: next_of(likeliest)?.1,
            })
        }),
        may_have_next: allowed().any(|one| next_of(one).is_some()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks over all lines of working sets on a virtual Zen 4 whose second level has 1 MiB, from 320 KiB,
    /// behind the first TLB's reach, on: KiB, the smallest and the median of seven, in ns.
    const QUIET: &str = include_str!("walks/quiet.csv");
    const QUIET_AGAIN: &str = include_str!("walks/quiet-again.csv");
    const WITH_A_HOG: &str = include_str!("walks/hog.csv");

    #[test]
    fn recorded_walks_show_the_second_level() {
        for (recorded, factor) in [(QUIET, 2), (QUIET_AGAIN, 2), (WITH_A_HOG, 3)] {
            let points: Vec<Point> = recorded
                .lines()
                .skip(1)
                .filter_map(|line| {
                    let [kib, least, median, _] =
                        line.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>()[..]
                    else {
                        return None;
                    };
                    Some(Point {
                        bytes: (kib * 1024.0) as u64,
                        value: least,
                        noise: (0.04 * least).max(median - least),
                        draws: 7,
                    })
                })
                .filter(|point| 320 << 10 <= point.bytes)
                .collect();
            let found = sizes(&points, (128 << 10, 16 << 20), (4096, 64), Some(6.0)).unwrap();
            assert!(
                found.low <= 1 << 20 && 1 << 20 <= found.high && found.high <= factor * found.low,
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_hypothesis_without_others_has_all_the_odds() {
        assert_eq!(odds(-3.0, std::iter::empty()), f64::INFINITY);
    }

    /// Walks of a second level of 1 MiB, of the third of which others leave less than twice as much.
    #[test]
    fn a_next_level_that_is_hardly_larger_does_not_exclude_the_size() {
        let level = |size, ways| Hypothesis { size, ways, piece: 64 };
        for next in [1792 << 10, 2304 << 10, 8 << 20] {
            let (second, third) = (level(1 << 20, 8), level(next, 16));
            let point = |bytes: u64| {
                let value = 3.8 + 9.2 * second.misses(bytes) + 75.0 * third.misses(bytes);
                Point { bytes, value, noise: 0.04 * value, draws: 4 }
            };
            let bytes = (7..13).flat_map(|power| [4, 5, 6, 7].map(|part| (1024_u64 << power) * part / 4));
            let points: Vec<Point> = bytes.map(point).collect();
            let found = sizes(&points, (128 << 10, 6 << 20), (4096, 64), Some(3.8)).unwrap();
            assert!(found.low <= 1 << 20 && 1 << 20 <= found.high, "{next}: {found:?}");
        }
    }
}
