//! Random machines: all that a description can contain, with caches small enough to evict.

use figures::random::Random;
use machine::Machine;

use crate::pick;

/// A machine, and the description it was read from.
pub(crate) fn random_machine(random: &mut Random) -> (Machine, String) {
    loop {
        let text = description(random);
        // Some are invalid: an inclusive level smaller than the one above, 5 ways with
        // PLRU.
        if let Ok(machine) = Machine::from_toml(&text, "case") {
            return (machine, text);
        }
    }
}

fn description(random: &mut Random) -> String {
    // Shortcuts apply to simple machines, of which there would be few if all choices were
    // equally likely.
    let plain = random.below(3) == 0;
    let mut text = "name = \"case\"\n[pages]\n".to_owned();
    let page = pick(random, &["512", "4K", "4K", "4K", "8K", "16K", "64K", "256K", "2M"]);
    text += &format!("size = \"{page}\"\n");
    if !plain && random.below(2) == 0 {
        text += &format!("mapping = \"random\"\nseed = {}\n", random.below(1000));
    }
    let tlbs = random.below(3);
    if tlbs > 0 && random.below(3) > 0 {
        text += &format!("walk = {}\n", pick(random, &["\"L1\"", "\"L1\"", "\"L2\""]));
        text += &format!("walk_levels = {}\n", pick(random, &[1, 1, 2, 4]));
    }
    let mut line = pick(random, &[16, 32, 64, 64, 64, 128, 256]);
    let mut sets = pick(random, &[1, 1, 2, 3, 4, 4, 5, 8, 12, 16, 32]);
    for level in 1..=1 + random.below(3) {
        if level > 1 {
            line = 256.min(line * pick(random, &[1, 1, 1, 1, 2, 4]));
            sets *= pick(random, &[1, 2, 2, 4, 4, 8]);
        }
        let ways = pick(random, &[1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 20, 40, 64, 260]);
        let size = sets * ways * line;
        text += &format!("[[cache]]\nlevel = {level}\nsize = {size}\nline = {line}\n");
        text += &if sets == 1 { "ways = \"full\"\n".to_owned() } else { format!("ways = {ways}\n") };
        if plain && random.below(4) > 0 {
            continue;
        }
        let mut rule = |key: &str, values: &[&str]| text += &format!("{key} = {}\n", pick(random, values));
        rule("replacement", &["\"lru\"", "\"lru\"", "\"fifo\"", "\"plru\"", "\"random\""]);
        rule("write", &["\"back\"", "\"back\"", "\"through\""]);
        rule("allocate", &["true", "true", "false"]);
        rule("index", &["\"virtual\"", "\"physical\""]);
        if level > 1 {
            rule("inclusion", &["\"neither\"", "\"inclusive\"", "\"exclusive\""]);
        }
    }
    for level in 1..=tlbs {
        let (sets, ways) = (pick(random, &[1, 1, 2, 3, 4, 8]), pick(random, &[1, 2, 3, 4, 4, 8, 16, 40]));
        text += &format!("[[tlb]]\nlevel = {level}\nentries = {}\n", sets * ways);
        text += &if sets == 1 { "ways = \"full\"\n".to_owned() } else { format!("ways = {ways}\n") };
        text += &format!("index = {}\n", pick(random, &["\"modulo\"", "\"xor\""]));
    }
    text
}
