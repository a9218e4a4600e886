//! Sentences of the page and of the feedback that were different in earlier versions. An
//! assignment's translations of the former sentences are still used.

use std::collections::BTreeMap;

/// The former sentence and the present one.
const FORMER: &[(&str, &str)] = &[
    (
        "mm1 and mm2 keep their sum in memory: each step stores `res[i][j]`, and the next one loads it. A compiler that may keep the sum in a register makes two loads and no store of it. The table sets each product beside one that lacks that wait, or lacks the blocks. All were timed in turns, so that what disturbed one disturbed all: first with each access an instruction of its own, one element after the other, then with the compiler left free.",
        "mm1 and mm2 have their sum in memory: each step stores `res[i][j]`, and the next one loads it. With the sum in a register there are two loads and no store. The table compares each product with one that does not wait, or has no blocks. All were timed in turns, so that a disturbance affects all: first with an instruction for each access, one element after the other, then with full compiler optimisation.",
    ),
    ("compiler left free (ms)", "full optimisation (ms)"),
    ("; processor time, medians,", "; CPU time, medians,"),
    ("taken for granted:", "assumed:"),
    ("Every figure bears its source:", "Every figure has its source:"),
    ("time of the memory alone, as the model tells it", "modelled time of the memory alone"),
    ("(processor time; {} s on the wall)", "(CPU time; wall time {} s)"),
    ("These data cannot tell.", "These data do not decide it."),
    (
        "Clock cycles are the time above at the core's clock, not counted: a speed-up in cycles then says what the one in time says.",
        "Clock cycles are computed from the time above and the core's clock, not counted: the speed-up in cycles equals the speed-up in time.",
    ),
    (
        "**Nothing could tell these misses** ({}). The core cycles below still show where an access begins to cost more.",
        "**These misses could not be counted** ({}). The core cycles below still show where an access begins to cost more.",
    ),
    ("What the curves say", "What the curves show"),
    ("{}, yours from 3.1", "{}, your result from 3.1"),
    (
        "If your line is another, run `mm3 --line-size` with it.",
        "If your line is different, run `mm3 --line-size` with it.",
    ),
    (
        "as the system reports it, since the sweep above could not tell",
        "as the system reports it, since the sweep above does not show it",
    ),
    (
        "the usual one, since neither the sweep nor the system could tell",
        "the usual one, since neither the sweep nor the system shows it",
    ),
    (
        "the usual one, since this machine's is to be found",
        "the usual one, since you have to find this machine's",
    ),
    (
        "Ruled fields are yours: type into them here, then print; or print first and write by hand. This browser keeps what you type, also when the lab is run again into the same folder; **Save answers** writes it into a file that any other copy of the report reads.",
        "Fill in the ruled fields on this page, or print it and write by hand. This browser stores what you type, also when the lab runs again into the same folder; **Save answers** writes it to a file that any other copy of the report can load.",
    ),
    (
        "Write one number with its unit: `32 KiB`, `2^15 B`, `98.5 %`; or a bracket, `[32, 48) KiB`, where more cannot be told. `L1: 32 KiB` is one number; somebody has to read several, as in `32 or 48 KiB`, before they count.",
        "Write one number with its unit: `32 KiB`, `2^15 B`, `98.5 %`; or a range, `[32, 48) KiB`, if you cannot decide. `L1: 32 KiB` is one number; several numbers, as in `32 or 48 KiB`, count only after the instructor has read them.",
    ),
    (
        "The page compares hit rates and speed-ups that you compute with the figures that it shows, as closely as they are graded: hit rates to 0.5 % of their value, speed-ups to 2 %. It holds no results and checks no other answer.",
        "The page checks the hit rates and speed-ups that you compute, with the tolerance of the grading: 0.5 % of a hit rate, 2 % of a speed-up. It contains no results and checks no other answer.",
    ),
    ("Look at these before you argue from the figures:", "Check these warnings first:"),
    (
        "Fill in yours first: when this was pressed is noted with your answers.",
        "Fill in yours first: your answers record when you press this.",
    ),
    (
        "these are no answers of a report; take the answers.json that Save answers writes",
        "these are not the answers of a report; load the answers.json that Save answers writes",
    ),
    (
        "This browser keeps nothing for this page: press Save answers before you close it.",
        "This browser stores nothing for this page: press Save answers before you close it.",
    ),
    ("One end of a bracket: write one number.", "One end of a range: write one number."),
    (
        "answers.json is saved. Put it beside the report: the next lab run into that folder reads it.",
        "answers.json is saved. Put it into the report's folder: the next lab run into that folder reads it.",
    ),
    (
        "It has {} answers to questions that this page does not ask; they are kept.",
        "It has {} answers to questions that this page does not ask; they are saved too.",
    ),
    (
        "{} fields are still open, as listed; press Print again to print all the same.",
        "{} fields are still empty, as listed; press Print again to print the page anyway.",
    ),
    ("To be read by somebody.", "To be read by the instructor."),
    ("To be read by somebody: '{}': {}.", "To be read by the instructor: '{}': {}."),
    (
        "To be read by somebody, without points until then: {}.",
        "To be read by the instructor, without points until then: {}.",
    ),
    (
        "The bracket '{}' is right; more cells would narrow it.",
        "The range '{}' is right; more cells would make it smaller.",
    ),
    (
        "'{}' is wider than a factor of two, which tells too little.",
        "'{}' is wider than a factor of two, which is too imprecise.",
    ),
    ("The bracket '{}' does not hold it.", "The range '{}' does not contain the correct value."),
    ("it has several numbers and no bracket between them", "it has several numbers and no range"),
    ("it gives one end of a bracket", "it gives one end of a range"),
    ("it says in words what is asked for as a number", "it gives in words what must be a number"),
    ("its prefix may stand for 1000, or it is rounded", "its prefix may mean 1000, or it is rounded"),
    (
        "Not graded: the submission has no records that tell {}.",
        "Not graded: the submission has no records that show {}.",
    ),
    (
        "modelled time is that of the memory alone: it knows no steps that wait for each other, which decide these products' times",
        "modelled time is that of the memory alone: it excludes steps that wait for each other, which decide the time of these products",
    ),
    (
        "archives of this kind are not; hand in a .zip",
        "archives of this kind are not supported; hand in a .zip",
    ),
    (
        "There are more than {} files; the rest was not looked at.",
        "There are more than {} files; the others were not read.",
    ),
];

/// Adds to `words` the present form of each sentence that it has in a former form.
pub(super) fn add_present(words: &mut BTreeMap<String, String>) {
    for (former, present) in FORMER {
        if let Some(translated) = words.get(*former).cloned() {
            words.entry((*present).to_owned()).or_insert(translated);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_translations_are_used_and_present_ones_stay() {
        let [(first, now), (second, later), ..] = FORMER else { panic!("no former sentences") };
        let given = [(*first, "um"), (*second, "dois"), (*later, "três")];
        let mut words = given.map(|(english, other)| (english.to_owned(), other.to_owned())).into();
        add_present(&mut words);
        assert_eq!((words[*now].as_str(), words[*later].as_str()), ("um", "três"));
        for (former, present) in FORMER {
            assert_eq!(former.matches("{}").count(), present.matches("{}").count(), "{present}");
        }
    }
}
