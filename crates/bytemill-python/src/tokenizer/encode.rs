//! Encoding one text.

use bytemill::data::Seam;
use bytemill::encode::call::Call;
use bytemill::encode::sampling::Asked;
use bytemill::encode::scratch::Scratch;
use bytemill::encode::segments::TrustedText;
use bytemill::encode::session::{self as core_session, CHUNK_BYTES};
use bytemill::encode::sink::{Count, Detailed};
use bytemill::machine::{guarded, thread_count};
use bytemill::{TokenId, notation};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::pieces::PiecePlaces;
use super::{EncodedParts, Tokenizer};
use crate::calling::Items;
use crate::error::Raise;
use crate::integers;
use crate::keywords::Keywords;
use crate::layout::Layout;
use crate::rows::{ExplainedPiece, explained};
use crate::session::Session;
use crate::text::{CharOffsets, Text, choice};
use crate::watch::{Failure, Watcher};

/// Texts from this size on are cut into parts for several threads.
const PARTS_BYTES: usize = 1 << 20;

impl Tokenizer {
    fn encoded(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        asked: Asked,
    ) -> PyResult<Vec<TokenId>> {
        let sampling = self.tokenizer.sampling(asked).raise(py)?;
        let text = Text::new(text)?;
        let text = text.as_str()?;
        if text.len() >= PARTS_BYTES && sampling.is_none() {
            return self.encoded_in_parts(py, text, specials, threads);
        }
        self.on_str(py, text, specials, |text, choice, scratch| {
            let mut ids = Vec::new();
            let sampling = sampling.map(|sampling| (sampling, 0));
            self.tokenizer.encode(text, Call { sampling, ..Call::from(choice) }, scratch, &mut ids)?;
            Ok(ids)
        })
    }

    fn encoded_in_parts(
        &self,
        py: Python,
        text: &str,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Vec<TokenId>> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let threads = thread_count(threads);
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "bytes", None, &failure);
        failure.run(py, || self.tokenizer.encode_in_parts(text, &choice, threads, &mut || watcher.check(0)))
    }
}

