//! Arguments that are ids: lists, arrays, anything that iterates over integers.

use bytemill::TokenId;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::named;

pub fn ids(value: &Bound<PyAny>) -> PyResult<Vec<TokenId>> {
    if let Ok(array) = value.extract::<PyReadonlyArray1<TokenId>>() {
        return Ok(array.as_array().to_vec());
    }
    // Arrays of another type and tensors give Python integers, which are faster to read than their own scalars.
    if value.hasattr("tolist")? {
        return listed(&value.call_method0("tolist")?);
    }
    listed(value)
}

fn listed(value: &Bound<PyAny>) -> PyResult<Vec<TokenId>> {
    value.try_iter()?.map(|item| id(&item?)).collect()
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
