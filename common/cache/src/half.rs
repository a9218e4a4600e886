//! The two halves of a hierarchy, caches and TLBs, do not see each other: a loop
//! may be walked for one of them alone, and then for the other.

use super::hierarchy::Hierarchy;
use super::level::Level;
use super::tlb::Translations;

/// What of the hierarchy accesses come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Both,
    Caches,
    Tlbs,
}

impl Half {
    pub(super) fn has_caches(self) -> bool {
        self != Half::Tlbs
    }

    pub(super) fn has_tlbs(self) -> bool {
        self != Half::Caches
    }

    /// The caches that belong to it.
    pub(super) fn levels(self, hierarchy: &Hierarchy) -> &[Level] {
        if self.has_caches() { &hierarchy.levels } else { &[] }
    }

    /// The TLBs that belong to it.
    pub(super) fn tlbs(self, hierarchy: &Hierarchy) -> &[Translations] {
        if self.has_tlbs() { &hierarchy.tlbs.levels } else { &[] }
    }

    /// Both, to be changed.
    pub(super) fn of(self, hierarchy: &mut Hierarchy) -> (&mut [Level], &mut [Translations]) {
        let Hierarchy { levels, tlbs, .. } = hierarchy;
        let levels = if self.has_caches() { &mut levels[..] } else { &mut [] };
        (levels, if self.has_tlbs() { &mut tlbs.levels } else { &mut [] })
    }
}
