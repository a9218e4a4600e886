//! Numbers with their units, products and quotients; and the parts between them.

use super::tokens::{Lexeme, Numeral, Token, mark, words_from};
use super::words::{Mark, Unit, WORDS, single};
use super::{Doubt, Kind};

/// The context in which an answer is read.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) language: String,
    /// Whether the language has a decimal point.
    pub(super) point: bool,
    /// The levels and quantities that the question names, if they matter.
    pub(super) things: Option<Vec<&'static str>>,
}

impl Asked {
    /// The context of a question `about` something; if it names no level, the first is
    /// meant.
    pub(super) fn new(kind: Kind, language: &str, about: &[Lexeme]) -> Asked {
        let language = language.split('-').next().unwrap_or_default().to_lowercase();
        let point = WORDS.point.contains(&language);
        let mut things: Vec<&str> = about
            .iter()
            .filter_map(|lexeme| match &lexeme.token {
                Token::Word(word) => WORDS.thing(word),
                Token::Number(Numeral::Name { thing, .. }) => *thing,
                _ => None,
            })
            .collect();
        if !things.iter().any(|thing| thing.starts_with("level")) {
            things.push("level 1");
        }
        Asked { kind, language, point, things: (!about.is_empty()).then_some(things) }
    }
}

/// One number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Factor {
    numeral: Numeral,
    negative: bool,
    power: Option<f64>,
    unit: Unit,
    /// `KiB/way`: for one of several.
    share: bool,
}

/// A number, or several that are multiplied and divided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    first: Factor,
    rest: Vec<(char, Factor)>,
    pub(super) weak: bool,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element {
    Term(Term),
    /// `[16, 24)`, with the unit after it.
    Interval {
        ends: [Term; 2],
        open: [bool; 2],
    },
    /// Text in parentheses.
    Group(Vec<Element>),
    Mark(Mark),
    Sign(char),
    /// A word without influence on numbers, or a name.
    Word,
    /// A word for a level or a quantity.
    Thing(&'static str),
    /// A single letter: a quantity's name, or a number.
    Letter,
    /// A unit without a number.
    Unit,
    /// An unknown word or sign, or digits in a possibly misspelt word.
    Unknown,
}

pub(super) fn has_number(element: &Element) -> bool {
    match element {
        Element::Term(_) | Element::Interval { .. } => true,
        Element::Group(inner) => inner.iter().any(has_number),
        _ => false,
    }
}

/// The parts of an answer.
pub(super) fn elements(tokens: &[Lexeme], asked: &Asked) -> Vec<Element> {
    Parser { tokens, asked, at: 0 }.elements(None)
}

struct Parser<'t> {
    tokens: &'t [Lexeme],
    asked: &'t Asked,
    at: usize,
}

