//! Pickled: an `Encoding` as plain objects of Python, and back. Without its tokenizer, which would be megabytes with each: the tokens go along
//! as text.

use bytemill::TokenId;
use bytemill::postprocess::{InputPlace, InputToken};
use pyo3::prelude::*;

use crate::encoding::Encoding;

/// Start and end, the number of the piece, and whether it is of the second text.
type PlaceState = (u32, u32, u32, bool);

/// Ids, type ids, places, tokens, which of them are padding, whether places mean anything, and the parts that were cut off.
pub(crate) type State =
    (Vec<TokenId>, Vec<u32>, Vec<Option<PlaceState>>, Vec<String>, (usize, usize), bool, Vec<Py<Encoding>>);

pub(crate) fn places(tokens: &[InputToken]) -> Vec<Option<PlaceState>> {
    let state = |place: InputPlace| (place.start, place.end, place.piece, place.second);
    tokens.iter().map(|token| token.place.map(state)).collect()
}

/// The other way; as many as there are of each.
pub(crate) fn input_tokens(ids: &[TokenId], type_ids: &[u32], places: &[Option<PlaceState>]) -> Vec<InputToken> {
    let place = |(start, end, piece, second)| InputPlace { start, end, piece, second };
    let each = ids.iter().zip(type_ids).zip(places);
    each.map(|((&id, &type_id), &state)| InputToken { id, type_id, place: state.map(place) }).collect()
}

#[pyfunction]
#[pyo3(name = "_unpickled_encoding")]
pub(crate) fn unpickled_encoding(state: State) -> Encoding {
    Encoding::of_state(state)
}
