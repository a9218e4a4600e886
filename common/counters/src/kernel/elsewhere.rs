//! Systems without perf events: every call is refused.

use std::io;

use super::{Count, Errno, Opening, Record};
use crate::definition::Encoding;

/// What no call gives.
#[derive(Debug)]
enum Never {}

/// An open event: there is none.
#[derive(Debug)]
pub(crate) struct Handle(Never);

impl Handle {
    pub(crate) fn open(_: Encoding, _: Opening, _: Option<&Handle>) -> io::Result<Handle> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn enable(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn disable(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn read(&self) -> io::Result<Count> {
        match self.0 {}
    }
}

/// A buffer of samples: there is none.
#[derive(Debug)]
pub(crate) struct Ring(Never);

impl Ring {
    pub(crate) fn map(event: &Handle) -> io::Result<Ring> {
        match event.0 {}
    }

    pub(crate) fn drain(&mut self, _each: impl FnMut(Record)) -> bool {
        match self.0 {}
    }
}

impl Errno {
    /// What an error of [`Handle::open`] means.
    pub(crate) fn of(_: &io::Error) -> Errno {
        Errno::NoCall
    }
}
