//! Decides which student a submission belongs to.
//!
//! A submission belongs to the student whom the collecting system names: in its metadata,
//! or in the name of the folder or file. If that names nobody in the roster, it belongs to
//! the student who signed its answers first. Students of one group (`--groups`), and
//! partners who both name each other, share a submission if the others handed in no
//! answers. If two students have equal claims to a submission, neither gets it, and a note
//! names both.
//! right is given to neither; both are named.

use std::collections::{BTreeMap, BTreeSet};

use common::text::shorten;

use super::groups::Groups;
use super::identity::{Class, Named};
use super::sentence::{Sentence, say};
use super::submissions::{Ending, Submission};
use super::times::{self, Times};

/// Largest number of fields for students' names on a page.
const SIGNERS: usize = 9;
/// The rank of a match with only a part of a submission's name.
const PARTLY: usize = 100;

/// The submission that counts for one student.
#[derive(Debug, Default, Clone)]
pub(super) struct Owned {
    /// Its position in the list of submissions.
    pub(super) submission: Option<usize>,
    /// The students whose machine it may have been measured on: the one who handed it in,
    /// then this student.
    pub(super) measured_by: Vec<usize>,
    /// Why no submission counts although there is one: the student gets no grade.
    pub(super) refused: Option<String>,
    /// When it was handed in, and whether that is only the time of its files.
    pub(super) time: Option<i64>,
    pub(super) time_of_file: bool,
    /// Shown to the student.
    pub(super) notes: Vec<Sentence>,
    /// Shown to the instructor only: these name other students.
    pub(super) remarks: Vec<String>,
}

/// The submission of each student of the class, and sentences on submissions without an
/// owner.
pub(super) struct Decision {
    pub(super) owned: Vec<Owned>,
    pub(super) unclaimed: Vec<String>,
    /// Whether any submission has an owner.
    pub(super) any: bool,
}

/// The evidence for the owner of a submission.
#[derive(Debug, Default)]
struct Claims {
    /// Students whom the system names, with the rank of the match.
    own: Vec<(usize, usize)>,
    /// Students between whom the system's name is ambiguous.
    doubtful: Vec<usize>,
    /// Students between whom the first signature is ambiguous.
    maybe: Vec<usize>,
    /// The student who signed it first, where the system names nobody.
    signer: Option<usize>,
    /// Students who signed its answers.
    signed: BTreeSet<usize>,
    /// Why no student is found by the signatures.
    why: Option<String>,
}

/// Decides for all submissions.
pub(super) fn decide(
    class: &Class,
    submissions: &[Submission],
    participants: &BTreeMap<String, usize>,
    groups: &Groups,
    times: &Times,
) -> Decision {
    let teams = teams(class, submissions);
    let claims: Vec<Claims> =
        submissions.iter().map(|submission| Claims::of(class, submission, participants, &teams)).collect();
    let mut own = vec![Vec::<(usize, usize)>::new(); class.students.len()];
    let mut doubtful = vec![Vec::<usize>::new(); class.students.len()];
    let mut signed = vec![Vec::<usize>::new(); class.students.len()];
    let mut maybe = vec![Vec::<usize>::new(); class.students.len()];
    for (place, claim) in claims.iter().enumerate() {
        claim.own.iter().for_each(|(student, rank)| own[*student].push((*rank, place)));
        claim.doubtful.iter().for_each(|student| doubtful[*student].push(place));
        claim.signer.iter().for_each(|student| signed[*student].push(place));
        claim.maybe.iter().for_each(|student| maybe[*student].push(place));
    }
    let all = Pool { class, submissions, times };
    let mut owned: Vec<Owned> = (0..class.students.len())
        .map(|student| {
            let undecided = [&doubtful[student], &signed[student], &maybe[student]];
            all.of_student(student, &own[student], undecided.map(Vec::as_slice))
        })
        .collect();
    let before = owned.clone();
    for (student, owned) in owned.iter_mut().enumerate() {
        all.shared(student, owned, &before, &claims, groups);
        if let Some(claim) = owned.submission.map(|place| &claims[place]) {
            let own = claim.own.iter().map(|(student, _)| *student);
            owned.measured_by = own.chain(claim.signer).chain([student]).collect();
        }
        all.timed(student, owned);
    }
    let unclaimed = submissions
        .iter()
        .zip(&claims)
        .filter(|(_, claim)| claim.own.is_empty() && claim.doubtful.is_empty() && claim.signer.is_none())
        .map(|(submission, claim)| {
            let name = shorten(&submission.name, 60);
            let why = claim.why.clone().unwrap_or_else(|| "is of no student of the roster".to_owned());
            format!("'{name}' {why}")
        })
        .collect();
    let any = owned.iter().any(|owned| owned.submission.is_some() || owned.refused.is_some());
    Decision { owned, unclaimed, any }
}

