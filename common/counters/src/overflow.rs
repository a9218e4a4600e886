//! Calling a handler each time a counter has run over its threshold.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::ring::{Record, Ring};
use super::sys::Handle;

/// An overflow: the event has happened another threshold's number of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    /// Where the program was, shortly after the event.
    pub address: u64,
    /// How many overflows there have been since the start, this one included.
    pub number: u64,
}

/// What is done at an overflow. It is called on a thread of its own, never in
/// a signal handler: it may allocate, lock and print. It comes up to
/// [`PATIENCE`] late, so that the watched thread is not disturbed each time.
pub type Handler = Box<dyn FnMut(Overflow) + Send>;

/// How long overflows may wait for their handler. The kernel rings earlier if
/// half of its buffer is full.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// The thread that waits for overflows.
#[derive(Debug)]
pub(crate) struct Watcher {
    stop: File,
    thread: Option<JoinHandle<Watched>>,
}

/// What the thread works with, and gives back.
pub(crate) struct Watched {
    pub(crate) ring: Ring,
    pub(crate) handler: Handler,
    /// Overflows that the kernel could not write down.
    pub(crate) lost: u64,
    /// How often it paused the sampling because overflows came too fast.
    pub(crate) throttled: u64,
}

impl Watcher {
    pub(crate) fn start(event: Arc<Handle>, watched: Watched) -> io::Result<Watcher> {
        // SAFETY: gives a new descriptor, checked below.
        let stop = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if stop < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and ours alone.
        let stop = unsafe { File::from_raw_fd(stop) };
        let until = stop.try_clone()?;
        let thread = Builder::new().name("overflow".into()).spawn(move || watch(&event, &until, watched))?;
        Ok(Watcher { stop, thread: Some(thread) })
    }

    /// Ends the thread when it has handed over all there was; `None` if the
    /// handler panicked.
    pub(crate) fn stop(mut self) -> io::Result<Option<Watched>> {
        self.end()?;
        Ok(self.thread.take().and_then(|thread| thread.join().ok()))
    }

    fn end(&mut self) -> io::Result<()> {
        self.stop.write_all(&1u64.to_ne_bytes())
    }
}

impl Drop for Watcher {
    /// Of a set that is dropped while it counts: the thread ends by itself.
    fn drop(&mut self) {
        if self.thread.is_some() {
            // A thread that cannot be told to end must not end the program.
            let _ = self.end();
        }
    }
}

fn watch(event: &Handle, until: &File, mut watched: Watched) -> Watched {
    let mut number = 0;
    loop {
        let over = wait(event, until);
        let Watched { ring, handler, lost, throttled } = &mut watched;
        ring.drain(|record| match record {
            Record::Sample(address) => {
                number += 1;
                handler(Overflow { address, number });
            }
            Record::Lost(many) => *lost += many,
            Record::Throttled => *throttled += 1,
        });
        if over {
            return watched;
        }
    }
}

/// Waits for an overflow or the end; true at the end, or if waiting fails.
fn wait(event: &Handle, until: &File) -> bool {
    let poll = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut fds = [poll(event.fd()), poll(until.as_raw_fd())];
    // SAFETY: the kernel writes to the two entries of the array.
    let ready = unsafe { libc::poll(fds.as_mut_ptr(), 2, PATIENCE.as_millis() as i32) };
    if ready < 0 {
        return io::Error::last_os_error().kind() != io::ErrorKind::Interrupted;
    }
    // An event whose thread has ended reports nothing but that, for ever.
    fds[1].revents != 0 || fds[0].revents & (libc::POLLERR | libc::POLLHUP) != 0 && hung_up(until)
}

fn hung_up(until: &File) -> bool {
    let mut end = libc::pollfd { fd: until.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: as above, with one entry.
    unsafe { libc::poll(&mut end, 1, -1) };
    true
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("ring", &self.ring).field("lost", &self.lost).finish_non_exhaustive()
    }
}
