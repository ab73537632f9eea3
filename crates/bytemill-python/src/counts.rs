//! Counts of pieces: made, read, written and asked.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemill::machine::{guarded, thread_count};
use bytemill::train::{CountOptions, Counter, MadeBy, PieceCounts, PieceOrder};
use bytemill::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Raise;
use crate::keywords::Keywords;
use crate::reading::Reading;
use crate::watch::{Failure, Watcher};

/// The counts of a `PieceCounts`.
#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct Counts(pub PieceCounts);

/// A piece and how often it occurs.
type CountedPiece = (String, u64);

fn texts(pieces: Vec<(Vec<u8>, u64)>) -> Result<Vec<CountedPiece>> {
    let text = |piece: Vec<u8>| String::from_utf8(piece).map_err(|error| Error::Internal(error.to_string()));
    pieces.into_iter().map(|(piece, count)| Ok((text(piece)?, count))).collect()
}

fn parsed(made_by: &str) -> Result<MadeBy> {
    let made_by: MadeBy = serde_json::from_str(made_by).map_err(|error| Error::Spec(error.to_string()))?;
    match made_by.special_tokens.iter().any(String::is_empty) {
        true => Err(Error::Spec("a special token cannot be empty".into())),
        false => Ok(made_by),
    }
}

#[pyfunction]
#[pyo3(
    signature = (source, made_by, watcher, **keywords),
    text_signature = "(source, made_by, watcher, *, how, threads, memory, order)"
)]
pub(crate) fn count_pieces(
    py: Python,
    source: &Bound<PyAny>,
    made_by: &str,
    watcher: Option<Py<PyAny>>,
    keywords: Option<&Bound<PyDict>>,
) -> PyResult<Counts> {
    let counter = parsed(made_by).and_then(|made_by| Counter::new(made_by, false)).raise(py)?;
    let keywords = Keywords::new(py, "count_pieces", keywords);
    let options = CountOptions {
        threads: thread_count(keywords.needed("threads")?),
        memory: keywords.needed("memory")?,
        ordered: keywords.needed("order")?,
    };
    let reading = Reading::new(source, keywords.needed("how")?, watcher)?;
    keywords.finish()?;
    let failure = Failure::default();
    let work = || {
        reading.run(&counter, || counter.merged(), &failure, |batches, watch| counter.count(batches, options, watch))
    };
    failure.run(py, work).map(Counts)
}

#[pymethods]
impl Counts {
    #[staticmethod]
    fn load(py: Python, path: PathBuf) -> PyResult<Self> {
        py.detach(|| guarded(|| PieceCounts::load(&path))).map(Counts).raise(py)
    }

    #[staticmethod]
    fn from_pairs(py: Python, pairs: Vec<CountedPiece>, made_by: Option<&str>) -> PyResult<Self> {
        let made_by = made_by.map(parsed).transpose().raise(py)?;
        let pairs = pairs.into_iter().map(|(piece, count)| (piece.into_bytes(), count));
        PieceCounts::from_pairs(pairs, made_by).map(Counts).raise(py)
    }

    #[staticmethod]
    fn merge(
        py: Python,
        parts: Vec<Py<Counts>>,
        threads: Option<usize>,
        memory: Option<u64>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let parts: Vec<PieceCounts> = parts.iter().map(|part| part.get().0.clone()).collect();
        let failure = Failure::default();
        let merged = py.detach(|| {
            let total = parts.iter().map(|part| part.totals().1).sum();
            let mut watcher = Watcher::new(watcher, "merging", "pieces", Some(total), &failure);
            let done = AtomicU64::new(0);
            let mut watch = || watcher.check(done.load(Relaxed));
            guarded(|| PieceCounts::merge(&parts, memory, thread_count(threads), &done, &mut watch))
        });
        Ok(Counts(failure.raise(py, merged)?))
    }

    /// Parts by a hash of the piece; `text` is the number of the text among those that are counted apart.
    fn partition(&self, py: Python, parts: usize, text: u64, memory: Option<u64>) -> PyResult<Vec<Counts>> {
        let divided = py.detach(|| guarded(|| self.0.partition(parts, text, memory)));
        divided.map(|parts| parts.into_iter().map(Counts).collect()).raise(py)
    }

    /// Parts of the same number, of several texts, as one.
    #[staticmethod]
    fn merge_parts(py: Python, parts: Vec<Py<Counts>>, memory: Option<u64>) -> PyResult<Self> {
        let parts: Vec<PieceCounts> = parts.iter().map(|part| part.get().0.clone()).collect();
        let failure = Failure::default();
        let merged = py.detach(|| {
            let mut watcher = Watcher::new(None, "merging", "pieces", None, &failure);
            guarded(|| PieceCounts::merge_parts(&parts, memory, &mut || watcher.check(0)))
        });
        Ok(Counts(failure.raise(py, merged)?))
    }

    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| guarded(|| self.0.save(&path))).raise(py)
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.0.documents
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }

    #[getter]
    fn total(&self) -> u64 {
        self.0.totals().0
    }

    #[getter]
    fn ordered(&self) -> bool {
        self.0.is_ordered()
    }

    /// What made the pieces, as JSON, where that is known.
    #[getter]
    fn made_by(&self, py: Python) -> PyResult<Option<String>> {
        let made_by = self.0.made_by.as_ref().map(serde_json::to_string).transpose();
        made_by.map_err(|error| Error::Internal(error.to_string())).raise(py)
    }

    fn __len__(&self) -> usize {
        self.0.totals().1 as usize
    }

    fn count(&self, py: Python, piece: &str) -> PyResult<u64> {
        self.0.count(piece.as_bytes()).raise(py)
    }

    fn most_common(&self, py: Python, most: Option<usize>) -> PyResult<Vec<CountedPiece>> {
        let found = py.detach(|| guarded(|| texts(self.0.most_common(most.unwrap_or(usize::MAX), 1)?.0)));
        found.raise(py)
    }

    fn in_order_of_appearance(&self, py: Python) -> PyResult<Vec<CountedPiece>> {
        let found = py.detach(|| {
            guarded(|| {
                let held = self.0.held(PieceOrder::Appearance)?;
                texts(held.iter().map(|(piece, count)| (piece.to_vec(), count)).collect())
            })
        });
        found.raise(py)
    }

    /// Some pieces with their counts, in the order of bytes; None after the last part.
    fn part(&self, py: Python, number: usize) -> PyResult<Option<Vec<CountedPiece>>> {
        py.detach(|| guarded(|| self.0.part(number)?.map(texts).transpose())).raise(py)
    }
}
