//! Pickled: an `Encoding` as plain objects of Python, and back. Without its tokenizer, which would be megabytes with each: the tokens go along
//! as text.

use bytemill::TokenId;
use bytemill::postprocess::{Encoding as CoreEncoding, InputPlace, InputToken};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::encoding::Encoding;

/// Start and end, the number of the piece, and whether it is of the second text.
type PlaceState = (u32, u32, u32, bool);

/// A range, as Python has it.
type RangeState = (usize, usize);

#[derive(IntoPyObject, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct State {
    ids: Vec<TokenId>,
    type_ids: Vec<u32>,
    places: Vec<Option<PlaceState>>,
    names: Vec<String>,
    padding: Vec<RangeState>,
    sequences: Vec<(u32, RangeState)>,
    /// Whether places mean anything.
    has_offsets: bool,
    overflowing: Vec<State>,
}

impl State {
    /// Wraps an encoding whose tokens have their names.
    pub(crate) fn of(encoding: &CoreEncoding, has_offsets: bool) -> Self {
        let place = |place: InputPlace| (place.start, place.end, place.piece, place.second);
        let tokens = encoding.tokens.iter();
        State {
            ids: tokens.clone().map(|token| token.id).collect(),
            type_ids: tokens.clone().map(|token| token.type_id).collect(),
            places: tokens.map(|token| token.place.map(place)).collect(),
            names: encoding.names.clone().unwrap_or_default(),
            padding: encoding.padding.iter().map(|range| (range.start, range.end)).collect(),
            sequences: encoding.sequences().iter().map(|(id, range)| (*id, (range.start, range.end))).collect(),
            has_offsets,
            overflowing: encoding.overflowing.iter().map(|part| State::of(part, has_offsets)).collect(),
        }
    }

    /// The other way; as many tokens as there are of everything. What was written by other hands must not lead out of them.
    fn encoding(self) -> CoreEncoding {
        let place = |(start, end, piece, second)| InputPlace { start, end, piece, second };
        let each = self.ids.iter().zip(&self.type_ids).zip(self.places);
        let tokens: Vec<InputToken> =
            each.map(|((&id, &type_id), state)| InputToken { id, type_id, place: state.map(place) }).collect();
        let mut names = self.names;
        names.resize(tokens.len(), String::new());
        let range =
            |(start, end): RangeState| start.min(tokens.len())..end.clamp(start.min(tokens.len()), tokens.len());
        CoreEncoding {
            names: Some(names),
            padding: self.padding.into_iter().map(range).collect(),
            sequences: Some(self.sequences.into_iter().map(|(id, at)| (id, range(at))).collect()),
            overflowing: self.overflowing.into_iter().map(State::encoding).collect(),
            tokens,
            ..CoreEncoding::default()
        }
    }
}

/// How deep parts lie in parts, and how many of them there are: two, and as many as a text was cut into. Objects that nest without end, or
/// are parts of one another again and again, would take the stack or the memory.
const MOST_DEPTH: usize = 4;
const MOST_PARTS: usize = 1 << 20;

fn refuse_deep(state: &Bound<PyAny>) -> PyResult<()> {
    let mut level = vec![state.clone()];
    for _ in 0..MOST_DEPTH {
        let mut parts = Vec::new();
        for state in level {
            for part in state.get_item("overflowing")?.try_iter()? {
                parts.push(part?);
                if parts.len() > MOST_PARTS {
                    return Err(PyValueError::new_err("a pickled encoding with too many parts"));
                }
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        level = parts;
    }
    Err(PyValueError::new_err("a pickled encoding with parts in parts in parts"))
}

#[pyfunction]
#[pyo3(name = "_unpickled_encoding")]
pub(crate) fn unpickled_encoding(state: &Bound<PyAny>) -> PyResult<Encoding> {
    refuse_deep(state)?;
    let (py, state) = (state.py(), state.extract::<State>()?);
    let has_offsets = state.has_offsets;
    Encoding::loose(py, state.encoding(), has_offsets)
}
