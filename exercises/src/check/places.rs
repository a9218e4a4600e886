//! Checks of functions that choose sizes and places: the side of a block, a structure of arrays,
//! the padding of rows.

use super::{Checked, Passed, Wrong, cache_of, misses_at, small, value};
use crate::program::Program;

/// Bytes of caches, of lines and of elements; among them a second level, a cache of 48 KiB, the
/// lecture's 32-byte lines, and the guide's 16-bit elements.
const SIZES: [usize; 7] = [32 << 10, 256 << 10, 48 << 10, 8 << 10, 16 << 10, 1 << 20, 1280 << 10];
const LINES: [usize; 3] = [64, 32, 128];
const ELEMENTS: [usize; 4] = [8, 2, 4, 16];

/// Checks the rule: three blocks fit, rows are whole lines, and no larger block does both.
/// Then counts a product with its blocks, and with larger and smaller ones.
pub(crate) fn block(program: &mut Program) -> Checked {
    let mut calls = 0;
    let mut side = |cache, line, element| {
        calls += 1;
        value(program, &[cache, line, element])
            .map_err(|wrong| wrong.or_hint("A division by zero, or a result below zero."))
    };
    // So many that a table of them is more work than the rule.
    let cases = SIZES.iter().flat_map(|cache| LINES.iter().map(move |line| (*cache, *line)));
    for (cache, line, element) in
        cases.flat_map(|(cache, line)| ELEMENTS.iter().map(move |element| (cache, line, *element)))
    {
        let smallest = line / element;
        if 3 * smallest * smallest * element <= cache {
            judged(cache, line, element, side(cache, line, element)?)?;
        }
    }
    let (cache, line) = (8 << 10, 64);
    let b = side(cache, line, 8)?;
    let machine = cache_of(cache, line, cache / line).map_err(Wrong::unmade)?;
    let (mut facts, mut misses) = (Vec::new(), 0);
    for side in [b / 2, b, 2 * b] {
        let missed = misses_at(&machine, product(N, side))?;
        if side == b {
            misses = missed;
        }
        facts.push(format!("a product of {N} rows in a cache of 8 KiB, squares of {side}: {missed} misses"));
    }
    Ok(Passed { facts, misses, accesses: calls })
}

fn judged(cache: usize, line: usize, element: usize, b: usize) -> Result<(), Wrong> {
    let given = format!("cache {cache}, line {line}, element {element}: B = {b}");
    let each = line / element;
    let bytes = |b: usize| b.saturating_mul(b).saturating_mul(3 * element);
    if b == 0 {
        return Err(Wrong::new(
            given,
            "Three squares of B by B elements fill the cache: solve that for B. Then round down to a multiple of the elements in a line; its bytes are too many.",
        ));
    }
    if bytes(b) > cache {
        let one = bytes(b) / 3 <= cache;
        return Err(Wrong::new(
            format!("{given}, and three squares take {} bytes", bytes(b)),
            if one {
                "One square fits, but a product uses one of each matrix at a time."
            } else {
                "Not even one square fits: did you count elements where bytes are given?"
            },
        ));
    }
    if !b.is_multiple_of(each) {
        return Err(Wrong::new(
            format!("{given}, and a line holds {each} elements"),
            "Round down to whole lines: a part of a line is fetched as a whole one.",
        ));
    }
    let next = b + each;
    if bytes(next) <= cache {
        return Err(Wrong::new(
            format!("{given}, and three squares of {next} fit too, in {} bytes", bytes(next)),
            "It fits, but it is too small: misses are proportional to 1 / B. Does the rule use the cache's size, and bytes per element?",
        ));
    }
    Ok(())
}

/// Rows of the product that is counted: whole squares of 8, 16 and 32.
const N: usize = 64;

/// Addresses of a product of doubles in blocks of `side`: a, b and c one after the other.
pub(super) fn product(n: usize, side: usize) -> Vec<usize> {
    let starts = || (0..n).step_by(side.max(1));
    let end = |start: usize| n.min(start + side.max(1));
    let at = |matrix: usize, i: usize, j: usize| ((matrix * n + i) * n + j) * 8;
    let mut addresses = Vec::new();
    for (ii, kk, jj) in
        starts().flat_map(|ii| starts().flat_map(move |kk| starts().map(move |jj| (ii, kk, jj))))
    {
        for i in ii..end(ii) {
            for k in kk..end(kk) {
                addresses.push(at(0, i, k));
                for j in jj..end(jj) {
                    addresses.extend([at(1, k, j), at(2, i, j)]);
                }
            }
        }
    }
    addresses
}

