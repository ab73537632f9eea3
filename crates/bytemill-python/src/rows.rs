//! What Python is given of the core: rows of ids, pieces explained, tokens as text.

use bytemill::TokenId;
use bytemill::encoding::Ragged;
use bytemill::explain::Explained;
use bytemill::model::bpe::Trace;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::text::CharOffsets;

pub type IdsAndOffsets<'py> = (Bound<'py, PyArray1<TokenId>>, Bound<'py, PyArray1<i64>>);

/// Text, place, whether it is an added token, symbols, merges (rank, left, right, made, position), ids.
pub type ExplainedPiece =
    (String, (usize, usize), bool, Vec<TokenId>, Vec<(u32, TokenId, TokenId, TokenId, usize)>, Vec<TokenId>);

/// Rows as Python holds them: where each begins, and behind the last where it ends.
pub fn arrays(py: Python, Ragged { ids, ends }: Ragged) -> IdsAndOffsets {
    let offsets: Vec<i64> = [0].into_iter().chain(ends.into_iter().map(|end| end as i64)).collect();
    (ids.into_pyarray(py), offsets.into_pyarray(py))
}

pub fn explained(text: &str, pieces: Vec<Explained>) -> Vec<ExplainedPiece> {
    let mut offsets = CharOffsets::new(text);
    let piece = |piece: Explained| {
        let Trace { symbols, merges, ids } = piece.trace;
        let merges = merges.iter().map(|m| (m.rank, m.left, m.right, m.made, m.position)).collect();
        (piece.text, offsets.of(piece.span), piece.added, symbols, merges, ids)
    };
    pieces.into_iter().map(piece).collect()
}

/// A token's bytes as a `str`, in which those that are not UTF-8 are lone surrogates: Python's way to keep different bytes different.
pub fn escaped<'py>(py: Python<'py>, token: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match std::str::from_utf8(token) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => PyBytes::new(py, token).call_method1("decode", ("utf-8", "surrogateescape")),
    }
}
