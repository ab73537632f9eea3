//! Files to a token file, to rows of ids in memory, or to counts of tokens; and which files a list of paths stands for.

use std::path::PathBuf;
use std::time::Instant;

use bytemill::data::{InputFormat, SourceOptions, list};
use bytemill::encode::files::{FileCount, Job, Report, count_files, encode_files, encode_files_to_memory};
use bytemill::encode::sink::Ragged;
use bytemill::machine::thread_count;
use bytemill::specials::Choice;
use bytemill::{TokenId, Tokenizer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Raise;
use crate::keywords::Keywords;
use crate::rows::arrays;
use crate::text::choice;
use crate::watch::{Failure, Watcher};

/// How files are read: the name of their format (if not by their names), the field of their records, and whether what is
/// not UTF-8 is replaced.
pub(crate) type HowToRead = (Option<String>, String, bool);

pub(crate) fn source_options(py: Python, (format, field, replace_invalid): HowToRead) -> PyResult<SourceOptions> {
    let format = format.as_deref().map(InputFormat::named).transpose().raise(py)?;
    Ok(SourceOptions { format, field, replace_invalid, ..SourceOptions::default() })
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

/// What to encode, and how.
pub(crate) struct Files {
    pub sources: Vec<PathBuf>,
    pub options: SourceOptions,
    pub choice: Choice,
    pub append: Option<TokenId>,
    pub threads: usize,
}

/// A file with its documents, bytes and tokens.
pub(crate) type CountedFile = (PathBuf, u64, u64, u64);

enum Encoded {
    File(Report),
    Memory(Ragged),
}

impl Files {
    pub(crate) fn new(sources: Vec<PathBuf>, keywords: Keywords, tokenizer: &Tokenizer) -> PyResult<Self> {
        let specials = keywords.take::<Bound<PyAny>>("specials")?;
        let files = Files {
            sources,
            options: source_options(keywords.py, keywords.needed("how")?)?,
            choice: choice(tokenizer.specials(), specials.as_ref())?,
            append: keywords.take::<Option<TokenId>>("append")?.flatten(),
            threads: thread_count(keywords.take::<Option<usize>>("threads")?.flatten()),
        };
        keywords.finish().map(|()| files)
    }

    /// Each file with its documents, bytes and tokens; and what was skipped in folders.
    pub(crate) fn count(
        self,
        py: Python,
        tokenizer: &Tokenizer,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<CountedFile>, Vec<PathBuf>)> {
        let failure = Failure::default();
        let Files { sources, options, choice, append, threads } = self;
        let counted = py.detach(|| {
            let listing = list(&sources)?;
            let mut watcher = Watcher::new(watcher, "counting", "bytes", Some(listing.total_bytes), &failure);
            let job = Job { listing: &listing, options, choice: &choice, append, threads };
            let counts = count_files(tokenizer, job, &mut |read| watcher.check(read))?;
            Ok((listing, counts))
        });
        let (listing, counts) = failure.raise(py, counted)?;
        let row = |(path, FileCount { documents, bytes, tokens })| (path, documents, bytes, tokens);
        let paths = listing.files.into_iter().map(|file| file.path);
        Ok((paths.zip(counts).map(row).collect(), listing.skipped))
    }

    /// Gives the rows, or of an output a report.
    pub(crate) fn encode<'py>(
        self,
        py: Python<'py>,
        tokenizer: &Tokenizer,
        output: Option<PathBuf>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let started = Instant::now();
        let failure = Failure::default();
        let Files { sources, options, choice, append, threads } = self;
        let encoded = py.detach(|| {
            let listing = list(&sources)?;
            let mut watcher = Watcher::new(watcher, "encoding", "bytes", Some(listing.total_bytes), &failure);
            let job = Job { listing: &listing, options, choice: &choice, append, threads };
            let mut watch = |read| watcher.check(read);
            let encoded = match output {
                Some(output) => encode_files(tokenizer, job, &output, &mut watch).map(Encoded::File),
                None => encode_files_to_memory(tokenizer, job, &mut watch).map(Encoded::Memory),
            };
            Ok((encoded?, listing.skipped))
        });
        let dict = PyDict::new(py);
        let (encoded, skipped) = failure.raise(py, encoded)?;
        match encoded {
            Encoded::File(report) => {
                dict.set_item("skipped", skipped)?;
                dict.set_item("documents", report.documents)?;
                dict.set_item("bytes", report.bytes)?;
                dict.set_item("tokens", report.tokens)?;
                dict.set_item("dtype", format!("uint{}", 8 * report.width.bytes()))?;
                dict.set_item("seconds", started.elapsed().as_secs_f64())?;
            }
            Encoded::Memory(rows) => {
                let (ids, offsets) = arrays(py, rows, tokenizer.spare())?;
                dict.set_item("ids", ids)?;
                dict.set_item("offsets", offsets)?;
            }
        }
        Ok(dict)
    }
}
