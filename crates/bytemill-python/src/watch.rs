//! Watching long work: signals and the user's progress callback, asked from the calling thread now and then.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytemill::Error;
use bytemill::encode::files::FileProgress;
use bytemill::machine::guarded;
use pyo3::prelude::*;

use crate::calling::call;
use crate::error::Raise;

/// Often enough for a stop to feel prompt, seldom enough to cost nothing.
const INTERVAL: Duration = Duration::from_millis(50);

/// What stopped the work, kept until the core has returned.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    /// Keeps an exception, and gives the core the word to stop.
    pub(crate) fn keep(&self, error: PyErr) -> Error {
        if let Ok(mut kept) = self.0.lock()
            && kept.is_none()
        {
            *kept = Some(error);
        }
        Error::Stopped
    }

    /// Runs long work without the interpreter's lock. Whatever ends it is an exception.
    pub(crate) fn run<T: Send>(&self, py: Python, work: impl FnOnce() -> bytemill::Result<T> + Send) -> PyResult<T> {
        self.clone().raise(py, py.detach(|| guarded(work)))
    }

    /// The result for Python: the exception that stopped the work, if one did.
    pub(crate) fn raise<T>(self, py: Python, result: bytemill::Result<T>) -> PyResult<T> {
        match (result, self.0.lock().ok().and_then(|mut kept| kept.take())) {
            (Err(Error::Stopped), Some(kept)) => Err(kept),
            (result, _) => result.raise(py),
        }
    }
}

/// The user's view of a phase of work.
pub(crate) struct Watcher<'a> {
    pub callback: Option<Py<PyAny>>,
    pub phase: &'static str,
    pub unit: &'static str,
    pub total: Option<u64>,
    pub failure: &'a Failure,
    last: Instant,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(
        callback: Option<Py<PyAny>>,
        phase: &'static str,
        unit: &'static str,
        total: Option<u64>,
        failure: &'a Failure,
    ) -> Self {
        Watcher { callback, phase, unit, total, failure, last: Instant::now() }
    }

    pub(crate) fn check(&mut self, done: u64) -> bytemill::Result<()> {
        self.tell(done, None)
    }

    /// The same with the documents and tokens that became of what was read.
    pub(crate) fn check_files(&mut self, done: FileProgress) -> bytemill::Result<()> {
        self.tell(done.bytes, Some((done.documents, done.tokens)))
    }

    fn tell(&mut self, done: u64, made: Option<(u64, u64)>) -> bytemill::Result<()> {
        if self.last.elapsed() < INTERVAL {
            return Ok(());
        }
        self.last = Instant::now();
        let asked = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                let arguments = (self.phase, done, self.total, self.unit);
                match made {
                    Some((documents, tokens)) => {
                        let (phase, done, total, unit) = arguments;
                        call(callback.bind(py), (phase, done, total, unit, documents, tokens))?
                    }
                    None => call(callback.bind(py), arguments)?,
                };
            }
            Ok(())
        });
        asked.map_err(|error| self.failure.keep(error))
    }
}
