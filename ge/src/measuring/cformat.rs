//! Numbers as C prints them.

/// `x` as C's `printf("%e", x)` prints it: six decimals, a sign and at least two digits in
/// the exponent.
pub fn exponent(x: f64) -> String {
    if x.is_nan() {
        return if x.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if x.is_infinite() {
        return if x < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let text = format!("{x:.6e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn the_forms_of_printf() {
        let cases = [
            (-873285032152802.5, "-8.732850e+14"),
            (0.0, "0.000000e+00"),
            (-0.0, "-0.000000e+00"),
            (9.9999999, "1.000000e+01"),
            (1.5e-7, "1.500000e-07"),
            (1.01e143, "1.010000e+143"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (x, expected) in cases {
            assert_eq!(exponent(x), expected);
        }
    }
}
