//! Arguments that are ids: lists, arrays, anything that iterates over integers.

use std::borrow::Cow;

use bytemill::TokenId;
use bytemill::machine::room_for;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::calling::{Items, call};
use crate::error::{Raise, named};
use crate::integers;
use crate::layout::Layout;

/// Gives `work` the ids in one piece: those of an array where they lie, all others copied.
pub(crate) fn with_ids<T>(value: &Bound<PyAny>, work: impl FnOnce(Cow<[TokenId]>) -> PyResult<T>) -> PyResult<T> {
    if value.is_instance_of::<PyList>() {
        return work(copied(value)?.into());
    }
    match value.cast::<PyArray1<TokenId>>().ok().and_then(|array| array.try_readonly().ok()) {
        Some(array) => match array.as_slice() {
            Ok(ids) => work(ids.into()),
            Err(_) => work(array.as_array().to_vec().into()),
        },
        // Arrays of another type and tensors give Python integers, which are faster to read than their own scalars.
        None if value.hasattr("tolist")? => work(copied(&call(&value.getattr("tolist")?, ())?)?.into()),
        None => work(copied(value)?.into()),
    }
}

fn copied(value: &Bound<PyAny>) -> PyResult<Vec<TokenId>> {
    if let Ok(list) = value.cast::<PyList>() {
        return listed(list, Layout::of_interpreter(value.py()));
    }
    match value.cast_exact::<PyTuple>() {
        Ok(tuple) => listed(&tuple.to_list(), Layout::of_interpreter(value.py())),
        Err(_) => Items::of(value)?.map(|item| id(&item?)).collect(),
    }
}

/// Lists of plain integers are what most callers have. They are read where they lie if the interpreter is known to have them there; the
/// others one by one, and without a layout all.
pub(crate) fn listed(list: &Bound<PyList>, layout: Option<Layout>) -> PyResult<Vec<TokenId>> {
    let mut ids = room_for(list.len()).raise(list.py())?;
    while ids.len() < list.len() {
        if let Some(layout) = layout {
            layout.read(list, &mut ids);
        }
        // The integer of an object with code of its own may change the list.
        if ids.len() < list.len() {
            ids.push(item(list, ids.len())?);
        }
    }
    Ok(ids)
}

fn item(list: &Bound<PyList>, number: usize) -> PyResult<TokenId> {
    // Without counting references it takes a quarter of the time.
    // SAFETY: the list is alive, `PyList_GetItem` checks the index itself, and the item, borrowed from the list, is used
    // before any Python code could run: an object of exactly the type int has no code of its own.
    let plain = unsafe {
        let item = ffi::PyList_GetItem(list.as_ptr(), number as ffi::Py_ssize_t);
        match !item.is_null() && ffi::PyLong_CheckExact(item) != 0 {
            true => TokenId::try_from(ffi::PyLong_AsLong(item)).ok(),
            false => None,
        }
    };
    match plain {
        Some(plain) => Ok(plain),
        None => {
            PyErr::take(list.py());
            id(&list.get_item(number)?)
        }
    }
}

pub(crate) fn id(value: &Bound<PyAny>) -> PyResult<TokenId> {
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

/// A list of ids, read and written where the items lie if `direct`, or by the calls of the stable ABI: for the tests, which hold both equal.
/// None if this interpreter has no layout that is known.
#[pyfunction]
#[pyo3(name = "_copied_ids")]
pub(crate) fn copied_ids<'py>(ids: &Bound<'py, PyList>, direct: bool) -> PyResult<Option<Bound<'py, PyList>>> {
    let layout = Layout::of_interpreter(ids.py()).filter(|_| direct);
    if layout.is_none() && direct {
        return Ok(None);
    }
    integers::list(ids.py(), &listed(ids, layout)?, layout).map(Some)
}
