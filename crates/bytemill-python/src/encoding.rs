//! Encoding and DecodeStream: what calls give that is more than ids.

use std::sync::Arc;

use bytemill::decode::Stream;
use bytemill::encode::input::InputText;
use bytemill::notation;
use bytemill::postprocess::{InputPlace, InputToken};
use bytemill::text::Span;
use bytemill::{Error, TokenId};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::error::Raise;
use crate::ids;
use crate::pickled::State;
use crate::text::CharOffsets;

/// What a model is fed: the ids of one text or pair with its template, and what each id stands for.
#[pyclass(frozen, module = "bytemill")]
pub(crate) struct Encoding {
    /// Where the names of tokens are found; None where the encoding has them itself.
    tokenizer: Option<Arc<bytemill::Tokenizer>>,
    /// With places in the unit that the caller asked for.
    encoding: bytemill::postprocess::Encoding,
    /// Whether places mean anything.
    has_offsets: bool,
    overflowing: Vec<Py<Encoding>>,
}

/// The unit that offsets are counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Characters,
    Bytes,
}

impl Unit {
    /// The `offsets=` argument: False, True, "chars" or "bytes".
    pub(crate) fn of_argument(argument: &Bound<PyAny>) -> PyResult<Option<Self>> {
        if let Ok(name) = argument.cast::<PyString>() {
            return match name.to_str()? {
                "chars" => Ok(Some(Unit::Characters)),
                "bytes" => Ok(Some(Unit::Bytes)),
                other => {
                    let message = format!("offsets is False, True, \"chars\" or \"bytes\", not {other:?}");
                    let known = ["chars", "bytes"].map(String::from).into();
                    Err(Error::UnknownName { message, name: other.into(), known }).raise(argument.py())
                }
            };
        }
        Ok(argument.is_truthy()?.then_some(Unit::Characters))
    }
}

/// Characters in place of bytes in the places of the core.
struct InputOffsets<'a>([TextOffsets<'a>; 2]);

