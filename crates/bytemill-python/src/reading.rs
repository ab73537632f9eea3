//! Documents for long work: from files, or from a Python iterator.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::CString;
use std::path::PathBuf;

use bytemill::Result;
use bytemill::data::{Batch, Blocks, Cut, Seam, SkippedRows, SourceOptions, TextBlock, batches, blocks_of, list};
use bytemill::machine::Watch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use crate::calling::Items;
use crate::error::Raise;
use crate::files::{HowToRead, source_options};
use crate::text::Text;
use crate::watch::{Failure, Watcher};

/// Documents taken from Python in one go.
const GRAB_BYTES: usize = 1 << 20;
const GRAB_DOCUMENTS: usize = 1 << 12;

/// The sources to read, and the callback that is told how far reading is.
pub(crate) struct Reading {
    source: Source,
    options: SourceOptions,
    watcher: Option<Py<PyAny>>,
}

enum Source {
    Files(Vec<PathBuf>),
    Documents(Py<PyIterator>),
}

impl Reading {
    /// `source` is a list of paths, or an iterator of documents.
    pub(crate) fn new(source: &Bound<PyAny>, how: HowToRead, watcher: Option<Py<PyAny>>) -> PyResult<Self> {
        let options = source_options(source.py(), how)?;
        let source = match source.cast::<PyList>() {
            Ok(paths) => Source::Files(paths.extract()?),
            Err(_) => Source::Documents(source.cast::<PyIterator>()?.clone().unbind()),
        };
        Ok(Reading { source, options, watcher })
    }

    /// Hands the documents over in batches, cut where `cut` allows, with the watch to ask meanwhile. `merged` returns how
    /// many pieces have been read of the counts that are merged after the documents.
    pub(crate) fn run<T>(
        self,
        cut: &dyn Cut,
        merged: impl Fn() -> u64,
        failure: &Failure,
        work: impl FnOnce(&mut dyn Iterator<Item = Result<Batch>>, &mut Watch) -> Result<T>,
    ) -> Result<T> {
        let read = Cell::new(0);
        let watch = |total| {
            let callback = self.watcher.as_ref().map(|callback| Python::attach(|py| callback.clone_ref(py)));
            let mut merging = Watcher::new(callback, "sorting", "pieces", None, failure);
            let mut counting = Watcher::new(self.watcher, "counting", "bytes", total, failure);
            let read = &read;
            move || match merged() {
                0 => counting.check(read.get()),
                done => merging.check(done),
            }
        };
        match self.source {
            Source::Files(paths) => {
                let listing = list(&paths)?;
                let mut blocks = Blocks::open(&listing, self.options, cut);
                let watched = std::iter::from_fn(|| {
                    let block = blocks.next();
                    read.set(blocks.bytes_read());
                    block
                });
                let done = work(&mut batches(watched), &mut watch(Some(listing.total_bytes)))?;
                let (_, skipped) = blocks.into_files();
                tell_of_skipped(&skipped).map_err(|error| failure.keep(error))?;
                Ok(done)
            }
            Source::Documents(documents) => {
                let blocks = blocks_from(documents, cut, failure, &read);
                work(&mut batches(blocks), &mut watch(None))
            }
        }
    }
}

/// A warning, at the place of the call: nobody would look for these documents.
fn tell_of_skipped(skipped: &SkippedRows) -> PyResult<()> {
    let (count, Some(first)) = (skipped.count, skipped.first.first()) else { return Ok(()) };
    let (documents, the_first) =
        if count == 1 { ("document was", "it") } else { ("documents were", "the first of them") };
    let message = CString::new(format!("{count} {documents} skipped; {the_first}: {first}"))?;
    Python::attach(|py| {
        let category = py.import("bytemill.errors")?.getattr("SkippedDocuments")?;
        PyErr::warn(py, &category, &message, 2)
    })
}

/// Texts are never cut.
struct Whole;

impl Cut for Whole {
    fn last_cut(&self, _: &str) -> Option<Seam> {
        None
    }
}

/// Texts are cut anywhere, for callers that look at a part of them.
struct Anywhere;

impl Cut for Anywhere {
    fn last_cut(&self, text: &str) -> Option<Seam> {
        Some(Seam::at(text.len()))
    }
}

/// The documents of files, each with its place: `a.txt`, or `a.jsonl, line 3`; or in parts, if they need not be whole.
#[pyclass(module = "bytemill._core")]
pub(crate) struct Documents(Blocks<'static>);

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (paths, how, *, whole=true))]
    fn new(py: Python, paths: Vec<PathBuf>, how: HowToRead, whole: bool) -> PyResult<Self> {
        let options = source_options(py, how)?;
        let listing = py.detach(|| list(&paths)).raise(py)?;
        let cut: &dyn Cut = if whole { &Whole } else { &Anywhere };
        Ok(Documents(Blocks::open(&listing, options, cut)))
    }

    /// On-disk bytes consumed so far.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.0.bytes_read()
    }

    fn __iter__(slf: Bound<Self>) -> Bound<Self> {
        slf
    }

    fn __next__(&mut self, py: Python) -> PyResult<Option<(String, String)>> {
        let blocks = &mut self.0;
        let Some(block) = py.detach(|| blocks.next()).transpose().raise(py)? else {
            return Ok(None);
        };
        let place = self.0.place();
        let path = place.path().display();
        let shown = match place.record() {
            Some((unit, number)) => format!("{path}, {unit} {number}"),
            None => path.to_string(),
        };
        Ok(Some((block.text, shown)))
    }
}

fn blocks_from(
    documents: Py<PyIterator>,
    cut: &dyn Cut,
    failure: &Failure,
    read: &Cell<u64>,
) -> impl Iterator<Item = Result<TextBlock>> {
    let mut waiting: VecDeque<TextBlock> = VecDeque::new();
    let mut exhausted = false;
    // An exception waits until the documents before it have been handed out.
    let mut failed = None;
    std::iter::from_fn(move || {
        if waiting.is_empty() && !exhausted {
            failed = Python::attach(|py| grab(documents.bind(py), cut, &mut waiting)).err();
            exhausted = waiting.is_empty() || failed.is_some();
        }
        let Some(block) = waiting.pop_front() else {
            return failed.take().map(|error| Err(failure.keep(error)));
        };
        read.set(read.get() + block.text.len() as u64);
        Some(Ok(block))
    })
}

/// The blocks of the next documents; none when there are no more. They are copied once, from where Python has them.
fn grab(documents: &Bound<PyIterator>, cut: &dyn Cut, blocks: &mut VecDeque<TextBlock>) -> PyResult<()> {
    let (mut bytes, mut grabbed) = (0, 0);
    for document in Items(documents.clone()) {
        let document = document?;
        if !document.is_instance_of::<PyString>() {
            let found = document.get_type().name()?.to_string_lossy().into_owned();
            return Err(PyTypeError::new_err(format!("documents are str, not {found}")));
        }
        let text = Text::new(&document)?;
        let text = text.as_str()?;
        blocks.extend(blocks_of(text, cut));
        (bytes, grabbed) = (bytes + text.len(), grabbed + 1);
        if bytes >= GRAB_BYTES || grabbed >= GRAB_DOCUMENTS {
            break;
        }
    }
    Ok(())
}
