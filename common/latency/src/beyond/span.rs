//! How far samples of a figure scatter.

/// Samples of each figure, ...
const SAMPLES: usize = 5;
/// ... each the least disturbed of so many times.
const TIMES: usize = 3;

/// Samples that differ by a larger share than this decide nothing.
pub(super) const STEADY: f64 = 0.3;

/// The least and the greatest of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// How many there are.
    pub samples: usize,
}

impl Span {
    /// Of the least times of some work: whoever shares the machine only adds to them.
    pub(super) fn of(mut time: impl FnMut() -> f64) -> Span {
        let samples = (0..SAMPLES).map(|_| (0..TIMES).map(|_| time()).fold(f64::INFINITY, f64::min));
        samples.fold(Span { low: f64::INFINITY, high: 0.0, samples: SAMPLES }, |span, sample| Span {
            low: span.low.min(sample),
            high: span.high.max(sample),
            ..span
        })
    }

    /// What a decreasing function makes of it.
    pub(super) fn inverse(self, of: impl Fn(f64) -> f64) -> Span {
        Span { low: of(self.high), high: of(self.low), ..self }
    }

    /// Whether the samples agree to so large a share of the least.
    pub(super) fn within(self, share: f64) -> bool {
        self.high <= (1.0 + share) * self.low
    }
}
