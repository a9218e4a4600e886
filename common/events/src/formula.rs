//! How a preset is computed from its native events: the sum of their counts, each times a factor.

/// The factors of the native events, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula(Vec<f64>);

/// PAPI's name for the kind of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivation {
    /// One native event.
    Direct,
    /// The sum of several.
    Sum,
    /// The first minus the others.
    Difference,
    /// Anything else.
    Postfix,
}

impl Derivation {
    /// PAPI's constant.
    pub fn papi_name(self) -> &'static str {
        match self {
            Derivation::Direct => "NOT_DERIVED",
            Derivation::Sum => "DERIVED_ADD",
            Derivation::Difference => "DERIVED_SUB",
            Derivation::Postfix => "DERIVED_POSTFIX",
        }
    }
}

impl Formula {
    /// The count of one native event.
    pub fn direct() -> Formula {
        Formula(vec![1.0])
    }

    /// Reads the formula of `operands` native events: `sum`, `difference` (the first minus the
    /// others), or a factor for each; empty for a single event.
    pub(crate) fn parse(text: &str, operands: usize) -> Option<Formula> {
        let factors: Vec<f64> = match text {
            "" | "sum" => vec![1.0; operands],
            "difference" => (0..operands).map(|i| if i == 0 { 1.0 } else { -1.0 }).collect(),
            factors => factors.split(' ').map(|factor| factor.parse().ok()).collect::<Option<_>>()?,
        };
        (factors.len() == operands && (operands < 2 || !text.is_empty())).then_some(Formula(factors))
    }

    /// The preset's count from those of its native events, in order. A difference can be
    /// negative.
    pub fn evaluate(&self, counts: &[f64]) -> f64 {
        self.0.iter().zip(counts).map(|(factor, count)| factor * count).sum()
    }

    /// PAPI's word for its kind.
    pub fn derivation(&self) -> Derivation {
        let (first, others) = self.0.split_first().unwrap_or((&1.0, &[]));
        let all = |wanted: f64| *first == 1.0 && others.iter().all(|factor| *factor == wanted);
        match others {
            [] => Derivation::Direct,
            _ if all(1.0) => Derivation::Sum,
            _ if all(-1.0) => Derivation::Difference,
            _ => Derivation::Postfix,
        }
    }

    /// In the usual notation, with the native events' names.
    pub fn infix(&self, names: &[&str]) -> String {
        let mut text = String::new();
        for (factor, name) in self.0.iter().zip(names) {
            let sign = if *factor < 0.0 { " - " } else { " + " };
            text += if text.is_empty() { "" } else { sign };
            text +=
                &if factor.abs() == 1.0 { (*name).to_owned() } else { format!("{} x {name}", factor.abs()) };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_computed_named_and_written() {
        for (text, value, kind, infix) in [
            ("sum", 111.0, Derivation::Sum, "A + B + C"),
            ("difference", -109.0, Derivation::Difference, "A - B - C"),
            ("1 2 4", 421.0, Derivation::Postfix, "A + 2 x B + 4 x C"),
        ] {
            let formula = Formula::parse(text, 3).unwrap();
            assert_eq!(formula.evaluate(&[1.0, 10.0, 100.0]), value);
            assert_eq!((formula.derivation(), formula.infix(&["A", "B", "C"]).as_str()), (kind, infix));
        }
        assert_eq!(Formula::parse("", 1), Some(Formula::direct()));
        assert_eq!(Formula::direct().derivation(), Derivation::Direct);
        for text in ["", "1 2", "1 2 3 4", "1 x 3"] {
            assert_eq!(Formula::parse(text, 3), None, "{text}");
        }
    }
}
