//! Calling a handler each time a counter has run over its threshold.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::kernel::{Bell, Handle, Ring};
use crate::sampling::Tally;

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
    bell: Bell,
    thread: Option<JoinHandle<Watched>>,
}

/// What the thread works with, and gives back.
pub(crate) struct Watched {
    pub(crate) ring: Ring,
    pub(crate) handler: Handler,
    pub(crate) tally: Tally,
}

impl Watcher {
    pub(crate) fn start(event: Arc<Handle>, watched: Watched) -> io::Result<Watcher> {
        let bell = Bell::new()?;
        let until = bell.share()?;
        let thread = Builder::new().name("overflow".into()).spawn(move || watch(&event, &until, watched))?;
        Ok(Watcher { bell, thread: Some(thread) })
    }

    /// Ends the thread when it has handed over all there was; `None` if the
    /// handler panicked.
    pub(crate) fn stop(mut self) -> io::Result<Option<Watched>> {
        self.bell.ring()?;
        Ok(self.thread.take().and_then(|thread| thread.join().ok()))
    }
}

impl Drop for Watcher {
    /// Of a set that is dropped while it counts: the thread ends by itself.
    fn drop(&mut self) {
        if self.thread.is_some() {
            // A thread that cannot be asked to end must not end the program.
            let _ = self.bell.ring();
        }
    }
}

fn watch(event: &Handle, until: &Bell, mut watched: Watched) -> Watched {
    let mut number = 0;
    loop {
        let over = until.wait(event, PATIENCE);
        let Watched { ring, handler, tally } = &mut watched;
        tally.drain(ring, |address| {
            number += 1;
            handler(Overflow { address, number });
        });
        if over {
            return watched;
        }
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched")
            .field("ring", &self.ring)
            .field("tally", &self.tally)
            .finish_non_exhaustive()
    }
}
