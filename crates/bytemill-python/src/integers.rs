//! The Python integers of ids: each is made once and shared by all lists, so that a list takes no memory but its own, and neither making
//! nor freeing it goes through the allocator for every id.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use bytemill::TokenId;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::layout::Layout;

/// Ids in one block: blocks are made when the first of their ids occurs.
const BLOCK: usize = 512;

/// No vocabulary that is known has more; higher ids get an integer of their own each time.
const IDS: usize = 1 << 20;

type Block = Box<[AtomicPtr<ffi::PyObject>]>;

/// They are kept until the process ends: a program that has several tokenizers has their integers once.
static BLOCKS: [OnceLock<Block>; IDS / BLOCK] = [const { OnceLock::new() }; IDS / BLOCK];

/// Ids as a list. With a layout of lists they are written where the list keeps them, else by the calls of the stable ABI.
pub(crate) fn list<'py>(py: Python<'py>, ids: &[TokenId], layout: Option<Layout>) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the list is new and of this length; every place is filled, each with a reference of its own, which the list takes over,
    // before anybody else sees the list. If an integer cannot be made, dropping the list lets go of those before it.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as ffi::Py_ssize_t))?;
        let list = list.cast_into_unchecked::<PyList>();
        match layout {
            Some(layout) => layout.fill(&list, ids.iter().map(|&id| integer(py, id)))?,
            None => {
                for (i, &id) in ids.iter().enumerate() {
                    ffi::PyList_SetItem(list.as_ptr(), i as ffi::Py_ssize_t, integer(py, id)?.into_ptr());
                }
            }
        }
        Ok(list)
    }
}

fn integer(py: Python<'_>, id: TokenId) -> PyResult<Bound<'_, PyAny>> {
    let number = id as usize;
    let Some(block) = BLOCKS.get(number / BLOCK) else { return made(py, id) };
    let block = block.get_or_init(|| (0..BLOCK).map(|_| AtomicPtr::default()).collect());
    let place = &block[number % BLOCK];
    let known = place.load(Ordering::Acquire);
    if !known.is_null() {
        // SAFETY: what a place holds is a reference to an integer, which is never given back.
        return Ok(unsafe { Bound::from_borrowed_ptr(py, known) });
    }
    let integer = made(py, id)?;
    let own = integer.clone().into_ptr();
    let first = place.compare_exchange(std::ptr::null_mut(), own, Ordering::AcqRel, Ordering::Acquire);
    if first.is_err() {
        // SAFETY: another thread, of an interpreter without a lock, was first; this reference is nobody's.
        drop(unsafe { Bound::from_owned_ptr(py, own) });
    }
    Ok(integer)
}

fn made(py: Python, id: TokenId) -> PyResult<Bound<PyAny>> {
    // SAFETY: gives a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromUnsignedLongLong(id.into())) }
}
