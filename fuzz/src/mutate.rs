//! Inputs that are nearly valid: the same in every run.

use figures::random::Random;

/// Usual largest size of an input in bytes; a reader's own limit is tested elsewhere.
const LONGEST: usize = 1 << 13;

/// One input from `seeds` and `words`, by one to eight changes.
pub fn input(random: &mut Random, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = pick(random, seeds).cloned().unwrap_or_default();
    for _ in 0..1 + random.below(8) {
        change(&mut bytes, random, seeds, words);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn pick<'t, T>(random: &mut Random, all: &'t [T]) -> Option<&'t T> {
    all.get(random.below(all.len()))
}

fn change(bytes: &mut Vec<u8>, random: &mut Random, seeds: &[Vec<u8>], words: &[&str]) {
    let at = random.below(bytes.len() + 1);
    let stretch = at..(at + 1 + random.below(24)).min(bytes.len()).max(at);
    match random.below(12) {
        0 => bytes[stretch.clone()].iter_mut().take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        1 => bytes[stretch.clone()].iter_mut().for_each(|byte| *byte = random.bits() as u8),
        2 => _ = bytes.drain(stretch),
        3 => {
            let copy = bytes[stretch].to_vec();
            let times = 1 + random.below(8);
            let place = random.below(bytes.len() + 1);
            bytes.splice(place..place, copy.repeat(times));
        }
        4 | 5 => {
            let word = pick(random, words).map_or(&b""[..], |word| word.as_bytes());
            bytes.splice(at..at, word.iter().copied());
        }
        6 => {
            let word = pick(random, words).map_or(&b""[..], |word| word.as_bytes());
            bytes.splice(stretch, word.iter().copied());
        }
        7 => number(bytes, random),
        8 => lines(bytes, random),
        9 => {
            let other = pick(random, seeds).cloned().unwrap_or_default();
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
        10 => bytes.truncate(at),
        _ => bytes.insert(at, random.bits() as u8),
    }
}

/// Replaces a number by another one.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(bytes.len() + 1);
    let digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[from..].iter().position(digit).map(|at| from + at) else { return };
    let end = bytes[start..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |len| start + len);
    let other = match random.below(6) {
        0 => "0".to_owned(),
        1 => u64::MAX.to_string(),
        2 => (1u64 << random.below(64)).to_string(),
        3 => ((1u64 << random.below(64)) - 1).to_string(),
        4 => random.below(1000).to_string(),
        _ => format!("{:e}", f64::from_bits(random.bits())),
    };
    bytes.splice(start..end, other.into_bytes());
}

/// Exchanges two lines, or repeats one many times.
fn lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    if random.below(2) == 0 {
        lines.swap(one, other);
    } else {
        let line = lines[one];
        lines.splice(other..other, std::iter::repeat_n(line, 1 + random.below(20)));
    }
    *bytes = lines.join(&b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_they_differ() {
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut random = Random::new(seed);
            (0..2000)
                .map(|_| input(&mut random, &[b"size=8192 stride=1".to_vec(), vec![]], &["x="]))
                .collect()
        };
        assert!(inputs(1) == inputs(1) && inputs(1) != inputs(2));
        let mut all = inputs(3);
        all.sort();
        all.dedup();
        assert!(all.len() > 1000, "{} different", all.len());
    }
}
