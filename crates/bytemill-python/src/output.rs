//! How token files are to be written, as Python says it; and the formats that Python writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytemill::Result;
use bytemill::data::{Convert, Layout, Pack, RawShard, TokenFormat, TokenOutput, TokenWidth};
use bytemill::encode::token_files::Writing;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Raise;
use crate::keywords::Keywords;
use crate::watch::Failure;

pub(crate) struct Output {
    path: PathBuf,
    layout: Layout,
    resume: bool,
    checkpoint: Duration,
    /// Options for the manifest, as JSON.
    described: String,
    is_shard: bool,
}

impl Output {
    /// From the dictionary that `bytemill._arguments.outputs` makes.
    pub(crate) fn new(path: PathBuf, given: &Bound<PyDict>) -> PyResult<Self> {
        let py = given.py();
        let given = Keywords::new(py, "Tokenizer.encode_files", Some(given));
        let format = match given.take::<Option<String>>("format")?.flatten() {
            Some(name) => TokenFormat::named(&name),
            None => TokenFormat::of_name(&path),
        };
        let width = given.take::<Option<String>>("dtype")?.flatten();
        let pack = given.take::<Option<(usize, u32)>>("pack")?.flatten();
        let output = Output {
            layout: Layout {
                format: format.raise(py)?,
                width: width.as_deref().map(TokenWidth::named).transpose().raise(py)?,
                shard_tokens: given.take::<Option<u64>>("shard_tokens")?.flatten(),
                split: given.take::<Option<f64>>("split")?.flatten(),
                shuffle: given.needed("shuffle")?,
                seed: given.needed("seed")?,
                pack: pack.map(|(length, padding)| Pack { length, padding }),
                tokenizer: given.take::<Option<String>>("tokenizer")?.flatten(),
            },
            path,
            resume: given.needed("resume")?,
            checkpoint: Duration::from_secs_f64(given.needed::<f64>("checkpoint")?),
            described: given.needed("described")?,
            is_shard: given.needed("is_shard")?,
        };
        given.finish().map(|()| output)
    }

    pub(crate) fn writing<'a>(&'a self, failure: &'a Failure) -> Writing<'a> {
        let Output { path, layout, resume, checkpoint, described, is_shard } = self;
        Writing {
            output: TokenOutput { path, layout: layout.clone(), convert: Some(failure) },
            resume: *resume,
            checkpoint: *checkpoint,
            described: described.clone(),
            is_shard: *is_shard,
        }
    }
}

/// By `bytemill._tables`, which has pyarrow do it. Exceptions are kept until the core has returned.
impl Convert for Failure {
    fn convert(&self, shard: &RawShard, output: &Path) -> Result<()> {
        let written = Python::attach(|py| {
            let write = py.import("bytemill._tables")?.getattr("write_shard")?;
            let RawShard { ids, ends, width, format, row } = shard;
            write.call1((*ids, *ends, width.name(), format.name(), *row, output)).map(|_| ())
        });
        written.map_err(|error| self.keep(error))
    }
}
