//! encode_iterable: ids of a text that comes in parts, equal to those of the whole.

use std::sync::Arc;

use bytemill::TokenId;
use bytemill::data::Seam;
use bytemill::encode::scratch::Scratch;
use bytemill::machine::guarded;
use bytemill::specials::Choice;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::error::Raise;
use crate::text::Text;

#[pyclass(module = "bytemill._core")]
pub(crate) struct EncodeIterator {
    tokenizer: Arc<bytemill::Tokenizer>,
    choice: Choice,
    texts: Option<Py<PyIterator>>,
    /// Bytes encoded so far.
    done: usize,
    /// What came and was not encoded yet, because what follows may still belong to it.
    waiting: String,
    /// How long `waiting` must get before looking for a cut is worth it again.
    next_try: usize,
    ids: std::vec::IntoIter<TokenId>,
    scratch: Scratch,
}

impl EncodeIterator {
    pub(crate) fn new(tokenizer: Arc<bytemill::Tokenizer>, choice: Choice, texts: Py<PyIterator>) -> Self {
        EncodeIterator {
            tokenizer,
            choice,
            texts: Some(texts),
            done: 0,
            waiting: String::new(),
            next_try: 0,
            ids: Vec::new().into_iter(),
            scratch: Scratch::default(),
        }
    }

    fn encode(&mut self, py: Python, Seam { end, start }: Seam) -> PyResult<()> {
        let mut ids = Vec::new();
        let text = &self.waiting[..end];
        let encoded = guarded(|| self.tokenizer.encode(text, &self.choice, &mut self.scratch, &mut ids));
        // Places are told as those of the whole text.
        encoded.map_err(|error| error.behind(self.done as u64)).raise(py)?;
        self.done += start;
        self.waiting.drain(..start);
        self.ids = ids.into_iter();
        Ok(())
    }

    fn pull(&mut self, py: Python, text: &Bound<PyAny>) -> PyResult<()> {
        if !text.is_instance_of::<PyString>() {
            let found = text.get_type().name()?.to_string_lossy().into_owned();
            return Err(PyTypeError::new_err(format!("encode_iterable takes an iterable of str, not of {found}")));
        }
        self.waiting.push_str(Text::new(text)?.as_str()?);
        if self.waiting.len() < self.next_try {
            return Ok(());
        }
        match self.tokenizer.last_cut(&self.waiting) {
            Some(seam) => {
                self.next_try = 0;
                self.encode(py, seam)
            }
            // Looked at in vain: again when there is twice as much, so that the looking stays linear.
            None => {
                self.next_try = 2 * self.waiting.len();
                Ok(())
            }
        }
    }
}

#[pymethods]
impl EncodeIterator {
    fn __iter__(slf: PyRef<Self>) -> PyRef<Self> {
        slf
    }

    fn __next__(&mut self, py: Python) -> PyResult<Option<TokenId>> {
        loop {
            if let Some(id) = self.ids.next() {
                return Ok(Some(id));
            }
            let Some(texts) = &self.texts else {
                return Ok(None);
            };
            match texts.bind(py).clone().next() {
                Some(text) => self.pull(py, &text?)?,
                None => {
                    self.texts = None;
                    self.encode(py, Seam::at(self.waiting.len()))?;
                }
            }
        }
    }
}
