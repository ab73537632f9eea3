//! train: documents from files or from a Python iterator, into the core's trainer.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use bytemill::data::{Block, Blocks, SourceOptions, batches, blocks_of, source, write_atomically};
use bytemill::parallel::thread_count;
use bytemill::train::{Spec, Stages, Trainer};
use bytemill::{Error, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use crate::Handle;
use crate::error::Raise;
use crate::text::Text;
use crate::tokenizer::Tokenizer;
use crate::watch::{Failure, Watcher};

/// Documents taken from Python in one go.
const GRAB_BYTES: usize = 1 << 20;
const GRAB_DOCUMENTS: usize = 1 << 12;

#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn train(
    py: Python,
    source: &Bound<PyAny>,
    spec: &str,
    special_tokens: Vec<String>,
    normalizer: Option<&str>,
    pretokenizer: Option<&str>,
    field: String,
    replace_invalid: bool,
    threads: Option<usize>,
    continue_from: Option<&Bound<Tokenizer>>,
    log: Option<PathBuf>,
    watcher: Option<Py<PyAny>>,
) -> PyResult<(Handle, Vec<String>)> {
    let trainer = match continue_from {
        Some(known) => {
            Spec::parse(spec).and_then(|spec| Trainer::continuing(spec, known.get().core_definition())).raise(py)?
        }
        None => trainer(spec, &special_tokens, normalizer, pretokenizer).raise(py)?,
    };
    let failure = Failure::default();
    let threads = thread_count(threads);
    let trained = if let Ok(paths) = source.cast::<PyList>() {
        let paths: Vec<PathBuf> = paths.extract()?;
        let options = SourceOptions { field, replace_invalid, ..SourceOptions::default() };
        py.detach(|| from_files(&trainer, &paths, options, threads, watcher, &failure))
    } else {
        let documents = source.cast::<PyIterator>()?.clone().unbind();
        py.detach(|| from_documents(&trainer, documents, threads, watcher, &failure))
    };
    let trained = failure.raise(py, trained)?;
    if let Some(path) = log {
        write_atomically(&path, &trained.log()).raise(py)?;
    }
    let tokenizer = bytemill::Tokenizer::new(trained.definition).raise(py)?;
    Ok((Handle(Arc::new(tokenizer)), trained.notes))
}

fn trainer(
    spec: &str,
    special_tokens: &[String],
    normalizer: Option<&str>,
    pretokenizer: Option<&str>,
) -> Result<Trainer> {
    let invalid = |error: serde_json::Error| Error::Spec(error.to_string());
    let stages = Stages {
        normalizer: normalizer.map(serde_json::from_str).transpose().map_err(invalid)?,
        pretokenizer: pretokenizer.map(serde_json::from_str).transpose().map_err(invalid)?,
    };
    Trainer::new(Spec::parse(spec)?, special_tokens, stages)
}

fn from_files(
    trainer: &Trainer,
    paths: &[PathBuf],
    options: SourceOptions,
    threads: usize,
    watcher: Option<Py<PyAny>>,
    failure: &Failure,
) -> Result<bytemill::train::Trained> {
    let listing = source::list(paths)?;
    let mut blocks = Blocks::open(&listing, options, trainer);
    let read = Cell::new(0);
    let watched = std::iter::from_fn(|| {
        let block = blocks.next();
        read.set(blocks.bytes_read());
        block
    });
    let mut merging = merging(&watcher, failure);
    let mut watcher = Watcher::new(watcher, "counting", "bytes", Some(listing.total_bytes), failure);
    trainer.train(batches(watched), threads, &mut || watcher.check(read.get()), &mut merging)
}

fn from_documents(
    trainer: &Trainer,
    documents: Py<PyIterator>,
    threads: usize,
    watcher: Option<Py<PyAny>>,
    failure: &Failure,
) -> Result<bytemill::train::Trained> {
    let read = Cell::new(0);
    let mut waiting: VecDeque<Block> = VecDeque::new();
    let mut exhausted = false;
    let blocks = std::iter::from_fn(|| {
        if waiting.is_empty() && !exhausted {
            match Python::attach(|py| grab(documents.bind(py))) {
                Ok(grabbed) => {
                    exhausted = grabbed.is_empty();
                    waiting.extend(grabbed.into_iter().flat_map(|document| blocks_of(document, trainer)));
                }
                Err(error) => {
                    exhausted = true;
                    return Some(Err(failure.keep(error)));
                }
            }
        }
        let block = waiting.pop_front()?;
        read.set(read.get() + block.text.len() as u64);
        Some(Ok(block))
    });
    let mut merging = merging(&watcher, failure);
    let mut watcher = Watcher::new(watcher, "counting", "bytes", None, failure);
    trainer.train(batches(blocks), threads, &mut || watcher.check(read.get()), &mut merging)
}

/// Watches the merges as well, which come after the counting.
fn merging<'a>(watcher: &Option<Py<PyAny>>, failure: &'a Failure) -> impl FnMut(u64, u64) -> Result<()> + use<'a> {
    let callback = watcher.as_ref().map(|callback| Python::attach(|py| callback.clone_ref(py)));
    let mut watcher = Watcher::new(callback, "merging", "merges", None, failure);
    move |done, total| {
        watcher.total = Some(total);
        watcher.check(done)
    }
}

/// The next documents; none when there are no more.
fn grab(documents: &Bound<PyIterator>) -> PyResult<Vec<String>> {
    let mut grabbed = Vec::new();
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
    Ok(grabbed)
}
