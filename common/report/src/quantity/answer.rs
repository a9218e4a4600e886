//! Combines the numbers of an answer.

use super::terms::{Asked, Element, Term, has_number};
use super::words::{Mark, Unit};
use super::{Bracket, Doubt, Kind, Read, Value};

/// Largest difference of the two sides of an equals sign, as one may be rounded.
const ROUNDED: f64 = 0.01;
/// Largest difference of two forms of one number.
const SAME: f64 = 1e-9;

/// One statement of an answer.
#[derive(Debug, Clone)]
enum Said {
    Value {
        values: Vec<f64>,
        unit: Unit,
        weak: bool,
        doubtful: bool,
    },
    Range(Bracket, Unit),
    /// One end of a range.
    Low(Term, bool),
    High(Term, bool),
}

/// The statements, and what makes them doubtful.
#[derive(Debug, Default)]
struct Found {
    said: Vec<Said>,
    doubts: Vec<Doubt>,
    negated: bool,
    /// The right value would have to be computed from the number: "half of", "per way".
    computed: bool,
    /// Something was not understood.
    unknown: bool,
    /// A letter is not a number if there is another number.
    letter: bool,
    /// A unit is ignored if there is no number.
    unit: bool,
    /// A level or a quantity that the question does not name.
    elsewhere: bool,
    /// "fully associative": a number of ways that depends on the size.
    all_ways: bool,
}

/// Reads the parts of an answer.
pub(super) fn read(elements: &[Element], asked: &Asked) -> Read {
    let mut found = Found::default();
    found.sentences(elements, asked);
    found.whole(asked)
}

/// A sign or word for a bound: whether the answer is below or above a number.
fn bound(element: &Element) -> Option<(bool, bool)> {
    Some(match element {
        Element::Sign('≥') | Element::Mark(Mark::Least | Mark::Starting) => (true, false),
        Element::Sign('>') | Element::Mark(Mark::More) => (true, true),
        Element::Sign('≤') | Element::Mark(Mark::Most) => (false, false),
        Element::Sign('<') | Element::Mark(Mark::Less) => (false, true),
        _ => return None,
    })
}

/// Whether it is a level or a quantity that the question does not name.
fn elsewhere(element: &Element, asked: &Asked) -> bool {
    let Element::Thing(thing) = element else { return false };
    asked.things.as_ref().is_some_and(|things| !things.contains(thing))
}

/// Whether an unknown word or sign has no influence on the numbers.
fn known(side: &[Element], at: usize, numeric: bool) -> bool {
    let near = |at: Option<usize>| {
        let element = at.and_then(|at| side.get(at));
        let weak = matches!(element, Some(Element::Term(term)) if term.weak);
        (element.is_none(), !weak && element.is_some_and(has_number))
    };
    let [(first, behind), (last, before)] = [near(at.checked_sub(1)), near(Some(at + 1))];
    match &side[at] {
        Element::Unknown => false,
        _ if !numeric => true,
        Element::Mark(Mark::To) => !behind && !before,
        Element::Mark(Mark::Or) => before,
        Element::Mark(Mark::Times | Mark::Power | Mark::Minus | Mark::Beyond) => false,
        Element::Sign('*') => first || last,
        Element::Sign('+') => first,
        Element::Sign('/') => behind && before,
        Element::Sign('^' | '±') => false,
        _ => true,
    }
}

impl Found {
    /// Sentences and clauses, one by one.
    fn sentences(&mut self, elements: &[Element], asked: &Asked) {
        let ends = |element: &Element| matches!(element, Element::Sign(';' | ',' | ':' | '.' | '\n'));
        for sentence in elements.split(ends) {
            self.sentence(sentence, asked);
        }
    }

    /// The answer is the last side of an equation that has a number; a number alone on
    /// another side must agree. The computations on the other sides are ignored.
    fn sentence(&mut self, sentence: &[Element], asked: &Asked) {
        let sides: Vec<&[Element]> = sentence.split(|element| *element == Element::Sign('=')).collect();
        let last = sides.iter().rposition(|side| side.iter().any(has_number)).unwrap_or_default();
        let before = self.said.len();
        for side in &sides[last..] {
            self.side(side, asked);
        }
        for side in &sides[..last] {
            self.words(side, asked);
            let numbers: Vec<&Element> = side.iter().filter(|element| has_number(element)).collect();
            let [Element::Term(term)] = numbers[..] else { continue };
            // "32768/1024 = 32": the unit is omitted
            if asked.kind == Kind::Bytes && term.divides() {
                for said in &mut self.said[before..] {
                    if let Said::Value { unit: Unit::None, doubtful, .. } = said {
                        *doubtful = true;
                    }
                }
            }
            if !term.alone() || term.weak || term.unit(asked.kind) == Unit::Other {
                continue;
            }
            let Ok(other) = term.values(asked, Unit::None) else { continue };
            match &mut self.said[before..] {
                [Said::Value { values, unit, doubtful, .. }] if *unit != Unit::Other => {
                    let share = if asked.kind == Kind::Percent { 100.0 } else { 1.0 };
                    let near = |a: f64, b: f64| (a - b).abs() <= ROUNDED * a.abs().max(b.abs());
                    if values.iter().any(|a| other.iter().any(|b| near(*a, *b) || near(*a, share * b))) {
                        *doubtful = false;
                    } else {
                        self.doubts.push(Doubt::Several);
                    }
                }
                _ => self.doubts.push(Doubt::Several),
            }
        }
    }

