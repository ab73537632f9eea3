//! The Tokenizer class: every method is a conversion, a call, a conversion.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use bytemill::Role;
use bytemill::data::Seam;
use bytemill::decode::clean_up;
use bytemill::encode::call::Call;
use bytemill::encode::input::Source;
use bytemill::encode::scratch::Scratch;
use bytemill::encode::segmentations::{Scored, Segmentations};
use bytemill::encode::sink::Count;
use bytemill::format::{self, Format};
use bytemill::machine::{guarded, thread_count};
use bytemill::notation;
use bytemill::specials::Choice;
use bytemill::text::CodeUnits;
use bytemill::{Error, Result, TokenId};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyString};

use crate::Handle;
use crate::encoding::{DecodeStream, Encoding};
use crate::error::Raise;
use crate::files::{CountedFile, Files, HowToRead, source_options};
use crate::ids::with_ids;
use crate::input::{Given, Lent};
use crate::integers::Integers;
use crate::iterable::EncodeIterator;
use crate::keywords::{InputOptions, Keywords};
use crate::layout::Layout;
use crate::rows::{ExplainedPiece, IdsAndOffsets, arrays, explained};
use crate::text::{Text, choice, shown, with_texts};
use crate::watch::{Failure, Watcher};

/// Texts from this size on are encoded without the interpreter's lock; below, giving it back and taking it costs more than others gain.
const DETACH_BYTES: usize = 16 << 10;
/// As many ids are decoded without the lock.
const DETACH_IDS: usize = 16 << 10;
/// Texts from this size on are cut into parts for several threads.
const PARTS_BYTES: usize = 1 << 20;

/// What a file does not say: its splitter as JSON, and its special tokens.
type LeftOut = (Option<String>, Vec<(String, TokenId)>);

#[pyclass(frozen, subclass, module = "bytemill._core")]
pub struct Tokenizer {
    tokenizer: Arc<bytemill::Tokenizer>,
    integers: Integers,
}

impl Tokenizer {
    pub fn core_definition(&self) -> &bytemill::Definition {
        self.tokenizer.definition()
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let pool = self.tokenizer.pool();
        let mut scratch = pool.take();
        let result = work(&mut scratch);
        pool.give(scratch);
        result
    }

    /// Runs the core on a text, without the interpreter's lock where that pays.
    fn on_text<T: Send>(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        work: impl FnOnce(&str, &Choice, &mut Scratch) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.on_str(py, Text::new(text)?.as_str()?, specials, work)
    }

