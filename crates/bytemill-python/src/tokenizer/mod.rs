//! The Tokenizer class, a file for each thing that it binds. Every method is a conversion, a call, a conversion.

mod batch;
mod bytes;
mod decode;
mod encode;
mod files;
mod inputs;
mod iterable;
mod pieces;
mod sampling;
mod vocabulary;

use std::sync::Arc;

use bytemill::encode::scratch::Scratch;
use bytemill::machine::guarded;
use bytemill::specials::Choice;
use bytemill::{Error, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::Handle;
use crate::error::Raise;
use crate::text::{Text, choice};

pub(crate) use iterable::EncodedParts;

/// Texts from this size on are encoded without the interpreter's lock; below, giving it back and taking it costs more than others gain.
const DETACH_BYTES: usize = 16 << 10;

#[pyclass(frozen, subclass, module = "bytemill._core")]
pub struct Tokenizer {
    tokenizer: Arc<bytemill::Tokenizer>,
}

impl Tokenizer {
    pub fn core_definition(&self) -> &bytemill::Definition {
        self.tokenizer.definition()
    }

    /// Runs the core on a text, without the interpreter's lock where that pays.
    fn on_text<T: Send>(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        work: impl FnOnce(&str, &Choice, &mut Scratch) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.on_str(py, Text::new(text)?.as_str()?, specials, work)
    }

    fn on_str<T: Send>(
        &self,
        py: Python,
        text: &str,
        specials: Option<&Bound<PyAny>>,
        work: impl FnOnce(&str, &Choice, &mut Scratch) -> Result<T> + Send,
    ) -> PyResult<T> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let run = || guarded(|| self.tokenizer.pool().with(|scratch| work(text, &choice, scratch)));
        if text.len() < DETACH_BYTES { run() } else { py.detach(run) }.raise(py)
    }
}

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(handle: &Bound<PyAny>) -> PyResult<Self> {
        let Ok(handle) = handle.cast::<Handle>() else {
            let given = handle.repr().map_or_else(|_| "…".into(), |given| given.to_string());
            return Err(PyTypeError::new_err(format!(
                "a Tokenizer is not made from {given}; bytemill.load(path) reads one from a file or folder, and bytemill.train(source, spec) \
                 trains one"
            )));
        };
        Ok(Tokenizer { tokenizer: handle.get().0.clone() })
    }

    /// A name for the content: the same for equal tokenizers, on every machine.
    #[getter]
    fn fingerprint(&self, py: Python) -> PyResult<&str> {
        self.tokenizer.fingerprint().raise(py)
    }

    fn __eq__(&self, py: Python, other: &Bound<PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Tokenizer>() else {
            return Ok(py.NotImplemented());
        };
        let equal = self.fingerprint(py)? == other.get().fingerprint(py)?;
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self, py: Python) -> PyResult<u64> {
        // The first 15 hexadecimal digits: they fit, and Python reserves one value for errors.
        let digits = &self.fingerprint(py)?[..15];
        u64::from_str_radix(digits, 16).map_err(|error| Error::Internal(error.to_string())).raise(py)
    }

    /// Frozen: a copy is the thing itself.
    fn __copy__(slf: Bound<Self>) -> Bound<Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}
