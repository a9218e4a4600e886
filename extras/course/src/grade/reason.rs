//! Why an answer has its points, and what one must know to trust a grade.
//!
//! This is the only place with their words. Nothing is decided from a sentence, and
//! nothing reads one back.

use std::fmt;

/// Declares the reasons with their sentences; each `{}` is one part.
macro_rules! reasons {
    ($($name:ident $(($($part:ident),+))? = $words:literal;)+) => {
        /// A reason, with the parts of its sentence.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[cfg_attr(not(unix), allow(dead_code))]
        pub(super) enum Reason {
            $($name $(($(reasons!(@text $part)),+))?,)+
        }

        impl fmt::Display for Reason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Reason::$name $(($($part),+))? => write!(f, $words $(, $($part),+)?),)+
                }
            }
        }
    };
    (@text $part:ident) => { String };
}

reasons! {
    // answers
    Right = "Right.";
    NoAnswer = "No answer.";
    NotRight(answer) = "'{}' is not right.";
    Slip(answer, slip) = "'{}' is not right. {}";
    RangeRight(answer) = "The range '{}' is right. Measure more sizes to make it narrower.";
    RangeWide(answer) = "The range '{}' is wider than a factor of two, which is too imprecise.";
    RangeWrong(answer) = "The range '{}' does not contain the correct value.";
    Visible(answer) = "'{}' is not right: the measurements show it.";
    ToRead = "To be read by the instructor.";
    Unclear(answer, doubt) = "To be read by the instructor: '{}'. {}";
    NoEvidence(figure) = "To be read by the instructor: nothing shows what is right for {}.";
    ModelledTime = "Left out of the sum: only the time of the memory is modelled, and it cannot show this.";
    GivenByInstructor = "Points given by the instructor.";
    NoOwnRecords = "No points without records of your own machine.";
    // exercises
    Passed(misses) = "Passed, with {} misses.";
    Open(found) = "Not passed: {}";
    AsHandedOut = "The file is as it was handed out.";
    NoTaskFile(files) = "None of these files was handed in: {}.";
    OtherName(files) = "To be read by the instructor: there are only files of other names: {}.";
    TwoFiles(file) = "To be read by the instructor: there are two different files {}.";
    NotChecked(why) = "To be read by the instructor: the check cannot be made: {}";
    // the whole submission
    NothingHandedIn = "Nothing was handed in.";
    NoAnswersFound = "No answers were found in what was handed in.";
    NotAsked(questions) = "Answers to questions that are not asked: {}.";
    ByGroup = "Handed in by a member of the group.";
    // its records
    NoMachineRecords = "There are no records of the student's own machine.";
    ForeignRecords = "Records of other machines than the student's own do not count.";
    ChangedRecord(file) = "{} was changed after it was made, or is of another version of the kit.";
    OtherSize(program, size, assigned) = "{}: its matrices have {} rows, not the {} of the assignment, so it does not count.";
    // its files
    Unread(file, why) = "{} was not read: {}.";
    PageWithoutAnswers(file) = "{} holds no answers; was the page saved with them?";
    OtherKinds(files, kinds) = "Not read: {}; {} and .zip are.";
    OtherStudent(file) = "{} was not read: another student signs the answers in it.";
}
