//! Numbers, words and signs of an answer in plain text.

use super::Kind;
use super::words::{Mark, Unit, WORDS, is};

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(Numeral),
    Word(String),
    Sign(char),
}

/// A token with its context.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    /// Whether there is a blank before it.
    pub(super) spaced: bool,
    /// Whether it counts as a number only if there is no other: `1.` of a list.
    pub(super) weak: bool,
}

/// A number in the form in which it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Numeral {
    Plain(f64),
    /// With one comma or dot, which separates decimals or thousands.
    Marked {
        mark: char,
        decimal: f64,
        grouped: Option<f64>,
    },
    /// Part of a name; uncertain if it may be a misspelt unit.
    Name {
        sure: bool,
        /// The level that it names.
        thing: Option<&'static str>,
    },
    /// Several numbers, or an unknown form: `16,24,32`.
    Unreadable,
}

/// The tokens of `text`, where `kind` is asked for.
pub(super) fn tokens(text: &str, kind: Kind) -> Vec<Lexeme> {
    let mut lexer = Lexer { text: text.chars().collect(), at: 0, found: Vec::new() };
    lexer.run();
    let mut found = in_words(lexer.found, kind);
    name(&mut found, kind);
    found
}

struct Lexer {
    text: Vec<char>,
    at: usize,
    found: Vec<Lexeme>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_ascii_digit()
    }

    /// The longest token from this point on.
    fn take(&mut self, fits: impl Fn(char) -> bool) -> String {
        let taken: String = self.text[self.at..].iter().copied().take_while(|c| fits(*c)).collect();
        self.at += taken.chars().count();
        taken
    }

    fn run(&mut self) {
        let mut spaced = false;
        while let Some(c) = self.text.get(self.at).copied() {
            let begun = self.at.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(' ');
            let point = matches!(c, '.' | ',') && self.digit(1) && !begun.is_alphanumeric() && begun != c;
            let token = if c.is_ascii_digit() || point {
                Token::Number(self.number())
            } else if c.is_alphabetic() {
                self.word()
            } else {
                self.at += 1;
                match c {
                    // a TeX blank
                    '~' if begun.is_ascii_digit()
                        && self.text[self.at..]
                            .iter()
                            .find(|c| **c != ' ')
                            .is_some_and(|c| c.is_alphabetic()) =>
                    {
                        spaced = true;
                        continue;
                    }
                    '%' | '‰' | '~' => Token::Word(c.to_string()),
                    // "!16" means not 16, "8!" is a factorial
                    '!' if begun.is_ascii_digit() || self.digit(0) => Token::Word(c.to_string()),
                    '=' | '≤' | '≥' | '<' | '>' | '-' | '±' | '+' | '*' | '/' | '^' | '…' | ',' | ';'
                    | ':' | '.' | '(' | ')' | '[' | ']' | '\n' | '#' => Token::Sign(c),
                    c if c <= ' ' || WORDS.quiet.contains(c) => {
                        spaced = true;
                        continue;
                    }
                    c => Token::Word(c.to_string()),
                }
            };
            self.found.push(Lexeme { token, spaced, weak: false });
            spaced = false;
        }
    }

    /// Letters; a name if digits follow.
    fn word(&mut self) -> Token {
        let word = self.take(char::is_alphabetic);
        // "two-way" is two words
        if self.peek(0) == '-' && self.peek(1).is_alphabetic() {
            self.at += 1;
            return Token::Word(word);
        }
        let number = |from_last: usize| {
            let lexeme = self.found.len().checked_sub(from_last).and_then(|at| self.found.get(at));
            lexeme.is_some_and(|lexeme| matches!(lexeme.token, Token::Number(_)))
        };
        if ["x", "х"].contains(&word.as_str()) && self.digit(0) && (number(1) || number(2)) {
            return Token::Word(word);
        }
        let joined = self.peek(0) == '_' && self.peek(1).is_alphanumeric();
        if !self.digit(0) && !joined {
            return Token::Word(word);
        }
        let mut whole = word.clone() + &self.take(|c| c.is_alphanumeric() || c == '_');
        let named = is(&WORDS.names, &word);
        while !named && matches!(self.peek(0), '-' | '.') && self.peek(1).is_alphanumeric() {
            self.at += 1;
            whole += &self.take(|c| c.is_alphanumeric() || c == '_');
        }
        let sure = named || [&word, &whole].into_iter().any(|word| is(&WORDS.products, word));
        Token::Number(Numeral::Name { sure, thing: WORDS.thing(&whole) })
    }

    fn number(&mut self) -> Numeral {
        let begun = self.at;
        if let Some(number) = self.in_base() {
            return number;
        }
        self.at = begun;
        let digits = self.digits();
        let numeral = self.power_of_ten(numeral(&digits));
        let numeral = self.fraction(numeral);
        self.attached(numeral, begun)
    }

    /// `0x4000`, `0b1000`, `0o17`.
    fn in_base(&mut self) -> Option<Numeral> {
        let base = match (self.peek(0), self.peek(1)) {
            ('0', 'x') => 16,
            ('0', 'o') => 8,
            ('0', 'b') => 2,
            _ => return None,
        };
        self.at += 2;
        let digits = self.take(|c| c.is_ascii_alphanumeric());
        u64::from_str_radix(&digits, base).ok().map(|number| Numeral::Plain(number as f64))
    }

    /// Digits with separators between them; a blank separates only groups of three.
    fn digits(&mut self) -> String {
        let mut digits = self.take(|c| c.is_ascii_digit());
        let group = |lexer: &Lexer| (1..4).all(|ahead| lexer.digit(ahead)) && !lexer.digit(4);
        let leads = (1..=3).contains(&digits.len()) && !digits.starts_with('0');
        while leads && matches!(self.peek(0), ' ' | '\'' | '_') && group(self) {
            self.at += 1;
            digits += "'";
            digits += &self.take(|c| c.is_ascii_digit());
        }
        while matches!(self.peek(0), '.' | ',') && self.digit(1) {
            digits.push(self.peek(0));
            self.at += 1;
            digits += &self.take(|c| c.is_ascii_digit());
        }
        digits
    }

    /// `1.6e4`.
    fn power_of_ten(&mut self, numeral: Numeral) -> Numeral {
        let sign = usize::from(matches!(self.peek(1), '+' | '-'));
        if self.peek(0) != 'e' || !self.digit(1 + sign) {
            return numeral;
        }
        let begun = self.at;
        self.at += 1 + sign;
        let digits = self.take(|c| c.is_ascii_digit());
        if self.peek(0).is_alphabetic() && self.peek(0) == 'e' {
            self.at = begun;
            return numeral;
        }
        let sign = if self.text[begun + 1] == '-' { "-" } else { "" };
        let mantissa = match numeral {
            Numeral::Plain(amount) | Numeral::Marked { decimal: amount, .. } => amount,
            other => return other,
        };
        format!("{mantissa}e{sign}{digits}").parse().map_or(Numeral::Unreadable, Numeral::Plain)
    }

    /// `1½`.
    fn fraction(&mut self, numeral: Numeral) -> Numeral {
        if self.peek(0) != '\u{1}' {
            return numeral;
        }
        self.at += 1;
        let part = self.take(|c| c.is_ascii_digit() || c == '/');
        let part = part
            .split_once('/')
            .and_then(|(over, under)| Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?));
        match (numeral, part) {
            (Numeral::Plain(whole), Some(part)) => Numeral::Plain(whole + part),
            _ => Numeral::Unreadable,
        }
    }

    /// Letters just after it: a unit, or the rest of a name.
    fn attached(&mut self, numeral: Numeral, number: usize) -> Numeral {
        let begun = self.at;
        let word = self.take(char::is_alphabetic);
        if word.is_empty() {
            return numeral;
        }
        let end = self.at;
        self.at = begun;
        let times = ["x", "х"].contains(&word.as_str());
        if times || WORDS.unit(&[&word], Kind::Bytes).is_some() || WORDS.unit(&[&word], Kind::Ns).is_some() {
            return numeral;
        }
        self.at = end;
        self.take(char::is_alphanumeric);
        let ordinal: String = self.text[number..end].iter().collect();
        Numeral::Name { sure: is(&WORDS.ordinals, &word), thing: WORDS.thing(&ordinal) }
    }
}

