//! Which submission of a student counts: the last one, or that of the group.

use std::collections::BTreeSet;

use common::text::shorten;

use super::owners::{Groups, NOBODY};
use super::reason::Reason;
use super::submissions::Submission;

/// The submission that counts for one student.
#[derive(Debug, Default, Clone)]
pub(super) struct Owned {
    /// Its position in the list of submissions.
    pub(super) submission: Option<usize>,
    /// Why there is no grade.
    pub(super) refused: Option<String>,
    /// Shown to the student.
    pub(super) notes: Vec<Reason>,
    /// Shown to the instructor only.
    pub(super) remarks: Vec<String>,
}

/// What counts for each of `students`.
pub(super) fn of_class(submissions: &[Submission], students: usize, groups: &Groups) -> Vec<Owned> {
    let mut own = vec![Vec::<usize>::new(); students];
    for (place, submission) in submissions.iter().enumerate() {
        submission.owner.iter().flatten().for_each(|student| own[*student].push(place));
    }
    let own: Vec<Owned> = own.iter().map(|places| last(submissions, places)).collect();
    (0..students).map(|student| of_group(submissions, student, &own, groups)).collect()
}

/// The submission that counts among those at `places`: the only one with answers, or the
/// last by the collecting system's numbers or clock.
fn last(all: &[Submission], places: &[usize]) -> Owned {
    let answered: Vec<usize> = places.iter().copied().filter(|place| !all[*place].is_empty()).collect();
    let among = if answered.is_empty() { places } else { &answered };
    let by = |key: &dyn Fn(&Submission) -> Option<i64>| {
        let keys: Option<Vec<(i64, usize)>> =
            among.iter().map(|place| Some((key(&all[*place])?, *place))).collect();
        let keys = keys?;
        let (last, place) = *keys.iter().max()?;
        (keys.iter().filter(|(key, _)| *key == last).count() == 1).then_some(place)
    };
    let counts = match among {
        [] => return Owned::default(),
        [only] => Some(*only),
        _ => by(&|submission| submission.version).or_else(|| by(&|submission| submission.time)),
    };
    let names = |places: &[usize]| {
        let shown = places.iter().take(6).map(|place| format!("'{}'", shorten(&all[*place].name, 60)));
        shown.collect::<Vec<_>>().join(", ")
    };
    let Some(counts) = counts else {
        let refused = format!(
            "there are {} submissions ({}), and no time says which is the last; write '{NOBODY}' for the others in map.csv",
            among.len(),
            names(among)
        );
        return Owned { refused: Some(refused), ..Owned::default() };
    };
    let others: Vec<usize> = places.iter().copied().filter(|place| *place != counts).collect();
    let remark = || format!("{} counts, not {}.", names(&[counts]), names(&others));
    Owned {
        submission: Some(counts),
        refused: None,
        notes: if among.len() > 1 { vec![Reason::LastCounts(among.len().to_string())] } else { Vec::new() },
        remarks: if others.is_empty() { Vec::new() } else { vec![remark()] },
    }
}

/// The same for a student without answers who is in a group: the only submission of the
/// others, or their last.
fn of_group(all: &[Submission], student: usize, own: &[Owned], groups: &Groups) -> Owned {
    let answered = |student: &usize| own[*student].submission.filter(|place| !all[*place].is_empty());
    let alone = own[student].refused.is_some() || answered(&student).is_some();
    let members = groups.of(student).filter(|_| !alone);
    let others: BTreeSet<usize> =
        members.into_iter().flat_map(|(_, members)| members).filter_map(answered).collect();
    if others.is_empty() {
        return own[student].clone();
    }
    let mut shared = last(all, &others.into_iter().collect::<Vec<usize>>());
    shared.notes.insert(0, Reason::ByGroup);
    shared
}