/// The submission that counts if all belong to one student.
pub(super) fn of_one(class: &Class, submissions: &[Submission], times: &Times) -> Decision {
    let mut owned = Owned::default();
    let places: Vec<usize> = (0..submissions.len()).collect();
    let all = Pool { class, submissions, times };
    all.last(0, &places, &mut owned);
    all.timed(0, &mut owned);
    Decision { owned: vec![owned], unclaimed: Vec::new(), any: true }
}

impl Claims {
    fn of(
        class: &Class,
        submission: &Submission,
        participants: &BTreeMap<String, usize>,
        teams: &BTreeSet<String>,
    ) -> Claims {
        let mut claims = Claims::default();
        let positions: Vec<Signed> =
            (1..=SIGNERS).filter_map(|position| Signed::of(class, submission, position)).collect();
        claims.signed = positions.iter().filter_map(|signed| signed.student).collect();
        if let Some(submitters) = &submission.submitters {
            for submitter in submitters {
                let texts = [&*submitter.email, &submitter.number, &submitter.name];
                match together(class, texts) {
                    Ok(student) => {
                        let given = || texts.into_iter().filter(|text| !text.trim().is_empty());
                        let agree = given().filter(|text| class.named(text) != Named::Nobody).count();
                        // An account with a student's name and an address that is not the
                        // student's.
                        let foreign_address = !submitter.email.trim().is_empty()
                            && class.named(&submitter.email) == Named::Nobody
                            && class.has_address(student);
                        match agree {
                            _ if agree == given().count() => claims.own.push((student, 0)),
                            1 if foreign_address => claims.doubtful.push(student),
                            _ => claims.own.push((student, PARTLY)),
                        }
                    }
                    Err(students) if students.is_empty() => {
                        let name = shorten(&submitter.name, 60);
                        claims.why = Some(format!("is of '{name}', who is not in the roster"));
                    }
                    Err(students) => claims.doubtful.extend(students),
                }
            }
            if submission.contradictory {
                claims.doubtful.extend(claims.own.drain(..).map(|(student, _)| student));
            }
            return claims;
        }
        let participant = match &submission.ending {
            Ending::Moodle(number) => participants.get(number).copied(),
            _ => None,
        };
        match (named(class, submission, teams), participant) {
            (Named::One { student, rank }, None) => claims.own.push((student, 1 + rank)),
            (Named::One { student, .. }, Some(participant)) if student == participant => {
                claims.own.push((student, 0));
            }
            // Name and number do not match: is it the worksheet of another assignment?
            (Named::One { student, .. }, Some(participant)) => claims.doubtful = vec![student, participant],
            (Named::Several(students), Some(participant)) if students.contains(&participant) => {
                claims.own.push((participant, 0));
            }
            (Named::Several(students), _) => claims.doubtful = students,
            (Named::Nobody, _) => match positions.first() {
                Some(Signed { student: Some(student), .. }) => claims.signer = Some(*student),
                Some(first) => {
                    claims.why = Some(first.why.clone());
                    claims.maybe.clone_from(&first.maybe);
                }
                None => {}
            },
        }
        claims
    }
}