/// Numbers of a particle.
const FIELDS: usize = 8;

/// Checks a layout: no two numbers in one place; one field, and all, in few misses.
pub(crate) fn soa(program: &mut Program) -> Checked {
    let (machine, mut facts, mut misses, mut calls) = (small()?, Vec::new(), 0, 0);
    for n in [100, 300] {
        let mut places = vec![0; FIELDS * n];
        let mut user = vec![None; FIELDS * n];
        for (at, own) in places.iter_mut().enumerate() {
            let (particle, field) = (at / FIELDS, at % FIELDS);
            let place = value(program, &[particle, field, n])?;
            calls += 1;
            let given = format!("{n} particles: field {field} of particle {particle} is in place {place}");
            match user.get_mut(place) {
                None => {
                    return Err(Wrong::new(
                        format!("{given}, and there are places 0 to {}", FIELDS * n - 1),
                        "All fields of all particles fill 8 x particles places: what is the largest result?",
                    ));
                }
                Some(Some((particle, field))) => {
                    return Err(Wrong::new(
                        format!("{given}, where field {field} of particle {particle} is"),
                        "Each field is an array of its own. Where does the array of field 1 begin?",
                    ));
                }
                Some(free) => *free = Some((particle, field)),
            }
            *own = place;
        }
        let one =
            |field: usize| misses_at(&machine, (0..n).map(|particle| 8 * places[particle * FIELDS + field]));
        for field in 0..FIELDS {
            let (missed, most) = (one(field)?, n as u64 / 8 + 2);
            if missed > most {
                return Err(Wrong::new(
                    format!(
                        "{n} particles: a loop over field {field} has {missed} misses; at most {most} are allowed"
                    ),
                    "A line holds 8 numbers: eight particles' numbers of this field should be next to each other.",
                ));
            }
        }
        let all = misses_at(&machine, places.iter().map(|place| 8 * place))?;
        let most = n as u64 * 3 / 2;
        if all > most {
            return Err(Wrong::new(
                format!("{n} particles: a loop over all fields has {all} misses; at most {most} are allowed"),
                "Particles that follow each other should be next to each other, in each field.",
            ));
        }
        misses = one(0)?;
        facts.push(format!("{n} particles: {misses} misses in a loop over one field, {all} over all"));
    }
    Ok(Passed { facts, misses, accesses: calls })
}

/// Rows of the padded matrix; unused elements that a row may have.
const COLUMN: usize = 64;
const MAX_UNUSED: usize = 16;
/// Elements of the longest row.
const MAX_COLUMNS: usize = 600;

/// Checks the padding: whole lines, few unused elements, and columns that fit the cache.
pub(crate) fn pad(program: &mut Program) -> Checked {
    let (machine, mut facts, mut total) = (small()?, Vec::new(), 0);
    let shown = [512, 1024, 100, 256, 40, 37, 48];
    let mut cases = 0;
    for columns in shown.into_iter().chain(1..=MAX_COLUMNS) {
        let pitch = value(program, &[columns])?;
        let given = format!("rows of {columns} elements, {pitch} from row to row");
        if pitch < columns {
            return Err(Wrong::new(
                format!("{given}: rows overlap"),
                "The pitch is at least the number of columns.",
            ));
        }
        if pitch > columns + MAX_UNUSED {
            return Err(Wrong::new(
                format!("{given}: {} are unused, and at most {MAX_UNUSED} may be", pitch - columns),
                "Padding of one line or two is enough: it moves each row to another set.",
            ));
        }
        if pitch % 8 != 0 {
            return Err(Wrong::new(
                format!("{given}: rows do not begin at the start of a line"),
                "A line holds 8 elements: round up to whole lines.",
            ));
        }
        let walk =
            |rounds: usize| misses_at(&machine, (0..rounds * COLUMN).map(|row| 8 * pitch * (row % COLUMN)));
        let (first, both) = (walk(1)?, walk(2)?);
        if both > first {
            let found = format!(
                "{given}: the second walk down a column of {COLUMN} rows has {} misses, and the column has {COLUMN} lines",
                both - first
            );
            return Err(Wrong::new(
                found,
                "With an even number of lines in a row, the rows use only every second set, or fewer. Which numbers of lines go through all 32 sets?",
            ));
        }
        if cases < shown.len() {
            total += both;
            facts.push(format!("{given}: no miss in the second walk"));
        }
        cases += 1;
    }
    facts.push(format!("no miss in it with rows of 1 to {MAX_COLUMNS} elements"));
    Ok(Passed { facts, misses: total, accesses: cases as u64 })
}
