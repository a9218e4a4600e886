//! The sizes of a sweep.

use std::str::FromStr;

/// Largest number of sizes of a range.
const MAX_SIZES: usize = 2000;

/// Sizes from 1, as `FIRST..LAST:STEP` or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let wrong = || "sizes are FIRST..LAST:STEP or a list of numbers from 1".to_owned();
        let number = |text: &str| text.trim().parse().ok().filter(|size| *size > 0).ok_or_else(wrong);
        let Some((first, rest)) = text.split_once("..") else {
            return text.split(',').map(number).collect::<Result<_, _>>().map(Sizes);
        };
        let (last, step) = rest.split_once(':').ok_or_else(wrong)?;
        let (first, last, step): (usize, usize, usize) = (number(first)?, number(last)?, number(step)?);
        if first > last {
            return Err(wrong());
        }
        let count = (last - first) / step + 1;
        if count > MAX_SIZES {
            return Err(format!("{count} sizes; a sweep has up to {MAX_SIZES}: choose a larger step"));
        }
        Ok(Sizes((first..=last).step_by(step).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;

    #[test]
    fn sizes_are_steps_or_lists() {
        for (text, sizes) in [
            ("100..300:100", &[100, 200, 300][..]),
            ("100..350:100", &[100, 200, 300]),
            ("1..3:1", &[1, 2, 3]),
            ("5,17", &[5, 17]),
        ] {
            assert_eq!(text.parse(), Ok(Sizes(sizes.to_vec())), "{text}");
        }
        for wrong in
            ["", "a", "5,0", "0..9:3", "3..1:1", "1..3:0", "1,,2", "1..3", "1..18446744073709551615:1"]
        {
            assert!(wrong.parse::<Sizes>().is_err(), "{wrong}");
        }
    }
}