/// The students that the name of a folder or file names: the whole name, or the part before
/// the system's suffix, or the part after Moodle's name of a team.
fn named(class: &Class, submission: &Submission, teams: &BTreeSet<String>) -> Named {
    let found = class.named(&submission.name);
    if found != Named::Nobody {
        return found;
    }
    match &submission.ending {
        Ending::Autolab(_) => return class.named(&submission.before),
        // A number alone may belong to another system.
        Ending::Canvas(number) => {
            return match class.named(number) {
                Named::One { student, rank } if class.is_spelt(student, &submission.before) => {
                    Named::One { student, rank }
                }
                _ => Named::Nobody,
            };
        }
        Ending::Moodle(_) | Ending::None => {}
    }
    if !matches!(submission.ending, Ending::Moodle(_)) {
        return found;
    }
    match class.named_by_moodle(&submission.before) {
        Named::Nobody => {}
        found => return found,
    }
    let Some((team, found)) = behind_a_team(class, &submission.before) else { return Named::Nobody };
    match (found.one(), class.named_by_moodle(team)) {
        (Some(student), Named::One { student: other, .. }) if student == other => found,
        // "Mallory-Ana" does not begin with a team's name if Mallory is a student.
        (Some(student), Named::One { student: other, .. }) => Named::Several(vec![student, other]),
        // "Jean-Luc Martin" may be another person than Luc Martin.
        (Some(student), _) if !teams.contains(team) => Named::Several(vec![student]),
        _ => found,
    }
}

/// A possible name of a team, and the students that the rest names.
fn behind_a_team<'n>(class: &Class, before: &'n str) -> Option<(&'n str, Named)> {
    before.match_indices('-').find_map(|(at, sign)| {
        let found = class.named_by_moodle(&before[at + sign.len()..]);
        (found != Named::Nobody).then_some((&before[..at], found))
    })
}

/// The names of teams that Moodle has put before those of several students.
fn teams(class: &Class, submissions: &[Submission]) -> BTreeSet<String> {
    let mut found = BTreeMap::<&str, BTreeSet<usize>>::new();
    for submission in submissions.iter().filter(|one| matches!(one.ending, Ending::Moodle(_))) {
        if let Some((team, named)) = behind_a_team(class, &submission.before) {
            found.entry(team).or_default().extend(named.one());
        }
    }
    found.retain(|_, students| students.len() > 1);
    found.into_keys().map(str::to_owned).collect()
}

/// The contents of one student's fields in a submission's answers.
struct Signed {
    student: Option<usize>,
    maybe: Vec<usize>,
    why: String,
}

impl Signed {
    fn of(class: &Class, submission: &Submission, position: usize) -> Option<Signed> {
        let field = |what: &str| {
            submission.answers.get(&format!("student-{position}-{what}")).map_or("", |text| text.trim())
        };
        let [number, name] = ["number", "name"].map(field);
        if number.is_empty() && name.is_empty() {
            return None;
        }
        let shown = shorten(&format!("{name} {number}"), 60);
        let shown = shown.trim();
        Some(match together(class, [number, name]) {
            Ok(student) => Signed { student: Some(student), maybe: Vec::new(), why: String::new() },
            Err(students) => {
                let several = "which does not name one student";
                let nobody = "who is not in the roster";
                let why = if students.is_empty() { nobody } else { several };
                Signed { student: None, maybe: students, why: format!("is signed by '{shown}', {why}") }
            }
        })
    }
}

