//! Texts that Python has: columns of tables, which pyarrow reads, and iterables of documents.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytemill::data::{
    ForeignTables, InputFormat, KeptColumns, KeptPlace, KeptRows, OpenedRows, RowChunk, TableRow, TableRows,
    TableSchema, WantedColumns,
};
use bytemill::{Error, Result};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};

use crate::arrow::Texts;
use crate::calling::{Items, call};
use crate::row_groups::RowGroups;
use crate::text::Text;
use crate::watch::Failure;

/// Kept columns of a table: JSON of the rows one after the other, where each is, and which are bad, and why.
type NotedRows<'py> = (Bound<'py, PyBytes>, Vec<(u64, u64)>, Vec<(usize, String)>);

/// Opens tables by `bytemill._tables`.
#[derive(Debug)]
pub(crate) struct PythonTables;

impl ForeignTables for PythonTables {
    fn open(&self, path: &Path, format: InputFormat, wanted: WantedColumns) -> Result<Box<dyn TableRows>> {
        let opened = Python::attach(|py| {
            let tables = py.import("bytemill._tables")?;
            let keep = kept_columns(py, wanted)?;
            if format == InputFormat::Parquet {
                return RowGroups::open(&call(&tables.getattr("ParquetColumn")?, (path, wanted.text, keep))?, path);
            }
            let batches =
                Items::of(&call(&tables.getattr("read_arrow_column")?, (path, wanted.text, keep))?)?.0.unbind();
            Ok(Box::new(Columns { batches, path: path.display().to_string(), current: None, bytes: 0 }) as Box<_>)
        });
        opened.map_err(|error| of_file(path, error))
    }

    fn schema(&self, path: &Path, format: InputFormat, columns: Option<&[String]>, text: &str) -> Result<TableSchema> {
        let found = Python::attach(|py| {
            let find = py.import("bytemill._kept")?.getattr("kept_schema")?;
            call(&find, (path, format.name(), columns, text))?.extract()
        });
        let (columns, bytes) = found.map_err(|error| of_file(path, error))?;
        Ok(TableSchema { columns, bytes })
    }
}

/// The `KeptColumns` of `bytemill._kept`, if there are any.
fn kept_columns<'py>(py: Python<'py>, wanted: WantedColumns) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(keep) = wanted.keep else { return Ok(None) };
    let KeptColumns::Table(schema) = &keep.columns else { return Ok(None) };
    let class = py.import("bytemill._kept")?.getattr("KeptColumns")?;
    class.call1((schema.bytes.as_slice(), keep.for_lines, wanted.replace)).map(Some)
}

/// An array of texts, and what notes the kept values of the same rows.
pub(crate) struct TextRows {
    pub texts: Texts,
    note: Option<Py<PyAny>>,
}

impl TextRows {
    /// From a pair of an array and a function, or None.
    pub(crate) fn import(pair: &Bound<PyAny>) -> PyResult<Self> {
        let (array, note) = pair.extract::<(Bound<PyAny>, Option<Py<PyAny>>)>()?;
        Ok(TextRows { texts: Texts::import(&array)?, note })
    }

    /// Some rows, each as it is or why it is none.
    fn open(&self, rows: Range<usize>) -> PyResult<OpenedRows> {
        let mut opened = OpenedRows {
            texts: rows.clone().map(|row| table_row(&self.texts, row)).collect(),
            kept: KeptRows::default(),
        };
        if let Some(note) = &self.note {
            let (bytes, places, bad) = Python::attach(|py| {
                let noted = call(note.bind(py), (rows.start, rows.end))?;
                let (bytes, places, bad): NotedRows = noted.extract()?;
                Ok::<_, PyErr>((bytes.as_bytes().to_vec(), places, bad))
            })?;
            let places = places.into_iter().map(|(start, extent)| KeptPlace { start, extent }).collect();
            opened.kept = KeptRows { bytes, places };
            bad.into_iter().for_each(|(row, reason)| opened.texts[row] = TableRow::Bad(reason));
        }
        Ok(opened)
    }
}

/// Opens rows of several arrays, one after another.
pub(crate) fn open_rows(parts: &[(Arc<TextRows>, Range<usize>)]) -> PyResult<OpenedRows> {
    let mut all = OpenedRows { texts: Vec::new(), kept: KeptRows::default() };
    for (array, rows) in parts {
        let OpenedRows { texts, kept } = array.open(rows.clone())?;
        all.texts.extend(texts);
        all.kept.extend(&kept, 0..kept.places.len());
    }
    Ok(all)
}

/// Rows of an array are opened this many bytes of text at a time.
const AT_ONCE_BYTES: usize = 1 << 18;

/// An iterator of `((array, what notes kept values), bytes of the file read)`.
struct Columns {
    batches: Py<PyIterator>,
    path: String,
    /// An array with the rows of it that were handed out.
    current: Option<(Arc<TextRows>, usize)>,
    bytes: u64,
}

impl TableRows for Columns {
    fn next_rows(&mut self) -> Result<Option<Box<dyn RowChunk>>> {
        loop {
            if let Some((texts, at)) = &mut self.current
                && *at < texts.texts.len()
            {
                let chunk = ArrayRows::from(texts, *at, Path::new(&self.path).into());
                *at = chunk.end;
                return Ok(Some(Box::new(chunk)));
            }
            let next = Python::attach(|py| match Items(self.batches.bind(py).clone()).next().transpose()? {
                Some(pair) => {
                    let (rows, bytes) = pair.extract::<(Bound<PyAny>, u64)>()?;
                    TextRows::import(&rows).map(|texts| Some((texts, bytes)))
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
    texts: Arc<TextRows>,
    start: usize,
    end: usize,
    bytes: usize,
    path: Arc<Path>,
}

impl ArrayRows {
    /// Takes rows from `start` on until they hold enough bytes: at least one row.
    fn from(rows: &Arc<TextRows>, start: usize, path: Arc<Path>) -> Self {
        let (mut end, mut bytes) = (start, 0);
        while end < rows.texts.len() && bytes < AT_ONCE_BYTES {
            bytes += rows.texts.bytes_of(end);
            end += 1;
        }
        ArrayRows { texts: rows.clone(), start, end, bytes, path }
    }
}

impl RowChunk for ArrayRows {
    fn rows(&self) -> usize {
        self.end - self.start
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn open(self: Box<Self>) -> Result<OpenedRows> {
        self.texts.open(self.start..self.end).map_err(|error| of_file(&self.path, error))
    }
}

fn table_row(texts: &Texts, row: usize) -> TableRow {
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
    fn open(&self, _: &Path, _: InputFormat, _: WantedColumns) -> Result<Box<dyn TableRows>> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(documents) = documents else {
            return Err(Error::Internal("the documents were read before".into()));
        };
        Ok(Box::new(DocumentRows { documents, bytes: 0, failure: self.failure.clone() }))
    }

    fn schema(&self, _: &Path, _: InputFormat, _: Option<&[String]>, _: &str) -> Result<TableSchema> {
        Err(Error::Spec("documents= are texts, which have no columns to keep; leave out keep_columns=".into()))
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
            for document in Items(self.documents.bind(py).cast::<PyIterator>()?.clone()) {
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

    fn open(self: Box<Self>) -> Result<OpenedRows> {
        Ok(OpenedRows { texts: self.0, kept: KeptRows::default() })
    }
}
