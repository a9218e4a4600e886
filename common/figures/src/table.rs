//! Figures for people: four significant figures, in columns.

/// `amount` with four significant figures: `0.07238`, `99.93`, `134 500 000`
/// is `134.5e6`.
pub fn four(amount: f64) -> String {
    let power = amount.abs().log10().floor();
    match amount {
        0.0 => "0".to_owned(),
        _ if !amount.is_finite() => amount.to_string(),
        _ if power >= 6.0 => {
            let thousands = (power / 3.0).floor() * 3.0;
            format!("{}e{thousands}", four(amount / 10f64.powf(thousands)))
        }
        _ if power < -4.0 => format!("{amount:.3e}"),
        _ => format!("{amount:.*}", (3.0 - power).clamp(0.0, 7.0) as usize),
    }
}

/// Rows set in columns, two blanks apart: the first column to the left, the
/// others to the right. The last may be of any length, and is to the left.
pub fn columns(rows: &[Vec<String>]) -> String {
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let line = |row: &Vec<String>| {
        let cell = |(at, text): (usize, &String)| match at {
            0 => format!("{text:<0$}", widths[0]),
            at if at + 1 == widths.len() => text.clone(),
            at => format!("{text:>0$}", widths[at]),
        };
        row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_figures_remain_whatever_the_size() {
        let shown = [0.07237605, 99.9307, 1234.5, 123456.7, 134503424.0, 0.0, -0.5, 2.5e-7].map(four);
        assert_eq!(shown, ["0.07238", "99.93", "1234", "123457", "134.5e6", "0", "-0.5000", "2.500e-7"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let set = columns(&[row(["what", "ms", "source"]), row(["mm1", "10.5", "timing"])]);
        assert_eq!(set, "what    ms  source\nmm1   10.5  timing\n");
    }
}
