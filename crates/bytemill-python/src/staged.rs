//! StagedModel: a model of tokenizer.json to which stages are given and taken; and single stages at work.

use std::sync::Arc;

use bytemill::encode::scratch::Scratch;
use bytemill::encode::sink::Detailed;
use bytemill::format::stages;
use bytemill::machine::guarded;
use bytemill::pretokenize::Splitter;
use bytemill::text::Span;
use bytemill::{Error, Result, TokenId};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::Handle;
use crate::error::Raise;
use crate::text::CharOffsets;

/// A character, and what it stands for.
type Aligned = (char, (usize, usize));

/// Id, name, and place in its piece.
type PieceToken = (TokenId, String, (usize, usize));

#[pyclass(frozen, module = "bytemill._core")]
pub(crate) struct StagedModel(bytemill::format::StagedModel);

fn value(json: &str) -> Result<Value> {
    serde_json::from_str(json).map_err(|error| Error::Spec(error.to_string()))
}

#[pymethods]
impl StagedModel {
    /// The model of a tokenizer.json, and the rest of the file.
    #[staticmethod]
    fn open(py: Python, data: &[u8]) -> PyResult<(Self, String)> {
        let opened = py.detach(|| guarded(|| bytemill::format::StagedModel::open(data)));
        let (model, rest) = opened.raise(py)?;
        Ok((StagedModel(model), rest.to_string()))
    }

    /// The model in the file, with null in the places of its lists.
    fn parameters(&self) -> String {
        self.0.parameters().to_string()
    }

    fn with_parameters(&self, py: Python, parameters: &str) -> PyResult<Self> {
        guarded(|| self.0.with_parameters(value(parameters)?)).map(StagedModel).raise(py)
    }

    /// The tokenizer that the rest of a file makes of the model.
    fn with_stages(&self, py: Python, rest: &str) -> PyResult<Handle> {
        let tokenizer = py.detach(|| guarded(|| self.0.with_stages(&value(rest)?)));
        Ok(Handle(Arc::new(tokenizer.raise(py)?)))
    }

    /// A file of the rest and the model, which has these parameters.
    fn write(&self, py: Python, rest: &str, parameters: &str, pretty: bool) -> PyResult<String> {
        py.detach(|| self.0.write(&value(rest)?, &value(parameters)?, pretty)).raise(py)
    }

    fn write_model(&self, py: Python, parameters: &str) -> PyResult<String> {
        py.detach(|| Ok(self.0.write_model(&value(parameters)?)?.to_string())).raise(py)
    }

    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (token, id) in self.0.vocab().raise(py)? {
            vocab.set_item(token, id)?;
        }
        Ok(vocab)
    }

    fn merges(&self, py: Python) -> PyResult<Vec<(String, String)>> {
        self.0.merges().raise(py)
    }

    fn token_to_id(&self, py: Python, token: &str) -> PyResult<Option<TokenId>> {
        self.0.id(token).raise(py)
    }

    fn id_to_token(&self, py: Python, id: TokenId) -> PyResult<Option<String>> {
        self.0.token(id).raise(py)
    }

    fn __len__(&self, py: Python) -> PyResult<usize> {
        self.0.size().raise(py)
    }

    /// The tokens of one piece: ids, names, and places in bytes of UTF-8.
    fn tokenize(&self, py: Python, piece: &str) -> PyResult<Vec<PieceToken>> {
        let run = || {
            let bare = self.0.bare()?;
            let mut found = Detailed::<true>::default();
            bare.encode(piece, &bare.specials().default_choice(), &mut Scratch::default(), &mut found)?;
            let mut tokens: Vec<PieceToken> = Vec::with_capacity(found.ids.len());
            for (&id, place) in found.ids.iter().zip(&found.places) {
                let name = bare.written_in_input(id).unwrap_or_default().into_owned();
                tokens.push((id, name, (place.span.start, place.span.end)));
            }
            for (at, surface) in found.surfaces {
                tokens[at].1 = surface;
            }
            Ok(tokens)
        };
        guarded(run).raise(py)
    }
}

fn in_characters(text: &str, aligned: impl Iterator<Item = (char, Span)>) -> Vec<Aligned> {
    let mut offsets = CharOffsets::new(text);
    aligned.map(|(c, span)| (c, offsets.of(span))).collect()
}

/// The characters that a normalizer of tokenizer.json makes of a text, and what each stands for.
#[pyfunction]
#[pyo3(name = "_stage_normalize")]
pub(crate) fn stage_normalize(py: Python, normalizer: &str, text: &str) -> PyResult<Vec<Aligned>> {
    let run = || {
        let normalizer = stages::normalizer(&value(normalizer)?)?;
        Ok(in_characters(text, normalizer.normalize(text, true).aligned_characters()))
    };
    guarded(run).raise(py)
}

/// The pieces that a pre-tokenizer of tokenizer.json makes of a text, as characters with what each stands for.
#[pyfunction]
#[pyo3(name = "_stage_split")]
pub(crate) fn stage_split(py: Python, pretokenizer: &str, text: &str, at_start: bool) -> PyResult<Vec<Vec<Aligned>>> {
    let run = || {
        let splitter = Splitter::new(&stages::pretokenizer(&value(pretokenizer)?)?)?;
        let pieces = splitter.aligned_pieces(text, at_start).into_iter();
        Ok(pieces.map(|piece| in_characters(text, piece.into_iter())).collect())
    };
    guarded(run).raise(py)
}

/// The text that a decoder of tokenizer.json makes of tokens.
#[pyfunction]
#[pyo3(name = "_stage_decode")]
pub(crate) fn stage_decode(py: Python, decoder: &str, tokens: Vec<String>) -> PyResult<String> {
    let run = || {
        let mut joiner = bytemill::decode::Joiner::new(&stages::decoder(&value(decoder)?)?);
        let mut bytes = Vec::new();
        tokens.iter().for_each(|token| joiner.push(token.as_bytes(), &mut bytes));
        joiner.finish(&mut bytes);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    guarded(run).raise(py)
}

/// A normalizer of tokenizer.json as it is written here.
#[pyfunction]
#[pyo3(name = "_own_normalizer")]
pub(crate) fn own_normalizer(py: Python, normalizer: &str) -> PyResult<String> {
    let own = || Ok(serde_json::to_string(&stages::normalizer(&value(normalizer)?)?));
    written(own()).raise(py)
}

/// A pre-tokenizer of tokenizer.json as it is written here.
#[pyfunction]
#[pyo3(name = "_own_pretokenizer")]
pub(crate) fn own_pretokenizer(py: Python, pretokenizer: &str) -> PyResult<String> {
    let own = || Ok(serde_json::to_string(&stages::pretokenizer(&value(pretokenizer)?)?));
    written(own()).raise(py)
}

fn written(stage: Result<serde_json::Result<String>>) -> Result<String> {
    stage?.map_err(|error| Error::Internal(error.to_string()))
}

/// How many tokens a post-processor of tokenizer.json adds.
#[pyfunction]
#[pyo3(name = "_stage_added")]
pub(crate) fn stage_added(py: Python, processor: &str, pair: bool) -> PyResult<usize> {
    let run = || {
        let (template, _) = stages::post_processor(&value(processor)?)?;
        Ok(template.map_or(0, |template| template.added(pair)))
    };
    guarded(run).raise(py)
}
