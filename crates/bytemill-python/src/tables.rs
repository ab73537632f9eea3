//! Texts that Python has: columns of tables, which pyarrow reads, and iterables of documents.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytemill::data::{ForeignTables, InputFormat, TableRow, TableRows};
use bytemill::{Error, Result};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::arrow::Texts;
use crate::text::Text;
use crate::watch::Failure;

/// Opens tables by `bytemill._tables`.
#[derive(Debug)]
pub(crate) struct PythonTables;

impl ForeignTables for PythonTables {
    fn open(&self, path: &Path, format: InputFormat, column: &str) -> Result<Box<dyn TableRows>> {
        let opened = Python::attach(|py| {
            let open = py.import("bytemill._tables")?.getattr("read_column")?;
            Ok(open.call1((path, format.name(), column))?.try_iter()?.unbind())
        });
        let batches = opened.map_err(|error| of_file(path, error))?;
        Ok(Box::new(Columns { batches, path: path.display().to_string(), current: None, at: 0, bytes: 0 }))
    }
}

/// An iterator of `(array, bytes of the file read)`.
struct Columns {
    batches: Py<PyIterator>,
    path: String,
    current: Option<Texts>,
    at: usize,
    bytes: u64,
}

impl TableRows for Columns {
    fn next_row(&mut self, into: &mut String) -> Result<Option<TableRow>> {
        loop {
            if let Some(texts) = &self.current
                && self.at < texts.len()
            {
                self.at += 1;
                return Ok(Some(match texts.get(self.at - 1) {
                    Ok(Some(text)) => {
                        into.push_str(text);
                        TableRow::Text
                    }
                    Ok(None) => TableRow::Bad("the value is null, expected a text".into()),
                    Err(reason) => TableRow::Bad(reason),
                }));
            }
            let next = Python::attach(|py| match self.batches.bind(py).clone().next().transpose()? {
                Some(pair) => {
                    let (array, bytes) = pair.extract::<(Bound<PyAny>, u64)>()?;
                    Texts::import(&array).map(|texts| Some((texts, bytes)))
                }
                None => Ok::<_, PyErr>(None),
            });
            let Some((texts, bytes)) = next.map_err(|error| of_file(Path::new(&self.path), error))? else {
                return Ok(None);
            };
            (self.current, self.at, self.bytes) = (Some(texts), 0, bytes);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

/// What Python found wrong with a file.
fn of_file(path: &Path, error: PyErr) -> Error {
    Python::attach(|py| {
        let reason = error.value(py).to_string();
        match error.is_instance_of::<PyImportError>(py) {
            true => Error::Spec(reason),
            false => Error::format(path.display().to_string(), reason),
        }
    })
}

/// Documents that an iterable gives, once.
pub(crate) struct GivenDocuments {
    documents: Mutex<Option<Py<PyAny>>>,
    failure: Failure,
}

impl GivenDocuments {
    /// What the iterable raises is kept as the failure.
    pub(crate) fn new(documents: Py<PyAny>, failure: &Failure) -> Self {
        GivenDocuments { documents: Mutex::new(Some(documents)), failure: failure.clone() }
    }
}

impl std::fmt::Debug for GivenDocuments {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("GivenDocuments")
    }
}

impl ForeignTables for GivenDocuments {
    fn open(&self, _: &Path, _: InputFormat, _: &str) -> Result<Box<dyn TableRows>> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(documents) = documents else {
            return Err(Error::Internal("the documents were read before".into()));
        };
        let (waiting, failure) = (Vec::new().into_iter(), self.failure.clone());
        Ok(Box::new(DocumentRows { documents, waiting, bytes: 0, failure }))
    }
}

/// Documents taken from Python in one go.
const GRAB_BYTES: usize = 1 << 20;
const GRAB_DOCUMENTS: usize = 1 << 12;

struct DocumentRows {
    documents: Py<PyAny>,
    waiting: std::vec::IntoIter<std::result::Result<String, String>>,
    bytes: u64,
    failure: Failure,
}

impl DocumentRows {
    fn grab(&mut self) -> PyResult<()> {
        let (mut grabbed, mut bytes) = (Vec::new(), 0);
        Python::attach(|py| {
            let documents = self.documents.bind(py).cast::<PyIterator>()?.clone();
            for document in documents {
                let document = document?;
                let text = match document.is_instance_of::<PyString>() {
                    true => Text::new(&document)?.as_str().map(str::to_string).map_err(|error| error.to_string()),
                    false => Err(format!("a document is a str, not {}", document.get_type().name()?)),
                };
                bytes += text.as_ref().map_or(0, String::len);
                grabbed.push(text);
                if bytes >= GRAB_BYTES || grabbed.len() >= GRAB_DOCUMENTS {
                    break;
                }
            }
            Ok::<_, PyErr>(())
        })?;
        self.waiting = grabbed.into_iter();
        self.bytes += bytes as u64;
        Ok(())
    }
}

impl TableRows for DocumentRows {
    fn next_row(&mut self, into: &mut String) -> Result<Option<TableRow>> {
        if self.waiting.len() == 0 {
            self.grab().map_err(|error| self.failure.keep(error))?;
        }
        Ok(self.waiting.next().map(|document| match document {
            Ok(text) => {
                *into = text;
                TableRow::Text
            }
            Err(reason) => TableRow::Bad(reason),
        }))
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}
