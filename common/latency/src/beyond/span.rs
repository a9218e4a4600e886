//! How far samples of a figure scatter.

/// Samples of each figure, ...
const SAMPLES: usize = 5;
/// ... each the least disturbed of so many repetitions.
const TIMES: usize = 3;

/// If samples differ by more than this share, the result is undecided.
pub(super) const STEADY: f64 = 0.3;

/// The smallest and the largest of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Their number.
    pub samples: usize,
}

impl Span {
    /// Of the shortest times of some work: other programs can only make it slower.
    pub(super) fn of(mut time: impl FnMut() -> f64) -> Span {
        let samples = (0..SAMPLES).map(|_| (0..TIMES).map(|_| time()).fold(f64::INFINITY, f64::min));
        samples.fold(Span { low: f64::INFINITY, high: 0.0, samples: SAMPLES }, |span, sample| Span {
            low: span.low.min(sample),
            high: span.high.max(sample),
            ..span
        })
    }

    /// The result of a decreasing function.
    pub(super) fn inverse(self, of: impl Fn(f64) -> f64) -> Span {
        Span { low: of(self.high), high: of(self.low), ..self }
    }

    /// Whether the samples differ by at most this share of the smallest.
    pub(super) fn within(self, share: f64) -> bool {
        self.high <= (1.0 + share) * self.low
    }
}
