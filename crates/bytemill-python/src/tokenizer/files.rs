//! Writing a tokenizer.

use std::path::PathBuf;

use bytemill::format::{self, Format};
use bytemill::machine::guarded;
use bytemill::{Error, TokenId};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Tokenizer;
use crate::error::Raise;

/// What a file does not say: its splitter as JSON, and its special tokens.
type LeftOut = (Option<String>, Vec<(String, TokenId)>);

#[pymethods]
impl Tokenizer {
    /// The file content in a format.
    #[pyo3(signature = (format="mill"))]
    fn to_bytes<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let written = guarded(|| format::write(&self.tokenizer, Format::named(format)?));
        Ok(PyBytes::new(py, &written.raise(py)?))
    }

    fn _save(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let format = format.map(Format::named).transpose().raise(py)?;
        py.detach(|| guarded(|| format::save(&self.tokenizer, &path, format))).raise(py)
    }

    /// What the library of a format does otherwise with this tokenizer.
    fn _differences(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<Vec<String>> {
        let format = format.map_or_else(|| Format::of_name(&path), Format::named).raise(py)?;
        guarded(|| format::differences(&self.tokenizer, format)).raise(py)
    }

    /// What has to be told to load the file that this tokenizer is saved as: its splitter as JSON, and its special tokens with their ids.
    fn _left_out(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<Option<LeftOut>> {
        let format = format.map_or_else(|| Format::of_name(&path), Format::named).raise(py)?;
        let Some(outline) = format::left_out(&self.tokenizer, &path, format) else { return Ok(None) };
        let splitter = outline.pretokenizer.as_ref().map(serde_json::to_string).transpose();
        let splitter = splitter.map_err(|error| Error::Internal(error.to_string())).raise(py)?;
        let special = outline.added.iter().map(|token| (token.content.clone(), token.id)).collect();
        Ok(Some((splitter, special)))
    }

    /// Everything but the vocabulary, as JSON.
    fn definition(&self, py: Python) -> PyResult<String> {
        let outline = &self.tokenizer.definition().outline;
        serde_json::to_string(outline).map_err(|error| Error::Internal(error.to_string())).raise(py)
    }
}
