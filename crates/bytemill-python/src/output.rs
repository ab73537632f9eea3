//! How token files are to be written, as Python says it; and the formats that Python writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytemill::Result;
use bytemill::data::{
    Convert, KeepRequest, KeptColumns, KeptShard, KeptType, Layout, Pack, RawShard, TokenFormat, TokenOutput,
    TokenWidth,
};
use bytemill::encode::token_files::Writing;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calling::call;
use crate::error::Raise;
use crate::keywords::Keywords;
use crate::watch::Failure;

pub(crate) struct Output {
    path: PathBuf,
    pub layout: Layout,
    /// The columns to keep.
    pub keep: Option<KeepRequest>,
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
        let format = format.raise(py)?;
        if matches!(format, TokenFormat::Parquet | TokenFormat::Arrow) {
            // If it is not there, that is told now and not at the end of the first shard.
            py.import("bytemill._tables")?.getattr("arrow_module")?.call0()?;
        }
        let width = given.take::<Option<String>>("dtype")?.flatten();
        let pack = given.take::<Option<(usize, u32)>>("pack")?.flatten();
        let keep = given.take::<Option<NamedColumns>>("keep_columns")?.flatten();
        let output = Output {
            layout: Layout {
                format,
                width: width.as_deref().map(TokenWidth::named).transpose().raise(py)?,
                shard_tokens: given.take::<Option<u64>>("shard_tokens")?.flatten(),
                split: given.take::<Option<f64>>("split")?.flatten(),
                shuffle: given.needed("shuffle")?,
                seed: given.needed("seed")?,
                pack: pack.map(|(length, padding)| Pack { length, padding }),
                tokenizer: given.take::<Option<String>>("tokenizer")?.flatten(),
                keep: None,
            },
            path,
            keep: keep.map(|columns| keep_request(py, columns)).transpose()?,
            resume: given.needed("resume")?,
            checkpoint: Duration::from_secs_f64(given.needed::<f64>("checkpoint")?),
            described: given.needed("described")?,
            is_shard: given.needed("is_shard")?,
        };
        given.finish().map(|()| output)
    }

    pub(crate) fn writing<'a>(&'a self, failure: &'a Failure) -> Writing<'a> {
        let Output { path, layout, resume, checkpoint, described, is_shard, .. } = self;
        Writing {
            output: TokenOutput { path, layout: layout.clone(), convert: Some(failure) },
            resume: *resume,
            checkpoint: *checkpoint,
            described: described.clone(),
            is_shard: *is_shard,
        }
    }
}

/// Columns with their types, if these were given; none of them for all columns.
type NamedColumns = Vec<(String, Option<String>)>;

fn keep_request(py: Python, columns: NamedColumns) -> PyResult<KeepRequest> {
    let all = columns.is_empty();
    let typed = |(name, kind): (String, Option<String>)| {
        Ok((name, kind.as_deref().map(KeptType::named).transpose().raise(py)?))
    };
    Ok(KeepRequest { columns: columns.into_iter().map(typed).collect::<PyResult<_>>()?, all })
}

/// By `bytemill._table_shards`, which has pyarrow do it. Exceptions are kept until the core has returned.
impl Convert for Failure {
    fn convert(&self, shard: &RawShard, output: &Path) -> Result<()> {
        let written = Python::attach(|py| {
            let module = py.import("bytemill._table_shards")?;
            let RawShard { ids, ends, width, format, row, kept } = shard;
            let kept = kept.as_ref().map(|kept| kept_values(&module, kept)).transpose()?;
            let raw = module.getattr("RawShard")?.call1((*ids, *ends, width.name(), *row, kept))?;
            call(&module.getattr("write_shard")?, (raw, format.name(), output)).map(|_| ())
        });
        written.map_err(|error| self.keep(error))
    }
}

/// The object of `bytemill._table_shards` that has the kept values of a shard.
fn kept_values<'py>(module: &Bound<'py, PyModule>, kept: &KeptShard) -> PyResult<Bound<'py, PyAny>> {
    let KeptShard { keep, values, places } = kept;
    match &keep.columns {
        KeptColumns::Table(schema) => call(&module.getattr("KeptBatches")?, (values, *places, schema.bytes.as_slice())),
        KeptColumns::Records { .. } => call(&module.getattr("KeptRecords")?, (values, *places, keep.described())),
    }
}
