//! The model's counts compared with the lecture's, on the lecture's machine.

use cache::Counts;
use dgemm::counting::model::{LONGEST_S, count};
use dgemm::counting::theory::{self, ClosedForm, Misses};
use dgemm::rungs::widest::tile;
use dgemm::{Blocks, Kernel, Problem, VARIANTS, Variant};
use machine::Machine;
use memory::Arena;

fn lecture() -> Machine {
    Machine::named("lecture").unwrap()
}

fn blocks() -> Blocks {
    Blocks::for_caches(32 << 10, 256 << 10, 1)
}

fn counted(name: &str, sides: [usize; 3], machine: &Machine) -> Counts {
    blocked(name, sides, machine, blocks()).unwrap()
}

fn blocked(name: &str, sides: [usize; 3], machine: &Machine, blocks: Blocks) -> Result<Counts, String> {
    let arena = Arena::with_capacity(Problem::bytes(sides[0], sides[1], sides[2], blocks)).unwrap();
    let p = Problem::without_numbers(&arena, sides, blocks).unwrap();
    count(Variant::find(name).unwrap(), &p, &arena, machine, LONGEST_S, None)
}

fn misses(name: &str, sides: [usize; 3], machine: &Machine) -> Misses {
    Misses::counted(&counted(name, sides, machine).levels[0])
}

fn closed(name: &str, sides: [usize; 3], machine: &Machine) -> ClosedForm {
    let kernel = Variant::find(name).unwrap().kernel;
    theory::closed_form(kernel, sides, blocks(), tile(isa::Widest::detect()), &machine.levels[0])
}

fn rounded(misses: Misses, sides: [usize; 3]) -> [String; 3] {
    let each = misses.scaled(1.0 / sides.iter().product::<usize>() as f64);
    [each.a, each.b, each.c].map(|misses| format!("{misses:.2}"))
}

/// The lecture's table, on matrices of the required length (two rows of 2100 exceed the
/// cache), and only as deep as the inner loops need.
#[test]
fn the_lectures_table_comes_out_to_two_decimals() {
    let by_rows = ["0.00", "0.25", "0.25"];
    let by_columns = ["1.00", "0.00", "1.00"];
    let table = [
        ("ijk", [4, 130, 2100], ["0.25", "1.00", "0.00"]),
        ("flat-ijk", [4, 130, 2100], ["0.25", "1.00", "0.00"]),
        ("jik", [130, 4, 2100], ["0.25", "1.00", "0.00"]),
        ("ikj", [4, 2100, 130], by_rows),
        ("flat-ikj", [4, 2100, 130], by_rows),
        ("kij", [130, 2100, 4], by_rows),
        ("jki", [2100, 4, 130], by_columns),
        ("kji", [2100, 130, 4], by_columns),
    ];
    for (name, sides, expected) in table {
        let found = misses(name, sides, &lecture());
        assert_eq!(rounded(found, sides), expected, "{name}, model");
        let form = closed(name, [2100; 3], &lecture());
        assert_eq!(rounded(form.misses, [2100; 3]), expected, "{name}, closed form");
    }
}

