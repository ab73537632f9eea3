//! Files to token files, to rows of ids in memory, or to counts of tokens; and which files a list of paths stands for.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bytemill::data::{BadRows, InputFormat, Keep, Listing, SourceFile, SourceOptions, list, write_atomically};
use bytemill::encode::files::{FileCount, Job, count_files, encode_files_to_memory};
use bytemill::encode::token_files::{FileStage, Report, encode_files};
use bytemill::machine::thread_count;
use bytemill::specials::Choice;
use bytemill::{TokenId, Tokenizer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Raise;
use crate::keywords::Keywords;
use crate::output::Output;
use crate::rows::{IdsAndOffsets, arrays};
use crate::tables::{GivenDocuments, PythonTables};
use crate::text::choice;
use crate::watch::{Failure, Watcher};

/// How files are read: the name of their format (if not by their names), the field of their records, what happens to those
/// without a text, and what stands between the documents of a text file.
pub(crate) type HowToRead = (Option<String>, String, String, Option<String>);

pub(crate) fn source_options(py: Python, (format, field, errors, separator): HowToRead) -> PyResult<SourceOptions> {
    let format = format.as_deref().map(InputFormat::named).transpose().raise(py)?;
    let bad_rows = BadRows::named(&errors).raise(py)?;
    let foreign = Some(Arc::new(PythonTables) as Arc<_>);
    Ok(SourceOptions { format, field, separator, bad_rows, foreign, ..SourceOptions::default() })
}

/// A file with the name of its format.
type NamedFile = (PathBuf, &'static str);

/// The files that a list of paths stands for, each with the format that its name promises, and what folders hold
/// besides.
#[pyfunction]
pub(crate) fn list_files(py: Python, paths: Vec<PathBuf>) -> PyResult<(Vec<NamedFile>, Vec<PathBuf>)> {
    let listing = py.detach(|| list(&paths)).raise(py)?;
    let named = |path: PathBuf| {
        let format = InputFormat::of_name(&path).name();
        (path, format)
    };
    Ok((listing.files.into_iter().map(|file| named(file.path)).collect(), listing.skipped))
}

/// Replaces a file by these bytes, or leaves it as it is.
#[pyfunction]
pub(crate) fn write_file(py: Python, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    py.detach(|| write_atomically(&path, bytes)).raise(py)
}

/// Whether a run whose manifest is called so may have called a token file so.
#[pyfunction]
pub(crate) fn may_be_of(manifest: &str, file: &str) -> bool {
    bytemill::data::may_be_of(manifest, file)
}

/// The format that the name of a file promises.
#[pyfunction]
pub(crate) fn format_of_name(path: PathBuf) -> &'static str {
    InputFormat::of_name(&path).name()
}

/// What to encode, and how.
pub(crate) struct Files {
    pub sources: Vec<PathBuf>,
    /// Documents that Python has, in place of files.
    pub documents: Option<Py<PyAny>>,
    pub options: SourceOptions,
    pub choice: Choice,
    pub prepend: Option<TokenId>,
    pub append: Option<TokenId>,
    pub threads: usize,
}

/// A file with its documents, bytes and tokens, and how many documents were left out.
pub(crate) type CountedFile = (PathBuf, u64, u64, u64, u64);

impl Files {
    pub(crate) fn new(sources: Vec<PathBuf>, keywords: &Keywords, tokenizer: &Tokenizer) -> PyResult<Self> {
        let specials = keywords.take::<Bound<PyAny>>("specials")?;
        let id = |name| Ok::<_, PyErr>(keywords.take::<Option<TokenId>>(name)?.flatten());
        Ok(Files {
            sources,
            documents: keywords.take::<Option<Py<PyAny>>>("documents")?.flatten(),
            options: source_options(keywords.py, keywords.needed("how")?)?,
            choice: choice(tokenizer.specials(), specials.as_ref())?,
            prepend: id("prepend")?,
            append: id("append")?,
            threads: thread_count(keywords.take::<Option<usize>>("threads")?.flatten()),
        })
    }

    /// Documents of Python's are read like a table with one column.
    fn listing(&mut self, failure: &Failure) -> bytemill::Result<Listing> {
        let Some(documents) = self.documents.take() else { return list(&self.sources) };
        self.options.format = Some(InputFormat::Arrow);
        self.options.foreign = Some(Arc::new(GivenDocuments::new(documents, failure)));
        let files = vec![SourceFile { path: PathBuf::from("documents"), bytes: 0 }];
        Ok(Listing { files, ..Listing::default() })
    }

    fn job<'a>(&'a self, listing: &'a Listing) -> Job<'a> {
        let Files { options, choice, prepend, append, threads, .. } = self;
        Job { listing, options: options.clone(), choice, prepend: *prepend, append: *append, threads: *threads }
    }

    /// What each file holds; and what was skipped in folders.
    pub(crate) fn count(
        mut self,
        py: Python,
        tokenizer: &Tokenizer,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<CountedFile>, Vec<PathBuf>)> {
        let failure = Failure::default();
        let (listing, counts) = failure.run(py, || {
            let listing = self.listing(&failure)?;
            let mut watcher = Watcher::new(watcher, "counting", "bytes", Some(listing.total_bytes), &failure);
            let counts = count_files(tokenizer, self.job(&listing), &mut |done| watcher.check_files(done))?;
            Ok((listing, counts))
        })?;
        let row = |(path, count): (_, FileCount)| (path, count.documents, count.bytes, count.tokens, count.skipped);
        let paths = listing.files.into_iter().map(|file| file.path);
        Ok((paths.zip(counts).map(row).collect(), listing.skipped))
    }

    /// The rows of all documents.
    pub(crate) fn encode<'py>(
        mut self,
        py: Python<'py>,
        tokenizer: &Tokenizer,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let failure = Failure::default();
        let encoded = failure.run(py, || {
            let listing = self.listing(&failure)?;
            let mut watcher = Watcher::new(watcher, "encoding", "bytes", known(&listing), &failure);
            encode_files_to_memory(tokenizer, self.job(&listing), &mut |done| watcher.check_files(done))
        })?;
        arrays(py, encoded, tokenizer.spare())
    }

    /// Writes token files; returns what a report says of them.
    pub(crate) fn write<'py>(
        mut self,
        py: Python<'py>,
        tokenizer: &Tokenizer,
        mut output: Output,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let started = Instant::now();
        let failure = Failure::default();
        let of_order = watcher.as_ref().map(|callback| callback.clone_ref(py));
        let (report, skipped) = failure.run(py, || {
            let listing = self.listing(&failure)?;
            if let Some(request) = &output.keep {
                let keep = Arc::new(Keep::of(request, &listing, &self.options, output.layout.format)?);
                (self.options.keep, output.layout.keep) = (Some(keep.clone()), Some(keep));
            }
            let mut encoding = Watcher::new(watcher, "encoding", "bytes", known(&listing), &failure);
            let mut ordering = Watcher::new(of_order, "shuffling", "documents", None, &failure);
            let mut watch = |stage| match stage {
                FileStage::Encoding(done) => encoding.check_files(done),
                FileStage::Ordering(done, total) => {
                    ordering.total = Some(total);
                    ordering.check(done)
                }
            };
            let writing = output.writing(&failure);
            Ok((encode_files(tokenizer, &self.job(&listing), &writing, &mut watch)?, listing.skipped))
        })?;
        described(py, report, skipped, started)
    }
}

/// How much there is to read, where that is known.
fn known(listing: &Listing) -> Option<u64> {
    (listing.total_bytes > 0).then_some(listing.total_bytes)
}

fn described<'py>(
    py: Python<'py>,
    report: Report,
    skipped: Vec<PathBuf>,
    started: Instant,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("skipped", skipped)?;
    dict.set_item("documents", report.documents)?;
    dict.set_item("bytes", report.bytes)?;
    dict.set_item("tokens", report.tokens)?;
    dict.set_item("dtype", report.width.name())?;
    let files = report.files.into_iter().map(|file| (file.name, file.split, file.documents, file.tokens));
    dict.set_item("files", files.collect::<Vec<_>>())?;
    dict.set_item("manifest", report.manifest)?;
    dict.set_item("skipped_rows", report.skipped.count)?;
    dict.set_item("skipped_because", report.skipped.first)?;
    dict.set_item("seconds", started.elapsed().as_secs_f64())?;
    Ok(dict)
}
