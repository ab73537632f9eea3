//! Files to a token file, or to rows of ids in memory.

use std::path::PathBuf;
use std::time::Instant;

use bytemill::data::{SourceOptions, list};
use bytemill::encode::files::{Job, Report, encode_files, encode_files_to_memory};
use bytemill::encode::sink::Ragged;
use bytemill::specials::Choice;
use bytemill::{TokenId, Tokenizer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::rows::arrays;
use crate::watch::{Failure, Watcher};

/// What to encode, and how.
pub struct Files {
    pub sources: Vec<PathBuf>,
    pub options: SourceOptions,
    pub choice: Choice,
    pub append: Option<TokenId>,
    pub threads: usize,
}

enum Encoded {
    File(Report),
    Memory(Ragged),
}

impl Files {
    /// Gives the rows, or of an output a report.
    pub fn encode<'py>(
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
            match output {
                Some(output) => encode_files(tokenizer, job, &output, &mut watch).map(Encoded::File),
                None => encode_files_to_memory(tokenizer, job, &mut watch).map(Encoded::Memory),
            }
        });
        let dict = PyDict::new(py);
        match failure.raise(py, encoded)? {
            Encoded::File(report) => {
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