/// The possible values of digits with separators.
fn numeral(digits: &str) -> Numeral {
    let marks: Vec<char> = digits.chars().filter(|c| matches!(c, '.' | ',')).collect();
    let parts: Vec<&str> = digits.split(['.', ',', '\'']).collect();
    let grouped = |parts: &[&str]| {
        (1..=3).contains(&parts[0].len())
            && !parts[0].starts_with('0')
            && parts[1..].iter().all(|part| part.len() == 3)
    };
    let parsed = |text: String| text.parse::<f64>().map_or(Numeral::Unreadable, Numeral::Plain);
    // "64 128" and "64,128" are two sizes, "16 384" is one
    let power = |part: &&str| {
        part.parse::<u64>().is_ok_and(|n| n > 1 && n.is_power_of_two() && !part.starts_with('0'))
    };
    if parts.len() > 1 && grouped(&parts) && parts.iter().all(power) {
        return Numeral::Unreadable;
    }
    let quotes = digits.contains('\'');
    match marks[..] {
        [] => parsed(digits.replace('\'', "")),
        [mark] if quotes => parsed(digits.replace('\'', "").replace(mark, ".")),
        [mark] => Numeral::Marked {
            mark,
            decimal: digits.replace(mark, ".").parse().unwrap_or(f64::NAN),
            grouped: grouped(&parts).then(|| parts.concat().parse().unwrap_or(f64::NAN)),
        },
        [first, .., last] if first != last && marks[..marks.len() - 1].iter().all(|mark| *mark == first) => {
            let (whole, rest) = digits.rsplit_once(last).unwrap_or_default();
            let groups: Vec<&str> = whole.split(first).collect();
            if grouped(&groups) { parsed(groups.concat() + "." + rest) } else { Numeral::Unreadable }
        }
        [first, ..] if marks.iter().all(|mark| *mark == first) && grouped(&parts) => parsed(parts.concat()),
        // 3.1.2 is a section number
        [first, ..] if marks.iter().all(|mark| *mark == '.') && first == '.' => {
            let section = |part: &&str| part.parse::<f64>().is_ok_and(|number| number < 20.0);
            Numeral::Name { sure: parts.iter().all(section), thing: None }
        }
        _ => Numeral::Unreadable,
    }
}