    fn on_str<T: Send>(
        &self,
        py: Python,
        text: &str,
        specials: Option<&Bound<PyAny>>,
        work: impl FnOnce(&str, &Choice, &mut Scratch) -> Result<T> + Send,
    ) -> PyResult<T> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let run = || guarded(|| self.with_scratch(|scratch| work(text, &choice, scratch)));
        if text.len() < DETACH_BYTES { run() } else { py.detach(run) }.raise(py)
    }

    fn encoded(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Keywords,
    ) -> PyResult<Vec<TokenId>> {
        let sampling = keywords.sampling(&self.tokenizer)?;
        keywords.finish()?;
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
        let encoded = py.detach(|| self.tokenizer.encode_in_parts(text, &choice, threads, &mut || watcher.check(0)));
        failure.raise(py, encoded)
    }

    /// Every token with its id. A text may be both a special token and a token of the model; its name belongs to the former.
    fn named_tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        self.tokenizer.tokens().filter(|&(id, token)| self.tokenizer.id(token) == Some(id))
    }

    /// The token of an id; None for an integer that is no id.
    fn token_of(&self, id: &Bound<PyAny>) -> PyResult<Option<&[u8]>> {
        match id.extract::<TokenId>() {
            Ok(id) => Ok(self.tokenizer.token(id)),
            Err(_) if id.hasattr("__index__")? => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn decoded(&self, py: Python, ids: &Bound<PyAny>, skip_special_tokens: bool) -> PyResult<Vec<u8>> {
        with_ids(ids, |ids| {
            let run = |ids: &[TokenId]| guarded(|| self.tokenizer.decode(ids, skip_special_tokens));
            if ids.len() < DETACH_IDS {
                return run(&ids).raise(py);
            }
            // Copied, since others may write to an array meanwhile.
            let ids = ids.into_owned();
            py.detach(|| run(&ids)).raise(py)
        })
    }

    /// Runs a batch operation on many texts.
    fn on_batch<T: Send>(
        &self,
        py: Python,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        work: impl FnOnce(&[CodeUnits], &Choice, usize, &mut Watcher) -> Result<T> + Send,
    ) -> PyResult<T> {
        refuse_one_text(texts)?;
        with_texts(texts, |texts| {
            let choice = choice(self.tokenizer.specials(), specials)?;
            let failure = Failure::default();
            let mut watcher = Watcher::new(None, "encoding", "texts", None, &failure);
            let result = py.detach(|| work(texts, &choice, thread_count(threads), &mut watcher));
            failure.raise(py, result)
        })
    }
}

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(handle: &Bound<PyAny>) -> PyResult<Self> {
        let Ok(handle) = handle.cast::<Handle>() else {
            let given = handle.repr().map_or_else(|_| "…".into(), |given| given.to_string());
            return Err(PyTypeError::new_err(format!(
                "a Tokenizer is not made from {given}; bytemill.load(path) reads one from a file or folder, and bytemill.train(source, spec) \
                 trains one"
            )));
        };
        let tokenizer = handle.get().0.clone();
        Ok(Tokenizer { integers: Integers::new(tokenizer.size()), tokenizer })
    }

    /// The ids of a text.
    #[pyo3(
        signature = (text, *, specials=None, threads=None, **keywords),
        text_signature = "($self, text, *, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, threads=None)"
    )]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = self.encoded(py, text, specials, threads, Keywords::new(py, "encode", keywords))?;
        self.integers.list(py, &ids, Layout::of_interpreter(py))
    }

    /// The ids of a text as a numpy array.
    #[pyo3(
        signature = (text, *, specials=None, threads=None, **keywords),
        text_signature = "($self, text, *, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, threads=None)"
    )]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
        Ok(self.encoded(py, text, specials, threads, Keywords::new(py, "encode_array", keywords))?.into_pyarray(py))
    }

    /// The ids of a text that comes in parts: lazily, in constant memory, equal to those of the whole text.
    #[pyo3(signature = (texts, *, specials=None))]
    fn encode_iterable(&self, texts: &Bound<PyAny>, specials: Option<&Bound<PyAny>>) -> PyResult<EncodeIterator> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let texts: Bound<PyIterator> = texts.try_iter()?;
        Ok(EncodeIterator::new(self.tokenizer.clone(), choice, texts.unbind()))
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

    /// How many ids each of many texts has.
    #[pyo3(signature = (texts, *, specials=None, threads=None))]
    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = self.on_batch(py, texts, specials, threads, |texts, choice, threads, watcher| {
            self.tokenizer.count_batch(texts, choice, threads, &mut || watcher.check(0))
        })?;
        Ok(counts.into_iter().map(|count| count as i64).collect::<Vec<_>>().into_pyarray(py))
    }

    #[pyo3(signature = (texts, specials, threads, **keywords))]
    fn _encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<PyAny>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<IdsAndOffsets<'py>> {
        let keywords = Keywords::new(py, "encode_batch", keywords);
        let sampling = keywords.sampling(&self.tokenizer)?;
        keywords.finish()?;
        let rows = self.on_batch(py, texts, specials, threads, |texts, choice, threads, watcher| {
            self.tokenizer.encode_batch(texts, choice, sampling, threads, &mut || watcher.check(0))
        })?;
        arrays(py, rows, self.tokenizer.spare())
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
        let ids = self.encoded(py, text, specials, None, Keywords::new(py, "tokenize", keywords))?;
        Ok(ids.into_iter().map(token).collect())
    }

    /// A model's input: the text, or the pair, in its template. The keywords are those of `inputs`.
    #[pyo3(signature = (text, pair=None, **keywords))]
    fn __call__(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        pair: Option<&Bound<PyAny>>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Encoding> {
        let options = InputOptions::new(Keywords::new(py, "__call__", keywords), &self.tokenizer)?;
        let given = |text| Given::new(text, options.pretokenized);
        let pair = pair.filter(|pair| !pair.is_none()).map(given).transpose()?;
        let text = given(text)?;
        let lent = (text.lend("the text")?, pair.as_ref().map(|pair| pair.lend("the pair")).transpose()?);
        let (text, pair) = (lent.0.source(), lent.1.as_ref().map(Lent::source));
        let request = options.request();
        let run = || {
            guarded(|| {
                let mut encoding =
                    self.with_scratch(|scratch| self.tokenizer.input(text, pair, &request, 0, scratch))?;
                if let Some(padding) = request.padding {
                    padding.apply(std::slice::from_mut(&mut encoding));
                }
                Ok(encoding)
            })
        };
        let bytes = text.len() + pair.map_or(0, |pair| pair.len());
        let encoding = if bytes < DETACH_BYTES { run() } else { py.detach(run) }.raise(py)?;
        Encoding::new(py, &self.tokenizer, encoding, (text, pair), options.unit)
    }

    /// The inputs of many texts, or pairs, on all cores.
    #[pyo3(
        signature = (texts, pairs=None, *, threads=None, **keywords),
        text_signature = "($self, texts, pairs=None, *, add_special_tokens=True, offsets=None, truncation=None, padding=None, \
                          overflow=False, pretokenized=False, specials=None, dropout=None, alpha=None, nbest_size=None, seed=0, \
                          threads=None)"
    )]
    fn inputs(
        &self,
        py: Python,
        texts: &Bound<PyAny>,
        pairs: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        keywords: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<Py<Encoding>>> {
        refuse_one_text(texts)?;
        let options = InputOptions::new(Keywords::new(py, "inputs", keywords), &self.tokenizer)?;
        let pairs = pairs.filter(|pairs| !pairs.is_none());
        let texts = Given::all(texts, "texts", options.pretokenized)?;
        let pairs = pairs.map(|pairs| Given::all(pairs, "pairs", options.pretokenized)).transpose()?;
        if let Some(pairs) = pairs.as_ref().filter(|pairs| pairs.len() != texts.len()) {
            let message = format!("there are {} texts and {} to pair them with", texts.len(), pairs.len());
            return Err(Error::Spec(message)).raise(py);
        }
        let lent = Given::lend_all(&texts, "texts")?;
        let lent_pairs = pairs.as_deref().map(|pairs| Given::lend_all(pairs, "pairs")).transpose()?;
        let pair = |i: usize| lent_pairs.as_ref().map(|pairs| pairs[i].source());
        let sources: Vec<(Source, Option<Source>)> =
            lent.iter().enumerate().map(|(i, text)| (text.source(), pair(i))).collect();
        let request = options.request();
        let threads = thread_count(threads);
        let failure = Failure::default();
        let mut watcher = Watcher::new(None, "encoding", "texts", None, &failure);
        let encodings = py.detach(|| self.tokenizer.inputs(&sources, &request, threads, &mut || watcher.check(0)));
        let encodings = failure.raise(py, encodings)?.into_iter().zip(&sources);
        let made = encodings.map(|(encoding, &sources)| {
            Py::new(py, Encoding::new(py, &self.tokenizer, encoding, sources, options.unit)?)
        });
        made.collect()
    }

    /// The text of ids; bytes that are not UTF-8 become U+FFFD.
    #[pyo3(signature = (ids, *, skip_special_tokens=false, clean_up=false))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let bytes = self.decoded(py, ids, skip_special_tokens)?;
        Ok(match clean_up {
            true => PyString::new(py, &self::clean_up(&String::from_utf8_lossy(&bytes))),
            false => shown(py, &bytes),
        })
    }

    /// The bytes of ids.
    #[pyo3(signature = (ids, *, skip_special_tokens=false))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.decoded(py, ids, skip_special_tokens)?))
    }

    /// The texts of many rows of ids.
    #[pyo3(signature = (rows, *, skip_special_tokens=false, clean_up=false))]
    fn decode_batch<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        rows.try_iter()?.map(|row| self.decode(py, &row?, skip_special_tokens, clean_up)).collect()
    }

    /// A decoder for ids that come one by one.
    #[pyo3(signature = (*, skip_special_tokens=false))]
    fn stream(&self, skip_special_tokens: bool) -> DecodeStream {
        DecodeStream { tokenizer: self.tokenizer.clone(), stream: self.tokenizer.stream(), skip_special_tokens }
    }

    /// The id of a token, or None. A str is what `vocab` shows for it, bytes are the token itself.
    fn token_to_id(&self, token: &Bound<PyAny>) -> PyResult<Option<TokenId>> {
        match Text::new(token)? {
            // No token is shown with a lone surrogate.
            Text::Str(token) => Ok(token.to_str().ok().and_then(|token| self.tokenizer.id_of_shown(token))),
            Text::Bytes(token) => Ok(self.tokenizer.id(token.as_bytes())),
        }
    }

    /// The token of an id as text, or None. A byte that is no UTF-8 is shown as `<0xE2>`.
    fn id_to_token(&self, id: &Bound<PyAny>) -> PyResult<Option<String>> {
        Ok(self.token_of(id)?.map(|token| notation::shown(token).into_owned()))
    }

    /// The token of an id as bytes, or None.
    fn id_to_bytes<'py>(&self, py: Python<'py>, id: &Bound<PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(self.token_of(id)?.map(|token| PyBytes::new(py, token)))
    }

    /// Every token as text with its id, in the order of the ids. A byte that is no UTF-8 is shown as `<0xE2>`.
    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (id, token) in self.named_tokens() {
            let shown = notation::shown(token);
            match self.tokenizer.id_of_shown(&shown) == Some(id) {
                true => vocab.set_item(shown, id)?,
                // What looks like the byte is a token of its own.
                false => vocab.set_item(notation::shown_lower(token), id)?,
            }
        }
        Ok(vocab)
    }

    /// Every token as bytes with its id, in the order of the ids.
    fn vocab_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (id, token) in self.named_tokens() {
            vocab.set_item(PyBytes::new(py, token), id)?;
        }
        Ok(vocab)
    }

    /// The file content in a format.
    #[pyo3(signature = (format="mill"))]
    fn to_bytes<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let written = guarded(|| format::write(&self.tokenizer, Format::named(format)?));
        Ok(PyBytes::new(py, &written.raise(py)?))
    }

    fn _nbest(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        n: usize,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Vec<Scored>> {
        self.on_segmentations(py, text, specials, |all| all.best(n))
    }

    #[allow(clippy::too_many_arguments)]
    fn _sample(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        n: usize,
        alpha: f64,
        seed: u64,
        replacement: bool,
        include_best: bool,
        specials: Option<&Bound<PyAny>>,
    ) -> PyResult<Vec<Scored>> {
        self.on_segmentations(py, text, specials, |all| match replacement {
            true => all.sample(n, alpha, seed),
            false => all.distinct(n, alpha, seed, include_best),
        })
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

    fn _restricted(&self, py: Python, pieces: Vec<String>) -> PyResult<Handle> {
        let wanted = pieces.iter().map(|piece| piece.as_bytes()).collect();
        let smaller =
            guarded(|| bytemill::Tokenizer::new(bytemill::encode::restricted(self.tokenizer.definition(), &wanted)?));
        Ok(Handle(Arc::new(smaller.raise(py)?)))
    }

    /// The same tokenizer on the general road alone, with which tests compare its fast path.
    fn _without_fast_path(&self, py: Python) -> PyResult<Handle> {
        Ok(Handle(Arc::new(guarded(|| self.tokenizer.without_fast_path()).raise(py)?)))
    }

    fn _truncated(&self, py: Python, size: usize) -> PyResult<Handle> {
        let smaller =
            guarded(|| bytemill::Tokenizer::new(bytemill::train::truncated(self.tokenizer.definition(), size)?));
        Ok(Handle(Arc::new(smaller.raise(py)?)))
    }

    fn _save(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let format = format.map(Format::named).transpose().raise(py)?;
        py.detach(|| guarded(|| format::save(&self.tokenizer, &path, format))).raise(py)
    }

    /// What the library of a format does otherwise with this tokenizer.
    fn _differences(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<Vec<String>> {
        let format = format.map_or_else(|| Format::of_name(&path), Format::named).raise(py)?;
        guarded(|| format::differences(&self.tokenizer, format)).raise(py)
    }

    /// What has to be told to load the file that this tokenizer is saved as: its splitter as JSON, and its special tokens with their ids.
    fn _left_out(&self, py: Python, path: PathBuf, format: Option<&str>) -> PyResult<Option<LeftOut>> {
        let format = format.map_or_else(|| Format::of_name(&path), Format::named).raise(py)?;
        let Some(outline) = format::left_out(&self.tokenizer, &path, format) else { return Ok(None) };
        let splitter = outline.pretokenizer.as_ref().map(serde_json::to_string).transpose();
        let splitter = splitter.map_err(|error| Error::Internal(error.to_string())).raise(py)?;
        let special = outline.added.iter().map(|token| (token.content.clone(), token.id)).collect();
        Ok(Some((splitter, special)))
    }

    /// Everything but the vocabulary, as JSON.
    fn definition(&self, py: Python) -> PyResult<String> {
        let outline = &self.tokenizer.definition().outline;
        serde_json::to_string(outline).map_err(|error| Error::Internal(error.to_string())).raise(py)
    }

    #[allow(clippy::too_many_arguments)]
    fn _encode_files<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PathBuf>,
        output: Option<PathBuf>,
        how: HowToRead,
        append: Option<TokenId>,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let options = source_options(py, how)?;
        let files = Files { sources, options, choice, append, threads: thread_count(threads) };
        files.encode(py, &self.tokenizer, output, watcher)
    }

    fn _count_files(
        &self,
        py: Python,
        sources: Vec<PathBuf>,
        how: HowToRead,
        specials: Option<&Bound<PyAny>>,
        threads: Option<usize>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<CountedFile>, Vec<PathBuf>)> {
        let choice = choice(self.tokenizer.specials(), specials)?;
        let options = source_options(py, how)?;
        let files = Files { sources, options, choice, append: None, threads: thread_count(threads) };
        files.count(py, &self.tokenizer, watcher)
    }

    /// Where a text, however it goes on, can be cut so that both parts have the tokens of the whole: where the first
    /// part ends and the second begins, in characters.
    fn _last_cut(&self, text: &str) -> Option<(usize, usize)> {
        let Seam { end, start } = self.tokenizer.last_cut(text)?;
        Some((text.get(..end)?.chars().count(), text.get(..start)?.chars().count()))
    }

    /// The family of the model: char, word, bpe, wordpiece or unigram.
    #[getter]
    fn family(&self) -> &'static str {
        self.tokenizer.definition().outline.family.name()
    }

    /// A name for the content: the same for equal tokenizers, on every machine.
    #[getter]
    fn fingerprint(&self, py: Python) -> PyResult<&str> {
        self.tokenizer.fingerprint().raise(py)
    }

    /// One more than the largest id.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.tokenizer.size()
    }

    /// The special tokens with their ids, the unknown token of SentencePiece among them.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let special = self.tokenizer.specials().tokens().iter().filter(|token| token.special);
        let mut tokens: Vec<(TokenId, Cow<str>)> =
            special.map(|token| (token.id, Cow::Borrowed(token.content.as_str()))).collect();
        let outline = &self.tokenizer.definition().outline;
        if let Some(unk) = outline.unk.filter(|_| outline.sentencepiece.is_some()) {
            // It has no place among what is found in a text, since no text becomes it.
            let at = tokens.partition_point(|&(id, _)| id < unk);
            tokens.insert(at, (unk, notation::shown(self.tokenizer.token(unk).unwrap_or_default())));
        }
        let dict = PyDict::new(py);
        tokens.into_iter().try_for_each(|(id, token)| dict.set_item(token, id))?;
        Ok(dict)
    }

    /// Every token that was added to the model with its id: the special ones, and those that the file does not call special.
    #[getter]
    fn added_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let tokens = self.tokenizer.specials().tokens().iter();
        tokens.into_iter().try_for_each(|token| dict.set_item(&token.content, token.id))?;
        Ok(dict)
    }

    /// The tokens that have a role, by its name: pad, unk, bos, eos, cls, sep, mask.
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (role, id) in self.tokenizer.roles() {
            dict.set_item(role.name(), notation::shown(self.tokenizer.token(id).unwrap_or_default()))?;
        }
        Ok(dict)
    }

    /// The id of the token that pads, or None.
    #[getter]
    fn pad_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Pad)
    }

    /// The id of the token for what is unknown, or None.
    #[getter]
    fn unk_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Unk)
    }

    /// The id of the token that begins a text, or None.
    #[getter]
    fn bos_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Bos)
    }

    /// The id of the token that ends a text, or None.
    #[getter]
    fn eos_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Eos)
    }

    /// The id of the token whose place stands for a whole input, or None.
    #[getter]
    fn cls_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Cls)
    }

    /// The id of the token that separates texts, or None.
    #[getter]
    fn sep_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Sep)
    }

    /// The id of the token that hides another, or None.
    #[getter]
    fn mask_id(&self) -> Option<TokenId> {
        self.tokenizer.role(Role::Mask)
    }

    /// The pairs of tokens that merge, in the order of their priority; None for a family without merges.
    fn merges<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let definition = self.tokenizer.definition();
        let Some(merges) = &definition.merges else { return Ok(None) };
        let token = |id| PyBytes::new(py, definition.vocab.token(id).unwrap_or_default());
        let pairs = merges.pairs().into_iter().map(|(left, right)| (token(left), token(right)));
        PyList::new(py, pairs.collect::<Vec<_>>()).map(Some)
    }

    /// What the training saw, if this tokenizer comes from one.
    #[getter]
    fn training_stats<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(stats) = &self.tokenizer.definition().outline.training else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("documents", stats.documents)?;
        dict.set_item("bytes", stats.bytes)?;
        dict.set_item("pieces", stats.pieces)?;
        dict.set_item("distinct_pieces", stats.distinct_pieces)?;
        if let Some(tokens) = stats.tokens {
            dict.set_item("tokens", tokens)?;
            dict.set_item("bytes_per_token", stats.bytes as f64 / tokens.max(1) as f64)?;
        }
        if !stats.phases.0.is_empty() {
            let seconds = PyDict::new(py);
            for (name, took) in &stats.phases.0 {
                seconds.set_item(name, took.as_secs_f64())?;
            }
            dict.set_item("seconds", seconds)?;
        }
        Ok(Some(dict))
    }

    fn __contains__(&self, token: &Bound<PyAny>) -> PyResult<bool> {
        Ok(self.token_to_id(token)?.is_some())
    }

    fn __len__(&self) -> usize {
        self.tokenizer.size()
    }

    fn __eq__(&self, py: Python, other: &Bound<PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Tokenizer>() else {
            return Ok(py.NotImplemented());
        };
        let equal = self.fingerprint(py)? == other.get().fingerprint(py)?;
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self, py: Python) -> PyResult<u64> {
        // The first 15 hexadecimal digits: they fit, and Python reserves one value for errors.
        let digits = &self.fingerprint(py)?[..15];
        u64::from_str_radix(digits, 16).map_err(|error| Error::Internal(error.to_string())).raise(py)
    }

    /// Frozen: a copy is the thing itself.
    fn __copy__(slf: Bound<Self>) -> Bound<Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}

fn refuse_one_text(texts: &Bound<PyAny>) -> PyResult<()> {
    match texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        true => Err(PyTypeError::new_err(
            "a batch is several texts, and this is one; put it in a list, or use encode or count",
        )),
        false => Ok(()),
    }
}
