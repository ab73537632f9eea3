//! train: documents, or counts of their pieces, into the core's trainer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytemill::data::write_atomically;
use bytemill::machine::{guarded, thread_count};
use bytemill::train::{Checkpoint, CountOptions, Means, PieceCounts, Spec, Stages, Trained, Trainer};
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
    /// Whether the source is what `count_for_training` gave for the same training.
    counted: bool,
}

impl<'py> Training<'py> {
    fn new(keywords: Keywords<'py>) -> PyResult<Self> {
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
            counted: keywords.needed("counted")?,
        };
        keywords.finish().map(|()| training)
    }

    /// The trainer; `counts` if it is to make do with what somebody has counted in their own way.
    fn trainer(&self, spec: &str, counts: Option<&PieceCounts>) -> Result<Trainer> {
        let (spec, stages) = setup(spec, self.normalizer.as_deref(), self.pretokenizer.as_deref())?;
        let chosen = self.special_tokens.iter().filter_map(|(token, id)| Some((token.clone(), (*id)?))).collect();
        let special_tokens: Vec<String> = self.special_tokens.iter().map(|(token, _)| token.clone()).collect();
        let trainer = match (&self.continue_from, counts) {
            (Some(known), _) => Trainer::continuing(spec, known.get().core_definition()),
            (None, Some(counts)) => Trainer::of_counts(spec, &special_tokens, stages, counts),
            (None, None) => Trainer::new(spec, &special_tokens, stages),
        };
        trainer?.numbered(chosen)
    }

    fn counting(&self) -> CountOptions {
        CountOptions { threads: thread_count(self.threads), memory: self.memory, ordered: false }
    }
}

#[pyfunction]
#[pyo3(
    signature = (source, spec, watcher, **keywords),
    text_signature = "(source, spec, watcher, *, special_tokens, normalizer, pretokenizer, how, threads, memory, continue_from, log, \
                      checkpoint, counted)"
)]
pub(crate) fn train(
    py: Python,
    source: &Bound<PyAny>,
    spec: &str,
    watcher: Option<Py<PyAny>>,
    keywords: Option<&Bound<PyDict>>,
) -> PyResult<(Handle, Vec<String>)> {
    let training = Training::new(Keywords::new(py, "train", keywords))?;
    let counts = source.cast::<Counts>().ok().map(|counts| &counts.get().0);
    let trainer = training.trainer(spec, counts.filter(|_| !training.counted)).raise(py)?;
    let options = training.counting();
    let Training { how, log, checkpoint, .. } = training;
    let checkpoint = checkpoint.map(|(path, seconds)| Checkpoint { path, interval: Duration::from_secs_f64(seconds) });
    let failure = Failure::default();
    let trained = {
        let mut merging = merging(&watcher, &failure);
        match counts {
            Some(counts) => {
                let means = Means { memory: options.memory, threads: options.threads };
                py.detach(|| guarded(|| trainer.train_from(counts, means, &mut merging)))
            }
            None => {
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

/// What a training would count, for `train` to go on from; takes the keywords of `train`.
#[pyfunction]
#[pyo3(signature = (source, spec, watcher, **keywords))]
pub(crate) fn count_for_training(
    py: Python,
    source: &Bound<PyAny>,
    spec: &str,
    watcher: Option<Py<PyAny>>,
    keywords: Option<&Bound<PyDict>>,
) -> PyResult<Counts> {
    let training = Training::new(Keywords::new(py, "count_for_training", keywords))?;
    let trainer = training.trainer(spec, None).raise(py)?;
    let options = training.counting();
    let reading = Reading::new(source, training.how, watcher)?;
    let failure = Failure::default();
    let work = || {
        reading.run(&trainer, || trainer.merged(), &failure, |batches, watch| trainer.count(batches, options, watch))
    };
    let counts = py.detach(|| guarded(work));
    Ok(Counts(failure.raise(py, counts)?))
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
pub(crate) fn merging<'a>(
    watcher: &Option<Py<PyAny>>,
    failure: &'a Failure,
) -> impl FnMut(u64, u64) -> Result<()> + use<'a> {
    let callback = watcher.as_ref().map(|callback| Python::attach(|py| callback.clone_ref(py)));
    let mut watcher = Watcher::new(callback, "merging", "merges", None, failure);
    move |done, total| {
        watcher.total = Some(total);
        watcher.check(done)
    }
}
