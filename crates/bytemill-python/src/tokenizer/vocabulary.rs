//! What a tokenizer knows: tokens, ids, merges, statistics of its training; and smaller vocabularies.

use std::borrow::Cow;
use std::sync::Arc;

use bytemill::machine::{Engine, guarded};
use bytemill::{Role, TokenId, notation};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::Tokenizer;
use crate::Handle;
use crate::error::Raise;
use crate::text::Text;

impl Tokenizer {
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
}

#[pymethods]
impl Tokenizer {
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

    fn _with_tokens(&self, py: Python, tokens: Vec<(String, bool)>) -> PyResult<Handle> {
        Ok(Handle(Arc::new(guarded(|| self.tokenizer.with_tokens(tokens)).raise(py)?)))
    }

    /// The id of a token that tokenizer.json writes so, or None.
    fn _written_to_id(&self, token: &str) -> Option<TokenId> {
        self.tokenizer.id_of_written(token)
    }

    /// An id as tokenizer.json writes it, or None.
    fn _id_to_written(&self, id: TokenId) -> Option<Cow<'_, str>> {
        self.tokenizer.written(id)
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

    /// The same tokenizer, whose inner loops run on the instructions of this name, or None where this machine cannot run them.
    fn _with_simd(&self, py: Python, level: &str) -> PyResult<Option<Handle>> {
        let Some(engine) = Engine::named(level) else { return Ok(None) };
        let build = || bytemill::Tokenizer::new(self.tokenizer.definition().clone());
        Ok(Some(Handle(Arc::new(guarded(|| engine.force(build)).raise(py)?))))
    }

    fn _truncated(&self, py: Python, size: usize) -> PyResult<Handle> {
        let smaller =
            guarded(|| bytemill::Tokenizer::new(bytemill::train::truncated(self.tokenizer.definition(), size)?));
        Ok(Handle(Arc::new(smaller.raise(py)?)))
    }

    /// The family of the model: char, word, bpe, wordpiece or unigram.
    #[getter]
    fn family(&self) -> &'static str {
        self.tokenizer.definition().outline.family.name()
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
}
