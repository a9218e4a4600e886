use std::path::Path;

use super::*;

fn file(name: &str) -> Saved {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    Saved::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Smallest size, line, fewest and most ways.
type Found = (u64, u64, Option<(u64, u64)>);

fn geometry(saved: &Saved) -> Result<Found, String> {
    read(saved).verdict.map(|g| (g.size.0, g.line.0, g.ways.ok()))
}

#[test]
fn recorded_curves_are_read() {
    for i in 1..=5 {
        assert_eq!(
            geometry(&file(&format!("i5-7500/cm1-l1-{i}.out"))),
            Ok((32768, 64, Some((8, 15)))),
            "L1 {i}"
        );
    }
    // behind scattered pages the rows leave the size open, by less than a factor of 3
    for i in 1..=3 {
        let found = read(&file(&format!("i5-7500/cm1-l2-{i}.out"))).verdict.unwrap();
        assert_eq!((found.line, found.ways.ok()), (Bytes(64), None), "L2 {i}");
        assert!(
            (found.size..=found.most).contains(&Bytes::kib(256)),
            "L2 {i}: {} to {}",
            found.size,
            found.most
        );
        assert!(found.most.0 < 3 * found.size.0, "L2 {i}: {} to {}", found.size, found.most);
    }
}

/// L2 of 2 MiB and 16 ways behind 4 KiB pages: arrays that would fit miss in places.
#[test]
fn behind_scattered_pages_a_timed_sweep_leaves_the_second_level_open() {
    let found = read(&file("emerald-rapids/cm1-l2-timed.out")).verdict.unwrap();
    assert!(found.size <= Bytes::mib(2) && Bytes::mib(2) <= found.most, "{found:?}");
    assert!(found.ways.is_err(), "{found:?}");
    assert_eq!(found.confidence, Confidence::Low);
}

#[test]
fn the_sparcstation_is_read_from_its_times() {
    let answer = read(&file("../../report/src/figure1.csv"));
    let g = answer.verdict.unwrap();
    assert_eq!((g.size, g.line, g.ways), (Bytes::kib(64), Bytes(16), Ok((1, 1))));
    let times = g.times.unwrap();
    assert!((600.0..=640.0).contains(&times.penalty_ns), "{times:?}");
}

#[test]
fn independent_accesses_in_order_are_refused() {
    assert!(geometry(&file("i5-7500/spark-1.out")).is_err());
}

/// A small repeatable generator: tests must not depend on luck.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Size, line and ways that may be read.
type Truth = (u64, u64, Option<u64>);

fn recorded() -> Vec<(String, Saved, Truth)> {
    let l1 = (1..=5).map(|i| (format!("i5-7500/cm1-l1-{i}.out"), (32768, 64, Some(8))));
    let l2 = (1..=3).map(|i| (format!("i5-7500/cm1-l2-{i}.out"), (262144, 64, None)));
    let sparc = [("../../report/src/figure1.csv".to_owned(), (65536, 16, Some(1)))];
    l1.chain(l2).chain(sparc).map(|(name, truth)| (name.clone(), file(&name), truth)).collect()
}

/// Right, ways perhaps left open, or refused.
fn never_wrong(what: &str, saved: &Saved, truth: Truth) -> bool {
    match read(saved).verdict {
        Err(reason) => {
            assert!(reason.len() > 40, "{what}: '{reason}' is no advice");
            false
        }
        Ok(g) => {
            assert_eq!(g.line.0, truth.1, "{what}");
            assert!((g.size.0..=g.most.0).contains(&truth.0), "{what}: {}", g.size_text());
            let Ok((least, most)) = g.ways else { return true };
            assert!(truth.2.is_some_and(|w| (least..=most).contains(&w)), "{what}: {least} to {most} ways");
            true
        }
    }
}

fn each_value(saved: &mut Saved, mut change: impl FnMut(usize, &mut f64)) {
    for (i, cell) in saved.cells.iter_mut().enumerate() {
        for value in [&mut cell.misses, &mut cell.nanos].into_iter().flatten() {
            change(i, value);
        }
    }
}

#[test]
fn one_disturbed_cell_never_makes_the_answer_wrong() {
    let (mut read, mut tried) = (0, 0);
    for (name, saved, truth) in recorded() {
        for at in 0..saved.cells.len() {
            for factor in [50.0, 8.0, 3.0, 1.6, 0.5, 0.02] {
                let mut disturbed = saved.clone();
                each_value(&mut disturbed, |i, v| *v *= if i == at { factor } else { 1.0 });
                let what = format!("{name} {:?} times {factor}", saved.cells[at]);
                read += usize::from(never_wrong(&what, &disturbed, truth));
                tried += 1;
            }
            let mut replaced = saved.clone();
            each_value(&mut replaced, |i, v| *v = if i == at { 50.0 } else { *v });
            never_wrong(&format!("{name} {:?} is 50", saved.cells[at]), &replaced, truth);
        }
    }
    assert!(read * 10 > tried * 8, "most single disturbances do no harm: {read} of {tried}");
}

#[test]
fn cut_thinned_and_scaled_curves_never_make_the_answer_wrong() {
    let mut lcg = Lcg(7);
    for (name, saved, truth) in recorded() {
        for keep in 0..saved.cells.len() {
            let cut = Saved { cells: saved.cells[..keep].to_vec(), ..saved.clone() };
            never_wrong(&format!("{name} cut to {keep}"), &cut, truth);
            let late = Saved { cells: saved.cells[keep..].to_vec(), ..saved.clone() };
            never_wrong(&format!("{name} without the first {keep}"), &late, truth);
        }
        for percent in [2, 5, 10, 20, 40, 70] {
            for _ in 0..60 {
                let mut thin = saved.clone();
                thin.cells.retain(|_| lcg.below(100) >= percent);
                never_wrong(&format!("{name} without {percent} %"), &thin, truth);
            }
        }
        for factor in [2.0, 0.5, 50.0, 0.1] {
            let mut scaled = saved.clone();
            each_value(&mut scaled, |_, v| *v *= factor);
            never_wrong(&format!("{name} times {factor}"), &scaled, truth);
        }
        for percent in [3, 6, 12] {
            for _ in 0..60 {
                let mut noisy = saved.clone();
                each_value(&mut noisy, |_, v| {
                    *v *= 1.0 + (lcg.below(2 * percent + 1) as f64 - percent as f64) / 100.0
                });
                never_wrong(&format!("{name} with noise of {percent} %"), &noisy, truth);
            }
        }
    }
}

#[test]
fn constant_and_shuffled_curves_are_refused() {
    let mut lcg = Lcg(11);
    for (name, saved, _) in recorded() {
        for constant in [0.0, 0.3, 1.0, 400.0] {
            let mut flat = saved.clone();
            each_value(&mut flat, |_, v| *v = constant);
            assert!(geometry(&flat).is_err(), "{name} at {constant}");
        }
        for round in 0..200 {
            let mut shuffled = saved.clone();
            let n = shuffled.cells.len();
            for i in (1..n).rev() {
                let j = lcg.below(i + 1);
                let (a, b) = (shuffled.cells[i], shuffled.cells[j]);
                (shuffled.cells[i].misses, shuffled.cells[i].nanos) = (b.misses, b.nanos);
                (shuffled.cells[j].misses, shuffled.cells[j].nanos) = (a.misses, a.nanos);
            }
            assert!(
                geometry(&shuffled).is_err(),
                "{name} shuffled, round {round}: {:?}",
                geometry(&shuffled)
            );
        }
        for round in 0..50 {
            // whole rows exchanged
            let mut exchanged = saved.clone();
            let sizes = saved.sizes();
            let mut places = sizes.clone();
            for i in (1..places.len()).rev() {
                places.swap(i, lcg.below(i + 1));
            }
            if places == sizes {
                continue;
            }
            for cell in &mut exchanged.cells {
                let to = sizes.iter().position(|s| *s == cell.size).unwrap();
                cell.size = places[to];
            }
            exchanged.cells.retain(|c| c.stride * 2 <= c.size);
            exchanged.cells.sort_by_key(|c| (c.size, c.stride));
            if let Ok((size, line, _)) = geometry(&exchanged) {
                // only an exchange among rows that fit, or that do not, is harmless
                let truth = geometry(&saved).unwrap();
                assert_eq!((size, line), (truth.0, truth.1), "{name}, exchange {round}: {places:?}");
            }
        }
    }
}

#[test]
fn short_ranges_and_levels_that_do_not_match_are_refused() {
    for i in 1..=3 {
        let l2 = file(&format!("i5-7500/cm1-l2-{i}.out"));
        for max in [64 << 10, 128 << 10, 256 << 10, 512 << 10] {
            let mut short = l2.clone();
            short.cells.retain(|c| c.size <= max);
            assert!(geometry(&short).is_err(), "L2 {i} up to {max}");
        }
        let mut high = l2.clone();
        high.cells.retain(|c| c.size >= 512 << 10);
        assert!(geometry(&high).is_err(), "L2 {i} from 512K");
    }
    for i in 1..=5 {
        let l1 = file(&format!("i5-7500/cm1-l1-{i}.out"));
        let mut short = l1.clone();
        short.cells.retain(|c| c.size <= 32 << 10);
        assert!(geometry(&short).is_err(), "L1 {i} up to 32K");
        // the times of the same file: independent accesses in order
        let mut times = l1.clone();
        times.cells.iter_mut().for_each(|c| c.misses = None);
        assert!(geometry(&times).is_err(), "L1 {i} by time");
    }
}

/// The text of a recording as other programs would have saved it.
fn saved_elsewhere(text: &str) -> Vec<(&'static str, String)> {
    let comma = |text: &str| {
        let mut told = String::new();
        for (i, c) in text.char_indices() {
            let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
            told.push(if c == '.' && i > 0 && digit(i - 1) && digit(i + 1) { ',' } else { c });
        }
        told
    };
    let semicolons = |text: &str| text.replace([',', '\t'], ";");
    vec![
        ("CRLF", text.replace('\n', "\r\n")),
        ("decimal commas", comma(text)),
        ("semicolons", semicolons(text)),
        ("semicolons and decimal commas", comma(&semicolons(text))),
        ("all of it", comma(&semicolons(text)).replace('\n', "\r\n")),
        ("blank lines", text.replace('\n', "\n\n")),
        ("blanks for tabs", text.replace('\t', "   ")),
    ]
}

#[test]
fn other_separators_never_make_the_answer_wrong() {
    for (name, saved, truth) in recorded() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(&name);
        let text = std::fs::read_to_string(path).unwrap();
        for (how, text) in saved_elsewhere(&text) {
            if let Ok(told) = Saved::parse(&text) {
                let read = never_wrong(&format!("{name} with {how}"), &told, truth);
                assert!(read || how.contains("comma") || how == "all of it", "{name} with {how} is not read");
            }
        }
        assert!(!saved.cells.is_empty());
    }
}

