//! The few system calls of perf_event. They go through `perf_event::hooks`, so
//! that a test can replace the kernel.
//!
//! `perf_event::Builder` cannot open an event into the group of another event, only into a `Group` of its own, with
//! which `inherit` is refused; it leaves descriptors open over exec, and `Counter::read` may panic.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use perf_event::hooks::sys::{self as perf, bindings};

use super::{Count, Errno, Mapping, Opening};
use crate::definition::{Encoding, Scope};

/// The bindings' struct of an event to open.
pub(super) type Attr = bindings::perf_event_attr;

/// One open event. Closing it ends its counting.
#[derive(Debug)]
pub(crate) struct Handle(OwnedFd);

/// The block that the kernel is given for an event; a `sibling` starts, stops and is sampled with
/// its leader.
pub(super) fn attr(encoding: Encoding, opening: Opening, sibling: bool) -> Attr {
    let mut attr = Attr { type_: encoding.kind, config: encoding.config, ..Attr::default() };
    attr.size = size_of::<Attr>() as u32;
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
    attr.read_format =
        u64::from(bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING);
    attr
}

impl Handle {
    /// Opens an event for the calling thread on whatever processor it runs.
    pub(crate) fn open(encoding: Encoding, opening: Opening, leader: Option<&Handle>) -> io::Result<Handle> {
        let mut attr = attr(encoding, opening, leader.is_some());
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

    /// The count so far.
    pub(crate) fn read(&self) -> io::Result<Count> {
        let mut words = [0_u64; 3];
        loop {
            // SAFETY: the kernel writes at most the array's size in bytes to it.
            let got = unsafe { libc::read(self.fd(), words.as_mut_ptr().cast(), size_of_val(&words)) };
            match usize::try_from(got) {
                Ok(bytes) if bytes == size_of_val(&words) => {
                    return Ok(Count { value: words[0], enabled: words[1], running: words[2] });
                }
                Ok(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
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
            _ => Errno::Other,
        }
    }
}
