//! Encoding and DecodeStream: what calls give that is more than ids.

use std::sync::Arc;

use bytemill::decode::Stream;
use bytemill::encoding::Place;
use bytemill::input::Source;
use bytemill::{Error, TokenId};
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::Raise;
use crate::ids;
use crate::text::CharOffsets;

/// What a model is fed: the ids of one text or pair with its template, and what each id stands for.
#[pyclass(frozen, module = "bytemill")]
pub struct Encoding {
    tokenizer: Arc<bytemill::Tokenizer>,
    encoding: bytemill::encoding::Encoding,
    /// One for each id; None where the caller did not ask.
    offsets: Option<Vec<(usize, usize)>>,
    overflowing: Vec<Py<Encoding>>,
}

/// The unit that offsets are counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Characters,
    Bytes,
}

impl Unit {
    /// The `offsets=` argument: False, True, "chars" or "bytes".
    pub fn of_argument(argument: &Bound<PyAny>) -> PyResult<Option<Self>> {
        if let Ok(name) = argument.cast::<PyString>() {
            return match name.to_str()? {
                "chars" => Ok(Some(Unit::Characters)),
                "bytes" => Ok(Some(Unit::Bytes)),
                other => {
                    let message = format!("offsets is False, True, \"chars\" or \"bytes\", not {other:?}");
                    Err(Error::Spec(message)).raise(argument.py())
                }
            };
        }
        Ok(argument.is_truthy()?.then_some(Unit::Characters))
    }
}

/// Offsets of the core in the unit that the caller wants.
pub struct Offsets<'a> {
    sources: [Source<'a>; 2],
    /// Of each text or of each word of it.
    units: [Vec<CharOffsets>; 2],
}

impl<'a> Offsets<'a> {
    pub fn new(sources: [Source<'a>; 2], unit: Unit) -> Self {
        let counted = |text| CharOffsets::new(if unit == Unit::Characters { text } else { "" });
        let units = sources.map(|source| match source {
            Source::Text(text) => vec![counted(text)],
            Source::Words(words) => words.iter().map(|word| counted(word)).collect(),
        });
        Offsets { sources, units }
    }

    fn of(&self, place: &Place) -> (usize, usize) {
        let second = usize::from(place.second);
        let word = match self.sources[second] {
            Source::Text(_) => 0,
            Source::Words(_) => place.piece as usize,
        };
        self.units[second].get(word).map_or((0, 0), |units| units.of(place.span))
    }
}

impl Encoding {
    pub fn new(
        py: Python,
        tokenizer: &Arc<bytemill::Tokenizer>,
        mut encoding: bytemill::encoding::Encoding,
        offsets: Option<&Offsets>,
    ) -> PyResult<Self> {
        let overflowing = std::mem::take(&mut encoding.overflowing);
        let overflowing = overflowing.into_iter().map(|part| Py::new(py, Self::new(py, tokenizer, part, offsets)?));
        let offset =
            |offsets: &Offsets, place: &Option<Place>| place.as_ref().map_or((0, 0), |place| offsets.of(place));
        let offsets_of =
            |offsets: &Offsets| encoding.places.iter().map(|place| offset(offsets, place)).collect::<Vec<_>>();
        Ok(Encoding {
            offsets: offsets.map(offsets_of),
            overflowing: overflowing.collect::<PyResult<_>>()?,
            tokenizer: tokenizer.clone(),
            encoding,
        })
    }

    fn offsets_asked_for(&self, py: Python) -> PyResult<&[(usize, usize)]> {
        let missing = || Error::Spec("offsets are computed on request: call the tokenizer with offsets=True".into());
        self.offsets.as_deref().ok_or_else(missing).raise(py)
    }

    /// The tokens of one of the texts with their numbers and places.
    fn places_of(&self, sequence: usize) -> impl Iterator<Item = (usize, &Place)> {
        let placed = self.encoding.places.iter().enumerate().filter_map(|(i, place)| Some((i, place.as_ref()?)));
        placed.filter(move |(_, place)| usize::from(place.second) == sequence)
    }

    fn place(&self, token: usize) -> Option<&Place> {
        self.encoding.places.get(token)?.as_ref()
    }

    fn each_place<T>(&self, of: impl Fn(&Place) -> T) -> Vec<Option<T>> {
        self.encoding.places.iter().map(|place| place.as_ref().map(&of)).collect()
    }
}

#[pymethods]
impl Encoding {
    #[getter]
    fn ids(&self) -> &[TokenId] {
        &self.encoding.ids
    }

    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<TokenId>> {
        self.encoding.ids.to_pyarray(py)
    }