impl Parser<'_> {
    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)?.token {
            Token::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn spaced(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|lexeme| lexeme.spaced)
    }

    fn number(&self, at: usize) -> Option<Numeral> {
        match self.tokens.get(at)?.token {
            Token::Number(numeral) if !matches!(numeral, Numeral::Name { .. }) => Some(numeral),
            _ => None,
        }
    }

    fn elements(&mut self, close: Option<char>) -> Vec<Element> {
        let mut found: Vec<Element> = Vec::new();
        while let Some(lexeme) = self.tokens.get(self.at) {
            let element = match &lexeme.token {
                Token::Number(Numeral::Name { sure, thing }) => {
                    self.at += 1;
                    match thing {
                        Some(thing) if *sure => Element::Thing(thing),
                        None if *sure => Element::Word,
                        _ => Element::Unknown,
                    }
                }
                Token::Number(_) => Element::Term(self.term(false)),
                Token::Word(word) => self.word(word, found.last()),
                Token::Sign(sign @ ('-' | '+')) if self.signed(found.last()) => {
                    self.at += 1;
                    Element::Term(self.term(*sign == '-'))
                }
                Token::Sign(sign) if close == Some(*sign) => {
                    self.at += 1;
                    return found;
                }
                Token::Sign(sign @ ('(' | ')' | '[' | ']')) => self.bracket(*sign),
                Token::Sign(sign) => {
                    self.at += 1;
                    Element::Sign(*sign)
                }
            };
            found.push(element);
        }
        found
    }

    /// Whether a plus or minus is the sign of the number after it: not between two numbers,
    /// and not a dash after a word if the number cannot be negative.
    fn signed(&self, before: Option<&Element>) -> bool {
        let whole = matches!(self.asked.kind, Kind::Bytes | Kind::Count);
        let place = match before {
            None | Some(Element::Sign(_) | Element::Mark(_)) => true,
            Some(Element::Word | Element::Thing(_) | Element::Letter | Element::Unit | Element::Unknown) => {
                !whole && self.spaced(self.at)
            }
            Some(_) => false,
        };
        place && self.number(self.at + 1).is_some() && !self.spaced(self.at + 1)
    }

    fn word(&mut self, word: &str, before: Option<&Element>) -> Element {
        let words = words_from(self.tokens, self.at);
        // "no L1" of Portuguese
        let within = word == "no" && WORDS.no_is_in.contains(&self.asked.language) && {
            let next = self.tokens.get(self.at + 1).map(|lexeme| &lexeme.token);
            matches!(next, Some(Token::Word(_) | Token::Number(Numeral::Name { .. })))
        };
        let Some((mark, taken)) = WORDS.mark(&words).filter(|(_, taken)| !within || *taken > 1) else {
            let thing = WORDS.thing(word).map(Element::Thing);
            let letter = || WORDS.articles.iter().any(|article| article == word).then_some(Element::Letter);
            if let Some(element) = thing.or(within.then_some(Element::Word)).or_else(letter) {
                self.at += 1;
                return element;
            }
            let unit = WORDS.unit(&words, self.asked.kind);
            let (element, taken) = match unit {
                Some((Unit::Asked(scale), taken)) if scale != 1.0 => (Element::Unit, taken),
                Some((_, taken)) => (Element::Word, taken),
                None if WORDS.filler(word) => (Element::Word, 1),
                None if single(word) => (Element::Letter, 1),
                None => (Element::Unknown, 1),
            };
            self.at += taken;
            return element;
        };
        self.at += taken;
        if mark == Mark::Minus && self.number(self.at).is_some() && !before.is_some_and(has_number) {
            return Element::Term(self.term(true));
        }
        Element::Mark(mark)
    }

    /// An interval, text in parentheses, or the end of something.
    fn bracket(&mut self, open: char) -> Element {
        let begun = self.at;
        if let Some(interval) = self.interval(open) {
            return interval;
        }
        self.at = begun + 1;
        let close = if open == '(' { ')' } else { ']' };
        let closed =
            matches!(open, '(' | '[') && (self.at..self.tokens.len()).any(|at| self.sign(at) == Some(close));
        match open {
            '(' | '[' if closed => Element::Group(self.elements(Some(close))),
            ')' | ']' => Element::Sign(';'),
            _ => Element::Unknown,
        }
    }

    fn interval(&mut self, open: char) -> Option<Element> {
        let low = self.end(open == ')')?;
        let between = self.sign(self.at).filter(|sign| matches!(sign, ';' | ',' | '…' | '-' | ':'));
        if between.is_none() && mark(self.tokens, self.at)?.0 != Mark::To {
            return None;
        }
        let mut high = self.end(false)?;
        let close = self.sign(self.at).filter(|sign| matches!(sign, ')' | ']' | '['))?;
        if open == '(' && close == ')' {
            return None;
        }
        self.at += 1;
        if let Some((unit, share)) = self.unit() {
            (high.first.unit, high.first.share) = (unit, share);
        }
        Some(Element::Interval { ends: [low, high], open: [open != '[', close != ']'] })
    }

    /// The number after a bracket or a comma.
    fn end(&mut self, never: bool) -> Option<Term> {
        self.at += 1;
        (!never && self.number(self.at).is_some()).then(|| self.term(false))
    }

    fn term(&mut self, negative: bool) -> Term {
        let weak = self.tokens[self.at].weak;
        let first = self.factor(negative);
        let mut term = Term { first, rest: Vec::new(), weak };
        loop {
            let begun = self.at;
            let op = match (self.sign(self.at), mark(self.tokens, self.at)) {
                (Some(sign @ ('*' | '/')), _) => {
                    self.at += 1;
                    sign
                }
                (_, Some((Mark::Times, taken))) => {
                    self.at += taken;
                    '*'
                }
                _ => return term,
            };
            if self.number(self.at).is_none() {
                self.at = begun;
                return term;
            }
            let factor = self.factor(false);
            // "16 KiB / 2 ways" are two answers
            let apart = matches!(
                (term.unit(self.asked.kind), factor.unit),
                (Unit::Asked(_), Unit::Other) | (Unit::Other, Unit::Asked(_))
            );
            if op == '/' && apart {
                self.at = begun;
                return term;
            }
            term.rest.push((op, factor));
        }
    }

    fn factor(&mut self, negative: bool) -> Factor {
        let numeral = self.number(self.at).unwrap_or(Numeral::Unreadable);
        self.at += 1;
        let mut factor = Factor { numeral, negative, power: None, unit: Unit::None, share: false };
        factor.power = self.power();
        (factor.unit, factor.share) = self.unit().unwrap_or((Unit::None, false));
        factor
    }

    /// `^14`, `^(14)`, `^-3`, "to the power of 14".
    fn power(&mut self) -> Option<f64> {
        let mut at = match (self.sign(self.at), mark(self.tokens, self.at)) {
            (Some('^'), _) => self.at + 1,
            (_, Some((Mark::Power, taken))) => self.at + taken,
            _ => return None,
        };
        let grouped = self.sign(at) == Some('(');
        at += usize::from(grouped);
        let negative = self.sign(at) == Some('-');
        at += usize::from(negative);
        let Some(Numeral::Plain(power)) = self.number(at) else { return None };
        at += 1;
        if grouped && self.sign(at) == Some(')') {
            at += 1;
        }
        self.at = at;
        Some(if negative { -power } else { power })
    }

    /// `KiB`, `-way`, `(KiB)`, and whether it is per something: `B/line`.
    fn unit(&mut self) -> Option<(Unit, bool)> {
        let of = |at: usize| WORDS.unit(&words_from(self.tokens, at), self.asked.kind);
        let hyphen = self.sign(self.at) == Some('-') && !self.spaced(self.at) && !self.spaced(self.at + 1);
        // "2-х канальный"
        let plural = usize::from(hyphen && words_from(self.tokens, self.at + 1).first() == Some(&"х"));
        let (unit, end) = if let Some((unit, taken)) = of(self.at) {
            (unit, self.at + taken)
        } else if hyphen && let Some((unit, taken)) = of(self.at + 1 + plural) {
            (unit, self.at + 1 + plural + taken)
        } else if let (Some('(' | '['), Some((unit, taken))) = (self.sign(self.at), of(self.at + 1))
            && matches!(self.sign(self.at + 1 + taken), Some(')' | ']'))
        {
            (unit, self.at + 2 + taken)
        } else {
            return self.foreign(self.at);
        };
        let prefix = matches!(&self.tokens[end - 1].token, Token::Word(word) if WORDS.prefix(word));
        if prefix && let Some(foreign) = self.foreign(end) {
            return Some(foreign);
        }
        self.at = end;
        let share = self.sign(end) == Some('/') && !words_from(self.tokens, end + 1).is_empty();
        self.at += 2 * usize::from(share);
        Some((unit, share))
    }

    /// A word that cannot follow a number without a unit: `600 clocks`.
    fn foreign(&mut self, at: usize) -> Option<(Unit, bool)> {
        let word = *words_from(self.tokens, at).first()?;
        let foreign = mark(self.tokens, at).is_none() && WORDS.foreign(word);
        self.at = if foreign { at + 1 } else { self.at };
        foreign.then_some((Unit::Foreign, false))
    }
}