/// The lecture's totals, copied once more from its slides: lines of m doubles, n by n
/// matrices, blocks of b by b.
#[test]
fn the_lectures_totals_come_out_where_their_assumptions_hold() {
    let one_level = |size: u32, ways: &str| {
        let text =
            format!("name = \"small\"\n[[cache]]\nlevel = 1\nsize = {size}\nline = 32\nways = {ways}\n");
        Machine::from_toml(&text, "small").unwrap()
    };
    let (full, four_ways) = (one_level(2048, "\"full\""), one_level(16384, "4"));
    let m = 4.0;
    let twice_by_rows = |n: f64| 2.0 * n * n / m;
    let cases: [(&str, usize, &Machine, f64); 4] = [
        // A row of a stays, because the column of b replaces only itself.
        ("ijk", 128, &four_ways, twice_by_rows(128.0) + 128f64.powi(3)),
        // 100 lines of a column fill all 64 lines: the row of a is evicted too.
        ("ijk", 100, &full, 100f64.powi(2) / m + 100f64.powi(3) / m + 100f64.powi(3)),
        // A row of b and one of c take 50 of 64 lines.
        ("ikj", 100, &full, twice_by_rows(100.0) + 100f64.powi(3) / m),
        ("block-l1", 96, &one_level(4096, "\"full\""), 96f64.powi(2) / m + 2.0 * 96f64.powi(3) / (m * 8.0)),
    ];
    for (name, n, machine, expected) in cases {
        let blocks = Blocks { l1: 8, ..blocks() };
        let counts = blocked(name, [n; 3], machine, blocks).unwrap();
        let misses = counts.levels[0].misses.total() as f64;
        assert!((misses / expected - 1.0).abs() < 0.03, "{name} {n}: {misses} for {expected}");
    }
    for (name, formula) in [
        ("ijk", "a n³/m, b n³, c n²/m, with n = 600, m = 4 doubles in a line, L = 1024 lines"),
        ("ikj", "a n²/m, b n³/m, c n²/m, with"),
        ("jki", "a n³, b n², c n³, with"),
        (
            "block-l1",
            "a n³/(mb), b n³/(mb), c n²/m, with n = 600, m = 4 doubles in a line, L = 1024 lines, blocks of side b = ",
        ),
    ] {
        let form = closed(name, [if name == "ijk" { 1500 } else { 600 }; 3], &lecture());
        assert!(form.formula.replace("1500", "600").starts_with(formula), "{}", form.formula);
    }
    // Where n is m times b, n³/(mb) and n² are the same number.
    let form = closed("block-l1", [4 * blocks().l1; 3], &lecture());
    assert!(form.formula.starts_with("a n³/(mb), b n³/(mb), c n²/m"), "{}", form.formula);
    // A column of 40 lines and a row of 10 fit 64: the lecture's n^3 is far too much.
    let found = misses("ijk", [40; 3], &full);
    assert!(found.b < 0.5 * 40f64.powi(3), "{found:?}");
}

#[test]
fn where_model_and_lecture_part_an_assumption_is_named() {
    // Rows of 1024 doubles: a column uses 8 lines of an 8-way cache.
    let zen3 = Machine::named("zen3").unwrap();
    let form = closed("ijk", [1024; 3], &zen3);
    let failing: Vec<&str> = form.assumptions.iter().filter(|a| !a.holds).map(|a| a.text.as_str()).collect();
    assert!(failing.iter().any(|text| text.contains("share 8 places")), "{failing:?}");
    // A column of 100 lines stays: b has a quarter of the lecture's misses.
    let found = misses("ijk", [100; 3], &lecture());
    let form = closed("ijk", [100; 3], &lecture());
    assert!(found.b < 0.3 * form.misses.b);
    assert!(form.assumptions.iter().any(|a| !a.holds && a.text.contains("lines fit into")));
}

#[test]
fn a_count_that_would_take_long_is_refused_with_its_time() {
    let refused = blocked("block-l1", [1200; 3], &lecture(), blocks()).unwrap_err();
    assert!(refused.contains("million accesses") && refused.contains("smaller N"), "{refused}");
}

/// What real processors counted at n = 1000, where a column of b has almost as many pages as the
/// second TLB has entries: the model is within 2 %.
#[test]
fn the_model_counts_what_processors_counted() {
    let rows = include_str!("../../recorded.csv").lines().filter(|line| !line.starts_with(['#', 'g']));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split(',').collect()).collect();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row[1] != "huge pages" && row[2] == "ijk" && row[3] == "1000") {
        let n = row[3].parse().unwrap();
        let counts = counted(row[2], [n; 3], &Machine::named(row[1]).unwrap());
        let [low, high] = [4, 5].map(|at| row[at].parse::<f64>().unwrap());
        let found = counts.levels[0].misses.total() as f64 * 1e-6;
        assert!((0.98 * low..1.02 * high).contains(&found), "{row:?}: {found}");
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
fn every_miss_belongs_to_an_array() {
    let machine = lecture();
    for variant in VARIANTS.iter().filter(|rung| rung.kernel != Kernel::Library) {
        let counts = counted(variant.name, [40, 50, 60], &machine);
        let first = Misses::counted(&counts.levels[0]);
        assert!(first.a > 0.0 && first.b > 0.0 && first.c > 0.0, "{}", variant.name);
        assert_eq!(counts.levels[0].misses.total() as f64, first.total());
    }
}
