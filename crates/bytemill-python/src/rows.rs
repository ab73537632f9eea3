//! What Python is given of the core: rows of ids, pieces explained, tokens as text.

use std::sync::Arc;

use bytemill::encode::explain::Explained;
use bytemill::encode::sink::Ragged;
use bytemill::machine::{FEW, Spare};
use bytemill::{Error, TokenId, Trace};
use numpy::ndarray::ArrayView1;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::lent;
use crate::error::Raise;
use crate::integers;
use crate::layout::Layout;
use crate::text::CharOffsets;

pub(crate) type IdsAndOffsets<'py> = (Bound<'py, PyArray1<TokenId>>, Bound<'py, PyArray1<i64>>);

/// Text, place, whether it is an added token, symbols, merges (rank, left, right, made, position), ids.
pub(crate) type ExplainedPiece =
    (String, (usize, usize), bool, Vec<TokenId>, Vec<(u32, TokenId, TokenId, TokenId, usize)>, Vec<TokenId>);

/// Rows as Python holds them: where each begins, and after the last of these where it ends.
pub(crate) fn arrays<'py>(
    py: Python<'py>,
    Ragged { ids, ends }: Ragged,
    spare: &Arc<Spare>,
) -> PyResult<IdsAndOffsets<'py>> {
    let offsets: Vec<i64> = [0].into_iter().chain(ends.into_iter().map(|end| end as i64)).collect();
    Ok((array(py, ids, spare)?, offsets.into_pyarray(py)))
}

/// The rows of such arrays as lists.
#[pyfunction]
#[pyo3(name = "_id_lists")]
pub(crate) fn id_lists<'py>(
    py: Python<'py>,
    ids: &Bound<'py, PyArray1<TokenId>>,
    offsets: &Bound<'py, PyArray1<i64>>,
) -> PyResult<Vec<Bound<'py, PyList>>> {
    let (ids, offsets) = (lent(ids)?, lent(offsets)?);
    let (all, borders) = (ids.as_slice()?, offsets.as_slice()?);
    let layout = Layout::of_interpreter(py);
    let row = |(&start, &end): (&i64, &i64)| {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        match range.and_then(|(start, end)| all.get(start..end)) {
            Some(row) => integers::list(py, row, layout),
            None => {
                let message = format!("a row from {start} to {end} is not one of {} ids", all.len());
                Err(Error::Spec(message)).raise(py)
            }
        }
    };
    borders.iter().zip(borders.iter().skip(1)).map(row).collect()
}

/// The ids of an array, until it and all its views are gone.
#[pyclass(frozen)]
struct LentIds {
    ids: Vec<TokenId>,
    spare: Arc<Spare>,
}

impl Drop for LentIds {
    fn drop(&mut self) {
        self.spare.give(std::mem::take(&mut self.ids));
    }
}

/// Ids as an array, without a copy. The memory of many is given back.
fn array<'py>(py: Python<'py>, ids: Vec<TokenId>, spare: &Arc<Spare>) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
    if ids.len() < FEW {
        return Ok(ids.into_pyarray(py));
    }
    let lent = Bound::new(py, LentIds { ids, spare: spare.clone() })?;
    let view = ArrayView1::from(&lent.get().ids);
    // SAFETY: the vector is neither read nor changed before the object is dropped, which the array keeps alive.
    Ok(unsafe { PyArray1::borrow_from_array(&view, lent.clone().into_any()) })
}

pub(crate) fn explained(text: &str, pieces: Vec<Explained>) -> Vec<ExplainedPiece> {
    let mut offsets = CharOffsets::new(text);
    let piece = |piece: Explained| {
        let Trace { symbols, merges, ids } = piece.trace;
        let merges = merges.iter().map(|m| (m.rank, m.left, m.right, m.made, m.position)).collect();
        (piece.text, offsets.of(piece.span), piece.added, symbols, merges, ids)
    };
    pieces.into_iter().map(piece).collect()
}