#[test]
fn shifted_sizes_never_make_the_answer_wrong_and_sure() {
    let mut lcg = Lcg(23);
    for (name, saved, truth) in recorded() {
        for percent in [1, 3, 6] {
            for round in 0..5 {
                let shifts: Vec<u64> =
                    saved.sizes().iter().map(|_| lcg.below(2 * percent + 1) as u64).collect();
                let sizes = saved.sizes();
                let mut shifted = saved.clone();
                for cell in &mut shifted.cells {
                    let row = sizes.iter().position(|s| *s == cell.size).unwrap();
                    cell.size = cell.size * (100 + shifts[row] - percent as u64) / 100;
                }
                let Ok(found) = read(&shifted).verdict else { continue };
                let ways = found
                    .ways
                    .as_ref()
                    .is_ok_and(|(least, most)| truth.2.is_none_or(|ways| !(*least..=*most).contains(&ways)));
                let near = found.size.0 as f64 <= 1.13 * truth.0 as f64
                    && found.most.0 as f64 >= 0.88 * truth.0 as f64;
                let sure = found.confidence == Confidence::High;
                assert!(
                    !sure || near && found.line.0 == truth.1 && !ways,
                    "{name}, {percent} %, {round}: {found:?}"
                );
            }
        }
    }
}

