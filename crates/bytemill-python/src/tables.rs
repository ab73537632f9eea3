//! Texts that Python has: columns of tables, which pyarrow reads, and iterables of documents.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytemill::data::{ForeignTables, InputFormat, RowChunk, TableRow, TableRows};
use bytemill::{Error, Result};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::arrow::Texts;
use crate::row_groups::RowGroups;
use crate::text::Text;
use crate::watch::Failure;

/// Opens tables by `bytemill._tables`.
#[derive(Debug)]
pub(crate) struct PythonTables;

impl ForeignTables for PythonTables {
    fn open(&self, path: &Path, format: InputFormat, column: &str) -> Result<Box<dyn TableRows>> {
        let opened = Python::attach(|py| {
            let tables = py.import("bytemill._tables")?;
            if format == InputFormat::Parquet {
                return RowGroups::open(&tables.getattr("ParquetColumn")?.call1((path, column))?, path);
            }
            let batches = tables.getattr("read_arrow_column")?.call1((path, column))?.try_iter()?.unbind();
            Ok(Box::new(Columns { batches, path: path.display().to_string(), current: None, bytes: 0 }) as Box<_>)
        });
        opened.map_err(|error| of_file(path, error))
    }
}

/// Rows of an array are opened this many bytes of text at a time.
const AT_ONCE_BYTES: usize = 1 << 18;

/// An iterator of `(array, bytes of the file read)`.
struct Columns {
    batches: Py<PyIterator>,
    path: String,
    /// An array with the rows of it that were handed out.
    current: Option<(Arc<Texts>, usize)>,
    bytes: u64,
}

impl TableRows for Columns {
    fn next_rows(&mut self) -> Result<Option<Box<dyn RowChunk>>> {
        loop {
            if let Some((texts, at)) = &mut self.current
                && *at < texts.len()
            {
                let chunk = ArrayRows::from(texts, *at, AT_ONCE_BYTES);
                *at = chunk.end;
                return Ok(Some(Box::new(chunk)));
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
            (self.current, self.bytes) = (Some((Arc::new(texts), 0)), bytes);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

/// Some rows of an array.
struct ArrayRows {
    texts: Arc<Texts>,
    start: usize,
    end: usize,
    bytes: usize,
}

impl ArrayRows {
    /// Takes rows from `start` on until they hold `at_once` bytes: at least one row.
    fn from(texts: &Arc<Texts>, start: usize, at_once: usize) -> Self {
        let (mut end, mut bytes) = (start, 0);
        while end < texts.len() && bytes < at_once {
            bytes += texts.bytes_of(end);
            end += 1;
        }
        ArrayRows { texts: texts.clone(), start, end, bytes }
    }
}

impl RowChunk for ArrayRows {
    fn rows(&self) -> usize {
        self.end - self.start
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn open(self: Box<Self>) -> Result<Vec<TableRow>> {
        Ok((self.start..self.end).map(|row| table_row(&self.texts, row)).collect())
    }
}

pub(crate) fn table_row(texts: &Texts, row: usize) -> TableRow {
    match texts.get(row) {
        Ok(Some(text)) => TableRow::Text(text.to_string()),
        Ok(None) => TableRow::Bad("the value is null, expected a text".into()),
        Err(reason) => TableRow::Bad(reason),
    }
}

/// What Python found wrong with a file.
pub(crate) fn of_file(path: &Path, error: PyErr) -> Error {
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
        Ok(Box::new(DocumentRows { documents, bytes: 0, failure: self.failure.clone() }))
    }
}

/// Documents taken from Python in one go.
const GRAB_BYTES: usize = 1 << 20;
const GRAB_DOCUMENTS: usize = 1 << 12;

struct DocumentRows {
    documents: Py<PyAny>,
    bytes: u64,
    failure: Failure,
}

/// Documents that were taken, and the bytes of their texts.
struct GrabbedRows(Vec<TableRow>, usize);

impl DocumentRows {
    fn grab(&self) -> PyResult<GrabbedRows> {
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
                grabbed.push(text.map_or_else(TableRow::Bad, TableRow::Text));
                if bytes >= GRAB_BYTES || grabbed.len() >= GRAB_DOCUMENTS {
                    break;
                }
            }
            Ok::<_, PyErr>(())
        })?;
        Ok(GrabbedRows(grabbed, bytes))
    }
}

impl TableRows for DocumentRows {
    fn next_rows(&mut self) -> Result<Option<Box<dyn RowChunk>>> {
        let grabbed = self.grab().map_err(|error| self.failure.keep(error))?;
        self.bytes += grabbed.1 as u64;
        Ok((!grabbed.0.is_empty()).then(|| Box::new(grabbed) as Box<_>))
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

impl RowChunk for GrabbedRows {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        self.1
    }

    fn open(self: Box<Self>) -> Result<Vec<TableRow>> {
        Ok(self.0)
    }
}
