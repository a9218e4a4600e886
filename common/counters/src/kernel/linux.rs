//! The few system calls of perf_event. They go through `perf_event::hooks`, so
//! that a test can replace the kernel.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use perf_event::hooks::sys::{self as perf, bindings};

use super::{Errno, Mapping, Opening};
use crate::definition::{Encoding, Scope};

/// The bindings' struct of an event to open.
pub(super) type Attr = bindings::perf_event_attr;

/// One open event. Closing it ends its counting.
#[derive(Debug)]
pub(crate) struct Handle(OwnedFd);

/// The block that the kernel is given for an event.
pub(super) fn attr(encoding: Encoding, opening: Opening) -> Attr {
    let mut attr = Attr { type_: encoding.kind, config: encoding.config, ..Attr::default() };
    attr.size = size_of::<Attr>() as u32;
    attr.__bindgen_anon_3.config1 = encoding.config1;
    attr.__bindgen_anon_4.config2 = encoding.config2;
    attr.set_disabled(u64::from(!opening.sibling));
    let program = matches!(encoding.scope, Scope::Program | Scope::ProgramWithoutGuests);
    attr.set_exclude_kernel(u64::from(program));
    attr.set_exclude_hv(u64::from(encoding.scope != Scope::Everything));
    attr.set_exclude_guest(u64::from(encoding.scope == Scope::ProgramWithoutGuests));
    attr.set_inherit(u64::from(opening.inherit));
    if opening.sample_period > 0 {
        attr.__bindgen_anon_1.sample_period = opening.sample_period;
        attr.sample_type = u64::from(bindings::PERF_SAMPLE_IP);
    }
    attr.read_format =
        u64::from(bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING);
    if opening.group_read {
        attr.read_format |= u64::from(bindings::PERF_FORMAT_GROUP | bindings::PERF_FORMAT_ID);
    }
    if opening.lost {
        attr.read_format |= u64::from(bindings::PERF_FORMAT_LOST);
    }
    attr
}

impl Handle {
    /// Opens an event for the calling thread on whatever processor it runs.
    pub(crate) fn open(encoding: Encoding, opening: Opening, leader: Option<&Handle>) -> io::Result<Handle> {
        let mut attr = attr(encoding, opening);
        let group = leader.map_or(-1, Handle::fd);
        let flags = bindings::PERF_FLAG_FD_CLOEXEC;
        // SAFETY: `attr` is a whole attribute block of the size it states, and
        // the kernel stores no reference to it.
        let fd = unsafe { perf::perf_event_open(&mut attr, 0, -1, group, flags.into()) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just gave us this descriptor; nobody else has it.
        Ok(Handle(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// The first `bytes` that the kernel shares with whoever has the event.
    pub(super) fn map(&self, bytes: usize) -> io::Result<Arc<Mapping>> {
        Mapping::of(self.fd(), bytes).map(Arc::new)
    }

    /// Starts counting, with all members of its group.
    pub(crate) fn enable(&self) -> io::Result<()> {
        // SAFETY: an ioctl with a plain number on a descriptor we own.
        done(unsafe { perf::ioctls::ENABLE(self.fd(), bindings::PERF_IOC_FLAG_GROUP) })
    }

    /// Stops counting, with all members of its group.
    pub(crate) fn disable(&self) -> io::Result<()> {
        // SAFETY: as above.
        done(unsafe { perf::ioctls::DISABLE(self.fd(), bindings::PERF_IOC_FLAG_GROUP) })
    }

    /// The kernel's number of this event, which a group read gives with each
    /// value.
    pub(crate) fn id(&self) -> io::Result<u64> {
        let mut id = 0;
        // SAFETY: the kernel writes one u64 to the address, which outlives the call.
        done(unsafe { perf::ioctls::ID(self.fd(), &mut id) })?;
        Ok(id)
    }

    /// Reads the values of this event, or of its group, into `words`; gives how
    /// many words came.
    pub(crate) fn read(&self, words: &mut [u64]) -> io::Result<usize> {
        loop {
            // SAFETY: the kernel writes at most the slice's size in bytes to it.
            let got = unsafe { libc::read(self.fd(), words.as_mut_ptr().cast(), size_of_val(words)) };
            match usize::try_from(got) {
                Ok(bytes) => return Ok(bytes / size_of::<u64>()),
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
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
            libc::EMFILE => Errno::Files,
            number => Errno::Other(number),
        }
    }
}
