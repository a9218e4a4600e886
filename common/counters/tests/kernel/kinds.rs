//! Processors whose cores differ: the kind that a program is limited to is counted.

use super::{count, described};
use crate::kernel::replayed::Settings;
use events::Event;
use system::cpu;

#[test]
fn the_kind_of_core_that_a_program_is_pinned_to_is_counted() {
    let before = cpu::allowed();
    // A kind of core for each of two processors, if this machine has as many.
    let kinds = before.len().min(2);
    for family in ["adl_glc", "apple_m1", "arm_ac76", "arm_x4"] {
        let mut asked = Vec::new();
        for kind in 0..kinds {
            let settings = Settings { kept_to: Some(kind), ..Settings::default() };
            let machine = described(family).machine(settings, |_, _| 7);
            let counted = machine.play(|| count(&[Event::TOT_CYC], || machine.work(10)));
            assert_eq!(counted[0].amount(), Some(70.0), "{family}, kind {kind}");
            asked.extend(machine.asked().last().map(|last| (last.type_, last.config >> 32)));
            assert_eq!(cpu::allowed(), before);
        }
        assert!(asked.windows(2).all(|two| two[0] != two[1]), "{family}: {asked:?}");
    }
}
