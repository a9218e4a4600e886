//! What is compared.

use common::record::Record;

/// Two records of one experiment, under the experiment's name.
pub(crate) struct Pair {
    pub(super) name: String,
    pub(super) a: Record,
    pub(super) b: Record,
}
