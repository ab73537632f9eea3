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

type Block = Box<[AtomicPtr<ffi::PyObject>]>;

pub(crate) struct Integers {
    blocks: Box<[OnceLock<Block>]>,
}

impl Integers {
    /// For ids below `size`.
    pub(crate) fn new(size: usize) -> Self {
        Integers { blocks: (0..size.div_ceil(BLOCK)).map(|_| OnceLock::new()).collect() }
    }

    /// With a layout of lists they are written where the list keeps them, else by the calls of the stable ABI.
    pub(crate) fn list<'py>(
        &self,
        py: Python<'py>,
        ids: &[TokenId],
        layout: Option<Layout>,
    ) -> PyResult<Bound<'py, PyList>> {
        // SAFETY: the list is new and of this length; every place is filled, each with a reference of its own, which the list takes over,
        // before anybody else sees the list. If an integer cannot be made, dropping the list lets go of those before it.
        unsafe {
            let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as ffi::Py_ssize_t))?;
            let list = list.cast_into_unchecked::<PyList>();
            match layout {
                Some(layout) => layout.fill(&list, ids.iter().map(|&id| self.integer(py, id)))?,
                None => {
                    for (i, &id) in ids.iter().enumerate() {
                        ffi::PyList_SetItem(list.as_ptr(), i as ffi::Py_ssize_t, self.integer(py, id)?.into_ptr());
                    }
                }
            }
            Ok(list)
        }
    }

    fn integer<'py>(&self, py: Python<'py>, id: TokenId) -> PyResult<Bound<'py, PyAny>> {
        let number = id as usize;
        let Some(block) = self.blocks.get(number / BLOCK) else { return made(py, id) };
        let block = block.get_or_init(|| (0..BLOCK).map(|_| AtomicPtr::default()).collect());
        let place = &block[number % BLOCK];
        let known = place.load(Ordering::Acquire);
        if !known.is_null() {
            // SAFETY: what a place holds is a reference to an integer, kept as long as `self`.
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
}

fn made(py: Python, id: TokenId) -> PyResult<Bound<PyAny>> {
    // SAFETY: gives a new reference, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromUnsignedLongLong(id.into())) }
}

impl Drop for Integers {
    fn drop(&mut self) {
        let kept = self.blocks.iter_mut().filter_map(|block| block.get_mut()).flat_map(|block| block.iter_mut());
        let kept: Vec<_> = kept.map(|place| *place.get_mut()).filter(|kept| !kept.is_null()).collect();
        // Without an interpreter there is nothing left to give back.
        Python::try_attach(|py| {
            // SAFETY: each is a reference that this held.
            kept.into_iter().for_each(|kept| drop(unsafe { Bound::from_owned_ptr(py, kept) }));
        });
    }
}
