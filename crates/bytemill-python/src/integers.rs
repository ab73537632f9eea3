//! The Python integers of ids: each is made once and shared by all lists, so that a list takes no memory but its own, and neither making
//! nor freeing it goes through the allocator for every id. Without the interpreter's lock each list has its own.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use bytemill::TokenId;
use bytemill::machine::prefetch;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::layout::Layout;

/// No vocabulary that is known has more; higher ids get an integer of their own each time.
const IDS: usize = 1 << 20;

/// How many ids ahead of its use an integer is asked for: they lie anywhere, and each is written to, as it counts its references.
const AHEAD: usize = 16;

/// The integers by id, null where none was made. They are kept until the process ends: a program that has several tokenizers has their
/// integers once. The system gives memory to those pages alone that are written to.
static KEPT: [AtomicPtr<ffi::PyObject>; IDS] = [const { AtomicPtr::new(null_mut()) }; IDS];

/// Ids as a list. With a layout of lists they are written where the list keeps them, else by the calls of the stable ABI.
pub(crate) fn list<'py>(py: Python<'py>, ids: &[TokenId], layout: Option<Layout>) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the list is new and of this length; every place is filled, each with a reference of its own, which the list takes over,
    // before anybody else sees the list. If an integer cannot be made, dropping the list lets go of those before it.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as ffi::Py_ssize_t))?;
        let list = list.cast_into_unchecked::<PyList>();
        match layout {
            Some(layout) => {
                let places = layout.places(&list);
                fill(py, ids, |i, integer| places.add(i).write(integer))?;
            }
            None => fill(py, ids, |i, integer| put(&list, i, integer))?,
        }
        Ok(list)
    }
}

/// Puts an item into a new list. Built for one version, this needs no call, which would lock the list each time.
///
/// # Safety
/// Nobody else has seen the list, and nothing was put at this place, which there is.
#[inline]
unsafe fn put(list: &Bound<PyList>, place: usize, item: *mut ffi::PyObject) {
    #[cfg(not(Py_LIMITED_API))]
    use ffi::PyList_SET_ITEM as set;
    #[cfg(Py_LIMITED_API)]
    use ffi::PyList_SetItem as set;
    // SAFETY: as the caller says. The call cannot fail at a place that there is.
    let _ = unsafe { set(list.as_ptr(), place as ffi::Py_ssize_t, item) };
}

/// Puts a new reference to the integer of each id. Pointers and not `Bound`: a result of one with a Python error is copied through memory,
/// which took longer than all the rest.
#[inline]
fn fill(py: Python, ids: &[TokenId], mut put: impl FnMut(usize, *mut ffi::PyObject)) -> PyResult<()> {
    for (i, &id) in ids.iter().enumerate() {
        if let Some(&later) = ids.get(i + AHEAD) {
            // SAFETY: what is kept is a reference to an integer, which is never given back. Nothing is read.
            unsafe { kept(later).as_ref() }.inspect(|&integer| prefetch(integer));
        }
        let mut integer = kept(id);
        match integer.is_null() {
            true => integer = made(py, id)?.into_ptr(),
            // SAFETY: as above, and the thread has the interpreter.
            false => unsafe { ffi::Py_INCREF(integer) },
        }
        put(i, integer);
    }
    Ok(())
}

/// The integer of an id that was made before, or null.
#[inline]
fn kept(id: TokenId) -> *mut ffi::PyObject {
    place_of(id).map_or(null_mut(), |place| place.load(Ordering::Acquire))
}

/// Where the integer of an id is kept, if it is. Without the interpreter's lock none is: all threads would count the references to the
/// integers of frequent ids in the same few places, and wait for each other there.
#[inline]
fn place_of(id: TokenId) -> Option<&'static AtomicPtr<ffi::PyObject>> {
    if cfg!(Py_GIL_DISABLED) { None } else { KEPT.get(id as usize) }
}

/// Makes the integer of an id, and keeps it if there is a place.
#[cfg_attr(not(Py_GIL_DISABLED), cold)]
fn made(py: Python<'_>, id: TokenId) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: gives a new reference, or null with an exception.
    let integer = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromUnsignedLongLong(id.into())) }?;
    if let Some(place) = place_of(id) {
        let own = integer.clone().into_ptr();
        if place.compare_exchange(null_mut(), own, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: the place was filled meanwhile, so that this reference is nobody's.
            drop(unsafe { Bound::from_owned_ptr(py, own) });
        }
    }
    Ok(integer)
}
