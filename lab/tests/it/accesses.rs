//! The accesses of every kernel of the lessons, in the build that ships: cachegrind's loads
//! and stores of a kernel's own instructions, compared with closed forms, or with what the
//! model counts of the same source.
//!
//! `cargo test --release -p lab --test it accesses:: -- --nocapture` prints the table.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::kit::program;

/// Loads and stores.
type Accesses = [u64; 2];

/// Accesses that are no error: reading arguments, and for each run of an inner loop some that
/// a nest with more variables than registers makes to its stack. One more in each inner
/// iteration would be tens of times as many.
const START: u64 = 600;
const EACH_LOOP: u64 = 5;

/// Loads and stores of each function, in a run of `program`.
fn cachegrind(program: &Path, arguments: &[&str], mangled: bool) -> BTreeMap<String, Accesses> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let demangle = if mangled { "--demangle=no" } else { "--demangle=yes" };
    let ran = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=yes", demangle])
        .arg(format!("--cachegrind-out-file={}", out.display()))
        .arg(program)
        .args(arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    let text = std::fs::read_to_string(out).unwrap();
    let events = text.lines().find_map(|line| line.strip_prefix("events: ")).unwrap();
    let column = |name: &str| 1 + events.split_whitespace().position(|event| event == name).unwrap();
    let (loads, stores) = (column("Dr"), column("Dw"));
    let mut functions = BTreeMap::new();
    let mut function = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            name.clone_into(&mut function);
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let cells: Vec<u64> = line.split_whitespace().map(|cell| cell.parse().unwrap()).collect();
            let own: &mut Accesses = functions.entry(function.clone()).or_default();
            own[0] += cells[loads];
            own[1] += cells[stores];
        }
    }
    functions
}

/// The accesses of all functions whose names contain one of `parts`.
fn total(functions: &BTreeMap<String, Accesses>, parts: &[&str]) -> Accesses {
    let own = functions.iter().filter(|(name, _)| parts.iter().any(|part| name.contains(part)));
    own.fold([0, 0], |[loads, stores], (_, [more_loads, more_stores])| {
        [loads + more_loads, stores + more_stores]
    })
}

/// What the model counts in the same run, by the names of both figures.
fn modelled(program: &Path, arguments: &[&str], names: [&str; 2]) -> Accesses {
    // Where valgrind has no AVX-512, a tile is another.
    let mut command = Command::new("valgrind");
    let command = match arguments[0] {
        "tiled" => command.args(["--quiet", "--tool=none"]).arg(program),
        _ => &mut Command::new(program),
    };
    let model = "--counters model --machine i5-7500 --format json".split(' ');
    let ran = command.args(arguments).args(model).output().unwrap();
    let record: common::record::Record =
        serde_json::from_slice(&ran.stdout).unwrap_or_else(|why| panic!("{why}: {ran:?}"));
    names.map(|name| record.rows[0].amount(name).unwrap() as u64)
}

/// Whether these are the predicted accesses of a nest that runs its inner loop `loops` times.
fn exact(counted: Accesses, predicted: Accesses, loops: u64) -> bool {
    let most = EACH_LOOP * loops + START;
    (0..2).all(|kind| (predicted[kind]..=predicted[kind] + most).contains(&counted[kind]))
}

/// Why the accesses of one run of a kernel cannot be counted here, if they cannot.
fn is_impossible() -> Option<&'static str> {
    if cfg!(debug_assertions) {
        Some("kernels are the lesson's only in a release build")
    } else if common::clock::step().0 > 1e-5 {
        Some("the system's clock is coarse: a kernel is repeated until its time is known")
    } else {
        Command::new("valgrind").arg("--version").output().err().map(|_| "valgrind is not installed")
    }
}

