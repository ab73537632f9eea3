//! Session: the tokens of a text that grows and changes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemill::encode::session::{self, ChunkTree};
use bytemill::machine::guarded;
use bytemill::{Result, TokenId};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::error::Raise;
use crate::text::Text;
use crate::watch::{Failure, Watcher};

#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct Session {
    /// Locked for a moment, to take a copy or to put another one there.
    latest: Mutex<session::Session>,
    /// Locked as long as an edit takes, and only by threads without the interpreter's lock, which the edit may ask for.
    edits: Mutex<()>,
}

/// The ids of a session as they were when they were asked for.
#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct IdChunks(ChunkTree);

impl Session {
    pub(crate) fn new(session: session::Session) -> Self {
        Session { latest: Mutex::new(session), edits: Mutex::new(()) }
    }

    fn latest(&self) -> MutexGuard<'_, session::Session> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a copy, without the interpreter's lock.
    fn ask<T: Send>(&self, py: Python, ask: impl FnOnce(&session::Session) -> Result<T> + Send) -> PyResult<T> {
        let session = self.latest().clone();
        py.detach(|| guarded(|| ask(&session))).raise(py)
    }
}

#[pymethods]
impl Session {
    /// Puts a text in the place of the characters from `start` to `end`; None is the end of the text.
    fn replace(&self, py: Python, start: Option<usize>, end: Option<usize>, text: &Bound<PyAny>) -> PyResult<()> {
        let text = Text::new(text)?;
        let text = text.as_str()?;
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "bytes", None, &failure);
        let edited = py.detach(|| {
            let _alone = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
            let mut session = self.latest().clone();
            let length = session.extent().characters;
            let span = session.span_of(start.unwrap_or(length), end.unwrap_or(length))?;
            guarded(|| session.replace(span, text, &mut || watcher.check(0)))?;
            *self.latest() = session;
            Ok(())
        });
        failure.raise(py, edited)
    }

    fn fork(&self) -> Session {
        Session::new(self.latest().clone())
    }

    fn text(&self, py: Python) -> PyResult<String> {
        self.ask(py, |session| Ok(session.text()))
    }

    /// The number of characters.
    fn length(&self) -> usize {
        self.latest().extent().characters
    }

    fn ids(&self) -> IdChunks {
        IdChunks(self.latest().chunks().clone())
    }

    fn count(&self, py: Python, start: usize, end: usize) -> PyResult<usize> {
        self.ask(py, |session| session.count(session.span_of(start, end)?))
    }

    /// The character at which to cut the text so that what is before it, or after it with `from_end`, has at most `limit` ids.
    fn cut_index(&self, py: Python, limit: usize, from_end: bool) -> PyResult<usize> {
        let from = if from_end { session::From::End } else { session::From::Start };
        self.ask(py, |session| Ok(session.character_of(session.cut(limit, from)?)))
    }

    /// The number of ids that stay whatever is appended.
    fn stable(&self, py: Python) -> PyResult<usize> {
        self.ask(py, session::Session::stable)
    }

    /// Why edits may take as long as encoding the whole text; None where they do not.
    fn unbounded(&self, py: Python) -> PyResult<Option<String>> {
        self.ask(py, |session| Ok(session.unbounded()))
    }
}

#[pymethods]
impl IdChunks {
    fn __len__(&self) -> usize {
        self.0.extent().ids
    }

    /// The ids of a range.
    fn array<'py>(&self, py: Python<'py>, start: usize, end: usize) -> Bound<'py, PyArray1<TokenId>> {
        self.0.ids(start, end).into_pyarray(py)
    }
}
