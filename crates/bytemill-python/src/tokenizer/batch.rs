//! Encoding many texts, and files.

use std::path::PathBuf;

use bytemill::Result;
use bytemill::encode::sink::Ragged;
use bytemill::machine::thread_count;
use bytemill::specials::Choice;
use bytemill::text::CodeUnits;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::Tokenizer;
use crate::arrow::{IdLists, Texts};
use crate::error::named;
use crate::files::{CountedFile, Files};
use crate::keywords::Keywords;
use crate::output::Output;
use crate::rows::{IdsAndOffsets, arrays};
use crate::text::{choice, with_texts};
use crate::watch::{Failure, Watcher};

impl Tokenizer {
    /// Runs a batch operation on many texts.
    fn on_batch<T: Send>(
        &self,
        py: Python,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        work: impl FnOnce(&[CodeUnits], &Choice, usize, &mut Watcher) -> Result<T> + Send,
    ) -> PyResult<T> {
        refuse_one_text(texts)?;
        with_texts(texts, |texts| {
            let choice = choice(self.tokenizer.specials(), specials)?;
            let failure = Failure::default();
            let mut watcher = Watcher::new(None, "encoding", "texts", None, &failure);
            failure.run(py, || work(texts, &choice, thread_count(threads), &mut watcher))
        })
    }
}

#[pymethods]
impl Tokenizer {
    /// How many ids each of many texts has.
    #[pyo3(signature = (texts, *, specials=None, threads=None))]
    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = self.on_batch(py, texts, specials, threads, |texts, choice, threads, watcher| {
            self.tokenizer.count_batch(texts, choice, threads, &mut || watcher.check(0))
        })?;
        Ok(counts.into_iter().map(|count| count as i64).collect::<Vec<_>>().into_pyarray(py))
    }

    #[pyo3(
        signature = (texts, specials, threads, **keywords),
        text_signature = "($self, texts, specials, threads, *, dropout=None, alpha=None, nbest_size=None, seed=0)"
    )]
    fn _encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let keywords = Keywords::new(py, "Tokenizer.encode_batch", keywords);
        let sampling = keywords.sampling(&self.tokenizer)?;
        keywords.finish()?;
        let rows = self.on_batch(py, texts, specials, threads, |texts, choice, threads, watcher| {
            self.tokenizer.encode_batch(texts, choice, sampling, threads, &mut || watcher.check(0))
        })?;
        arrays(py, rows, self.tokenizer.spare())
    }

    /// Texts of another library, where they lie; rows of ids that it can take without a copy.
    fn _encode_arrow(
        &self,
        py: Python,
        array: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<IdLists> {
        let chunks = Texts::import_all(array)?;
        let count = chunks.iter().map(Texts::len).sum::<usize>();
        let mut validity = vec![0xffu8; count.div_ceil(8)];
        let mut nulls = 0;
        let mut lent = Vec::with_capacity(count);
        for (row, text) in chunks.iter().flat_map(|chunk| (0..chunk.len()).map(|row| chunk.get(row))).enumerate() {
            let text = text.map_err(|reason| named(py, "TextError", format!("row {row}: {reason}")))?;
            if text.is_none() {
                validity[row / 8] &= !(1 << (row % 8));
                nulls += 1;
            }
            lent.push(text.unwrap_or_default());
        }
        let choice = choice(self.tokenizer.specials(), specials)?;
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "texts", None, &failure);
        let threads = thread_count(threads);
        let encode = || self.tokenizer.encode_batch(&lent, &choice, None, threads, &mut || watcher.check(0));
        let Ragged { ids, ends } = failure.run(py, encode)?;
        let offsets = [0].into_iter().chain(ends.into_iter().map(|end| end as i64)).collect();
        Ok(IdLists::new(ids, offsets, (nulls > 0).then_some((validity, nulls))))
    }

    #[pyo3(
        signature = (sources, watcher, **keywords),
        text_signature = "($self, sources, watcher, *, how, documents, prepend, append, specials, threads)"
    )]
    fn _encode_files<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PathBuf>,
        watcher: Option<Py<PyAny>>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let keywords = Keywords::new(py, "Tokenizer.encode_files", keywords);
        let files = Files::new(sources, &keywords, &self.tokenizer)?;
        keywords.finish()?;
        files.encode(py, &self.tokenizer, watcher)
    }

    #[pyo3(
        signature = (sources, output, watcher, **keywords),
        text_signature = "($self, sources, output, watcher, *, writing, how, documents, prepend, append, specials, threads)"
    )]
    fn _write_files<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PathBuf>,
        output: PathBuf,
        watcher: Option<Py<PyAny>>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let keywords = Keywords::new(py, "Tokenizer.encode_files", keywords);
        let output = Output::new(output, &keywords.needed("writing")?)?;
        let files = Files::new(sources, &keywords, &self.tokenizer)?;
        keywords.finish()?;
        files.write(py, &self.tokenizer, output, watcher)
    }

    #[pyo3(
        signature = (sources, watcher, **keywords),
        text_signature = "($self, sources, watcher, *, how, specials, threads)"
    )]
    fn _count_files(
        &self,
        py: Python,
        sources: Vec<PathBuf>,
        watcher: Option<Py<PyAny>>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<(Vec<CountedFile>, Vec<PathBuf>)> {
        let keywords = Keywords::new(py, "Tokenizer.count_files", keywords);
        let files = Files::new(sources, &keywords, &self.tokenizer)?;
        keywords.finish()?;
        files.count(py, &self.tokenizer, watcher)
    }
}

pub(super) fn refuse_one_text(texts: &Bound<PyAny>) -> PyResult<()> {
    match texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        true => Err(PyTypeError::new_err(
            "a batch is several texts, and this is one; put it in a list, or use encode or count",
        )),
        false => Ok(()),
    }
}