    /// The words that are not part of an answer.
    fn words(&mut self, elements: &[Element], asked: &Asked) {
        for element in elements {
            self.elsewhere |= elsewhere(element, asked);
            match element {
                Element::Group(inner) => self.words(inner, asked),
                Element::Mark(Mark::Not | Mark::Unanswered) => self.negated = true,
                Element::Unknown => self.unknown = true,
                Element::Unit => self.unit = true,
                _ => {}
            }
        }
    }

    /// One side of an equals sign, or the whole without one.
    fn side(&mut self, side: &[Element], asked: &Asked) {
        let numeric = side.iter().any(has_number);
        let (mut between, mut pending) = (false, None);
        let mut at = 0;
        while at < side.len() {
            let element = &side[at];
            let before = at.checked_sub(1).map(|at| &side[at]);
            let mut next = at + 1;
            self.elsewhere |= elsewhere(element, asked);
            match element {
                Element::Term(term) => {
                    let joined = self.joined(side, at, between, pending, asked);
                    self.unknown |= between && joined.is_none();
                    next += joined.unwrap_or_else(|| self.term(term, pending, &side[at + 1..], asked));
                    (between, pending) = (false, None);
                }
                Element::Interval { ends: [low, high], open } => self.range(low, high, *open, asked),
                Element::Group(inner) if !has_number(element) => self.sentences(inner, asked),
                Element::Group(inner) => {
                    let operator = |element: Option<&Element>| {
                        matches!(element, Some(Element::Sign('*' | '/' | '^' | '+' | '-')))
                    };
                    if operator(before) || operator(side.get(at + 1)) {
                        self.doubts.push(Doubt::Notation);
                    } else {
                        self.sentences(inner, asked);
                    }
                }
                Element::Mark(Mark::Between) => between = true,
                Element::Mark(Mark::Not | Mark::Unanswered) => self.negated = true,
                Element::Mark(Mark::OneWay) if asked.kind == Kind::Count => {
                    self.value(vec![1.0], Unit::Asked(1.0), false, false);
                }
                Element::Mark(Mark::Computed) => self.computed = true,
                Element::Mark(Mark::PerSet) => self.computed |= asked.kind != Kind::Count,
                Element::Mark(Mark::AllWays) => self.all_ways = true,
                Element::Letter => self.letter = true,
                Element::Unit => self.unit = true,
                Element::Mark(Mark::About) => {}
                _ => {
                    let compared = matches!(before, Some(Element::Term(_)))
                        && matches!(element, Element::Sign(_))
                        && matches!(side.get(at + 1), Some(Element::Term(_)));
                    self.unknown |= pending.is_some() && numeric || !known(side, at, numeric);
                    // "I" is a word, and the Roman number one
                    self.letter |= side.len() == 1 && matches!(element, Element::Mark(_));
                    pending = bound(element);
                    if compared && pending.is_some() {
                        self.doubts.push(Doubt::Several);
                    }
                }
            }
            at = next;
        }
        // "at least: 16 KiB"
        self.unknown |= numeric && between || pending.is_some();
    }

    fn value(&mut self, values: Vec<f64>, unit: Unit, weak: bool, doubtful: bool) {
        self.said.push(Said::Value { values, unit, weak, doubtful });
    }

