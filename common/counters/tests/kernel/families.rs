//! Opening, grouping, scheduling and sharing.

use super::{count, count_in, described, machine, rate};
use crate::kernel::played::{Described, PROCESSORS, Settings};
use crate::{Counting, Scope, definition, num_counters};
use events::map::{self, Config};
use events::{Event, Preset, kernel};
use figures::value::Reading;

/// What a preset counts in so many turns, by the map and the machine's rates.
fn expected(described: &Described, entry: &map::Entry, turns: u64) -> f64 {
    let generic =
        |wanted| described.driver.generic.iter().find(|(name, _)| kernel::lookup(name) == Some(wanted));
    let happens = |native: &map::Code| match native.config {
        Config::Raw(code) => rate(code, 0),
        Config::Response(code, with) => rate(code, with),
        Config::Kernel(kind, config) => rate(generic((kind, config)).unwrap().1, 0),
    };
    let counts: Vec<f64> = entry.natives.iter().map(|native| (happens(native) * turns) as f64).collect();
    entry.formula.evaluate(&counts)
}

/// All presets that a family's table has, in one call: as many runs as it takes.
#[test]
fn every_preset_counts_what_its_formula_says() {
    let mut pairs = 0;
    for described in PROCESSORS.map(described) {
        let key = described.family.key;
        let mapped: Vec<&map::Entry> =
            Preset::all().filter_map(|preset| map::lookup(described.family, preset).ok()).collect();
        let events: Vec<Event> = mapped.iter().map(|entry| Event::Preset(entry.preset)).collect();
        let machine = machine(&described, Settings::default());
        let mut runs = 0;
        let readings = machine.play(|| count_in(&events, &mut runs, || machine.work(3)));
        for (entry, reading) in mapped.iter().zip(&readings) {
            let expected = expected(&described, entry, 3);
            let told = || format!("{key} {}: {reading}, not {expected}", entry.preset.name());
            match reading.result() {
                Ok(amount) => {
                    assert_eq!(amount, expected, "{}", told());
                    assert_eq!(reading.multiplexed(), None, "{}", told());
                }
                Err(reason) => assert!(expected < 0.0 && reason.contains("the difference"), "{}", told()),
            }
        }
        pairs += mapped.len();
        assert_eq!(machine.open(), 0, "{key}");
        // A driver that can leave the kernel out is never asked for less.
        let left_out = machine.asked().iter().all(|event| event.scope == Scope::Program);
        assert_eq!(left_out, described.driver.is_complete, "{key}");
        assert!(runs > 1 || mapped.len() <= described.general, "{key}: {runs} runs");
    }
    assert!(pairs > 100, "{pairs}");
}

/// Where a family has no table, the kernel's generic events are used, as far as its driver has them.
#[test]
fn a_family_without_a_table_counts_the_kernels_events() {
    let described = described("qcom_kryo");
    let machine = machine(&described, Settings::default());
    let readings = machine.play(|| count(&[Event::TOT_INS, Event::L2_DCM], || machine.work(7)));
    assert_eq!(readings[0].amount(), Some((rate(0x08, 0) * 7) as f64), "{}", readings[0]);
    assert!(readings[1].to_string().contains(described.family.title), "{}", readings[1]);
}

#[test]
fn the_watchdogs_counter_is_not_counted() {
    for described in PROCESSORS.map(described).iter().filter(|described| described.driver.is_complete) {
        let found = |settings| machine(described, settings).play(num_counters);
        let own = described.driver.own;
        let code = |name| described.driver.generic.iter().find(|g| g.0 == name).unwrap().1;
        let beside = ["cycles", "instructions"].into_iter().filter(|name| own.contains(&code(*name))).count();
        let key = described.family.key;
        assert_eq!(found(Settings::default()), described.general + beside, "{key}");
        let watched = Settings { watchdog: true, ..Settings::default() };
        assert_eq!(found(watched), described.general + beside - 1, "{key}: with the watchdog");
    }
}

