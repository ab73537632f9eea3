//! Code of Python that is called from here: iterators, callbacks, the package's own functions.
//!
//! The interpreter may end while such code runs in a thread that nobody waits for. Before 3.14, CPython then ends the
//! thread where it asks for the interpreter's lock, by unwinding its stack, and the process aborts where the unwinding
//! meets frames of Rust. So the thread is stopped below them and waits for the end of the process, as it does from 3.14
//! on. PyO3 does the same where it takes the lock itself.

use std::hint::black_box;
use std::mem::{forget, transmute};

use pyo3::ffi::{PyIter_Next, PyObject, PyObject_CallObject};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

/// Stops the thread for good if its stack is unwound.
struct Stop;

impl Drop for Stop {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// Calls a function with positional arguments.
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    type Call = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
    type UnwindingCall = unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
    let arguments = arguments.into_pyobject(function.py())?;
    // SAFETY: the same function, but one that may unwind; `black_box` hides that it was declared as one that does not.
    // It returns a new reference, or null with an exception set.
    unsafe {
        let call = transmute::<Call, UnwindingCall>(black_box(PyObject_CallObject));
        let stop = Stop;
        let result = call(function.as_ptr(), arguments.as_ptr());
        forget(stop);
        Bound::from_owned_ptr_or_err(function.py(), result)
    }
}

/// The items that an iterator gives.
pub(crate) struct Items<'py>(pub(crate) Bound<'py, PyIterator>);

impl<'py> Items<'py> {
    /// Those of anything that can be iterated over.
    pub(crate) fn of(values: &Bound<'py, PyAny>) -> PyResult<Self> {
        values.try_iter().map(Items)
    }
}

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        type Next = unsafe extern "C" fn(*mut PyObject) -> *mut PyObject;
        type UnwindingNext = unsafe extern "C-unwind" fn(*mut PyObject) -> *mut PyObject;
        let py = self.0.py();
        // SAFETY: as above; at the end it returns null without an exception.
        let item = unsafe {
            let next = transmute::<Next, UnwindingNext>(black_box(PyIter_Next));
            let stop = Stop;
            let item = next(self.0.as_ptr());
            forget(stop);
            Bound::from_owned_ptr_or_opt(py, item)
        };
        item.map(Ok).or_else(|| PyErr::take(py).map(Err))
    }
}