/// A sweep of an ideal cache of 32 KiB with lines of 64 bytes, its misses changed and
/// written with so many decimals.
fn written(decimals: usize, event: &str, change: fn(f64) -> f64) -> Saved {
    let mut text = String::new();
    for size in [8192u64, 16384, 32768, 65536, 131_072] {
        for stride in (0..).map(|power| 1 << power).take_while(|stride| stride * 2 <= size) {
            let lines = size / stride.max(64);
            let misses = if size <= 32768 || lines <= 8 { 0.0 } else { (stride as f64 / 64.0).min(1.0) };
            let misses = change(misses);
            text += &format!("cache_size={size}\tstride={stride}\tavg_misses={misses:.decimals$}{event}\n");
        }
    }
    Saved::parse(&text).unwrap()
}

#[test]
fn a_refusal_is_true_of_the_file_and_argues_nothing_before() {
    let same = |misses: f64| misses;
    assert!(read(&written(6, "", same)).verdict.is_ok());
    assert!(read(&written(6, "\tevent=PAPI_L1_DCM", same)).verdict.is_ok());
    assert!(read(&written(6, "\tevent=l1d.replacement", same)).verdict.is_ok());
    for (saved, reason) in [
        (written(2, "", same), "no more than 2 decimals"),
        (written(1, "", same), "no more than 1 decimals"),
        (written(0, "", same), "no more than 0 decimals"),
        (written(6, "\tevent=PAPI_TOT_CYC", same), "counts of PAPI_TOT_CYC"),
        (written(6, "\tevent=PAPI_L1_DCA", same), "counts of PAPI_L1_DCA"),
        (written(6, "\tevent=instructions", same), "counts of instructions"),
        (written(6, "", |misses| 0.2 * misses), "at most 0.200 times per access"),
        (written(6, "", |misses| 0.12 * misses), "at most 0.120 times per access"),
        (written(6, "", |misses| 0.01 * misses), "at most 0.010 times per access"),
    ] {
        let answer = read(&saved);
        let why = answer.verdict.unwrap_err();
        assert!(why.contains(reason), "{why}");
        assert_eq!(answer.why, Vec::<String>::new(), "{why}");
    }
}

