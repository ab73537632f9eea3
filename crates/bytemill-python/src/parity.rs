//! learn_parity: the counted words of several languages into the trainer of parity-aware BPE.

use bytemill::machine::guarded;
use bytemill::train::{ParityLearned, ParityOptions, ParityWindow, PieceCounts, learn_parity as learn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::counts::Counts;
use crate::keywords::Keywords;
use crate::train::merging;
use crate::watch::Failure;

/// The tokens in the order of their ids, and the merges by ids.
type Learned = (Vec<String>, Vec<(u32, u32)>);

#[pyfunction]
#[pyo3(
    signature = (train, dev, watcher, **keywords),
    text_signature = "(train, dev, watcher, *, num_merges, window, min_frequency, ratio, global_merges, total_symbols, special_tokens, \
                      limit_alphabet, initial_alphabet, continuing_subword_prefix, end_of_word_suffix, max_token_length)"
)]
pub(crate) fn learn_parity(
    py: Python,
    train: Vec<Py<Counts>>,
    dev: Vec<Py<Counts>>,
    watcher: Option<Py<PyAny>>,
    keywords: Option<&Bound<PyDict>>,
) -> PyResult<Learned> {
    let options = options(Keywords::new(py, "learn_parity", keywords))?;
    let counts = |given: &[Py<Counts>]| given.iter().map(|counts| counts.get().0.clone()).collect::<Vec<PieceCounts>>();
    let (train, dev) = (counts(&train), counts(&dev));
    let failure = Failure::default();
    let learned = {
        let mut merging = merging(&watcher, &failure);
        py.detach(|| guarded(|| learn(&options, &train, &dev, &mut merging)))
    };
    let ParityLearned { tokens, merges } = failure.raise(py, learned)?;
    Ok((tokens, merges))
}

fn options(keywords: Keywords) -> PyResult<ParityOptions> {
    let window: Option<(usize, f64)> = keywords.needed("window")?;
    let options = ParityOptions {
        num_merges: keywords.needed("num_merges")?,
        window: window.map(|(size, alpha)| ParityWindow { size, alpha }),
        min_frequency: keywords.needed("min_frequency")?,
        ratio: keywords.needed("ratio")?,
        global_merges: keywords.needed("global_merges")?,
        total_symbols: keywords.needed("total_symbols")?,
        special_tokens: keywords.needed("special_tokens")?,
        limit_alphabet: keywords.needed("limit_alphabet")?,
        initial_alphabet: keywords.needed("initial_alphabet")?,
        continuing_subword_prefix: keywords.needed("continuing_subword_prefix")?,
        end_of_word_suffix: keywords.needed("end_of_word_suffix")?,
        max_token_length: keywords.needed("max_token_length")?,
    };
    keywords.finish().map(|()| options)
}