/// The student, if all `texts` that name a student name the same one; otherwise all students they
/// name.
fn together<const N: usize>(class: &Class, texts: [&str; N]) -> Result<usize, Vec<usize>> {
    let mut common: Option<BTreeSet<usize>> = None;
    let mut all = BTreeSet::new();
    for text in texts {
        let found: BTreeSet<usize> = match class.named(text) {
            Named::Nobody => continue,
            Named::One { student, .. } => [student].into(),
            Named::Several(students) => students.into_iter().collect(),
        };
        all.extend(found.iter().copied());
        common = Some(common.map_or(found.clone(), |common| common.intersection(&found).copied().collect()));
    }
    let common: Vec<usize> = common.unwrap_or_default().into_iter().collect();
    match common.as_slice() {
        [student] => Ok(*student),
        [] => Err(all.into_iter().collect()),
        several => Err(several.to_vec()),
    }
}

/// All submissions.
struct Pool<'c> {
    class: &'c Class,
    submissions: &'c [Submission],
    times: &'c Times,
}

impl Pool<'_> {
    /// The submission that counts for a student, among the student's own.
    fn of_student(
        &self,
        student: usize,
        own: &[(usize, usize)],
        [doubtful, signed, maybe]: [&[usize]; 3],
    ) -> Owned {
        let mut owned = Owned::default();
        let closest = own.iter().map(|(rank, _)| *rank).min();
        let (close, far): (Vec<_>, Vec<_>) = own.iter().partition(|(rank, _)| Some(*rank) == closest);
        let places =
            |claims: &[(usize, usize)]| claims.iter().map(|(_, place)| *place).collect::<Vec<usize>>();
        let (close, far) = (places(&close), places(&far));
        let participants: BTreeSet<&Ending> = close
            .iter()
            .map(|place| &self.submissions[*place].ending)
            .filter(|ending| matches!(ending, Ending::Moodle(_)))
            .collect();
        if participants.len() > 1 {
            owned.refused = Some(format!(
                "Two participants in Moodle have this name: {}. Give the worksheet (--worksheet), or rename the folders.",
                self.listed(&close)
            ));
        } else if !close.is_empty() {
            self.last(student, &close, &mut owned);
            if !far.is_empty() {
                owned.remarks.push(format!("Also found, and not counted: {}.", self.listed(&far)));
            }
        } else if !doubtful.is_empty() {
            owned.refused = Some(format!(
                "{} may be of this student or of another: the name does not decide. Rename it, or give a roster with a column that does.",
                self.listed(doubtful)
            ));
        } else if !signed.is_empty() {
            let first = &self.submissions[signed[0]].answers;
            if signed.iter().all(|place| self.submissions[*place].answers == *first) {
                self.last(student, signed, &mut owned);
            } else {
                owned.refused = Some(format!(
                    "{} are signed by this student, and nothing else says which is theirs. Rename one after the student.",
                    self.listed(signed)
                ));
            }
        } else if !maybe.is_empty() {
            owned.refused = Some(format!(
                "{}: name and number of the first student do not name one student. Rename it after the student.",
                self.listed(maybe)
            ));
        }
        owned
    }

    /// The submission that counts for a student who handed in no answers: the group's or a
    /// partner's.
    fn shared(&self, student: usize, owned: &mut Owned, all: &[Owned], claims: &[Claims], groups: &Groups) {
        let answered = |place: Option<usize>| place.is_some_and(|place| !self.submissions[place].is_empty());
        let own = all[student].submission;
        let names = |place: Option<usize>, student: usize| {
            place.is_some_and(|place| claims[place].signed.contains(&student))
        };
        let naming = || {
            (0..all.len())
                .filter(|other| *other != student && all[*other].refused.is_none())
                .filter(|other| names(all[*other].submission, student) && answered(all[*other].submission))
        };
        if answered(own) || owned.refused.is_some() && groups.of(student).is_none() {
            return;
        }
        let mates: Vec<usize> = match groups.of(student) {
            Some(group) => group
                .iter()
                .copied()
                .filter(|mate| *mate != student && answered(all[*mate].submission))
                .collect(),
            None => naming().filter(|other| names(own, *other)).collect(),
        };
        let mut places: Vec<usize> = mates.iter().filter_map(|mate| all[*mate].submission).collect();
        places.sort_unstable();
        places.dedup();
        let by = |place: usize| {
            let mate = mates.iter().find(|mate| all[**mate].submission == Some(place));
            mate.map_or("", |mate| self.class.name(*mate)).to_owned()
        };
        let same =
            places.windows(2).all(|two| self.submissions[two[0]].answers == self.submissions[two[1]].answers);
        match places.as_slice() {
            [] => {
                for other in naming().take(3) {
                    owned.remarks.push(format!(
                        "{} names this student as a partner; that counts if both name each other, or with --groups.",
                        self.class.name(other)
                    ));
                }
            }
            [place, ..] if same || groups.of(student).is_some() => {
                let place =
                    places.iter().copied().max_by_key(|place| self.order(*place, None)).unwrap_or(*place);
                owned.submission = Some(place);
                owned.refused = None;
                owned.notes = vec![say!("Handed in by a partner.")];
                owned.remarks.push(format!("Handed in by {}.", by(place)));
            }
            several => {
                owned.refused = Some(format!(
                    "Several partners handed in different answers: {}. Give --groups, or name one.",
                    self.listed(several)
                ));
            }
        }
    }

    /// The student's last own submission that has answers.
    fn last(&self, student: usize, places: &[usize], owned: &mut Owned) {
        owned.submission = places.iter().copied().max_by_key(|place| self.order(*place, Some(student)));
        let Some(place) = owned.submission.filter(|_| places.len() > 1) else { return };
        let last = &self.submissions[place];
        let when = match (self.times.of(&last.name, Some(student)), &last.ending) {
            (Some(_), _) => "by --times",
            (None, Ending::Autolab(_)) => "by its version",
            (None, _) if last.time_of_file => "by the time of its files",
            (None, _) if last.time.is_none() => "by their order",
            (None, _) => "by the time in the export",
        };
        owned.notes.push(say!("{} submissions; the one handed in last counts ({}).", places.len(), when));
        owned.remarks.push(format!("Of {}, '{}' counts.", self.listed(places), shorten(&last.name, 60)));
    }

    /// When the submission that counts for a student was handed in.
    fn timed(&self, student: usize, owned: &mut Owned) {
        let Some(submission) = owned.submission.map(|place| &self.submissions[place]) else { return };
        let noted = self.times.of(&submission.name, Some(student));
        owned.time = noted.or(submission.time);
        owned.time_of_file = noted.is_none() && submission.time_of_file;
    }

    /// The order of two submissions: one with answers is later; then by the collecting
    /// system's time or version; between two files also by a plausible time of the
    /// student's clock.
    fn order(
        &self,
        place: usize,
        student: Option<usize>,
    ) -> (bool, Option<i64>, u64, bool, Option<i64>, bool, &str, usize) {
        let submission = &self.submissions[place];
        let version = if let Ending::Autolab(version) = submission.ending { version } else { 0 };
        let noted =
            self.times.of(&submission.name, student).or(submission.time.filter(|_| !submission.time_of_file));
        let possible = submission.saved.is_empty() || times::plausible(&submission.saved);
        let saved = if times::plausible(&submission.saved) { &*submission.saved } else { "" };
        (!submission.is_empty(), noted, version, possible, submission.time, !saved.is_empty(), saved, place)
    }

    /// Longest list of submissions in a sentence.
    fn listed(&self, places: &[usize]) -> String {
        let mut names: Vec<String> = places
            .iter()
            .take(4)
            .map(|place| format!("'{}'", shorten(&self.submissions[*place].name, 60)))
            .collect();
        if places.len() > 4 {
            names.push(format!("{} more", places.len() - 4));
        }
        let last = names.pop().unwrap_or_default();
        if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
    }
}