    /// A single number: how many more parts it takes.
    fn term(
        &mut self,
        term: &Term,
        pending: Option<(bool, bool)>,
        behind: &[Element],
        asked: &Asked,
    ) -> usize {
        let more = || behind.iter().skip(1).find(|e| **e != Element::Mark(Mark::About));
        let bounded = match behind.first() {
            _ if pending.is_some() => pending,
            // "16 <= size": the bound precedes the name
            Some(sign @ Element::Sign(_))
                if bound(sign).is_some() && more().is_some_and(|e| !has_number(e)) =>
            {
                bound(sign).map(|(low, open)| (!low, open))
            }
            Some(Element::Mark(Mark::Beyond)) => Some((true, false)),
            Some(Element::Sign('+')) if !more().is_some_and(has_number) => Some((true, false)),
            Some(Element::Sign('+')) => {
                self.doubts.push(Doubt::Notation);
                None
            }
            _ => None,
        };
        match bounded {
            Some((true, open)) => self.said.push(Said::Low(term.clone(), open)),
            Some((false, open)) => self.said.push(Said::High(term.clone(), open)),
            None if term.share(asked.kind) => self.computed = true,
            None => match term.values(asked, Unit::None) {
                Ok(values) => {
                    self.value(values, term.unit(asked.kind), term.weak, term.doubtful(asked));
                }
                Err(doubt) => self.doubts.push(doubt),
            },
        }
        usize::from(bounded.is_some() && pending.is_none())
    }

    /// A range that begins with the number at `at`: how many more parts it takes.
    fn joined(
        &mut self,
        side: &[Element],
        at: usize,
        between: bool,
        pending: Option<(bool, bool)>,
        asked: &Asked,
    ) -> Option<usize> {
        let Some(Element::Term(low)) = side.get(at) else { return None };
        let after = side[at + 1..].iter().position(|element| matches!(element, Element::Term(_)))?;
        let link: Vec<&Element> =
            side[at + 1..=at + after].iter().filter(|e| **e != Element::Mark(Mark::About)).collect();
        let Some(Element::Term(high)) = side.get(at + 1 + after) else { return None };
        if link == [&Element::Sign('±')] {
            self.around(low, high, asked);
            return Some(after + 1);
        }
        let units = [low.unit(asked.kind), high.unit(asked.kind)];
        if units.contains(&Unit::Other) && units.iter().any(|unit| matches!(unit, Unit::Asked(_))) {
            return None;
        }
        let to = |element: &Element| {
            matches!(element, Element::Mark(Mark::To) | Element::Sign('-' | '…'))
                || between && *element == Element::Mark(Mark::And)
        };
        let open = match link[..] {
            [Element::Mark(Mark::Most)] if pending.is_none() => false,
            [link] if to(link) => false,
            [link, less] if to(link) => match bound(less) {
                Some((false, open)) => open,
                _ => return None,
            },
            _ => return None,
        };
        let low_open = pending.is_some_and(|(low, open)| low && open);
        // "2^14-1" is a difference
        let falls =
            |low: &Term, high: &Term| match (low.values(asked, units[1]), high.values(asked, units[0])) {
                (Ok(lows), Ok(highs)) => {
                    // "1 - 25.1 %" is a difference
                    let share = asked.kind == Kind::Percent && low.unit(asked.kind) == Unit::None;
                    lows > highs || share && lows == [1.0]
                }
                _ => false,
            };
        if link == [&Element::Sign('-')] && falls(low, high) {
            self.doubts.push(Doubt::Notation);
        } else {
            self.range(low, high, [low_open, open], asked);
        }
        Some(after + 1)
    }

    /// `16 KiB ± 1`, `± 5 %`.
    fn around(&mut self, middle: &Term, off: &Term, asked: &Asked) {
        let unit = middle.unit(asked.kind);
        let lent = if unit == Unit::None { off.unit(asked.kind) } else { unit };
        let share = asked.kind != Kind::Percent && off.unit(asked.kind) == Unit::Other;
        let (Ok(middle), Ok(off)) = (middle.values(asked, lent), off.values(asked, lent)) else {
            self.doubts.push(Doubt::Notation);
            return;
        };
        let ([middle], [off]) = (&middle[..], &off[..]) else {
            self.doubts.push(Doubt::Notation);
            return;
        };
        let off = if share { middle * off / 100.0 } else { *off };
        self.bracket(middle - off, middle + off, [false; 2], lent);
    }

    fn range(&mut self, low: &Term, high: &Term, open: [bool; 2], asked: &Asked) {
        let units = [low.unit(asked.kind), high.unit(asked.kind)];
        let values = (low.values(asked, units[1]), high.values(asked, units[0]));
        let (Ok(lows), Ok(highs)) = values else {
            self.doubts.push(Doubt::Notation);
            return;
        };
        let unit = units.into_iter().find(|unit| *unit != Unit::None).unwrap_or(Unit::None);
        match (&lows[..], &highs[..]) {
            ([low], [high]) if units[0] == units[1] || low <= high => self.bracket(*low, *high, open, unit),
            _ => self.doubts.push(Doubt::Notation),
        }
    }

