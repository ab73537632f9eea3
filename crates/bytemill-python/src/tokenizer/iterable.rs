//! encode_iterable: ids of a text that comes in parts, equal to those of the whole.

use bytemill::TokenId;
use bytemill::data::Seam;
use bytemill::encode::scratch::Scratch;
use bytemill::machine::guarded;
use bytemill::specials::Choice;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pycell::PyBorrowMutError;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyList, PyString};

use super::{DETACH_BYTES, Tokenizer};
use crate::calling::Items;
use crate::error::Raise;
use crate::integers;
use crate::layout::Layout;
use crate::text::Text;

/// Parts that are taken before Ctrl-C is looked for: an iterator may run no code of Python, and its parts may have no ids.
const PARTS: usize = 1024;

/// Bytes that are waited for after a cut, before the next one is looked for: a call into the tokenizer costs as much as some pieces.
const LEAST: usize = 512;

/// Lists of ids, one for each stretch of the text that nothing can change any more. Python chains them, which costs less for each id than a
/// call into this library.
#[pyclass(module = "bytemill._core")]
pub(crate) struct EncodedParts {
    tokenizer: Py<Tokenizer>,
    choice: Choice,
    texts: Option<Py<PyIterator>>,
    /// Bytes encoded so far.
    done: usize,
    /// What came and was not encoded yet, because what follows may still belong to it.
    waiting: String,
    /// How long `waiting` must get before looking for a cut is worth it again.
    next_try: usize,
    scratch: Box<Scratch>,
}

impl EncodedParts {
    /// The ids of all parts, as one iterator.
    pub(super) fn chained<'py>(
        tokenizer: &Bound<'py, Tokenizer>,
        choice: Choice,
        texts: Bound<PyIterator>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CHAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = tokenizer.py();
        let parts = EncodedParts {
            tokenizer: tokenizer.clone().unbind(),
            choice,
            texts: Some(texts.unbind()),
            done: 0,
            waiting: String::new(),
            next_try: 0,
            scratch: tokenizer.get().tokenizer.pool().take(),
        };
        if cfg!(Py_GIL_DISABLED) {
            let ids = EncodedIds { parts, ids: Vec::new().into_iter() };
            return Ok(Bound::new(py, ids)?.into_any());
        }
        CHAIN.import(py, "itertools", "chain")?.call_method1("from_iterable", (parts,))
    }

    fn next_ids(&mut self, py: Python) -> PyResult<Option<Vec<TokenId>>> {
        for pulled in 1.. {
            let Some(texts) = &self.texts else { break };
            let seam = match Items(texts.bind(py).clone()).next() {
                Some(text) => self.pull(&text?)?,
                None => {
                    self.texts = None;
                    Some(Seam::at(self.waiting.len()))
                }
            };
            if let Some(seam) = seam {
                return self.encode(py, seam).map(Some);
            }
            if pulled % PARTS == 0 {
                py.check_signals()?;
            }
        }
        Ok(None)
    }

    fn encode(&mut self, py: Python, Seam { end, start }: Seam) -> PyResult<Vec<TokenId>> {
        let tokenizer = &self.tokenizer.get().tokenizer;
        let EncodedParts { choice, scratch, waiting, .. } = self;
        let mut run = || {
            let mut ids = Vec::new();
            guarded(|| tokenizer.encode(&waiting[..end], &*choice, scratch, &mut ids)).map(|()| ids)
        };
        let ids = if end < DETACH_BYTES { run() } else { py.detach(run) };
        // Places are told as those of the whole text.
        let ids = ids.map_err(|error| error.moved_by(self.done as u64)).raise(py)?;
        self.done += start;
        self.waiting.drain(..start);
        Ok(ids)
    }

    /// Takes a part of the text. The place up to which all is known is returned, if it is another than before.
    fn pull(&mut self, text: &Bound<PyAny>) -> PyResult<Option<Seam>> {
        if !text.is_instance_of::<PyString>() {
            let found = text.get_type().name()?.to_string_lossy().into_owned();
            return Err(PyTypeError::new_err(format!("encode_iterable takes an iterable of str, not of {found}")));
        }
        self.waiting.push_str(Text::new(text)?.as_str()?);
        if self.waiting.len() < self.next_try {
            return Ok(None);
        }
        let seam = self.tokenizer.get().tokenizer.last_cut(&self.waiting);
        // Looked at in vain: again when there is twice as much, so that the looking stays linear.
        self.next_try = match seam {
            Some(Seam { start, .. }) => self.waiting.len() - start + LEAST,
            None => 2 * self.waiting.len(),
        };
        Ok(seam)
    }
}

#[pymethods]
impl EncodedParts {
    fn __iter__(slf: PyRef<Self>) -> PyRef<Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(ids) = slf.try_borrow_mut().map_err(busy)?.next_ids(slf.py())? else { return Ok(None) };
        integers::list(slf.py(), &ids, Layout::of_interpreter(slf.py())).map(Some)
    }
}

/// The same ids one by one, in place of a chain where there is no interpreter's lock: two threads that take from one chain at the same time
/// free what the other uses (CPython 3.13). Of two that take from this, one gets an exception.
#[pyclass(module = "bytemill._core")]
struct EncodedIds {
    parts: EncodedParts,
    ids: std::vec::IntoIter<TokenId>,
}

#[pymethods]
impl EncodedIds {
    fn __iter__(slf: PyRef<Self>) -> PyRef<Self> {
        slf
    }

    fn __next__(slf: &Bound<Self>) -> PyResult<Option<TokenId>> {
        let mut this = slf.try_borrow_mut().map_err(busy)?;
        loop {
            if let Some(id) = this.ids.next() {
                return Ok(Some(id));
            }
            let Some(ids) = this.parts.next_ids(slf.py())? else { return Ok(None) };
            this.ids = ids.into_iter();
        }
    }
}

fn busy(_: PyBorrowMutError) -> PyErr {
    PyValueError::new_err("encode_iterable is at work already: its texts or another thread ask it for ids")
}

impl Drop for EncodedParts {
    fn drop(&mut self) {
        self.tokenizer.get().tokenizer.pool().give(std::mem::take(&mut self.scratch));
    }
}
