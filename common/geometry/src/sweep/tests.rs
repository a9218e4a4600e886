use std::path::Path;

use figures::random::Random;

use super::*;

fn file(name: &str) -> Saved {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    Saved::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Size, line and ways that may be read.
type Truth = (u64, u64, Option<u64>);

fn recorded() -> Vec<(String, Saved, Truth)> {
    let l1 = (1..=5).map(|i| (format!("i5-7500/cm1-l1-{i}.out"), (32768, 64, Some(8))));
    let l2 = (1..=3).map(|i| (format!("i5-7500/cm1-l2-{i}.out"), (262144, 64, None)));
    let sparc = [("../../report/src/figure1.csv".to_owned(), (65536, 16, Some(1)))];
    l1.chain(l2).chain(sparc).map(|(name, truth)| (name.clone(), file(&name), truth)).collect()
}

#[test]
fn recorded_curves_are_read() {
    for (name, saved, (size, line, ways)) in recorded() {
        let found = read(&saved).verdict.unwrap();
        assert_eq!(found.line, Ok(Bytes(line)), "{name}");
        match ways {
            Some(1) => {
                assert_eq!((found.size.0, found.most.0, found.ways), (size, size, Ok((1, 1))), "{name}")
            }
            Some(8) => assert_eq!((found.size.0, found.ways), (size, Ok((8, 15))), "{name}"),
            // behind scattered pages the rows leave the size open, by no more than a factor of 4
            _ => {
                assert!((found.size.0..=found.most.0).contains(&size), "{name}: {}", found.size_text());
                assert!(found.ways.is_err() && found.most.0 < 4 * found.size.0, "{name}: {found:?}");
            }
        }
        assert!(found.times.is_none_or(|times| (600.0..=640.0).contains(&times.penalty_ns)), "{name}");
    }
    // L2 behind 4 KiB pages: arrays that would fit miss in places
    for (name, kib) in [("emerald-rapids/cm1-l2-timed.out", 2048), ("described/cm1-l2-scattered.out", 512)] {
        let found = read(&file(name)).verdict.unwrap();
        assert!((found.size..=found.most).contains(&Bytes::kib(kib)) && found.ways.is_err(), "{found:?}");
        assert!(found.confidence == Confidence::Low && found.most.0 < 3 * found.size.0, "{found:?}");
    }
    // while other programs run, the row of 32 KiB misses in part, and its quiet cells show that it fits
    for name in ["zen4-guest/cm1-busy-1.out", "zen4-guest/cm1-busy-2.out"] {
        assert!(never_wrong(name, &file(name), (32 << 10, 64, Some(8))), "{name}");
    }
    // independent accesses in order
    assert!(read(&file("i5-7500/spark-1.out")).verdict.is_err());
}

/// Right, ways perhaps left open, or refused.
fn never_wrong(what: &str, saved: &Saved, truth: Truth) -> bool {
    match read(saved).verdict {
        Err(reason) => {
            assert!(reason.text.len() > 40, "{what}: {reason:?} is no advice");
            false
        }
        Ok(g) => {
            assert_eq!(g.line, Ok(Bytes(truth.1)), "{what}");
            assert!((g.size.0..=g.most.0).contains(&truth.0), "{what}: {}", g.size_text());
            let Ok((least, most)) = g.ways else { return true };
            assert!(truth.2.is_some_and(|w| (least..=most).contains(&w)), "{what}: {least} to {most} ways");
            true
        }
    }
}

/// The sweep with each value changed.
fn changed(saved: &Saved, mut change: impl FnMut(usize, f64) -> f64) -> Saved {
    let mut changed = saved.clone();
    for (i, cell) in changed.cells.iter_mut().enumerate() {
        for value in [&mut cell.misses, &mut cell.nanos].into_iter().flatten() {
            *value = change(i, *value);
        }
    }
    changed
}

#[test]
fn one_disturbed_cell_never_makes_the_answer_wrong() {
    let (mut read, mut tried) = (0, 0);
    for (name, saved, truth) in recorded() {
        for at in 0..saved.cells.len() {
            let disturbed =
                |with: &dyn Fn(f64) -> f64| changed(&saved, |i, v| if i == at { with(v) } else { v });
            for factor in [50.0, 8.0, 3.0, 1.6, 0.5, 0.02] {
                let what = format!("{name} {:?} times {factor}", saved.cells[at]);
                read += usize::from(never_wrong(&what, &disturbed(&|v| factor * v), truth));
                tried += 1;
            }
            never_wrong(&format!("{name} {:?} is 50", saved.cells[at]), &disturbed(&|_| 50.0), truth);
        }
    }
    assert!(read * 10 > tried * 8, "most single disturbances do no harm: {read} of {tried}");
}

#[test]
fn cut_thinned_and_scaled_curves_never_make_the_answer_wrong() {
    let mut random = Random::new(7);
    for (name, saved, truth) in recorded() {
        for keep in 0..saved.cells.len() {
            for (side, cells) in [("first", &saved.cells[..keep]), ("last", &saved.cells[keep..])] {
                let cut = Saved { cells: cells.to_vec(), ..saved.clone() };
                never_wrong(&format!("{name} cut at {keep}, {side}"), &cut, truth);
            }
        }
        for percent in [2, 5, 10, 20, 40, 70].repeat(60) {
            let mut thin = saved.clone();
            thin.cells.retain(|_| random.below(100) >= percent);
            never_wrong(&format!("{name} without {percent} %"), &thin, truth);
        }
        for factor in [2.0, 0.5, 50.0, 0.1] {
            never_wrong(&format!("{name} times {factor}"), &changed(&saved, |_, v| factor * v), truth);
        }
        for share in [0.03, 0.06, 0.12].repeat(60) {
            let noisy = changed(&saved, |_, v| v * (1.0 + share * (2.0 * random.unit() - 1.0)));
            never_wrong(&format!("{name} with noise of {share}"), &noisy, truth);
        }
    }
}

#[test]
fn constant_shuffled_and_short_curves_are_refused() {
    let mut random = Random::new(11);
    for (name, saved, truth) in recorded() {
        for constant in [0.0, 0.3, 1.0, 400.0] {
            assert!(read(&changed(&saved, |_, _| constant)).verdict.is_err(), "{name} at {constant}");
        }
        for round in 0..200 {
            let mut shuffled = saved.clone();
            let mut values: Vec<_> = saved.cells.iter().map(|cell| (cell.misses, cell.nanos)).collect();
            random.shuffle(&mut values);
            shuffled.cells.iter_mut().zip(values).for_each(|(cell, v)| (cell.misses, cell.nanos) = v);
            let verdict = read(&shuffled).verdict;
            assert!(verdict.is_err(), "{name} shuffled, round {round}: {verdict:?}");
        }
        let part = |keep: &dyn Fn(u64) -> bool| {
            let mut part = saved.clone();
            part.cells.retain(|cell| keep(cell.size));
            read(&part).verdict
        };
        let size = truth.0;
        assert!(part(&|array| array <= size).is_err(), "{name} up to {size}");
        if truth.2.is_none() {
            assert!(part(&|array| array <= 2 * size).is_err(), "{name} up to {}", 2 * size);
            assert!(part(&|array| array >= 2 * size).is_err(), "{name} from {} on", 2 * size);
        }
        if saved.cells.iter().any(|cell| cell.misses.is_some()) {
            // the times of the same file: independent accesses in order
            let mut times = saved.clone();
            times.cells.iter_mut().for_each(|cell| cell.misses = None);
            assert!(read(&times).verdict.is_err(), "{name} by time");
        }
    }
}

/// A sweep of these arrays at all strides; the misses have so many decimals, and `rest` follows them.
fn written(
    sizes: impl IntoIterator<Item = u64>,
    rest: &str,
    decimals: usize,
    mut misses: impl FnMut(u64, u64) -> f64,
) -> Saved {
    let mut text = String::new();
    for size in sizes {
        for stride in (0..).map(|power| 1 << power).take_while(|stride| stride * 2 <= size) {
            let misses = misses(size, stride);
            text += &format!("cache_size={size}\tstride={stride}\tavg_misses={misses:.decimals$}{rest}\n");
        }
    }
    Saved::parse(&text).unwrap()
}

/// A sweep of an L1 of so many ways of 4 KiB and lines of 64 bytes; `misses` changes those of an array of so many KiB.
fn sweep(ways: u64, kib: &[u64], rest: &str, decimals: usize, misses: impl Fn(u64, f64) -> f64) -> Saved {
    let cache = ways::Candidate { sets: 64, ways, line: 64 };
    written(kib.iter().map(|kib| kib << 10), rest, decimals, |size, stride| {
        let (lines, distance) = (size / stride.max(64), stride.max(64) / 64);
        let all = || misses(size >> 10, ways::missing(lines, distance, cache)).min(1.0);
        let share = if lines <= 8 { 0.0 } else { all() };
        share * (stride as f64 / 64.0).min(1.0)
    })
}

const DOUBLING: [u64; 5] = [8, 16, 32, 64, 128];

#[test]
fn a_refusal_is_true_of_the_file_and_argues_nothing_before() {
    let of = |decimals, event, factor: f64| sweep(8, &DOUBLING, event, decimals, |_, misses| factor * misses);
    for event in ["", "\tevent=PAPI_L1_DCM", "\tevent=l1d.replacement"] {
        assert!(read(&of(6, event, 1.0)).verdict.is_ok(), "{event}");
    }
    let mut cases = vec![
        (of(0, "", 1.0), "In no row do the misses double"),
        (of(6, "\tevent=PAPI_TOT_CYC", 1.0), "counts of PAPI_TOT_CYC"),
        (of(6, "\tevent=PAPI_L1_DCA", 1.0), "counts of PAPI_L1_DCA"),
        (of(6, "\tevent=instructions", 1.0), "counts of instructions"),
        (of(6, "", 0.2), "at most 0.200 times per access"),
        (of(6, "", 0.01), "at most 0.010 times per access"),
    ];
    let mut saved = of(6, "\tevent=PAPI_L2_DCM", 1.0);
    saved.cells.iter_mut().for_each(|cell| cell.nanos = cell.misses.take().map(|misses| 1.0 + 4.0 * misses));
    cases.push((saved, "Nothing counted PAPI_L2_DCM"));
    for (saved, reason) in cases {
        let answer = read(&saved);
        let why = answer.verdict.unwrap_err();
        assert!(why.text.contains(reason), "{why:?}");
        assert_eq!(answer.why, Vec::new(), "{why:?}");
    }
}

/// Other programs add misses to arrays near the size: none of them makes the answer wrong, or sure.
#[test]
fn rows_that_miss_in_part_exclude_no_size() {
    type Added = fn(u64) -> f64;
    let timed = |ways, sizes: &[u64], added: Added| {
        sweep(ways, sizes, "\tevent=PAPI_L1_DCM\tsource=timing", 6, |kib, misses| misses + added(kib))
    };
    let steps = [8, 16, 32, 36, 40, 44, 48, 52, 64, 128];
    let none: Added = |_| 0.0;
    let cases: [(&[u64], Added); 5] = [
        (&DOUBLING, none),
        (&steps, |kib| if kib == 48 { 0.7 } else { 0.0 }),
        (&steps, |kib| if (40..=48).contains(&kib) { 0.5 } else { 0.0 }),
        (&steps, |kib| if (36..=48).contains(&kib) { 0.85 } else { 0.0 }),
        (&[8, 16, 32, 48, 64, 128], |kib| if kib == 48 { 0.87 } else { 0.0 }),
    ];
    for (case, (sizes, added)) in cases.into_iter().enumerate() {
        let found = read(&timed(12, sizes, added)).verdict.unwrap();
        assert!((found.size..=found.most).contains(&Bytes::kib(48)), "{case}: {}", found.size_text());
        if let Ok((least, most)) = found.ways {
            assert!((least..=most).contains(&12) && most <= 32, "{case}: {least} to {most} ways");
        }
        assert!(found.confidence < Confidence::High, "{case}");
    }
    // an array between the sizes is measured where it shows the size, and where it shows the ways
    let decide = read(&timed(12, &DOUBLING, none)).verdict.unwrap().decide;
    assert_eq!(decide, [(48 << 10, 64), (48 << 10, 4096)]);
    for (ways, fits, sizes, confidence) in [
        (12, 48, [8, 16, 32, 47, 48, 49, 52, 64, 128], Confidence::High),
        (11, 44, [8, 16, 32, 43, 44, 45, 48, 64, 128], Confidence::Medium),
    ] {
        let found = read(&timed(ways, &sizes, none)).verdict.unwrap();
        assert_eq!((found.size, found.exact_ways()), (Bytes::kib(fits), Some(ways)));
        assert_eq!(found.confidence, confidence);
    }
}

/// Of a virtual Zen 4 with lines of 64 bytes: at that stride a fetched neighbour eases the misses, 0.83 after 0.50.
#[test]
fn a_stride_eased_by_a_neighbour_does_not_halve_the_line() {
    let mut saved = file("zen4-guest/cm1-eased-line.out");
    let found = read(&saved).verdict.unwrap();
    assert_eq!((found.size, found.exact_ways()), (Bytes::kib(32), Some(8)));
    assert_eq!(found.line, Ok(Bytes(64)));
    assert_eq!(found.confidence, Confidence::Medium, "one row alone shows the line");
    let row =
        |stride| saved.cells.iter().find(|cell| (cell.size, cell.stride) == (64 << 10, stride)).copied();
    let cells: Vec<_> = found
        .decide
        .iter()
        .map(|&(size, stride)| records::saved::SavedCell { size, stride, ..row(stride).unwrap() })
        .collect();
    assert_eq!(cells.iter().map(|cell| cell.stride).collect::<Vec<_>>(), [16, 32, 64, 128, 256]);
    saved.cells.extend(cells);
    let found = read(&saved).verdict.unwrap();
    assert_eq!((found.line, found.confidence, found.decide), (Ok(Bytes(64)), Confidence::High, Vec::new()));
}

/// A fetched neighbour eases the misses at the line's stride, or at all strides up to it: read right, or left open.
#[test]
fn a_line_is_never_wrong_and_sure() {
    let mut random = Random::new(5);
    let mut sure = 0;
    for round in 0..600 {
        let (line, all) = ([32, 64, 128][round % 3], round % 2 == 0);
        let eased = 0.7 + 0.3 * random.unit();
        let sizes = [8_u64, 16, 32, 33, 36, 60, 64].map(|kib| kib << 10);
        let saved = written(sizes, "\tevent=PAPI_L1_DCM\tsource=timing", 6, |size, stride| {
            let lines = size / stride.max(line);
            let fits = size <= 32 << 10 || lines <= 8 * (stride / 4096).clamp(1, 8);
            let is_eased = stride == line || all && stride < line;
            let share = if is_eased { eased } else { 1.0 } * (stride as f64 / line as f64).min(1.0);
            let disturbed = 1.0 + 0.06 * (random.unit() - 0.5);
            if fits { 0.04 * random.unit() } else { (share * disturbed).min(1.0) }
        });
        let Ok(found) = read(&saved).verdict else { continue };
        assert_eq!(found.line, Ok(Bytes(line)), "eased to {eased}");
        sure += usize::from(found.confidence == Confidence::High);
    }
    assert!(sure > 200, "{sure} of 600 read");
}

/// A second level whose lines are fetched in pairs misses as one of lines twice as long.
#[test]
fn a_second_levels_line_is_open_where_pairs_of_lines_look_the_same() {
    for (seen, source, line) in [
        (128, "\tsource=timing", Err("64 or 128 bytes")),
        (256, "\tsource=timing", Err("128 or 256 bytes")),
        (128, "", Err("64 or 128 bytes")),
        (64, "\tsource=timing", Ok(64)),
        (128, "\tsource=model", Ok(128)),
    ] {
        let sizes = (6..13).map(|power| 1 << power << 10);
        let answer = read(&written(sizes, &format!("\tevent=PAPI_L2_DCM{source}"), 6, |size, stride| {
            let fits = size <= 512 << 10 || size / stride.max(64) <= 8;
            if fits { 0.0 } else { (stride as f64 / seen as f64).min(1.0) }
        }));
        let found = answer.verdict.unwrap();
        assert!((found.size..=found.most).contains(&Bytes::kib(512)), "{}", found.size_text());
        match (found.line, line) {
            (Ok(found), Ok(line)) => assert_eq!(found, Bytes(line)),
            (Err(why), Err(lines)) => {
                assert!(
                    why.starts_with(lines) && answer.why.iter().any(|one| one.text.contains(&why)),
                    "{why}"
                );
            }
            both => panic!("{both:?} of {seen}{source}"),
        }
    }
}

/// A loop in C from 0 to the array's end makes one access more where the stride does not divide the array.
#[test]
fn walks_to_the_end_of_any_array_are_read() {
    for (sets, ways, line) in [(32, 2, 128), (64, 8, 64), (16, 7, 128)] {
        let sizes = (3..6).flat_map(|power| (8..16).map(move |eighths| (eighths << 10 << power) / 8));
        let saved = written(sizes, "", 6, |size, stride| {
            let mut in_set = vec![0; sets];
            let all = (0..size).step_by(stride as usize).map(|at| at as usize / line);
            all.collect::<std::collections::BTreeSet<_>>().iter().for_each(|line| in_set[line % sets] += 1);
            let missed: usize = in_set.into_iter().filter(|lines| *lines > ways).sum();
            missed as f64 / size.div_ceil(stride) as f64
        });
        let truth = ((sets * ways * line) as u64, line as u64, Some(ways as u64));
        assert!(never_wrong(&format!("{ways} ways"), &saved, truth));
    }
}
