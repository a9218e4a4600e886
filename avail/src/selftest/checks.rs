//! Which kernel checks which presets, and with which tolerance.

use common::system::facts::Facts;
use common::system::pages;

use super::kernels::{self, Round, Width};

/// A kernel, the presets counted in it, and the expected counts.
pub(super) struct Check {
    pub(super) presets: &'static [&'static str],
    pub(super) kernel: &'static str,
    pub(super) expected: [f64; 2],
    /// `None` if this machine cannot run it.
    pub(super) run: Option<Box<dyn FnMut()>>,
    /// Why it cannot.
    pub(super) unavailable: &'static str,
}

const MILLION: f64 = 1e6;

/// Largest addition by starting and stopping, and by the return from an interrupt.
const SLACK: f64 = 1000.0;

fn exact(
    presets: &'static [&'static str],
    kernel: &'static str,
    count: f64,
    run: impl FnMut() + 'static,
) -> Check {
    let expected = [count, count * 1.001 + SLACK];
    Check { presets, kernel, expected, run: Some(Box::new(run)), unavailable: "" }
}

fn between(
    presets: &'static [&'static str],
    kernel: &'static str,
    from: f64,
    to: f64,
    run: impl FnMut() + 'static,
) -> Check {
    Check { presets, kernel, expected: [from, to], run: Some(Box::new(run)), unavailable: "" }
}

/// All checks, with their memory allocated.
pub(super) fn all() -> Vec<Check> {
    let mut checks = instructions();
    checks.extend(operations());
    checks.extend(misses());
    checks
}

fn instructions() -> Vec<Check> {
    let million = 1_000_000;
    vec![
        exact(&["PAPI_TOT_INS"], "million iterations of 2 instructions", 2.0 * MILLION, move || {
            kernels::count_down(million)
        }),
        exact(
            &["PAPI_BR_INS", "PAPI_BR_CN", "PAPI_BR_TKN", "PAPI_BR_PRC"],
            "million iterations of one branch",
            MILLION - 1.0,
            move || kernels::count_down(million),
        ),
        between(
            &["PAPI_BR_MSP", "PAPI_BR_NTK", "PAPI_BR_UCN"],
            "million iterations of one branch",
            0.0,
            SLACK,
            move || {
                kernels::count_down(million);
            },
        ),
        // Presets of branches may also count those of the loop.
        between(&["PAPI_BR_MSP"], "million random branches", 0.4 * MILLION, 0.6 * MILLION, move || {
            kernels::guess(million);
        }),
        exact(
            &["PAPI_LD_INS", "PAPI_LST_INS", "PAPI_L1_DCR", "PAPI_L1_DCA"],
            "million loads",
            MILLION,
            move || {
                kernels::load(million);
            },
        ),
        exact(
            &["PAPI_SR_INS", "PAPI_LST_INS", "PAPI_L1_DCW", "PAPI_L1_DCA"],
            "million stores",
            MILLION,
            move || {
                kernels::store(million);
            },
        ),
        between(&["PAPI_TOT_CYC"], "million dependent additions", 0.98 * MILLION, 1.05 * MILLION, || {
            kernels::chain(10_000);
        }),
    ]
}

/// Kernel, lanes, the presets for its operations, the presets for its instructions.
type Row =
    (&'static str, fn(u64, Width) -> bool, Width, f64, &'static [&'static str], &'static [&'static str]);

const DOUBLE: &[&str] = &["PAPI_FP_OPS", "PAPI_DP_OPS"];
const SINGLE: &[&str] = &["PAPI_FP_OPS", "PAPI_SP_OPS"];

// Without PAPI_VEC_INS: on some processors it counts operations, not instructions.
const ADDITIONS: &[Row] = {
    use Width::{Packed128, Packed256, Packed512, Scalar};
    use kernels::{add_doubles, add_singles};
    &[
        ("million scalar double additions", add_doubles, Scalar, 1.0, DOUBLE, &["PAPI_FP_INS"]),
        ("million additions of 2 doubles", add_doubles, Packed128, 2.0, DOUBLE, &["PAPI_VEC_DP"]),
        ("million additions of 4 doubles", add_doubles, Packed256, 4.0, DOUBLE, &["PAPI_VEC_DP"]),
        ("million additions of 8 doubles", add_doubles, Packed512, 8.0, DOUBLE, &["PAPI_VEC_DP"]),
        ("million scalar single additions", add_singles, Scalar, 1.0, SINGLE, &["PAPI_FP_INS"]),
        ("million additions of 4 singles", add_singles, Packed128, 4.0, SINGLE, &["PAPI_VEC_SP"]),
        ("million additions of 8 singles", add_singles, Packed256, 8.0, SINGLE, &["PAPI_VEC_SP"]),
        ("million additions of 16 singles", add_singles, Packed512, 16.0, SINGLE, &["PAPI_VEC_SP"]),
    ]
};

fn operations() -> Vec<Check> {
    let checks = |&(kernel, add, width, lanes, operations, instructions): &Row| {
        [(operations, lanes), (instructions, 1.0)].map(|(presets, each)| {
            let mut check = exact(presets, kernel, each * MILLION, move || {
                add(1_000_000, width);
            });
            if !add(0, width) {
                check.run = None;
                check.unavailable = "this processor has no additions of that width";
            }
            check
        })
    };
    ADDITIONS.iter().flat_map(checks).collect()
}

/// Random accesses to memory eight times as large as a cache: hardly any access hits.
fn misses() -> Vec<Check> {
    let facts = Facts::of_host();
    let caches = facts.data_caches();
    let size = |level: u8| caches.iter().find(|cache| cache.level == level).map(|cache| cache.size.get());
    let line = caches.first().map_or(64, |cache| cache.line.get());
    let mut checks = vec![
        walk(&["PAPI_L1_DCM", "PAPI_L1_LDM", "PAPI_L1_TCM"], "random walk, 8 times level 1", size(1), line),
        walk(&["PAPI_L2_DCM", "PAPI_L2_LDM", "PAPI_L2_TCM"], "random walk, 8 times level 2", size(2), line),
    ];
    let places = 16_384;
    let round = Round::new(places, pages::base().get());
    let count = places as f64;
    checks.push(between(
        &["PAPI_TLB_DM"],
        "random walk over 16384 pages",
        0.8 * count,
        1.3 * count,
        move || {
            round.walk(places as u64);
        },
    ));
    checks
}

fn walk(presets: &'static [&'static str], kernel: &'static str, size: Option<usize>, line: usize) -> Check {
    let places = size.unwrap_or(0) * 8 / line;
    let expected = [0.8 * places as f64, 1.25 * places as f64];
    let round = size.map(|_| Round::new(places, line));
    let run = round.map(|round| Box::new(move || round.walk(places as u64)) as Box<dyn FnMut()>);
    Check {
        presets,
        kernel,
        expected,
        run,
        unavailable: "neither the system nor the processor reports the size of that cache",
    }
}

#[cfg(test)]
mod tests {
    use common::events::Preset;

    #[test]
    fn every_check_is_of_presets_and_runs_where_the_processor_can() {
        for mut check in super::all() {
            assert!(check.presets.iter().all(|name| Preset::named(name).is_some()), "{:?}", check.presets);
            assert!(check.expected[0] <= check.expected[1], "{}", check.kernel);
            match &mut check.run {
                Some(run) => run(),
                None => assert!(!check.unavailable.is_empty(), "{}", check.kernel),
            }
        }
    }
}
