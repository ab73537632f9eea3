//! train: documents, or counts of their pieces, into the core's trainer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytemill::data::write_atomically;
use bytemill::machine::{guarded, thread_count};
use bytemill::train::{Checkpoint, CountOptions, Means, Spec, Stages, Trained, Trainer};
use bytemill::{Error, Result, TokenId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::Handle;
use crate::counts::Counts;
use crate::error::Raise;
use crate::files::HowToRead;
use crate::keywords::Keywords;
use crate::reading::Reading;
use crate::tokenizer::Tokenizer;
use crate::watch::{Failure, Watcher};

/// What a training needs besides its source and its spec.
struct Training<'py> {
    special_tokens: Vec<(String, Option<TokenId>)>,
    normalizer: Option<String>,
    pretokenizer: Option<String>,
    how: HowToRead,
    threads: Option<usize>,
    memory: Option<u64>,
    continue_from: Option<Bound<'py, Tokenizer>>,
    log: Option<PathBuf>,
    checkpoint: Option<(PathBuf, f64)>,
}

impl<'py> Training<'py> {
    fn new(keywords: Keywords<'_, 'py>) -> PyResult<Self> {
        let training = Training {
            special_tokens: keywords.needed("special_tokens")?,
            normalizer: keywords.needed("normalizer")?,
            pretokenizer: keywords.needed("pretokenizer")?,
            how: keywords.needed("how")?,
            threads: keywords.needed("threads")?,
            memory: keywords.needed("memory")?,
            continue_from: keywords.needed("continue_from")?,
            log: keywords.needed("log")?,
            checkpoint: keywords.needed("checkpoint")?,
        };
        keywords.finish().map(|()| training)
    }
}

#[pyfunction]
#[pyo3(
    signature = (source, spec, watcher, **keywords),
    text_signature = "(source, spec, watcher, *, special_tokens, normalizer, pretokenizer, how, threads, memory, continue_from, log, \
                      checkpoint)"
)]
pub(crate) fn train(
    py: Python,
    source: &Bound<PyAny>,
    spec: &str,
    watcher: Option<Py<PyAny>>,
    keywords: Option<&Bound<PyDict>>,
) -> PyResult<(Handle, Vec<String>)> {
    let training = Training::new(Keywords::new(py, "train", keywords))?;
    let Training { special_tokens, how, threads, memory, continue_from, log, checkpoint, .. } = training;
    let (spec, stages) = setup(spec, training.normalizer.as_deref(), training.pretokenizer.as_deref()).raise(py)?;
    let counts = source.cast::<Counts>().ok().map(|counts| &counts.get().0);
    let chosen = special_tokens.iter().filter_map(|(token, id)| Some((token.clone(), (*id)?))).collect();
    let special_tokens: Vec<String> = special_tokens.into_iter().map(|(token, _)| token).collect();
    let trainer = match (&continue_from, counts) {
        (Some(known), _) => Trainer::continuing(spec, known.get().core_definition()),
        (None, Some(counts)) => Trainer::of_counts(spec, &special_tokens, stages, counts),
        (None, None) => Trainer::new(spec, &special_tokens, stages),
    };
    let trainer = trainer.and_then(|trainer| trainer.numbered(chosen)).raise(py)?;
    let checkpoint = checkpoint.map(|(path, seconds)| Checkpoint { path, interval: Duration::from_secs_f64(seconds) });
    let failure = Failure::default();
    let trained = {
        let mut merging = merging(&watcher, &failure);
        match counts {
            Some(counts) => {
                let means = Means { memory, threads: thread_count(threads) };
                py.detach(|| guarded(|| trainer.train_from(counts, means, &mut merging)))
            }
            None => {
                let options = CountOptions { threads: thread_count(threads), memory, ordered: false };
                let reading = Reading::new(source, how, watcher)?;
                let work = || {
                    reading.run(
                        &trainer,
                        || trainer.merged(),
                        &failure,
                        |batches, watch| trainer.train(batches, options, checkpoint.as_ref(), watch, &mut merging),
                    )
                };
                py.detach(|| guarded(work))
            }
        }
    };
    let trained: Trained = failure.raise(py, trained)?;
    if let Some(path) = log {
        write_atomically(&path, &trained.log()).raise(py)?;
    }
    let tokenizer = bytemill::Tokenizer::new(trained.definition).raise(py)?;
    Ok((Handle(Arc::new(tokenizer)), trained.notes))
}

/// The stages by which a training makes pieces of a text, as `count_pieces` takes them.
#[pyfunction]
pub(crate) fn made_by(py: Python, spec: &str, special_tokens: Vec<String>) -> PyResult<String> {
    let (spec, stages) = setup(spec, None, None).raise(py)?;
    let trainer = Trainer::new(spec, &special_tokens, stages).raise(py)?;
    serde_json::to_string(trainer.made_by()).map_err(|error| Error::Internal(error.to_string())).raise(py)
}

fn setup(spec: &str, normalizer: Option<&str>, pretokenizer: Option<&str>) -> Result<(Spec, Stages)> {
    let invalid = |error: serde_json::Error| Error::Spec(error.to_string());
    let stages = Stages {
        normalizer: normalizer.map(serde_json::from_str).transpose().map_err(invalid)?,
        pretokenizer: pretokenizer.map(serde_json::from_str).transpose().map_err(invalid)?,
    };
    Ok((Spec::parse(spec)?, stages))
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