/// A timed sweep of an L1 of so many ways of 4 KiB and lines of 64 bytes, with what other programs add to the misses
/// of an array.
fn timed(ways: u64, sizes_kib: &[u64], added: impl Fn(u64) -> f64) -> Saved {
    let cache = ways::Candidate { sets: 64, ways, line: 64, beside: None };
    let mut text = String::new();
    for &kib in sizes_kib {
        let size = kib << 10;
        for stride in (0..).map(|power| 1 << power).take_while(|stride| stride * 2 <= size) {
            let apart = stride.max(64);
            let own = ways::missing(size / apart, apart / 64, cache);
            let share = (own + added(kib)).min(1.0) * stride as f64 / apart as f64;
            let few = size / apart <= 8;
            let misses = if few { 0.0 } else { share };
            text += &format!(
                "cache_size={size}\tstride={stride}\tavg_misses={misses:.6}\tevent=PAPI_L1_DCM\tsource=timing\n"
            );
        }
    }
    Saved::parse(&text).unwrap()
}

/// Misses that other programs add to an array of so many KiB.
type Added = fn(u64) -> f64;

/// Other programs add misses to arrays near the size: none of them makes the answer wrong, or sure.
#[test]
fn rows_that_miss_in_part_exclude_no_size() {
    let doubling = [8, 16, 32, 64, 128];
    let steps = [8, 16, 32, 36, 40, 44, 48, 52, 64, 128];
    let none: Added = |_| 0.0;
    let cases: [(&[u64], Added); 5] = [
        (&doubling, none),
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
    let quiet = read(&timed(12, &[8, 16, 32, 47, 48, 49, 52, 64, 128], none)).verdict.unwrap();
    assert_eq!((quiet.size, quiet.exact_ways()), (Bytes::kib(48), Some(12)));
    assert_eq!(quiet.confidence, Confidence::High);
    // another program may use a way all the time
    let odd = read(&timed(11, &[8, 16, 32, 43, 44, 45, 48, 52, 64, 128], none)).verdict.unwrap();
    assert_eq!((odd.size, odd.exact_ways()), (Bytes::kib(44), Some(11)));
    assert_eq!(odd.confidence, Confidence::Medium);
}

#[test]
fn an_event_that_nothing_counted_is_no_curve() {
    for event in ["PAPI_L2_DCM", "PAPI_L1_DCM", "PAPI_TLB_DM"] {
        let mut saved = timed(12, &[8, 16, 32, 64, 128], |_| 0.0);
        saved.event = Some(event.to_owned());
        for cell in &mut saved.cells {
            cell.nanos = cell.misses.take().map(|misses| 1.0 + 4.0 * misses);
        }
        let reason = read(&saved).verdict.unwrap_err();
        assert!(reason.contains(&format!("Nothing counted {event}")), "{reason}");
    }
}
