//! Pages that the kernel shares with the program.

use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;

/// A mapping of an event's file; dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: any thread may unmap it. `Ring` alone uses what is in it, through atomics and volatile
// accesses.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `bytes` of an event's file.
    pub(super) fn of(fd: RawFd, bytes: usize) -> io::Result<Mapping> {
        Mapping::new(fd, bytes, libc::MAP_SHARED)
    }

    /// Pages of no file, for whoever plays the kernel.
    #[cfg(test)]
    pub(super) fn anonymous(bytes: usize) -> io::Result<Mapping> {
        Mapping::new(-1, bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS)
    }

    fn new(fd: RawFd, bytes: usize, kind: i32) -> io::Result<Mapping> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, fd, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Mapping { base, bytes })
    }

    pub(super) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what was mapped; nobody holds a reference.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
