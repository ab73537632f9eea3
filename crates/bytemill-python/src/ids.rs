//! Arguments that are ids: lists, arrays, anything that iterates over integers.

use std::borrow::Cow;

use bytemill::TokenId;
use bytemill::machine::room_for;
use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyList, PyTuple};

use crate::arrays::lent;
use crate::calling::{Items, call};
use crate::error::{Raise, named};
use crate::integers;
use crate::layout::Layout;

/// Gives `work` the ids in one piece: those of an array where they lie, all others copied.
pub(crate) fn with_ids<T>(value: &Bound<PyAny>, work: impl FnOnce(Cow<[TokenId]>) -> PyResult<T>) -> PyResult<T> {
    if value.is_instance_of::<PyList>() {
        return work(copied(value)?.into());
    }
    match value.cast::<PyArray1<TokenId>>() {
        Ok(array) => work(lent(array)?.as_slice()?.into()),
        // Arrays of another type and tensors give Python integers, which are faster to read than their own scalars.
        Err(_) if value.hasattr("tolist")? => work(copied(&call(&value.getattr("tolist")?, ())?)?.into()),
        Err(_) => work(copied(value)?.into()),
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

/// Lists of plain integers are what most callers have. They are read where they lie if the interpreter is known to have them there, and
/// without a layout by calls that count no references; what is no plain integer, one by one.
pub(crate) fn listed(list: &Bound<PyList>, layout: Option<Layout>) -> PyResult<Vec<TokenId>> {
    let mut ids = room_for(list.len()).raise(list.py())?;
    loop {
        match layout {
            Some(layout) => layout.read(list, &mut ids),
            None => read_by_calls(list, &mut ids),
        }
        // The list may have become shorter: by the code of an integer of another class, or by another thread where there is no lock.
        if ids.len() >= list.len() {
            return Ok(ids);
        }
        let Ok(item) = list.get_item(ids.len()) else { return Ok(ids) };
        ids.push(id(&item)?);
    }
}

/// Does what `Layout::read` does.
fn read_by_calls(list: &Bound<PyList>, ids: &mut Vec<TokenId>) {
    // Without the interpreter's lock the list itself is locked, as by everything of Python's that changes a list.
    with_critical_section(list, || {
        while ids.len() < list.len()
            && let Some(id) = plain(list, ids.len())
        {
            ids.push(id);
        }
    });
}

/// The id at a place of a list which no other thread can change meanwhile, if it is a plain integer.
fn plain(list: &Bound<PyList>, place: usize) -> Option<TokenId> {
    let mut overflow = 0;
    // Without counting references it takes a quarter of the time.
    // SAFETY: the list is alive, `PyList_GetItem` checks the index itself, and the item, borrowed from the list, is used before any Python
    // code could run or the list's lock could be given up: an object of exactly the type int has no code of its own, and its value is
    // asked for by a call that raises nothing.
    unsafe {
        let item = ffi::PyList_GetItem(list.as_ptr(), place as ffi::Py_ssize_t);
        let is_plain = !item.is_null() && ffi::PyLong_CheckExact(item) != 0;
        is_plain.then(|| TokenId::try_from(ffi::PyLong_AsLongAndOverflow(item, &mut overflow)).ok()).flatten()
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
