//! The few system calls of perf_event.
//!
//! `Builder` opens the first event of a group, and its `Counter` starts and stops all of them. The others are opened
//! here: `Builder` takes a `Group` only, whose own first event does not inherit, and the kernel refuses (EINVAL) an
//! event that does in such a group. `Counter::read_count_and_time` panics if an event ran longer than it was enabled.

use std::fs::File;
use std::io::{self, Read};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use perf_event::hooks::sys::{self as perf, bindings};
use perf_event::{Builder, Counter};

use super::{Count, Errno, Opening};
use crate::definition::{Encoding, Scope};
use system::pages::Mapping;

/// The bindings' struct of an event to open.
type Attr = bindings::perf_event_attr;

/// One open event. Closing it ends its counting.
#[derive(Debug)]
pub(crate) enum Handle {
    /// The first one of a group.
    Leader(Counter),
    /// Counts while its leader does.
    Sibling(OwnedFd),
}

/// The block that the kernel is given for an event; a `sibling` starts, stops and is sampled with
/// its leader.
fn attr(encoding: Encoding, opening: Opening, sibling: bool) -> Attr {
    // It has the struct's size, and asks for the times enabled and running.
    let mut attr = *Builder::new().attrs();
    (attr.type_, attr.config) = (encoding.kind, encoding.config);
    attr.__bindgen_anon_3.config1 = encoding.config1;
    attr.__bindgen_anon_4.config2 = encoding.config2;
    attr.set_disabled(u64::from(!sibling));
    let program = u64::from(encoding.scope == Scope::Program);
    attr.set_exclude_kernel(program);
    attr.set_exclude_hv(u64::from(encoding.scope != Scope::Everything));
    // Apple's drivers open nothing else.
    attr.set_exclude_guest(program);
    attr.set_inherit(u64::from(opening.inherit));
    if opening.sample_period > 0 && !sibling {
        attr.__bindgen_anon_1.sample_period = opening.sample_period;
        attr.sample_type = u64::from(bindings::PERF_SAMPLE_IP);
    }
    attr
}

impl Handle {
    /// Opens an event for the calling thread on whatever processor it runs.
    pub(crate) fn open(encoding: Encoding, opening: Opening, leader: Option<&Handle>) -> io::Result<Handle> {
        let mut attr = attr(encoding, opening, leader.is_some());
        let Some(leader) = leader else {
            let mut builder = Builder::new();
            *builder.attrs_mut() = attr;
            let counter = builder.build()?;
            // SAFETY: sets a flag of a descriptor that `counter` owns; programs started later do not get it.
            done(unsafe { libc::fcntl(counter.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) })?;
            return Ok(Handle::Leader(counter));
        };
        let flags = bindings::PERF_FLAG_FD_CLOEXEC;
        // SAFETY: `attr` is a whole attribute block of the size it states, and
        // the kernel stores no reference to it.
        let fd = unsafe { perf::perf_event_open(&mut attr, 0, -1, leader.fd(), flags.into()) };
        done(fd)?;
        // SAFETY: the kernel just gave us this descriptor; nobody else has it.
        Ok(Handle::Sibling(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    fn fd(&self) -> RawFd {
        match self {
            Handle::Leader(counter) => counter.as_raw_fd(),
            Handle::Sibling(file) => file.as_raw_fd(),
        }
    }

    /// The first `bytes` that the kernel shares with whoever has the event.
    pub(super) fn map(&self, bytes: usize) -> io::Result<Arc<Mapping>> {
        Mapping::of_file(self.fd(), bytes).map(Arc::new)
    }

    /// Starts counting, with all members of its group: siblings run while their leader does.
    pub(crate) fn enable(&mut self) -> io::Result<()> {
        if let Handle::Leader(counter) = self { counter.enable() } else { Ok(()) }
    }

    /// Stops counting, with all members of its group.
    pub(crate) fn disable(&mut self) -> io::Result<()> {
        if let Handle::Leader(counter) = self { counter.disable() } else { Ok(()) }
    }

    /// The count so far.
    pub(crate) fn read(&self) -> io::Result<Count> {
        // SAFETY: the descriptor is open as long as `self` is, and this file does not close it.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(self.fd()) });
        let mut words = [[0; 8]; 3];
        (&*file).read_exact(words.as_flattened_mut())?;
        let [value, enabled, running] = words.map(u64::from_ne_bytes);
        Ok(Count { value, enabled, running })
    }
}

fn done(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Errno {
    /// What an error of [`Handle::open`] means.
    pub(crate) fn of(error: &io::Error) -> Errno {
        match error.raw_os_error().unwrap_or(0) {
            libc::ENOENT | libc::ENODEV => Errno::Missing,
            libc::EOPNOTSUPP => Errno::Unsupported,
            libc::EACCES => Errno::Forbidden,
            libc::EPERM => Errno::Filtered,
            libc::ENOSYS => Errno::NoCall,
            libc::EBUSY | libc::ENOSPC => Errno::Busy,
            libc::EINVAL => Errno::Invalid,
            _ => Errno::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program alone is counted, from the moment its group is started.
    #[test]
    fn the_kernel_is_asked_for_the_program_alone() {
        let encoding = Encoding { kind: 4, config: 0x1b7, config1: 7, ..Encoding::default() };
        let opening = Opening { inherit: true, sample_period: 9 };
        for sibling in [false, true] {
            let attr = attr(encoding, opening, sibling);
            assert_eq!((attr.type_, attr.config, attr.size as usize), (4, 0x1b7, size_of::<Attr>()));
            assert_eq!((attr.exclude_kernel(), attr.exclude_hv(), attr.exclude_guest()), (1, 1, 1));
            assert_eq!((attr.exclude_user(), attr.exclude_host(), attr.exclude_idle()), (0, 0, 0));
            assert_eq!((attr.pinned(), attr.precise_ip(), attr.inherit()), (0, 0, 1));
            // SAFETY: all parts of both unions are plain numbers.
            let [config1, period] =
                unsafe { [attr.__bindgen_anon_3.config1, attr.__bindgen_anon_1.sample_period] };
            assert_eq!((attr.disabled(), config1, period), if sibling { (0, 7, 0) } else { (1, 7, 9) });
        }
        let everything = attr(Encoding { scope: Scope::Everything, ..encoding }, opening, false);
        assert_eq!(everything.exclude_kernel() + everything.exclude_hv() + everything.exclude_guest(), 0);
    }
}