    #[getter]
    fn tokens(&self) -> Vec<String> {
        let shown = |&id: &TokenId| String::from_utf8_lossy(self.tokenizer.name(id).unwrap_or_default()).into_owned();
        let mut tokens: Vec<String> = self.encoding.ids.iter().map(shown).collect();
        for (i, surface) in &self.encoding.surfaces {
            tokens[*i].clone_from(surface);
        }
        tokens[self.encoding.padding.clone()].fill(self.encoding.pad_token.clone());
        tokens
    }

    #[getter]
    fn type_ids(&self) -> &[u32] {
        &self.encoding.type_ids
    }

    #[getter]
    fn attention_mask(&self) -> Vec<u32> {
        (0..self.encoding.ids.len()).map(|i| u32::from(!self.encoding.padding.contains(&i))).collect()
    }

    #[getter]
    fn special_tokens_mask(&self) -> Vec<u32> {
        self.encoding.places.iter().map(|place| u32::from(place.is_none())).collect()
    }

    #[getter]
    fn sequence_ids(&self) -> Vec<Option<u32>> {
        self.each_place(|place| u32::from(place.second))
    }

    #[getter]
    fn word_ids(&self) -> Vec<Option<u32>> {
        self.each_place(|place| place.piece)
    }

    #[getter]
    fn offsets(&self, py: Python) -> PyResult<Vec<(usize, usize)>> {
        Ok(self.offsets_asked_for(py)?.to_vec())
    }

    /// Inputs of what truncation cut off, if that was asked for.
    #[getter]
    fn overflowing(&self, py: Python) -> Vec<Py<Encoding>> {
        self.overflowing.iter().map(|part| part.clone_ref(py)).collect()
    }

    /// The token that holds a character of the text, or of the second text.
    #[pyo3(signature = (position, sequence=0))]
    fn char_to_token(&self, py: Python, position: usize, sequence: usize) -> PyResult<Option<usize>> {
        let offsets = self.offsets_asked_for(py)?;
        let holds = |(i, _): &(usize, &Place)| (offsets[*i].0..offsets[*i].1).contains(&position);
        Ok(self.places_of(sequence).find(holds).map(|(i, _)| i))
    }

    /// The number of the word that holds a character.
    #[pyo3(signature = (position, sequence=0))]
    fn char_to_word(&self, py: Python, position: usize, sequence: usize) -> PyResult<Option<u32>> {
        Ok(self.char_to_token(py, position, sequence)?.and_then(|token| self.token_to_word(token)))
    }

    /// Where a token stands in its text; None for what is not of a text.
    fn token_to_chars(&self, py: Python, token: usize) -> PyResult<Option<(usize, usize)>> {
        let offsets = self.offsets_asked_for(py)?;
        Ok(self.place(token).map(|_| offsets[token]))
    }

    /// The number of the word that a token is part of.
    fn token_to_word(&self, token: usize) -> Option<u32> {
        self.place(token).map(|place| place.piece)
    }

    /// The text that a token is of: 0 or 1.
    fn token_to_sequence(&self, token: usize) -> Option<u32> {
        self.place(token).map(|place| u32::from(place.second))
    }

    /// The tokens of a word: the first, and the one behind the last.
    #[pyo3(signature = (word, sequence=0))]
    fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let mut tokens = self.places_of(sequence).filter(|(_, place)| place.piece == word).map(|(i, _)| i);
        let first = tokens.next()?;
        Some((first, tokens.last().unwrap_or(first) + 1))
    }

    /// Where a word stands in its text.
    #[pyo3(signature = (word, sequence=0))]
    fn word_to_chars(&self, py: Python, word: u32, sequence: usize) -> PyResult<Option<(usize, usize)>> {
        let offsets = self.offsets_asked_for(py)?;
        Ok(self.word_to_tokens(word, sequence).map(|(first, end)| (offsets[first].0, offsets[end - 1].1)))
    }

    fn __len__(&self) -> usize {
        self.encoding.ids.len()
    }

    fn __repr__(&self) -> String {
        format!("Encoding({} ids)", self.encoding.ids.len())
    }
}

/// Decodes ids one by one; what comes out never splits a character.
#[pyclass(module = "bytemill")]
pub struct DecodeStream {
    pub tokenizer: Arc<bytemill::Tokenizer>,
    pub stream: Stream,
    pub skip_special_tokens: bool,
}

#[pymethods]
impl DecodeStream {
    /// The text that a further id makes certain; may be empty.
    fn push(&mut self, id: &Bound<PyAny>) -> PyResult<String> {
        let shown = self.tokenizer.shown(ids::id(id)?, self.skip_special_tokens).raise(id.py())?;
        Ok(shown.map_or_else(String::new, |token| self.stream.push(token)))
    }

    /// What is left at the end.
    fn finish(&mut self) -> String {
        self.stream.finish()
    }
}