#[pymethods]
impl Tokenizer {
    /// The ids of a text.
    #[pyo3(signature = (text, *, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "**keywords would take a fifth of the time of a short call")]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        dropout: Option<f64>,
        alpha: Option<f64>,
        nbest_size: Option<i64>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = self.encoded(py, text, specials, threads, Asked { dropout, alpha, nbest_size, seed })?;
        integers::list(py, &ids, Layout::of_interpreter(py))
    }

    /// The ids of a text as a numpy array.
    #[pyo3(signature = (text, *, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "**keywords would take a fifth of the time of a short call")]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        dropout: Option<f64>,
        alpha: Option<f64>,
        nbest_size: Option<i64>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
        Ok(self.encoded(py, text, specials, threads, Asked { dropout, alpha, nbest_size, seed })?.into_pyarray(py))
    }

    /// The ids of texts that are one text to the model, and where each id stands in the whole, in characters. Special tokens are
    /// found only where the bool is true.
    fn _encode_segments<'py>(
        &self,
        py: Python<'py>,
        segments: Vec<(Bound<'py, PyAny>, bool)>,
    ) -> PyResult<(Bound<'py, PyList>, PiecePlaces)> {
        let texts: Vec<Text> = segments.iter().map(|(text, _)| Text::new(text)).collect::<PyResult<_>>()?;
        let texts = texts.iter().map(Text::as_str).zip(&segments);
        let texts: Vec<TrustedText> =
            texts.map(|(text, &(_, trusted))| Ok(TrustedText { text: text?, trusted })).collect::<PyResult<_>>()?;
        let encode = |scratch: &mut Scratch| {
            let mut found = Detailed::<true>::default();
            self.tokenizer.encode_segments(&texts, scratch, &mut found).map(|()| found)
        };
        let found = py.detach(|| guarded(|| self.tokenizer.pool().with(|scratch| encode(scratch)))).raise(py)?;
        let whole: String = texts.iter().map(|text| text.text).collect();
        let mut characters = CharOffsets::new(&whole);
        let places = found.places.iter().map(|place| characters.of(place.span)).collect();
        Ok((integers::list(py, &found.ids, Layout::of_interpreter(py))?, places))
    }

    /// The ids of a text that comes in parts: lazily, in constant memory, equal to those of the whole text.
    #[pyo3(signature = (texts, *, specials=None))]
    fn encode_iterable<'py>(
        slf: &Bound<'py, Self>,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choice = choice(slf.get().tokenizer.specials(), specials)?;
        EncodedParts::chained(slf, choice, Items::of(texts)?.0)
    }

    /// A session with a text. Tests make the chunks small, so that even short texts have several.
    #[pyo3(
        signature = (text, specials, chunk_bytes=CHUNK_BYTES),
        text_signature = "($self, text, specials, chunk_bytes=1024)"
    )]
    fn _session(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        chunk_bytes: usize,
    ) -> PyResult<Session> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let text = Text::new(text)?;
        let text = text.as_str()?;
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "bytes", None, &failure);
        let tokenizer = self.tokenizer.clone();
        let begin = || core_session::Session::new(tokenizer, choice, chunk_bytes, text, &mut || watcher.check(0));
        let session = py.detach(|| guarded(begin));
        failure.raise(py, session).map(Session::new)
    }

    /// How many ids a text has.
    #[pyo3(signature = (text, *, specials=None))]
    fn count(&self, py: Python, text: &Bound<PyAny>, specials: Option<&Bound<PyAny>>) -> PyResult<usize> {
        self.on_text(py, text, specials, |text, choice, scratch| {
            let mut count = Count::default();
            self.tokenizer.encode(text, choice, scratch, &mut count)?;
            Ok(count.tokens)
        })
    }

    /// How many ids a text has, or None if they are more than `limit`; stops there.
    #[pyo3(signature = (text, limit, *, specials=None))]
    fn count_till(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        limit: usize,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Option<usize>> {
        self.on_text(py, text, specials, |text, choice, scratch| {
            self.tokenizer.count_till(text, choice, limit, scratch)
        })
    }

    /// The index at which to cut a text so that what is before it, or after it with `from_end`, has at most `limit` ids.
    #[pyo3(signature = (text, limit, *, from_end=false, specials=None))]
    fn cut_index(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        limit: usize,
        from_end: bool,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<usize> {
        let in_bytes = text.is_instance_of::<PyBytes>();
        self.on_text(py, text, specials, |text, choice, scratch| {
            let at = self.tokenizer.cut(text, choice, limit, from_end, scratch)?;
            Ok(if in_bytes { at } else { text[..at].chars().count() })
        })
    }

    fn _encode_code<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        language: Option<&str>,
        specials: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        crate::code::encode(py, &self.tokenizer, source, language, specials)
    }

    fn _explain(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Vec<ExplainedPiece>> {
        self.on_text(py, text, specials, |text, choice, scratch| {
            Ok(explained(text, self.tokenizer.explain(text, choice, scratch)?))
        })
    }

    /// The tokens of a text, as text.
    #[pyo3(
        signature = (text, *, specials=None, **keywords),
        text_signature = "($self, text, *, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0)"
    )]
    fn tokenize(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<String>> {
        let token = |id| notation::shown(self.tokenizer.token(id).unwrap_or_default()).into_owned();
        let keywords = Keywords::new(py, "Tokenizer.tokenize", keywords);
        let asked = keywords.asked()?;
        keywords.finish()?;
        let ids = self.encoded(py, text, specials, None, asked)?;
        Ok(ids.into_iter().map(token).collect())
    }

    /// Where a text, however it goes on, can be cut so that both parts have the tokens of the whole: where the first
    /// part ends and the second begins, in characters.
    fn _last_cut(&self, text: &str) -> Option<(usize, usize)> {
        let Seam { end, start } = self.tokenizer.last_cut(text)?;
        Some((text.get(..end)?.chars().count(), text.get(..start)?.chars().count()))
    }
}