/// Turns numbers in words into numbers: `sixteen`, `thirty-two`, `trinta e dois`.
fn in_words(tokens: Vec<Lexeme>, kind: Kind) -> Vec<Lexeme> {
    let value = |token: Option<&Lexeme>| match &token?.token {
        Token::Word(word) => WORDS.numbers.get(word).map(|value| (*value, WORDS.articles.contains(word))),
        _ => None,
    };
    let mut found: Vec<Lexeme> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let per = found.last().is_some_and(
            |last| matches!(&last.token, Token::Word(word) if ["per", "por", "pour"].contains(&word.as_str())),
        );
        let Some((mut total, mut article)) = value(tokens.get(at)).filter(|_| !per) else {
            found.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let first = &tokens[at];
        at += 1;
        let mut whole = true;
        loop {
            let joined = ["e", "et", "and", "und"];
            let joined = matches!(tokens.get(at).map(|next| &next.token), Some(Token::Word(word)) if joined.contains(&word.as_str()));
            let Some((part, _)) = value(tokens.get(at + usize::from(joined))) else { break };
            let fits = |digits: f64| total % digits == 0.0 && part < digits && total >= digits;
            if part == 100.0 && total < 10.0 {
                total *= part;
            } else if fits(100.0) || fits(10.0) && part < 20.0 {
                total += part;
            } else if joined {
                break; // "one to two", "two and four"
            } else {
                whole = false;
            }
            article = false;
            at += 1 + usize::from(joined);
        }
        let next = words_from(&tokens, at);
        // "one cache", "it is one": perhaps not a number
        article &= if next.is_empty() {
            matches!(found.last(), Some(Lexeme { token: Token::Word(_), .. }))
        } else {
            WORDS.mark(&next).is_none_or(|(mark, _)| mark == Mark::About)
                && !matches!(WORDS.unit(&next, kind), Some((Unit::Asked(_), _)))
        };
        let numeral = if whole { Numeral::Plain(total) } else { Numeral::Unreadable };
        found.push(if article {
            first.clone()
        } else {
            Lexeme { token: Token::Number(numeral), spaced: first.spaced, weak: false }
        });
    }
    found
}

