//! Bytes that need not be text, texts that go on, and which special tokens calls look for.

use std::sync::Arc;

use bytemill::TokenId;
use bytemill::encode::unstable::Unstable;
use bytemill::machine::guarded;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Tokenizer;
use crate::error::Raise;
use crate::integers;
use crate::layout::Layout;
use crate::picked::PickedSpecials;

#[pymethods]
impl Tokenizer {
    /// The ids of any bytes.
    fn encode_bytes<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyList>> {
        let encode = || guarded(|| self.tokenizer.pool().with(|scratch| self.tokenizer.encode_bytes(data, scratch)));
        let ids = py.detach(encode).raise(py)?;
        integers::list(py, &ids, Layout::of_interpreter(py))
    }

    /// The ids of bytes that are one piece.
    fn encode_piece<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyList>> {
        let encode = || guarded(|| self.tokenizer.pool().with(|scratch| self.tokenizer.encode_piece(data, scratch)));
        let ids = py.detach(encode).raise(py)?;
        integers::list(py, &ids, Layout::of_interpreter(py))
    }

    /// The ids of a text that stay however it goes on, and what may follow them.
    #[pyo3(signature = (text, *, specials=None))]
    fn encode_unstable(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<(Vec<TokenId>, Vec<Vec<TokenId>>)> {
        let Unstable { stable, completions } = self.on_text(py, text, specials, |text, choice, scratch| {
            self.tokenizer.encode_unstable(text, choice, scratch)
        })?;
        Ok((stable, completions.into_iter().collect()))
    }

    fn _pick_specials(
        &self,
        py: Python,
        matched: Vec<String>,
        refused: Option<Vec<String>>,
    ) -> PyResult<PickedSpecials> {
        let select = || self.tokenizer.specials().select(matched.iter().map(String::as_str), refused);
        Ok(PickedSpecials { tokenizer: Arc::clone(&self.tokenizer), selection: select().raise(py)? })
    }
}
