//! Arrays of numpy that are read.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::calling::call;

/// An array whose values are in one piece and stay as they are while this thread has the interpreter: the array itself where that is so,
/// else a copy that nobody else has.
///
/// Without the interpreter's lock another thread may write to an array at any time. The copy, which numpy makes, may then have some values
/// from before and some from after; but a slice of Rust's must not change at all.
pub(crate) fn lent<'py, T: Element>(array: &Bound<'py, PyArray1<T>>) -> PyResult<PyReadonlyArray1<'py, T>> {
    let stays = cfg!(not(Py_GIL_DISABLED));
    if stays
        && array.is_aligned()
        && array.is_contiguous()
        && let Ok(array) = array.try_readonly()
    {
        return Ok(array);
    }
    let copy = call(&array.getattr("copy")?, ())?;
    Ok(copy.cast_into::<PyArray1<T>>()?.try_readonly()?)
}
