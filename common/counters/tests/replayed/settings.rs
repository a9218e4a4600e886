//! How a played machine is set up.

use crate::kernel::linux::Attr;
use events::kernel;

/// How the machine is set up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Every opening of these is refused with this number: all, or hardware events.
    pub(crate) refuses: Option<(Refused, i32)>,
    pub(crate) paranoid: i32,
    pub(crate) privileged: bool,
    /// The container it runs in, whose filter is active.
    pub(crate) container: Option<&'static str>,
    pub(crate) virtual_machine: Option<&'static str>,
    /// Events that may be open at a time.
    pub(crate) files: usize,
    /// Generic events may name the PMU.
    pub(crate) extended_types: bool,
    /// The kernel's watchdog has a counter for cycles.
    pub(crate) watchdog: bool,
    /// Pages of samples that the program may map.
    pub(crate) locked_pages: usize,
    /// What its counters count.
    pub(crate) behaviour: Behaviour,
    /// Where cores differ: the place of the kind that the program is limited to.
    pub(crate) kept_to: Option<usize>,
}

/// What counters count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// What happens.
    Sound,
    /// Nothing, although they are open and enabled.
    Silent,
    /// More than can happen.
    Jumps,
}

/// Which openings are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Everything,
    Hardware,
    /// Of the kernel's generic ones, instructions.
    Instructions,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            refuses: None,
            paranoid: 1,
            privileged: false,
            container: None,
            virtual_machine: None,
            files: 1000,
            extended_types: true,
            watchdog: false,
            locked_pages: 128,
            behaviour: Behaviour::Sound,
            kept_to: None,
        }
    }
}

impl Refused {
    pub(super) fn means(self, attr: &Attr) -> bool {
        match self {
            Refused::Everything => true,
            Refused::Hardware => attr.type_ != kernel::SOFTWARE,
            Refused::Instructions => attr.type_ == kernel::HARDWARE && attr.config & 0xffff_ffff == 1,
        }
    }
}