/// The consecutive words from `at` on.
pub(super) fn words_from(tokens: &[Lexeme], at: usize) -> Vec<&str> {
    let word = |lexeme: &'_ Lexeme| matches!(lexeme.token, Token::Word(_));
    tokens[at.min(tokens.len())..]
        .iter()
        .take(6)
        .take_while(|lexeme| word(lexeme))
        .filter_map(|lexeme| match &lexeme.token {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        })
        .collect()
}

/// Numbers that belong to the word before them: `Fig. 3`, `level 1`, `stride 64`.
fn name(tokens: &mut [Lexeme], kind: Kind) {
    let sign = |tokens: &[Lexeme], at: usize, signs: &[char]| {
        tokens.get(at).is_some_and(|lexeme| matches!(lexeme.token, Token::Sign(c) if signs.contains(&c)))
    };
    for at in 0..tokens.len() {
        // "1. 16 KiB", "1) 16 KiB"
        let begins = at == 0 || sign(tokens, at - 1, &['\n']);
        let small = matches!(tokens[at].token, Token::Number(Numeral::Plain(n)) if n < 10.0);
        tokens[at].weak |= begins && small && sign(tokens, at + 1, &['.', ')']);
        let (named, set, leveled) = match &tokens[at].token {
            Token::Word(word) => {
                (is(&WORDS.names, word), is(&WORDS.settings, word), word == "l" || WORDS.holder(word))
            }
            token => (*token == Token::Sign('#'), false, false),
        };
        if !named && !set {
            continue;
        }
        let signs: &[char] = if named { &['.', '-', '#'] } else { &['='] };
        let next = at + 1;
        let joined = sign(tokens, next, signs) && (!named || !tokens[next].spaced)
            || set && words_from(tokens, next).first() == Some(&"of");
        let number = next + usize::from(joined);
        // "part 16 KiB"
        let sure = !matches!(WORDS.unit(&words_from(tokens, number + 1), kind), Some((Unit::Asked(_), _)));
        if let Some(Lexeme { token: Token::Number(numeral), weak, .. }) = tokens.get_mut(number) {
            *weak |= set;
            // "pc 1.8" may be the number that is asked for
            let decimal = matches!(numeral, Numeral::Marked { .. });
            let sure = sure && !(decimal && matches!(kind, Kind::Percent | Kind::Number));
            let level = match numeral {
                Numeral::Plain(level) if leveled => WORDS.thing(&format!("l{level}")),
                _ => None,
            };
            if named {
                *numeral = Numeral::Name { sure, thing: level };
            }
        }
    }
}

/// The number of tokens from `at` that are a phrase, if they are one.
pub(super) fn mark(tokens: &[Lexeme], at: usize) -> Option<(Mark, usize)> {
    WORDS.mark(&words_from(tokens, at))
}
