//! train: documents, or counts of their pieces, into the core's trainer.

use std::sync::Arc;

use bytemill::parallel::{guarded, thread_count};
use bytemill::train::{CountOptions, Spec, Stages, Trained, Trainer};
use bytemill::{Error, Result};
use pyo3::prelude::*;

use crate::Handle;
use crate::counts::Counts;
use crate::error::Raise;
use crate::reading::Reading;
use crate::watch::Failure;

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
    memory: Option<u64>,
    watcher: Option<Py<PyAny>>,
) -> PyResult<(Handle, Vec<String>)> {
    let (spec, stages) = setup(spec, normalizer, pretokenizer).raise(py)?;
    let failure = Failure::default();
    let trained = if let Ok(counts) = source.cast::<Counts>() {
        let counts = &counts.get().0;
        py.detach(|| guarded(|| Trainer::of_counts(spec, &special_tokens, stages, counts)?.train_from(counts)))
    } else {
        let trainer = Trainer::new(spec, &special_tokens, stages).raise(py)?;
        let options = CountOptions { threads: thread_count(threads), memory, ordered: false };
        let reading = Reading::new(source, field, replace_invalid, watcher)?;
        let work = || {
            reading.run(
                &trainer,
                || trainer.merged(),
                &failure,
                |batches, watch| trainer.train(batches, options, watch),
            )
        };
        py.detach(work)
    };
    let trained: Trained = failure.raise(py, trained)?;
    let tokenizer = bytemill::Tokenizer::new(trained.definition).raise(py)?;
    Ok((Handle(Arc::new(tokenizer)), trained.notes))
}

fn setup(spec: &str, normalizer: Option<&str>, pretokenizer: Option<&str>) -> Result<(Spec, Stages)> {
    let invalid = |error: serde_json::Error| Error::Spec(error.to_string());
    let stages = Stages {
        normalizer: normalizer.map(serde_json::from_str).transpose().map_err(invalid)?,
        pretokenizer: pretokenizer.map(serde_json::from_str).transpose().map_err(invalid)?,
    };
    Ok((Spec::parse(spec)?, stages))
}
