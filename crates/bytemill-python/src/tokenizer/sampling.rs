//! All segmentations of a text.

use bytemill::Result;
use bytemill::encode::segmentations::{Draw, ScoredIds, Segmentations};
use bytemill::machine::guarded;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Tokenizer;
use crate::error::Raise;
use crate::ids::with_ids;
use crate::keywords::Keywords;

impl Tokenizer {
    fn on_segmentations<T: Send>(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        work: impl FnOnce(Segmentations) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.on_text(py, text, specials, |text, choice, scratch| {
            work(self.tokenizer.segmentations(text, choice, scratch)?)
        })
    }
}

#[pymethods]
impl Tokenizer {
    fn _nbest(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        n: usize,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Vec<ScoredIds>> {
        self.on_segmentations(py, text, specials, |all| all.drawn(Draw::Best { n }))
    }

    #[pyo3(
        signature = (text, n, specials, **keywords),
        text_signature = "($self, text, n, specials, *, alpha, seed, replacement, include_best)"
    )]
    fn _sample(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        n: usize,
        specials: Option<&Bound<PyAny>>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<ScoredIds>> {
        let keywords = Keywords::new(py, "Tokenizer.sample", keywords);
        let (alpha, seed): (f64, u64) = (keywords.needed("alpha")?, keywords.needed("seed")?);
        let (replacement, include_best): (bool, bool) =
            (keywords.needed("replacement")?, keywords.needed("include_best")?);
        keywords.finish()?;
        let draw = match replacement {
            true => Draw::Sample { n, alpha, seed },
            false => Draw::Distinct { n, alpha, seed, best: include_best },
        };
        self.on_segmentations(py, text, specials, |all| all.drawn(draw))
    }

    /// How much there is to choose among the segmentations of a text, in natural units.
    #[pyo3(signature = (text, *, alpha=1.0, specials=None))]
    fn entropy(&self, py: Python, text: &Bound<PyAny>, alpha: f64, specials: Option<&Bound<PyAny>>) -> PyResult<f64> {
        self.on_segmentations(py, text, specials, |all| all.entropy(alpha))
    }

    /// The logarithm of the probability of a text: that of all its segmentations together.
    #[pyo3(signature = (text, *, specials=None))]
    fn log_probability(&self, py: Python, text: &Bound<PyAny>, specials: Option<&Bound<PyAny>>) -> PyResult<f64> {
        self.on_segmentations(py, text, specials, |all| Ok(all.log_probability()))
    }

    /// The sum of the scores of ids: the logarithm of their probability.
    fn score(&self, py: Python, ids: &Bound<PyAny>) -> PyResult<f64> {
        with_ids(ids, |ids| guarded(|| self.tokenizer.score(&ids)).raise(py))
    }
}
