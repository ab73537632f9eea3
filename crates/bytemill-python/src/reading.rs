//! Documents for long work: from files, or from a Python iterator.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;

use bytemill::Result;
use bytemill::data::{Batch, Blocks, Cut, SourceOptions, TextBlock, batches, blocks_of, list};
use bytemill::machine::Watch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use crate::text::Text;
use crate::watch::{Failure, Watcher};

/// Documents taken from Python in one go.
const GRAB_BYTES: usize = 1 << 20;
const GRAB_DOCUMENTS: usize = 1 << 12;

/// What is to be read, and who wants to know how far it is.
pub struct Reading {
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
    pub fn new(
        source: &Bound<PyAny>,
        field: String,
        replace_invalid: bool,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let options = SourceOptions { field, replace_invalid, ..SourceOptions::default() };
        let source = match source.cast::<PyList>() {
            Ok(paths) => Source::Files(paths.extract()?),
            Err(_) => Source::Documents(source.cast::<PyIterator>()?.clone().unbind()),
        };
        Ok(Reading { source, options, watcher })
    }

    /// Hands the documents over in batches, cut where `cut` allows, with the watch to ask meanwhile. `merged`: how many pieces have been
    /// read of the counts that are merged when all documents are.
    pub fn run<T>(
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
                work(&mut batches(watched), &mut watch(Some(listing.total_bytes)))
            }
            Source::Documents(documents) => {
                let blocks = blocks_from(documents, cut, failure, &read);
                work(&mut batches(blocks), &mut watch(None))
            }
        }
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
            let mut grabbed = Vec::new();
            failed = Python::attach(|py| grab(documents.bind(py), &mut grabbed)).err();
            exhausted = grabbed.is_empty() || failed.is_some();
            waiting.extend(grabbed.into_iter().flat_map(|document| blocks_of(document, cut)));
        }
        let Some(block) = waiting.pop_front() else {
            return failed.take().map(|error| Err(failure.keep(error)));
        };
        read.set(read.get() + block.text.len() as u64);
        Some(Ok(block))
    })
}

/// The next documents; none when there are no more.
fn grab(documents: &Bound<PyIterator>, grabbed: &mut Vec<String>) -> PyResult<()> {
    let mut bytes = 0;
    for document in documents.clone() {
        let document = document?;
        if !document.is_instance_of::<PyString>() {
            let found = document.get_type().name()?.to_string_lossy().into_owned();
            return Err(PyTypeError::new_err(format!("documents are str, not {found}")));
        }
        let text = Text::new(&document)?.as_str()?.to_string();
        bytes += text.len();
        grabbed.push(text);
        if bytes >= GRAB_BYTES || grabbed.len() >= GRAB_DOCUMENTS {
            break;
        }
    }
    Ok(())
}
