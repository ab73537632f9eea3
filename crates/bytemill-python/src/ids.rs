//! Arguments that are ids: lists, arrays, anything that iterates over integers.

use bytemill::TokenId;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::named;

/// Gives `work` the ids in one piece: those of an array where they lie, all others copied.
pub fn with_ids<T>(value: &Bound<PyAny>, work: impl FnOnce(&[TokenId]) -> PyResult<T>) -> PyResult<T> {
    match value.cast::<PyArray1<TokenId>>().ok().and_then(|array| array.try_readonly().ok()) {
        Some(array) => match array.as_slice() {
            Ok(ids) => work(ids),
            Err(_) => work(&array.as_array().to_vec()),
        },
        // Arrays of another type and tensors give Python integers, which are faster to read than their own scalars.
        None if !value.is_instance_of::<PyList>() && value.hasattr("tolist")? => {
            work(&copied(&value.call_method0("tolist")?)?)
        }
        None => work(&copied(value)?),
    }
}

fn copied(value: &Bound<PyAny>) -> PyResult<Vec<TokenId>> {
    match value.cast::<PyList>() {
        Ok(list) => listed(list),
        Err(_) => value.try_iter()?.map(|item| id(&item?)).collect(),
    }
}

/// Lists of plain integers are what most callers have; reading them without counting references to each takes a quarter of the time.
fn listed(list: &Bound<PyList>) -> PyResult<Vec<TokenId>> {
    let mut ids = Vec::with_capacity(list.len());
    for i in 0..list.len() {
        // SAFETY: the list is alive, `PyList_GetItem` checks the index itself, and the item, borrowed from the list, is used
        // before any Python code could run: an object of exactly the type int has no code of its own.
        let plain = unsafe {
            let item = ffi::PyList_GetItem(list.as_ptr(), i as ffi::Py_ssize_t);
            match !item.is_null() && ffi::PyLong_CheckExact(item) != 0 {
                true => TokenId::try_from(ffi::PyLong_AsLong(item)).ok(),
                false => None,
            }
        };
        ids.push(match plain {
            Some(plain) => plain,
            None => {
                PyErr::take(list.py());
                id(&list.get_item(i)?)?
            }
        });
    }
    Ok(ids)
}

pub fn id(value: &Bound<PyAny>) -> PyResult<TokenId> {
    if let Ok(id) = value.extract::<TokenId>() {
        return Ok(id);
    }
    // An integer out of range is a wrong id; anything else is a wrong type, and says so itself.
    if !value.hasattr("__index__")? {
        return Err(PyTypeError::new_err(format!(
            "ids are integers, not {}",
            value.get_type().name()?.to_string_lossy()
        )));
    }
    Err(named(value.py(), "UnknownIdError", format!("{value} cannot be an id: ids are 0 to {}", TokenId::MAX)))
}
