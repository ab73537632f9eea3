//! Encoding and DecodeStream: what calls give that is more than ids.

use std::sync::Arc;

use bytemill::decode::Stream;
use bytemill::encoding::Place;
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

impl Encoding {
    pub fn new(
        tokenizer: Arc<bytemill::Tokenizer>,
        encoding: bytemill::encoding::Encoding,
        texts: [&str; 2],
        unit: Option<Unit>,
    ) -> Self {
        let offsets = unit.map(|unit| {
            let units = texts.map(|text| CharOffsets::new(if unit == Unit::Characters { text } else { "" }));
            let offset = |place: &Option<Place>| match place {
                Some(place) => units[usize::from(place.second)].of(place.span),
                None => (0, 0),
            };
            encoding.places.iter().map(offset).collect()
        });
        Encoding { tokenizer, encoding, offsets }
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
        // What the model gave has the model's name, even where an added token of the same id is shown otherwise.
        let model = &self.tokenizer.definition().vocab;
        let token = |&id: &TokenId| model.token(id).or_else(|| self.tokenizer.token(id)).unwrap_or_default();
        let ids = self.encoding.ids.iter();
        let mut tokens: Vec<String> = ids.map(|id| String::from_utf8_lossy(token(id)).into_owned()).collect();
        for (i, surface) in &self.encoding.surfaces {
            tokens[*i].clone_from(surface);
        }
        tokens
    }

    #[getter]
    fn type_ids(&self) -> &[u32] {
        &self.encoding.type_ids
    }

    #[getter]
    fn attention_mask(&self) -> Vec<u32> {
        vec![1; self.encoding.ids.len()]
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
        let missing = || Error::Spec("offsets are computed on request: call the tokenizer with offsets=True".into());
        self.offsets.clone().ok_or_else(missing).raise(py)
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