    fn bracket(&mut self, low: f64, high: f64, open: [bool; 2], unit: Unit) {
        if low == high {
            self.value(vec![low], unit, false, open != [false; 2]);
        } else if low < high {
            self.said.push(Said::Range(
                Bracket { low, high, low_open: open[0], high_open: open[1], unit: false },
                unit,
            ));
        } else {
            let [high_open, low_open] = open;
            self.said
                .push(Said::Range(Bracket { low: high, high: low, low_open, high_open, unit: false }, unit));
        }
    }

    /// The one answer, if all statements agree and all is understood.
    fn whole(self, asked: &Asked) -> Read {
        let (nothing, some) = (self.unknown || self.letter, self.unknown || self.unit);
        let elsewhere = self.elsewhere;
        match self.understood(asked) {
            Read::Nothing if nothing => Read::Unclear(Doubt::Unknown),
            Read::Value(_) | Read::Bracket(_) if some => Read::Unclear(Doubt::Unknown),
            Read::Value(_) | Read::Bracket(_) if elsewhere => Read::Unclear(Doubt::Elsewhere),
            read => read,
        }
    }

    fn understood(mut self, asked: &Asked) -> Read {
        if let Some(doubt) = self.doubts.first() {
            return Read::Unclear(*doubt);
        }
        let ends = self.ends(asked);
        if let Err(doubt) = ends {
            return Read::Unclear(doubt);
        }
        let unit = |said: &Said| match said {
            Said::Value { unit, .. } | Said::Range(_, unit) => *unit,
            Said::Low(term, _) | Said::High(term, _) => term.unit(asked.kind),
        };
        if self.negated && !self.said.is_empty() {
            return Read::Unclear(Doubt::Negated);
        }
        if self.computed || self.all_ways && asked.kind == Kind::Count {
            return Read::Unclear(Doubt::InWords);
        }
        if self.said.is_empty() {
            return Read::Nothing;
        }
        let with_unit = self.said.iter().any(|said| matches!(unit(said), Unit::Asked(_)));
        let besides = with_unit && self.said.iter().any(|said| unit(said) == Unit::Other);
        let strong = self.said.iter().any(|said| !matches!(said, Said::Value { weak: true, .. }));
        self.said.retain(|said| {
            let weak = matches!(said, Said::Value { weak: true, unit: Unit::None, .. });
            !(with_unit && unit(said) == Unit::Other || (with_unit || strong) && weak)
        });
        if self.said.iter().all(|said| unit(said) == Unit::Other) {
            return Read::Unclear(Doubt::OtherUnit);
        }
        self.one(besides)
    }

    /// Makes a range of its two ends.
    fn ends(&mut self, asked: &Asked) -> Result<(), Doubt> {
        let ends: Vec<Said> =
            self.said.iter().filter(|said| matches!(said, Said::Low(..) | Said::High(..))).cloned().collect();
        match &ends[..] {
            [] => return Ok(()),
            [Said::Low(low, low_open), Said::High(high, high_open)]
            | [Said::High(high, high_open), Said::Low(low, low_open)] => {
                self.said.retain(|said| !matches!(said, Said::Low(..) | Said::High(..)));
                self.range(low, high, [*low_open, *high_open], asked);
            }
            [_] => return Err(Doubt::OneEnd),
            _ => return Err(Doubt::Several),
        }
        self.doubts.first().map_or(Ok(()), |doubt| Err(*doubt))
    }

    fn one(self, besides: bool) -> Read {
        let mut said = self.said.into_iter();
        let Some(first) = said.next() else { return Read::Nothing };
        match first {
            Said::Range(bracket, unit) if said.next().is_none() => {
                Read::Bracket(Bracket { unit: unit != Unit::None, ..bracket })
            }
            Said::Value { values: mut readings, unit, mut doubtful, .. } => {
                let mut with_unit = unit != Unit::None;
                let same = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
                for other in said {
                    let Said::Value { values, unit, doubtful: other_doubtful, .. } = other else {
                        return Read::Unclear(Doubt::Several);
                    };
                    readings.retain(|a| values.iter().any(|b| same(*a, *b)));
                    with_unit |= unit != Unit::None;
                    doubtful &= other_doubtful;
                }
                match (readings.is_empty(), doubtful) {
                    (true, _) => Read::Unclear(Doubt::Several),
                    (_, true) => Read::Unclear(Doubt::Quotient),
                    _ => Read::Value(Value { readings, unit: with_unit, besides }),
                }
            }
            _ => Read::Unclear(Doubt::Several),
        }
    }
}