enum TextOffsets<'a> {
    Text(CharOffsets<'a>),
    Words(Vec<CharOffsets<'a>>),
}

impl<'a> InputOffsets<'a> {
    fn new(sources: [InputText<'a>; 2]) -> Self {
        InputOffsets(sources.map(|source| match source {
            InputText::Text(text) => TextOffsets::Text(CharOffsets::new(text)),
            InputText::Words(words) => TextOffsets::Words(words.iter().map(|word| CharOffsets::new(word)).collect()),
        }))
    }

    fn apply(&mut self, encoding: &mut bytemill::postprocess::Encoding) {
        for place in encoding.tokens.iter_mut().filter_map(|token| token.place.as_mut()) {
            let counts = match &mut self.0[usize::from(place.second)] {
                TextOffsets::Text(text) => Some(text),
                TextOffsets::Words(words) => words.get_mut(place.piece as usize),
            };
            let span = Span::new(place.start as usize, place.end as usize);
            let (start, end) = counts.map_or((0, 0), |counts| counts.of(span));
            (place.start, place.end) = (start as u32, end as u32);
        }
        encoding.overflowing.iter_mut().for_each(|part| self.apply(part));
    }
}

impl Encoding {
    /// The input that texts have become, with offsets in `unit`.
    pub(crate) fn new(
        py: Python,
        tokenizer: &Arc<bytemill::Tokenizer>,
        mut encoding: bytemill::postprocess::Encoding,
        sources: (InputText, Option<InputText>),
        unit: Option<Unit>,
    ) -> PyResult<Self> {
        if unit == Some(Unit::Characters) {
            let (text, pair) = sources;
            InputOffsets::new([text, pair.unwrap_or(InputText::Words(&[]))]).apply(&mut encoding);
        }
        Self::counted(py, tokenizer, encoding, unit.is_some())
    }

    fn counted(
        py: Python,
        tokenizer: &Arc<bytemill::Tokenizer>,
        mut encoding: bytemill::postprocess::Encoding,
        has_offsets: bool,
    ) -> PyResult<Self> {
        let overflowing = std::mem::take(&mut encoding.overflowing).into_iter();
        let part = |part| Py::new(py, Self::counted(py, tokenizer, part, has_offsets)?);
        let overflowing = overflowing.map(part).collect::<PyResult<_>>()?;
        Ok(Encoding { tokenizer: Some(tokenizer.clone()), encoding, has_offsets, overflowing })
    }

    /// One apart from a tokenizer, with what overflowed from it.
    pub(crate) fn loose(
        py: Python,
        mut encoding: bytemill::postprocess::Encoding,
        has_offsets: bool,
    ) -> PyResult<Self> {
        let overflowing = std::mem::take(&mut encoding.overflowing).into_iter();
        let part = |part| Py::new(py, Self::loose(py, part, has_offsets)?);
        let overflowing = overflowing.map(part).collect::<PyResult<_>>()?;
        Ok(Encoding { tokenizer: None, encoding, has_offsets, overflowing })
    }

    /// The same as the core has it, its tokens with their names.
    pub(crate) fn named(&self, written: bool) -> bytemill::postprocess::Encoding {
        bytemill::postprocess::Encoding {
            names: Some(self.names(written)),
            surfaces: Vec::new(),
            overflowing: self.overflowing.iter().map(|part| part.get().named(written)).collect(),
            ..self.encoding.clone()
        }
    }

    pub(crate) fn has_offsets(&self) -> bool {
        self.has_offsets
    }

    /// The tokens as text; `written` as tokenizer.json writes them.
    fn names(&self, written: bool) -> Vec<String> {
        if let Some(names) = &self.encoding.names {
            return names.clone();
        }
        let name = |id| match &self.tokenizer {
            Some(tokenizer) if written => tokenizer.written_in_input(id).unwrap_or_default().into_owned(),
            Some(tokenizer) => notation::shown(tokenizer.name(id).unwrap_or_default()).into_owned(),
            None => String::new(),
        };
        let mut tokens: Vec<String> = self.encoding.tokens.iter().map(|token| name(token.id)).collect();
        for (i, surface) in &self.encoding.surfaces {
            tokens[*i].clone_from(surface);
        }
        for padding in &self.encoding.padding {
            tokens[padding.clone()].fill(self.encoding.pad_token.clone());
        }
        tokens
    }

    fn ask_for_offsets(&self, py: Python) -> PyResult<()> {
        let missing = || Error::Spec("offsets are computed on request: call the tokenizer with offsets=True".into());
        self.has_offsets.then_some(()).ok_or_else(missing).raise(py)
    }

    /// The tokens of one of the texts with their numbers and places.
    fn places_of(&self, sequence: usize) -> impl Iterator<Item = (usize, &InputPlace)> {
        let sequences = self.encoding.sequences();
        let range = sequences.iter().find(|(id, _)| *id as usize == sequence).map_or(0..0, |(_, range)| range.clone());
        self.encoding.tokens[range.clone()].iter().zip(range).filter_map(|(token, i)| Some((i, token.place.as_ref()?)))
    }

    fn place(&self, token: usize) -> Option<&InputPlace> {
        self.encoding.tokens.get(token)?.place.as_ref()
    }

    fn offset(&self, token: usize) -> (u32, u32) {
        self.place(token).map_or((0, 0), |place| (place.start, place.end))
    }

    /// A list with something of each token.
    fn each<'py, T: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        of: impl Fn(&InputToken) -> T,
    ) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.encoding.tokens.iter().map(of))
    }
}

