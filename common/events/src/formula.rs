//! How a preset is computed from its native events: a postfix formula, as PAPI writes it
//! (`N0 N1 2 * +`).

use std::fmt;

/// A step of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// The count of the native event with that index.
    Count(usize),
    Constant(f64),
    Add,
    Subtract,
    Multiply,
}

/// How a preset is computed from its native events.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    steps: Vec<Step>,
    operands: usize,
}

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
    /// Of one native event.
    pub fn direct() -> Formula {
        Formula { steps: vec![Step::Count(0)], operands: 1 }
    }

    /// Of several, all added.
    pub fn sum(operands: usize) -> Formula {
        Formula::chained(operands, Step::Add)
    }

    /// The first minus all others.
    pub fn difference(operands: usize) -> Formula {
        Formula::chained(operands, Step::Subtract)
    }

    fn chained(operands: usize, step: Step) -> Formula {
        let rest = (1..operands).flat_map(|i| [Step::Count(i), step]);
        Formula { steps: std::iter::once(Step::Count(0)).chain(rest).collect(), operands }
    }

    /// Reads PAPI's postfix notation; `None` if it does not give one number from exactly
    /// `operands` native events.
    pub fn postfix(text: &str, operands: usize) -> Option<Formula> {
        let step = |token: &str| match token {
            "+" => Some(Step::Add),
            "-" => Some(Step::Subtract),
            "*" => Some(Step::Multiply),
            _ => match token.strip_prefix('N') {
                Some(number) => number.parse().ok().filter(|i| *i < operands).map(Step::Count),
                None => token.parse().ok().map(Step::Constant),
            },
        };
        let steps: Vec<Step> = text.split_whitespace().map(step).collect::<Option<_>>()?;
        let formula = Formula { steps, operands };
        formula.evaluate(&vec![1.0; operands]).map(|_| formula)
    }

    /// The preset's count from those of its native events, in order; `None` if there are
    /// too few. A difference can be negative.
    pub fn evaluate(&self, counts: &[f64]) -> Option<f64> {
        self.fold(
            |i| counts.get(i).copied(),
            |c| c,
            |a, step, b| match step {
                Step::Add => a + b,
                Step::Subtract => a - b,
                _ => a * b,
            },
        )
    }

    fn fold<T>(
        &self,
        count: impl Fn(usize) -> Option<T>,
        constant: impl Fn(f64) -> T,
        join: impl Fn(T, Step, T) -> T,
    ) -> Option<T> {
        let mut stack = Vec::new();
        for step in &self.steps {
            let value = match *step {
                Step::Count(i) => count(i)?,
                Step::Constant(c) => constant(c),
                operator => {
                    let right = stack.pop()?;
                    join(stack.pop()?, operator, right)
                }
            };
            stack.push(value);
        }
        let last = stack.pop()?;
        stack.is_empty().then_some(last)
    }

    /// PAPI's word for its kind.
    pub fn derivation(&self) -> Derivation {
        if self.operands == 1 && self.steps.len() == 1 {
            return Derivation::Direct;
        }
        [(Derivation::Sum, Step::Add), (Derivation::Difference, Step::Subtract)]
            .into_iter()
            .find(|(_, step)| *self == Formula::chained(self.operands, *step))
            .map_or(Derivation::Postfix, |(kind, _)| kind)
    }

    /// In the usual notation, with the native events' names.
    pub fn infix(&self, names: &[&str]) -> String {
        let text = self.fold(
            |i| names.get(i).map(|n| (n.to_string(), 2)),
            |c| (c.to_string(), 2),
            |(a, tight_a), step, (b, tight_b)| {
                let guard = |text: String, tight: u8, least: u8| {
                    if tight < least { format!("({text})") } else { text }
                };
                match step {
                    Step::Multiply => (format!("{} x {}", guard(b, tight_b, 1), guard(a, tight_a, 1)), 1),
                    Step::Subtract => (format!("{a} - {}", guard(b, tight_b, 1)), 0),
                    _ => (format!("{a} + {b}"), 0),
                }
            },
        );
        text.map(|(text, _)| text).unwrap_or_default()
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (0..self.operands).map(|i| format!("N{i}")).collect();
        f.write_str(&self.infix(&names.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papis_postfix_is_computed_and_written_readably() {
        let formula = Formula::postfix("N0 N1 2 * + N2 4 * +", 3).unwrap();
        assert_eq!(formula.evaluate(&[1.0, 10.0, 100.0]), Some(421.0));
        assert_eq!(formula.to_string(), "N0 + 2 x N1 + 4 x N2");
        assert_eq!(formula.derivation(), Derivation::Postfix);
        assert_eq!(formula.evaluate(&[1.0, 10.0]), None);
    }

    #[test]
    fn sums_and_differences_take_any_number() {
        assert_eq!(Formula::sum(3).evaluate(&[1.0, 2.0, 3.0]), Some(6.0));
        assert_eq!(Formula::difference(3).evaluate(&[1.0, 2.0, 3.0]), Some(-4.0));
        assert_eq!(Formula::difference(2).infix(&["ALL", "HITS"]), "ALL - HITS");
        assert_eq!(Formula::sum(2).derivation(), Derivation::Sum);
        assert_eq!(Formula::sum(1).derivation(), Derivation::Direct);
    }

    #[test]
    fn a_broken_formula_is_refused() {
        for text in ["N0 +", "N0 N1", "N2", "N0 N1 /", "", "N0 x +"] {
            assert_eq!(Formula::postfix(text, 2), None, "{text}");
        }
    }
}
