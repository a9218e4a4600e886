//! The few system calls of perf_event. They go through `perf_event::hooks`, so
//! that a test can stand in for the kernel.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use perf_event::hooks::sys::{self as perf, bindings};

/// The bindings' struct of an event to open.
pub(crate) type Attr = bindings::perf_event_attr;

/// One open event. Closing it ends its counting.
#[derive(Debug)]
pub(crate) struct Handle(OwnedFd);

/// Opens an event for the calling thread on whatever processor it runs.
pub(crate) fn open(attr: &mut Attr, leader: Option<&Handle>) -> io::Result<Handle> {
    attr.size = size_of::<Attr>() as u32;
    let group = leader.map_or(-1, Handle::fd);
    let flags = bindings::PERF_FLAG_FD_CLOEXEC;
    // SAFETY: `attr` is a whole attribute block of the size it states, and the
    // kernel keeps no reference to it.
    let fd = unsafe { perf::perf_event_open(attr, 0, -1, group, flags.into()) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else has it.
    Ok(Handle(unsafe { OwnedFd::from_raw_fd(fd) }))
}

impl Handle {
    pub(crate) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
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

    /// The kernel's number of this event, which a group read gives beside each
    /// value.
    pub(crate) fn id(&self) -> io::Result<u64> {
        let mut id = 0;
        // SAFETY: the kernel writes one u64 to the address, which outlives the call.
        done(unsafe { perf::ioctls::ID(self.fd(), &mut id) })?;
        Ok(id)
    }

    /// Reads the values of this event, or of its group, into `words`; gives how
    /// many words came. None: the event is in error, as a pinned one is that
    /// found no counter.
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