impl Term {
    fn factors(&self) -> impl Iterator<Item = &Factor> {
        std::iter::once(&self.first).chain(self.rest.iter().map(|(_, factor)| factor))
    }

    /// The unit of the whole.
    pub(super) fn unit(&self, kind: Kind) -> Unit {
        let asked = || self.factors().map(|f| f.unit).filter(|unit| matches!(unit, Unit::Asked(_)));
        let other = self.factors().any(|factor| matches!(factor.unit, Unit::Other | Unit::Foreign));
        match asked().next() {
            Some(unit) if !other || kind == Kind::Bytes => {
                let dimensionless = asked().count() == 2 && self.divides();
                if dimensionless { Unit::None } else { unit }
            }
            _ if other => Unit::Other,
            _ => Unit::None,
        }
    }

    pub(super) fn divides(&self) -> bool {
        self.rest.iter().any(|(op, _)| *op == '/')
    }

    /// Whether it is a quotient that nobody would write for one number: "16/32 KiB" may
    /// mean two sizes.
    pub(super) fn doubtful(&self, asked: &Asked) -> bool {
        let whole = |factor: &Factor| matches!(factor.numeral, Numeral::Plain(n) if n.fract() == 0.0);
        let whole = !self.alone() && self.factors().all(whole);
        let part = self.first.numeral == Numeral::Plain(1.0) && self.rest.len() == 1;
        match asked.kind {
            // "74·9" may have a decimal point, "3/4" may be a share
            Kind::Percent => whole || self.divides(),
            Kind::Number => whole != self.divides(),
            Kind::Bytes => {
                let large = matches!(self.unit(asked.kind), Unit::Asked(scale) if scale >= 1024.0);
                self.divides() && !(part && large)
            }
            Kind::Count | Kind::Ns => self.divides(),
        }
    }

