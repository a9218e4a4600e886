//! flops as a student runs it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::process::{Command, Output};

use common::counters::Sampler;
use common::events::Event;
use common::record::Record;
use flops::kernels::KERNELS;

fn flops(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flops")).args(args).output().unwrap()
}

fn record(args: &[&str]) -> Record {
    let out = flops(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_the_system_does_not_start_are_reported_in_one_line() {
    let with = |threads: &str| {
        Command::new(env!("CARGO_BIN_EXE_flops"))
            .args([KERNELS[0].name, "64", "--threads", threads])
            .env("RUST_MIN_STACK", (1_u64 << 60).to_string())
            .output()
            .unwrap()
    };
    let out = with("2");
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!((out.status.code(), out.stdout.is_empty()), (Some(1), true), "{stderr}");
    assert!(stderr.contains("the system starts no more threads"), "{stderr}");
    assert!(with("1").status.success(), "one is there already");
}

#[test]
fn every_kernel_is_right_and_has_a_rate() {
    let record = record(&["all", "64", "--threads", "2", "--repeats", "3", "--format", "json"]);
    let here = KERNELS.iter().filter(|kernel| (kernel.present)());
    for (row, kernel) in record.rows.iter().zip(here) {
        assert_eq!(row.text("kernel"), kernel.name);
        assert_eq!((row.value("right"), row.value("threads")), (Some(&true.into()), Some(&2.into())));
        assert_eq!(row.amount("operations"), Some(2.0 * 64f64.powi(3) * 3.0));
        assert!(row.amount("known_mflops").unwrap() > 0.0);
    }
}

/// The software clock works on machines without counters. If the kernel refuses it to this
/// process, the output has the same reason.
#[test]
fn samples_of_the_clock_lie_in_the_product_and_are_no_estimate() {
    let name = KERNELS.last().unwrap().name;
    let name = if (KERNELS.last().unwrap().present)() { name } else { KERNELS[1].name };
    let record = record(&[name, "128", "--threads", "1", "--event", "task-clock", "--format", "json"]);
    let row = &record.rows[0];
    assert!(row.reading("sampled_mflops").unwrap().reason().is_some());
    let clock = Event::parse("task-clock").unwrap();
    if let Err(refusal) = Sampler::new(&clock, 499_979) {
        assert_eq!(row.reading("samples").unwrap().reason(), Some(refusal.to_string().as_str()));
        return;
    }
    let amount = |name: &str| row.amount(name).unwrap();
    assert!(amount("share_in_product") > 0.95, "{record:?}");
    let expected = 1.0 / amount("samples").sqrt();
    assert!((amount("sampling_error") - expected).abs() < 1e-12);
}

#[test]
fn the_formulas_are_printed_with_their_numbers() {
    let out = flops(&[KERNELS[0].name, "32", "--threads", "1", "--repeats", "2", "--counters", "none"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("2 x 32^3 x 2 / 10^6"), "{text}");
    assert!(text.contains("counted_mflops=not counted (--counters none)"), "{text}");
}

#[test]
fn what_is_asked_for_wrongly_is_refused_by_name() {
    let wrong: [(&[&str], &str); 5] = [
        (&["mmx", "10"], "no kernel 'mmx'"),
        (&["all", "0"], "'0'"),
        (&["all", "8", "--event", "PAPI_FLOPS"], "PAPI_FLOPS"),
        (&["all", "8", "--counters", "model"], "possible values: auto, hardware, none"),
        (&["all", "8", "--period", "0"], "'0'"),
    ];
    for (args, says) in wrong {
        let out = flops(args);
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(says), "{args:?}: {stderr}");
    }
}