#[test]
fn every_kernel_makes_the_accesses_of_the_lesson() {
    if let Some(why) = is_impossible() {
        return skip::skip(why);
    }
    // A run that is too short for the clock would be repeated.
    let (square, cube) = (160u64.pow(2), 160u64.pow(3));
    // Long enough that it is timed by one run.
    let walk = 1024 * 16 * (4096 / 16);
    let mut rows: Vec<(String, u64, Accesses, Accesses)> = Vec::new();
    let mut add = |line: &str, parts: &[&str], loops: u64, predicted: Accesses| {
        let mut words: Vec<&str> = line.split_whitespace().chain(["--counters", "none"]).collect();
        let program = program(words.remove(0));
        let functions = cachegrind(&program, &words, false);
        rows.push((line.to_owned(), loops, predicted, total(&functions, parts)));
    };
    for (line, part, loops, predicted) in [
        ("spark --sizes 4K --strides 16 --repeats 1024", "spark::kernel::", 0, [walk; 2]),
        ("cm1 --sizes 4K --strides 16 --repeats 1024", "cm1::kernel::", 0, [walk; 2]),
        ("mm1 160", "mm1::native::", square, [3 * cube, cube]),
        ("mm2 160", "mm2::native::", square, [3 * cube, cube]),
        ("mm3 160", "mm3::native::", square, [3 * cube, cube]),
    ] {
        add(line, &[part], loops, predicted);
    }
    for rung in ["ge1", "ge2", "ge3", "ge4", "ge5", "ge6", "ge7"] {
        let words = [rung, "160"];
        let predicted = modelled(&program("ge"), &words, ["loads", "stores"]);
        add(&format!("ge {rung} 160"), &["ge::rungs::", "isa::simd::Isa>::run"], square, predicted);
    }
    // The calls of recursive cost more accesses than its products.
    for rung in
        dgemm::VARIANTS.iter().filter(|rung| !["recursive", "threads", "matrixmultiply"].contains(&rung.name))
    {
        // Longer than its warm-up, so that it runs once; in L1 blocks of 32 or 40 each sum has four loops.
        let (side, loops) = if rung.name == "tiled" { ("320", 320 * 320) } else { ("128", 4 * 128 * 128) };
        let predicted = modelled(&program("dgemm"), &[rung.name, side], ["PAPI_LD_INS", "PAPI_SR_INS"]);
        let parts = ["dgemm::rungs::", "dgemm::variants::", "isa::simd::Isa>::run"];
        add(&format!("dgemm {} {side} --runs 1", rung.name), &parts, loops, predicted);
    }
    println!("kernel\tpredicted loads\tcounted\tpredicted stores\tcounted");
    for (line, _, predicted, counted) in &rows {
        println!("{line}\t{}\t{}\t{}\t{}", predicted[0], counted[0], predicted[1], counted[1]);
    }
    for (line, loops, predicted, counted) in rows {
        assert!(exact(counted, predicted, loops), "{line}: {counted:?} loads and stores, not {predicted:?}");
    }
}

/// `lab causes` runs the guide's own code of each product, with one instruction for each access,
/// and one that is compiled with free choice of the compiler.
#[test]
fn causes_compiles_each_product_as_the_guide_does_and_once_freely() {
    if let Some(why) = is_impossible() {
        return skip::skip(why);
    }
    // Long enough that it is timed by one run.
    let words = ["causes", "160", "--runs", "1", "--counters", "none"];
    let functions = cachegrind(Path::new(env!("CARGO_BIN_EXE_lab")), &words, true);
    let cube = 160u64.pow(3);
    let (memory, register) = ([3 * cube, cube], [2 * cube + 160 * 160, 160 * 160]);
    // Free choice leaves this share of the loads, at most: a column's elements are loaded
    // one by one, a row's several at once.
    let products = [
        ("3mm16native8multiply", memory, 0.75),
        ("3mm16native20multiply_in_register", register, 1.0),
        ("3mm26native8multiply", memory, 0.25),
        ("3mm26native20multiply_in_register", register, 0.4),
        ("3mm36native18multiply_unblocked", memory, 0.6),
        ("3mm36native8multiply", memory, 0.6),
    ];
    for (part, predicted, _) in products {
        let own = functions.iter().filter(|(name, _)| name.contains(part));
        let own: Vec<Accesses> = own.map(|(_, own)| *own).collect();
        let [native] = own[..] else { panic!("{part}: {own:?}, not one copy") };
        assert!(exact(native, predicted, 160 * 160), "{part}: {native:?}, not {predicted:?}");
    }
    // Those that are compiled freely have one name: in the order of their loads.
    let free = functions.iter().filter(|(name, _)| name.contains("7KERNELS4free"));
    let mut free: Vec<u64> = free.map(|(_, own)| own[0]).collect();
    free.sort_unstable();
    let mut most = products.map(|(_, predicted, share)| (share * predicted[0] as f64) as u64);
    most.sort_unstable();
    let all_less = free.iter().zip(most).all(|(loads, most)| *loads <= most);
    assert!(free.len() == most.len() && all_less, "freely compiled: {free:?} loads, at most {most:?}");
}
