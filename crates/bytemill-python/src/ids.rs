//! Arguments that are ids: lists, arrays, anything that iterates over integers.

use bytemill::{Error, TokenId};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::Raise;

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
    let number: i128 = value.extract()?;
    Err(Error::Spec(format!("{number} cannot be an id: ids are 0 to {}", TokenId::MAX))).raise(value.py())
}