/// Codes that differ, none of which has a counter of its own.
fn plain(described: &Described, many: usize) -> Vec<Event> {
    let raw = (1..).map(|n| format!("r{:x}", if described.driver.is_complete { 0x9000 + n } else { n << 8 }));
    raw.take(many).map(|name| Event::parse(&name).unwrap()).collect()
}

#[test]
fn more_events_than_counters_are_in_several_groups_and_take_turns_if_all_are_started() {
    for described in &PROCESSORS.map(described) {
        let key = described.family.key;
        let machine = described.machine(Settings::default(), |_, _| 50);
        let events = plain(described, described.general + 2);
        machine.play(|| {
            assert_eq!(Counting::open(&events[..described.general]).passes(), 1, "{key}");
            let mut counting = Counting::open(&events);
            assert_eq!(counting.passes(), if described.general == 1 { 3 } else { 2 }, "{key}");
            counting.start().unwrap();
            machine.work(1_000_000);
            for reading in counting.stop().unwrap() {
                assert!(reading.multiplexed().unwrap().share() < 0.7, "{key}: {reading}");
                assert!((reading.amount().unwrap() / 50e6 - 1.0).abs() < 0.001, "{key}: {reading}");
            }
        });
    }
}

#[test]
fn what_is_read_while_it_runs_counts_from_where_it_was_reset() {
    let described = described("skl");
    let machine = described.machine(Settings::default(), |code, _| if code == 0xc0 { 3 } else { 5 });
    let amounts = |readings: Vec<Reading>| -> Vec<f64> {
        readings.iter().map(|reading| reading.amount().unwrap()).collect()
    };
    machine.play(|| {
        for counting in [Counting::open, Counting::of_thread] {
            let mut counting = counting(&[Event::TOT_INS, Event::TOT_CYC]);
            counting.start().unwrap();
            machine.work(10);
            assert_eq!(amounts(counting.read().unwrap()), [30.0, 50.0]);
            machine.work(10);
            assert_eq!(amounts(counting.reset().unwrap()), [60.0, 100.0]);
            machine.work(2);
            assert_eq!(amounts(counting.stop().unwrap()), [6.0, 10.0]);
            machine.work(7);
            counting.start().unwrap();
            machine.work(1);
            assert_eq!(amounts(counting.stop().unwrap()), [3.0, 5.0]);
        }
    });
}

/// Counting is planned once: the runs open nothing.
#[test]
fn events_are_opened_once_however_often_they_are_counted() {
    let machine = described("skl").machine(Settings::default(), |_, _| 3);
    let events = [Event::L1_DCM, Event::LD_INS, Event::SR_INS, Event::TOT_CYC];
    machine.play(|| {
        let mut counting = Counting::open(&events);
        let before = machine.asked().len();
        for _ in 0..9 {
            let readings = counting.count(&mut || {}, &mut || machine.work(4)).unwrap();
            assert!(readings.iter().all(|reading| reading.amount() == Some(12.0)), "{readings:?}");
        }
        assert_eq!((machine.asked().len(), machine.open()), (before, events.len()));
    });
}

/// The watchdog's counter is not seen when a group is opened: it never runs.
#[test]
fn a_group_that_leaves_no_counter_to_the_watchdog_is_cut() {
    let described = described("skl");
    let machine = described.machine(Settings { watchdog: true, ..Settings::default() }, |_, _| 2);
    let events = [&plain(&described, 4)[..], &[Event::TOT_CYC]].concat();
    let mut runs = 0;
    let readings = machine.play(|| count_in(&events, &mut runs, || machine.work(5)));
    assert!(readings.iter().all(|reading| reading.amount() == Some(10.0)), "{readings:?}");
    assert_eq!(runs, 2);
    let alone = |settings| described.machine(settings, |_, _| 2).play(|| definition(&events[0]));
    assert!(alone(Settings::default()).is_ok());
}