#[pymethods]
impl Encoding {
    /// The ids, those of the template among them.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |token| token.id)
    }

    /// The ids as a numpy array.
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<TokenId>> {
        self.encoding.tokens.iter().map(|token| token.id).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The tokens as text.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.names(false)
    }

    /// The tokens as tokenizer.json writes them: those of byte-level BPE in the alphabet of bytes.
    #[getter]
    fn written_tokens(&self) -> Vec<String> {
        self.names(true)
    }

    /// The texts that tokens are of, each with the first of its tokens and the one after the last.
    #[getter]
    fn sequences(&self) -> Vec<(u32, (usize, usize))> {
        self.encoding.sequences().iter().map(|(id, range)| (*id, (range.start, range.end))).collect()
    }

    /// Which text each token belongs to, as the template counts them.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |token| token.type_id)
    }

    /// 1 for each token, and 0 for padding.
    #[getter]
    fn attention_mask(&self) -> Vec<u32> {
        (0..self.encoding.tokens.len()).map(|i| u32::from(!self.encoding.is_padding(i))).collect()
    }

    /// 1 for what the template or padding has put there, and 0 for what is of a text.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |token| u32::from(token.place.is_none()))
    }

    /// Which text each token is of, 0 or 1; None for those of no text.
    #[getter]
    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut ids: Vec<Option<u32>> = vec![None; self.encoding.tokens.len()];
        for (id, range) in self.encoding.sequences().iter() {
            ids[range.clone()].fill(Some(*id));
        }
        PyList::new(py, ids)
    }

    /// The number of the piece that each token is part of; None for those of no text.
    #[getter]
    fn word_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |token| token.place.map(|place| place.piece))
    }

    /// Where each token stands in its text: from, to.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.ask_for_offsets(py)?;
        self.each(py, |token| token.place.map_or((0, 0), |place| (place.start, place.end)))
    }

    /// Inputs of what truncation cut off, if that was asked for.
    #[getter]
    fn overflowing(&self, py: Python) -> Vec<Py<Encoding>> {
        self.overflowing.iter().map(|part| part.clone_ref(py)).collect()
    }

    /// The token that holds a character of the text, or of the second text.
    #[pyo3(signature = (position, sequence=0))]
    fn char_to_token(&self, py: Python, position: usize, sequence: usize) -> PyResult<Option<usize>> {
        self.ask_for_offsets(py)?;
        let holds = |(_, place): &(usize, &InputPlace)| (place.start as usize..place.end as usize).contains(&position);
        Ok(self.places_of(sequence).find(holds).map(|(i, _)| i))
    }

    /// The number of the word that holds a character.
    #[pyo3(signature = (position, sequence=0))]
    fn char_to_word(&self, py: Python, position: usize, sequence: usize) -> PyResult<Option<u32>> {
        Ok(self.char_to_token(py, position, sequence)?.and_then(|token| self.token_to_word(token)))
    }

    /// Where a token stands in its text; None for what is not of a text.
    fn token_to_chars(&self, py: Python, token: usize) -> PyResult<Option<(u32, u32)>> {
        self.ask_for_offsets(py)?;
        Ok(self.place(token).map(|_| self.offset(token)))
    }

    /// The number of the word that a token is part of.
    fn token_to_word(&self, token: usize) -> Option<u32> {
        self.place(token).map(|place| place.piece)
    }

    /// The text that a token is of: 0 or 1.
    fn token_to_sequence(&self, token: usize) -> Option<u32> {
        let sequences = self.encoding.sequences();
        sequences.iter().find(|(_, range)| range.contains(&token)).map(|&(id, _)| id)
    }

    /// The tokens of a word: the first, and the one after the last.
    #[pyo3(signature = (word, sequence=0))]
    fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let mut tokens = self.places_of(sequence).filter(|(_, place)| place.piece == word).map(|(i, _)| i);
        let first = tokens.next()?;
        Some((first, tokens.last().unwrap_or(first) + 1))
    }

    /// Where a word stands in its text.
    #[pyo3(signature = (word, sequence=0))]
    fn word_to_chars(&self, py: Python, word: u32, sequence: usize) -> PyResult<Option<(u32, u32)>> {
        self.ask_for_offsets(py)?;
        Ok(self.word_to_tokens(word, sequence).map(|(first, end)| (self.offset(first).0, self.offset(end - 1).1)))
    }

    fn __len__(&self) -> usize {
        self.encoding.tokens.len()
    }

    fn _repr_html_<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bytemill.results.html")?.getattr("html_encoding")?.call1((slf,))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (State,))> {
        let state = State::of(&self.named(false), self.has_offsets);
        Ok((py.import("bytemill._core")?.getattr("_unpickled_encoding")?, (state,)))
    }

    fn __repr__(&self) -> String {
        format!("Encoding({} ids)", self.encoding.tokens.len())
    }
}

/// Decodes ids one by one; what comes out never splits a character.
#[pyclass(module = "bytemill")]
pub(crate) struct DecodeStream {
    pub tokenizer: Arc<bytemill::Tokenizer>,
    pub stream: Stream,
    pub skip_special_tokens: bool,
}

#[pymethods]
impl DecodeStream {
    /// The text that a further id makes certain; may be empty.
    pub(crate) fn push(&mut self, id: &Bound<PyAny>) -> PyResult<String> {
        let token = self.tokenizer.joined(ids::id(id)?, self.skip_special_tokens).raise(id.py())?;
        Ok(match token {
            Some(token) => self.stream.push(&token),
            None => self.stream.pass(),
        })
    }

    /// The text that is left at the end.
    fn finish(&mut self) -> String {
        self.stream.finish()
    }
}