    /// Whether it is the size of one of several: "8 KiB/way".
    pub(super) fn share(&self, kind: Kind) -> bool {
        kind == Kind::Bytes && self.alone() && self.first.share
    }

    /// Whether it is a number alone.
    pub(super) fn alone(&self) -> bool {
        self.rest.is_empty()
    }

    /// Its possible values: one, or two if a comma or dot is ambiguous. Without a unit of
    /// its own it has the unit `lent` to it.
    pub(super) fn values(&self, asked: &Asked, lent: Unit) -> Result<Vec<f64>, Doubt> {
        let scale = match (self.unit(asked.kind), lent) {
            (Unit::Asked(scale), _) | (Unit::None, Unit::Asked(scale)) => scale,
            _ => 1.0,
        };
        let first = self.first.values(asked, scale)?;
        let mut values: Vec<f64> = first;
        for (op, factor) in &self.rest {
            let [by] = factor.values(asked, scale)?[..] else { return Err(Doubt::Notation) };
            values.iter_mut().for_each(|value| *value = if *op == '*' { *value * by } else { *value / by });
        }
        values.iter_mut().for_each(|value| *value *= scale);
        if values.iter().all(|value| value.is_finite()) { Ok(values) } else { Err(Doubt::Notation) }
    }
}

impl Factor {
    fn values(&self, asked: &Asked, scale: f64) -> Result<Vec<f64>, Doubt> {
        if self.unit == Unit::Foreign {
            return Err(Doubt::OtherUnit);
        }
        let whole = |amount: f64| (amount * scale).fract() == 0.0;
        // these are whole numbers
        let indivisible = asked.kind == Kind::Count || asked.kind == Kind::Bytes && scale <= 1.0;
        let mut amounts = match self.numeral {
            Numeral::Plain(amount) => vec![amount],
            Numeral::Unreadable | Numeral::Name { .. } => return Err(Doubt::Notation),
            Numeral::Marked { mark, decimal, grouped } => {
                let own = mark == if asked.point { '.' } else { ',' };
                match grouped {
                    Some(grouped) if indivisible => vec![grouped],
                    Some(_) if own || asked.kind == Kind::Percent => vec![decimal],
                    Some(grouped) if asked.kind == Kind::Bytes && !whole(decimal) => vec![grouped],
                    Some(grouped) => vec![grouped, decimal],
                    None => {
                        let list = mark == ',' && decimal >= 1.0 && !whole(decimal);
                        if list && (indivisible || asked.kind == Kind::Bytes && asked.point) {
                            return Err(Doubt::Several);
                        }
                        vec![decimal]
                    }
                }
            }
        };
        for amount in &mut amounts {
            if let Some(power) = self.power {
                *amount = amount.powf(power);
            }
            if self.negative {
                *amount = -*amount;
            }
        }
        Ok(amounts)
    }
}
